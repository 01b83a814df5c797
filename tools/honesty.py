"""From a written file to the verdict, thousands of times: how often is a claim false, and how often is a truth found?

python tools/honesty.py                         the table, with 200 files a kind
python tools/honesty.py --replications 1000 --write      and docs/honesty.md with it
python tools/honesty.py --kind clusters --replications 1000 --write   those kinds whose names hold the word; others stay
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import nan, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

import numpy as np
from kind_of_file import Kind, Pair
from ordinary_files import KINDS

from bakeoff.errors import BakeoffError
from bakeoff.judging.advice import recommend
from bakeoff.judging.case import Case
from bakeoff.judging.factors import judge_factor
from bakeoff.judging.judgment import verdict_on
from bakeoff.judging.request import Request
from bakeoff.judging.verdict import Verdict
from bakeoff.procedures import procedure_named
from bakeoff.scores import Scores, read_scores
from bakeoff.scores.layout import declare_runs, declare_scope
from bakeoff.scores.reading import read_by_factor
from bakeoff.text import text_table

PAGE = Path(__file__).parents[1] / "docs" / "honesty.md"
ALPHA = 0.05
RESAMPLES = 499  # of procedures that draw: enough for a level, and a twentieth of what a user gets
OF_NULLS = 0.4  # so many alternatives to a null
ENOUGH = 0.9  # of the rival's power


@dataclass(frozen=True)
class Outcome:
    """What was said of one file. `hits` is the share of the true differences that were claimed."""

    procedure: str = ""
    false: bool = False
    conditional: bool = False
    hits: float = 0.0
    warned: tuple[str, ...] = ()
    refused: str = ""
    rival_hits: float = nan


@dataclass(frozen=True)
class Honesty:
    """What became of many files of a kind."""

    kind: Kind
    nulls: tuple[Outcome, ...]
    alternatives: tuple[Outcome, ...]

    def rate(self, *, conditional: bool) -> float:
        return sum(o.false and o.conditional is conditional for o in self.nulls) / len(self.nulls)

    @property
    def error(self) -> float:
        """The standard error of a rate of 5 %."""
        return sqrt(ALPHA * (1 - ALPHA) / len(self.nulls))

    @property
    def power(self) -> float:
        return float(np.mean([o.hits for o in self.alternatives])) if self.alternatives else nan

    @property
    def rival_power(self) -> float:
        hits = [o.rival_hits for o in self.alternatives]
        return float(np.mean(hits)) if hits and self.kind.rival else nan

    @property
    def refused(self) -> float:
        return sum(bool(o.refused) for o in self.nulls) / len(self.nulls)

    @property
    def holds(self) -> bool:
        """Whether unconditional claims hold the level; or, where nothing does, each false one came with the warning."""
        due, false = set(self.kind.excused), [o for o in self.nulls if o.false and not o.conditional]
        warned = bool(due) and all(due & set(o.warned) for o in false)
        return len(false) / len(self.nulls) <= ALPHA + 3 * self.error or warned

    @property
    def finds_enough(self) -> bool:
        slack = 2 * sqrt(0.25 / max(len(self.alternatives), 1))
        return not self.rival_power > 0 or self.power >= ENOUGH * self.rival_power - slack


def declared(scores: Scores, ask: Mapping[str, Any]) -> Scores:
    """The scores with what the user says of them, as the command line does."""
    with_runs = declare_runs(scores, ask.get("runs"), ask.get("ratio"))
    return declare_scope(with_runs, ask.get("about"))


def answer(scores: Scores, ask: Mapping[str, Any] = MappingProxyType({}), procedure: str = "") -> Verdict:
    """The verdict of `bakeoff compare`, with fewer resamples where any are drawn."""
    name = procedure or recommend(Case(scores, Request.of(None, **ask)))
    options = [option.name for option in procedure_named(name).card.options]
    few = {"resamples": RESAMPLES} if "resamples" in options else {}
    return verdict_on(Case(scores, Request.of(name, **ask, options=few, anyway=bool(procedure))))


def claims(verdict: Verdict) -> list[Pair]:
    """(better, worse) for every pair that was told apart."""
    return [
        (judged.first, judged.second) if judged.decision.value == "better" else (judged.second, judged.first)
        for judged in verdict.decisions
        if judged.apart
    ]


def outcome(kind: Kind, path: Path, rng: np.random.Generator, apart: bool) -> Outcome:
    """Write a file, read it, judge it, and hold what is claimed against the truth."""
    header, rows = kind.write(rng, apart)
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    if kind.factor:
        return effect_outcome(kind, path, apart)
    truth = {*kind.always, *(kind.differ if apart else ())}
    try:
        scores = declared(read_scores(path, **kind.read), kind.ask)
        verdict = answer(scores)
    except BakeoffError as error:
        return Outcome(refused=str(error))
    claimed = claims(verdict)
    rival = nan
    if apart and kind.rival:
        right = set(claims(answer(scores, kind.rival_ask, kind.rival))) & set(kind.differ)
        rival = len(right) / len(kind.differ)
    return Outcome(
        procedure=verdict.finding.procedure,
        false=any(claim not in truth for claim in claimed),
        conditional=bool(verdict.finding.conditions),
        hits=len(set(claimed) & set(kind.differ)) / len(kind.differ) if apart else 0.0,
        warned=tuple(warning.code for warning in verdict.warnings),
        rival_hits=rival,
    )


def effect_outcome(kind: Kind, path: Path, apart: bool) -> Outcome:
    """What is said of an effect, where a second factor stands beside the learner."""
    factor, by_level = read_by_factor(path, kind.factor, **kind.read)
    factorial = judge_factor({level: declared(scores, kind.ask) for level, scores in by_level.items()}, factor=factor)
    claimed = factorial.effects[kind.effect].p <= ALPHA
    return Outcome(
        procedure="compare --factor",
        false=claimed and not apart,
        conditional=bool(factorial.across.finding.conditions),
        hits=float(claimed and apart),
        warned=tuple(warning.code for warning in factorial.warnings),
    )


def try_out(kind: Kind, *, replications: int, seed: int) -> Honesty:
    """Many files of a kind, learners being alike, and fewer with a difference."""
    nulls = max(10, round(kind.share * replications))
    own = [seed, *kind.name.encode()]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        results = [
            tuple(outcome(kind, path, np.random.default_rng([*own, apart, i]), bool(apart)) for i in range(number))
            for apart, number in ((0, nulls), (1, max(10, round(OF_NULLS * nulls))))
        ]
    return Honesty(kind, *results)


# ----------------------------------------------------------------------------------------------------------------------


HEADER = [
    "file",
    "files",
    "judged by",
    "false claims",
    "under a condition",
    "found",
    "a rival finds",
    "refused",
    "warned",
]


def cells(honesty: Honesty) -> list[str]:
    kind, outcomes = honesty.kind, (*honesty.nulls, *honesty.alternatives)
    procedures = Counter(o.procedure for o in outcomes if o.procedure)
    codes = Counter(code for o in honesty.nulls for code in set(o.warned))
    often = [code for code, count in codes.most_common() if count > 0.5 * len(honesty.nulls)]
    rate, conditional = honesty.rate(conditional=False), honesty.rate(conditional=True)
    always_conditional = all(o.conditional for o in honesty.nulls if not o.refused)
    mark = "" if honesty.holds else " **too many**"
    mark += " (warned)" if kind.excused and honesty.holds and rate > ALPHA + 3 * honesty.error else ""
    rival = "" if np.isnan(honesty.rival_power) else f"{100 * honesty.rival_power:.0f} % ({kind.rival})"
    return [
        kind.name,
        f"{len(honesty.nulls):,}",
        ", ".join(name for name, _ in procedures.most_common(2)) or "nothing",
        "none made" if always_conditional else f"{100 * rate:.1f} ± {100 * honesty.error:.1f} %{mark}",
        f"{100 * conditional:.1f} %" if any(o.conditional for o in honesty.nulls) else "",
        f"{100 * honesty.power:.0f} %" + ("" if honesty.finds_enough else " **too few**"),
        rival,
        f"{100 * honesty.refused:.0f} %" if honesty.refused else "",
        ", ".join(often),
    ]


INTRODUCTION = """
How often `bakeoff compare` makes a false claim at α = 5 %, the whole way: a file is written, read, advised on and
judged, as many times as the table says (*files*; seed {seed}), with learners that are alike, and in 40 % as many
files with a difference. A claim is false if it tells a pair apart that does not differ, or the wrong way round; of
many learners, one such pair suffices. Claims whose verdict begins with “This holds only if …” stand apart. *Found* is
the share of the true differences that were claimed, and a rival is another procedure that holds its level there,
asked for by name. Procedures that draw resamples draw 499 here, and more for a user. ± is the standard error of a
rate of 5 %; **too many** is more than 5 % and three of them, unless nothing holds there and every false claim came
with the warning that says so (*warned*); **too few** is less than 90 % of what the rival finds, by more than two
standard errors. Where a second factor stands beside the learner, the claim is that the effect exists. The files are
those of `tools/ordinary_files.py`, where each law is stated; why some have no rival stands below the table. Single
procedures are simulated in [calibration.md](calibration.md). By `make honesty`.
"""


def page(rows: Sequence[Sequence[str]], seed: int) -> str:
    table = [HEADER, ["---"] * len(HEADER), *rows]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in table)
    return f"# Honesty\n{INTRODUCTION.format(seed=seed)}\n{lines}\n\n{without_rivals()}"


def without_rivals() -> str:
    """Why some kinds have no rival, a line a reason."""
    named: dict[str, list[str]] = {}
    for kind in KINDS:
        if kind.alone:
            named.setdefault(kind.alone, []).append(kind.name)
    lines = "\n".join(f"- {'; '.join(names)}: {reason}." for reason, names in named.items())
    return f"## Kinds without a rival, and why\n\n{lines}\n"


def with_kept_rows(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The rows that were made now, and those of the page for all other kinds, in the order of the kinds."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    kept = [line[2:-2].split(" | ") for line in text.splitlines() if line.startswith("| ")]
    known = {row[0]: row for row in (*kept, *map(list, rows))}
    return [known[kind.name] for kind in KINDS if kind.name in known]


def one(index: int, replications: int, seed: int) -> tuple[list[str], bool, str]:
    """The cells of one kind, and whether it is as honest as it should be. Kinds hold functions, which do not travel."""
    honesty = try_out(KINDS[index], replications=replications, seed=seed)
    refusal = next((o.refused for o in (*honesty.nulls, *honesty.alternatives) if o.refused), "")
    return cells(honesty), honesty.holds and honesty.finds_enough, refusal


def chosen(words: Iterable[str]) -> list[int]:
    wanted = [word.lower() for word in words]
    return [i for i, kind in enumerate(KINDS) if not wanted or any(word in kind.name.lower() for word in wanted)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replications", type=int, default=200)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--kind", action="append", default=[], help="a word in the names of the kinds to try")
    parser.add_argument("--write", action="store_true", help="write docs/honesty.md")
    parser.add_argument("--refusals", action="store_true", help="print a refusal of each kind that was refused")
    arguments = parser.parse_args()
    run = partial(one, replications=arguments.replications, seed=arguments.seed)
    which = chosen(arguments.kind)
    results = []
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for result in pool.map(run, which):
            results.append(result)
            print(" · ".join(filter(None, result[0])), file=sys.stderr, flush=True)
    rows = [row for row, _, _ in results]
    print(text_table(HEADER, rows, left=len(HEADER), most=60))
    if arguments.refusals:
        print("\n".join(f"{row[0]}: {refusal}" for row, _, refusal in results if refusal))
    if arguments.write:
        PAGE.write_text(page(with_kept_rows(rows), arguments.seed), encoding="utf-8")
    return 0 if all(fine for _, fine, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
