"""The design of an experiment: what a table of scores cannot tell by its labels, and how a file carries it along.

A column `design` holds it as JSON, the same in every row of a task:

    {"problem": {"kind": "real world", "blocks": …, "conditional_on": …, "fixed_test": false}, "independent": true}

`problem` says from which data generating process the samples were drawn, `independent` that each learner had samples of
its own, though they are numbered alike, and the others how runs were split (`RunDesign`). Version 0.1 wrote the same in
words, which are still read. Without a text, repeats and folds are what they seem.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from math import isfinite
from typing import Any

from bakeoff.resampling import optimism
from bakeoff.resampling.scheme import COMPETITION, REAL_WORLD, SIMULATION

# ----------------------------------------------------------------------------------------------------------------------
# The problem that an experiment solves: from which data generating process its learning samples were drawn.
#
# Hothorn, Leisch, Zeileis and Hornik (2005), section 3.2, doi:10.1198/106186005X59630. Given the process, the scores of
# its samples are independent draws, which ordinary tests may compare; and what they conclude is conditional on it.


LEARNING_SAMPLE = "the empirical distribution of this learning sample"
FIXED_TEST = "this fixed test sample"
BOOTSTRAP_SAMPLES = "bootstrap samples of one task"
SEVERAL_LAWS, SEVERAL_TASKS = "the law that each task was drawn from", "samples of several tasks"


@dataclass(frozen=True, slots=True)
class Problem:
    """`kind` is simulation, competition or real world; `blocks` says what was drawn, in the plural.

    `conditional_on` completes "the conclusion is conditional on …". `fixed_test` tells that all samples were tested on
    one test sample that is not the learning sample's own.
    """

    kind: str
    blocks: str
    conditional_on: str
    fixed_test: bool = False


def drawn_from_generator(law: str, *, fixed_test: bool = False, test_rows: int | None = None) -> Problem:
    """The simulation problem: samples drawn from a law, tested on fresh samples or on a fixed one."""
    size = f" of {test_rows} rows" if test_rows else ""
    on = f"{law} and {FIXED_TEST}{size}" if fixed_test else law
    return Problem(SIMULATION, f"learning samples drawn from {law}", on, fixed_test)


def drawn_from_sample(*, given_test: bool = False) -> Problem:
    """The real-world problem, or, with a test sample that came with the data, a competition."""
    if given_test:
        return Problem(COMPETITION, BOOTSTRAP_SAMPLES, f"{LEARNING_SAMPLE} and {FIXED_TEST}", fixed_test=True)
    return Problem(REAL_WORLD, BOOTSTRAP_SAMPLES, LEARNING_SAMPLE)


def joint(problems: Sequence[Problem | None]) -> Problem | None:
    """The problem of several tasks together; None if one of them has none, or another kind of it."""
    first = problems[0] if problems else None
    if first is None or any(one is None or one.kind != first.kind for one in problems):
        return None
    if all(one == first for one in problems):
        return first
    law = SEVERAL_LAWS if first.kind == SIMULATION else LEARNING_SAMPLE
    fixed = any(one is not None and one.fixed_test for one in problems)
    return Problem(first.kind, SEVERAL_TASKS, f"{law} and {FIXED_TEST}" if fixed else law, fixed)


# ----------------------------------------------------------------------------------------------------------------------
# How the runs of a task were split into rows to learn from and rows to test on, where labels and sizes do not tell.
#
# Runs on random splits of one data set learn from rows that they share, so that their scores go up and down together; a
# test that takes them for independent claims far too much. A table that merely numbers its runs does not say what they
# are. A study does, and so can the user.


class Runs(StrEnum):
    """What the repeated runs of one task are."""

    INDEPENDENT = "independent"  # each learned from a sample of its own
    FIXED_SPLIT = "fixed-split"  # all on one split, with other seeds
    RANDOM_SPLITS = "random-splits"  # on splits of one data set, which overlap
    WINDOWS = "windows"  # on successive windows of one series, learned from what came before each


_WORDS = {
    Runs.INDEPENDENT: "runs on samples of their own",
    Runs.FIXED_SPLIT: "runs on one split",
    Runs.RANDOM_SPLITS: "runs on random splits",
    Runs.WINDOWS: "windows in the order of time",
}


@dataclass(frozen=True, slots=True)
class RunDesign:
    """What `runs` are, if it is known; their `ratio` of test to training size, if it was said; and the scheme by which
    scores are `optimistic`, because rows were tested on that had been learned from. `unknown_scheme` names a scheme
    that does not say what its splits share: nothing may be concluded from them. `called` is the name of their column,
    if that speaks of splits: what is not known of them is then hardly that they are seeds. `shared` is that name, if it
    speaks of judges, prompts or languages, which all learners met alike."""

    runs: Runs | None = None
    ratio: float | None = None
    optimistic: str = ""
    unknown_scheme: str = ""
    called: str = ""
    shared: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """What is known, in words.

        >>> RunDesign(Runs.RANDOM_SPLITS, 0.5, "632").words
        ('runs on random splits, ratio 0.5', 'tested on rows learned from (632)')
        """
        runs = "" if self.runs is None else _WORDS[self.runs]
        if self.runs is Runs.RANDOM_SPLITS and self.ratio is not None:
            runs += f", ratio {self.ratio!r}"
        seen = f"tested on rows learned from ({self.optimistic})" if self.optimistic else ""
        unknown = f"splits of the scheme {self.unknown_scheme}, of which nothing is known" * bool(self.unknown_scheme)
        return tuple(part for part in (runs, seen, unknown) if part)


NOT_KNOWN = RunDesign()


# ----------------------------------------------------------------------------------------------------------------------


COLUMN = "design"
_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Design:
    """What blocks were drawn from, if they are draws, whether learners share them, and how runs were split: see
    `Scores`."""

    problem: Problem | None = None
    independent: bool = False
    splitting: RunDesign = NOT_KNOWN

    def to_cell(self) -> str:
        """The design as a cell of a table holds it: JSON without what is not known; empty if nothing is.

        >>> Design(splitting=RunDesign(Runs.RANDOM_SPLITS, 0.5)).to_cell()
        '{"ratio": 0.5, "runs": "random-splits"}'
        """
        fields = {"problem": self.problem and asdict(self.problem), "independent": self.independent}
        known = {name: value for name, value in {**fields, **asdict(self.splitting)}.items() if value}
        return json.dumps(known, sort_keys=True, ensure_ascii=False) if known else ""


def design_from(cell: str) -> Design | None:
    """The design that a cell holds; None if it says something else, as a column of that name may.

    >>> design_from('{"runs": "fixed-split"}').splitting.runs
    <Runs.FIXED_SPLIT: 'fixed-split'>
    >>> design_from("2^(5-1) fractional factorial")
    """
    if not cell.isprintable() or len(cell) > _LONGEST:
        return None
    if not cell.startswith("{"):
        return _design_in_words(cell)
    try:
        known = json.loads(cell)
        return _design_of(known) if isinstance(known, dict) else None
    except (ValueError, TypeError, KeyError):
        return None


_KINDS = (SIMULATION, COMPETITION, REAL_WORLD)


def _design_of(known: dict[str, Any]) -> Design:
    """The design of a JSON object; whatever is no design raises an error."""
    problem = None if known.get("problem") is None else _problem_of(known.pop("problem"))
    independent = known.pop("independent", False)
    if not isinstance(independent, bool):
        raise TypeError(independent)
    runs, ratio = known.pop("runs", None), known.pop("ratio", None)
    names = {name: known.pop(name, "") for name in ("optimistic", "unknown_scheme", "called", "shared")}
    if known or not all(isinstance(name, str) for name in names.values()):
        raise ValueError(known)
    if ratio is not None and (isinstance(ratio, bool) or not 0 < float(ratio) < float("inf")):
        raise ValueError(ratio)
    splitting = RunDesign(None if runs is None else Runs(runs), None if ratio is None else float(ratio), **names)
    return Design(problem, independent, splitting)


def _problem_of(known: Mapping[str, Any]) -> Problem:
    problem = Problem(**known)
    texts = (problem.kind, problem.blocks, problem.conditional_on)
    if not all(isinstance(text, str) and text.strip() for text in texts) or problem.kind not in _KINDS:
        raise ValueError(known)
    if not isinstance(problem.fixed_test, bool):
        raise TypeError(known)
    return problem


# ----------------------------------------------------------------------------------------------------------------------
# The same in the words of version 0.1, whose files stay readable. Nothing writes them any more.
#
#     simulation: the generator twonorm and this fixed test sample of 200 rows; independent samples
#     runs on random splits, ratio 0.5


_INDEPENDENT = "independent samples"
_RATIO = re.compile(r"runs on random splits, ratio (\S{1,30})")
_OPTIMISTIC = re.compile(r"tested on rows learned from \((\S{1,30})\)")


def _design_in_words(text: str) -> Design | None:
    """
    >>> _design_in_words("simulation: the generator twonorm").problem.blocks
    'learning samples drawn from the generator twonorm'
    """
    drawn, parts = text.split("; "), list[str]()
    while drawn and (drawn[-1] == _INDEPENDENT or _runs_in_words((drawn[-1],)) is not None):
        parts.insert(0, drawn.pop())
    splitting = _runs_in_words(tuple(part for part in parts if part != _INDEPENDENT))
    if splitting is None or parts.count(_INDEPENDENT) > 1:
        return None
    problem = None
    if drawn:
        kind, colon, conditional_on = "; ".join(drawn).partition(": ")
        if not colon or kind not in _KINDS or not conditional_on.strip():
            return None
        problem = _problem_in_words(kind, conditional_on)
    return Design(problem, _INDEPENDENT in parts, splitting)


def _problem_in_words(kind: str, conditional_on: str) -> Problem:
    law, _, test = conditional_on.partition(f" and {FIXED_TEST}")
    fixed = law != conditional_on and (not test or test.startswith(" of "))
    if kind != SIMULATION:
        return Problem(kind, BOOTSTRAP_SAMPLES, conditional_on, fixed)
    blocks = SEVERAL_TASKS if law == SEVERAL_LAWS else f"learning samples drawn from {law}"
    return Problem(kind, blocks, conditional_on, fixed)


def _runs_in_words(parts: tuple[str, ...]) -> RunDesign | None:
    """What parts of a text say of the splits; None if one of them says something else."""
    runs, ratio, optimistic = None, None, ""
    by_text = {text: kind for kind, text in _WORDS.items()}
    for part in parts:
        if part in by_text and runs is None:
            runs = by_text[part]
        elif (match := _RATIO.fullmatch(part)) and runs is None and (ratio := _positive(match[1])) is not None:
            runs = Runs.RANDOM_SPLITS
        elif (match := _OPTIMISTIC.fullmatch(part)) and optimism(match[1]) and not optimistic:
            optimistic = match[1]
        else:
            return None
    return RunDesign(runs, ratio, optimistic)


def _positive(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) and value > 0 else None
