"""The gate: may a candidate take the place of a baseline? Non-inferiority, one-sided, by a margin fixed in advance.

A comparison passes if the lower (1 − α) bound of the candidate's advantage lies above −margin, fails if the upper one
lies below it, and is undecided otherwise: a gate that opens when it cannot see protects nothing. Of several tasks or
measures all must pass, each at level α: the error of passing a candidate that is inferior somewhere is then at most α,
without an adjustment (Berger 1982, intersection and union).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import ceil, isfinite, isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff import text as show
from bakeoff.errors import DegenerateError, MisfitError, UsageError, nearest
from bakeoff.judging.case import Case
from bakeoff.judging.judgment import verdict_on
from bakeoff.judging.request import Request
from bakeoff.judging.verdict import Judged, Verdict
from bakeoff.mathematics.laws import normal_quantile
from bakeoff.measures import Measure
from bakeoff.records import Answer, Record
from bakeoff.scores import Level, Missing, Scores, read_scores
from bakeoff.scores.blocks import block_keys, item_name, natural_level
from bakeoff.scores.table import OK, Labels, cell_numbers, frozen, with_clusters
from bakeoff.text import CodedWarning

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = "bakeoff.gate/1"
BASELINE, CANDIDATE, ANCHOR = "baseline", "candidate", "anchor"
POWER = 0.8
ASKED_OTHERWISE = "asked-otherwise"
MOST_ITEMS = 10  # named of those that broke or were mended
MAX_FAILED = 0.05


class GateOutcome(StrEnum):
    """What becomes of the candidate. Each has an exit code of its own."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"
    UNUSABLE = "unusable"

    @property
    def exit_code(self) -> int:
        return {"pass": 0, "fail": 1, "undecided": 5, "unusable": 3}[self.value]


# The worst of several outcomes comes first: what cannot be compared says nothing about the others.
_WORST_FIRST = (GateOutcome.UNUSABLE, GateOutcome.FAIL, GateOutcome.UNDECIDED, GateOutcome.PASS)


@dataclass(frozen=True, eq=False)
class Side(Record):
    """How many blocks of a comparison one side has: matched with the other, without a match there, failed."""

    blocks: int = 0
    unmatched: int = 0
    failed: int = 0


@dataclass(frozen=True, eq=False)
class GateComparison(Record):
    """One task and measure. `difference` is by how much the candidate is better, with bounds of 1 − α on each side.

    `smallest_margin` is the least that it would have passed by, `detectable` the drop that so many blocks tell from the
    margin with a power of 80 %, `would_decide` how many blocks would tell, if the difference is what it seems.
    """

    measure: str
    task: str = ""
    against: str = BASELINE
    outcome: GateOutcome = GateOutcome.UNUSABLE
    difference: float = nan
    lower: float = nan
    upper: float = nan
    margin: float = nan
    alpha: float = nan
    blocks: int = 0
    level: str = ""
    clusters: str = ""
    averaged: str = ""
    sides: Mapping[str, Side] = field(default_factory=dict)
    procedure: str = ""
    title: str = ""
    speaks_about: str = ""
    smallest_margin: float = nan
    detectable: float = nan
    would_decide: int | None = None
    broke: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()
    reason: str = ""
    warnings: tuple[CodedWarning, ...] = ()

    @property
    def name(self) -> str:
        parts = [self.task, self.measure] + ([f"against the {self.against}"] if self.against != BASELINE else [])
        return ", ".join(part for part in parts if part)

    @property
    def sentence(self) -> str:
        """The comparison in a line."""
        if self.outcome is GateOutcome.UNUSABLE:
            return f"{self.name}: cannot be compared. {self.reason}"
        shown = (
            f"{self.name}: {CANDIDATE} − {self.against} = {show.number(self.difference)} in the good direction, lower "
            f"{show.percent(1 - self.alpha)} bound {show.number(self.lower) or 'not known'}, margin "
            f"{show.number(-self.margin)} ({self.counted}; {self.title})."
        )
        return f"{shown} {self.meaning}"

    @property
    def counted(self) -> str:
        parts = [show.counted(self.blocks, self.level), self.averaged, self.clusters]
        return ", ".join(part for part in parts if part)

    @property
    def meaning(self) -> str:
        """What the bounds say, and what they do not."""
        if self.outcome is GateOutcome.PASS:
            return self.reason or ("Better than it." if self.lower > 0 else "Not worse by the margin or more.")
        if self.outcome is GateOutcome.FAIL:
            return "Worse by more than the margin."
        decided = f" About {show.count(self.would_decide)} {self.level} would decide." if self.would_decide else ""
        return f"{self.reason or 'Not shown to be worse, and not shown to be within the margin.'}{decided}"


@dataclass(frozen=True, eq=False)
class GateInput(Record):
    """A file that was read, by the hash of its content."""

    name: str
    path: str = ""
    sha256: str = ""


@dataclass(frozen=True, eq=False)
class Gate(Answer):
    """What a gate says: passed or not, with every comparison that it rests on."""

    comparisons: tuple[GateComparison, ...]
    margin: float
    alpha: float
    on_undecided: str = "fail"
    inputs: tuple[GateInput, ...] = ()
    warnings: tuple[CodedWarning, ...] = ()
    notes: tuple[str, ...] = ()
    schema: str = SCHEMA

    @property
    def outcome(self) -> GateOutcome:
        return next(o for o in _WORST_FIRST if any(each.outcome is o for each in self.comparisons))

    @property
    def passed(self) -> bool:
        """Whether every comparison passed. Undecided is not passed, whatever is done about it."""
        return self.outcome is GateOutcome.PASS

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 the data do not fit, 5 undecided (0 if that is only to be warned of)."""
        lenient = self.outcome is GateOutcome.UNDECIDED and self.on_undecided == "warn"
        return 0 if lenient else self.outcome.exit_code

    @property
    def headline(self) -> str:
        if len(self.comparisons) == 1:
            return f"gate: {self.outcome} – {self.comparisons[0].sentence}"
        counts = [(o, sum(each.outcome is o for each in self.comparisons)) for o in _WORST_FIRST]
        listed = ", ".join(f"{n} {o}" for o, n in counts if n)
        return f"gate: {self.outcome} – {len(self.comparisons)} comparisons, all of which must pass: {listed}."

    def to_text(self) -> str:
        parts = [show.wrapped(self.headline, indent="  ")]
        if len(self.comparisons) > 1:
            parts.append(
                "\n".join(
                    show.wrapped(f"  {each.outcome}: {each.sentence}", indent="    ") for each in self.comparisons
                )
            )
        for each in self.comparisons:
            title = f"{each.name}:\n" if len(self.comparisons) > 1 else ""
            parts.append(title + "\n".join(show.wrapped(f"  {line}", indent="    ") for line in details(each)))
        parts += [show.wrapped(f"Read: {line}", indent="  ") for line in (*_read(self.inputs), *self.notes)]
        parts += [show.wrapped(f"Warning {warning}", indent="  ") for warning in self.all_warnings]
        return "\n".join(parts)

    @property
    def all_warnings(self) -> tuple[CodedWarning, ...]:
        """Those of the gate and of its comparisons, each once."""
        return tuple(dict.fromkeys([*self.warnings, *(w for each in self.comparisons for w in each.warnings)]))

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it; the form has a version, `schema`."""
        fields: dict[str, Any] = show.to_json_value(self)
        return {"schema": fields.pop("schema"), "verdict": self.outcome.value, "exit_code": self.exit_code, **fields}

    def to_markdown(self, name: str = "bakeoff") -> str:
        """For a comment on a pull request: a marker to update it in place, the headline, a table, items."""
        from bakeoff.judging.gate_files import markdown

        return markdown(self, name)

    def to_junit(self) -> str:
        """JUnit's XML: a test case for each comparison."""
        from bakeoff.judging.gate_files import junit

        return junit(self)


def details(each: GateComparison) -> Iterator[str]:
    """What a comparison rests on, line by line."""
    if each.outcome is GateOutcome.UNUSABLE:
        return
    sides = [
        f"{name} {show.count(side.blocks)} {each.level}, {show.count(side.unmatched)} of them unmatched, "
        f"{show.counted(side.failed, 'failed rows')}"
        for name, side in each.sides.items()
    ]
    yield f"Matched {show.counted(each.blocks, each.level)}: {'; '.join(sides)}."
    yield f"One-sided, α = {show.number(each.alpha)}, by {each.procedure}. It speaks about {each.speaks_about}."
    if isfinite(each.smallest_margin):
        yield (
            f"The smallest margin it would have passed is {show.number(each.smallest_margin)}; with "
            f"{show.counted(each.blocks, each.level)} two that are alike pass a margin of "
            f"{show.number(each.detectable)} with a power of 80 %."
        )
    if each.broke or each.mended:
        yield (
            f"Broke: {show.count(len(each.broke))}{_named(each.broke)}; mended: {show.count(len(each.mended))}"
            f"{_named(each.mended)}."
        )


def _named(items: Sequence[str]) -> str:
    return f" ({show.listing([show.shortened(item, 60) for item in items], MOST_ITEMS)})" if items else ""


def _read(inputs: Sequence[GateInput]) -> Iterator[str]:
    for each in inputs:
        digest = f", sha256 {each.sha256[:12]}…" if each.sha256 else ""
        yield f"{each.name}: {each.path or 'a table'}{digest}"


# ----------------------------------------------------------------------------------------------------------------------


def gate_scores(
    scores: Scores,
    *,
    margin: float,
    baseline: str = BASELINE,
    candidate: str = CANDIDATE,
    measure: str | Sequence[str] | None = None,
    alpha: float = 0.05,
    on_undecided: str = "fail",
    max_failed: float = MAX_FAILED,
    missing: str | None = None,
    procedure: str | None = None,
    anchor: str | None = None,
    same: bool = False,
    inputs: Sequence[GateInput] = (),
    **request: Any,
) -> Gate:
    """Hold a candidate against a baseline, both learners of one table; `anchor` is a third that it is held against too.

    A failed row of the candidate counts as the worst value that there is; rows in which the baseline failed are left
    out, so that they do not help the candidate; with more than `max_failed` of its rows failed a side cannot be
    compared. Items that only one of the two has make the two incomparable, unless `missing` is "drop-block": those
    they share are then compared. `same` says that both come from the same file.
    """
    _check(margin, alpha, on_undecided, max_failed, missing)
    named = [measure] if isinstance(measure, str) else list(measure or scores.measure.labels)
    sides = [baseline, *([] if anchor is None else [anchor])]
    comparisons = []
    for against in sides:
        pair = scores.only(learners=[against, candidate], measures=named)
        for part in _parts(pair):
            role = BASELINE if against == baseline else ANCHOR
            comparison = _compared(
                part, (against, candidate), margin, alpha, max_failed, missing, procedure, same, request
            )
            comparisons.append(replace(comparison, against=role))
    return Gate(
        tuple(comparisons), margin, alpha, on_undecided, tuple(inputs), tuple(_about_gate(same, len(comparisons)))
    )


def _check(margin: float, alpha: float, on_undecided: str, max_failed: float, missing: str | None) -> None:
    if not (isinstance(margin, int | float) and isfinite(margin) and margin > 0):
        raise UsageError(
            f"The margin is the drop in the measure that would still be tolerated, a positive number fixed in advance; "
            f"found {margin!r}. Without one nothing can pass: equal models would fail half the time."
        )
    if not 0 < alpha < 0.5:
        raise UsageError(f"α is the chance of passing what is worse by the margin, between 0 and 0.5; found {alpha!r}.")
    if on_undecided not in ("fail", "warn"):
        raise UsageError(f"--on-undecided cannot be {on_undecided!r}. {nearest(on_undecided, ['fail', 'warn'])}")
    if not 0 <= max_failed <= 1:
        raise UsageError(f"--max-failed is a share of the rows, between 0 and 1; found {max_failed!r}.")
    if missing not in (None, Missing.DROP_BLOCK):
        raise UsageError(f"--missing of a gate can only be drop-block; found {missing!r}.")


def _about_gate(same: bool, comparisons: int) -> Iterator[CodedWarning]:
    if same:
        yield CodedWarning(
            "same-file",
            "Baseline and candidate are the same file: nothing was compared.",
            "Give the results of the candidate.",
        )
    if comparisons > 1:
        yield CodedWarning(
            "all-must-pass",
            f"There are {comparisons} comparisons, each at the level α, and all must pass.",
            "Name fewer (--measure, --task) if some of them are not what the gate is for.",
        )


def _parts(scores: Scores) -> Iterator[Scores]:
    """One table for each comparison: a measure, and a task where tasks hold instances, folds or runs of their own."""
    for name in scores.measure.labels:
        one = scores.only(measure=name)
        alone = natural_level(one) is Level.TASKS and not _inside_tasks(one)
        yield from [one] if alone or len(one.tasks) == 1 else (one.only(tasks=[task]) for task in one.tasks)


def _inside_tasks(scores: Scores) -> bool:
    return any(len(column.labels) > 1 for column in (scores.instance, scores.fold, scores.repeat))


def _compared(
    part: Scores,
    names: tuple[str, str],
    margin: float,
    alpha: float,
    max_failed: float,
    missing: str | None,
    procedure: str | None,
    same: bool,
    request: Mapping[str, Any],
) -> GateComparison:
    measure = part.measures[part.measure.labels[0]]
    task = part.tasks[0] if len(part.tasks) == 1 else ""
    empty = GateComparison(measure.name, task, margin=margin, alpha=alpha)
    absent = [name for name in names if name not in part.learners]
    if absent:
        return replace(empty, reason=f"{show.listing(absent)} has no value of it.")
    sides: dict[str, Side] = {}
    try:
        settled, sides = _settled(part, names, max_failed, missing)
        case = Case(settled, Request.of(procedure, margin=margin, alpha=2 * alpha, **request))
        verdict = verdict_on(case)
    except DegenerateError as nothing:  # without variation there is no bound, and nothing to decide by
        return replace(empty, outcome=GateOutcome.UNDECIDED, reason=str(nothing.args[0]), sides=sides, level="blocks")
    except MisfitError as misfit:
        return replace(empty, reason=str(misfit))
    return _from_verdict(empty, case, verdict, names, sides, same)


def _settled(
    part: Scores, names: tuple[str, str], max_failed: float, missing: str | None
) -> tuple[Scores, dict[str, Side]]:
    """The rows that are compared: both have the block, no baseline failed there, a failed candidate has the worst."""
    level = natural_level(part)
    keys = block_keys(part, level) if level is not Level.SINGLE else ("task",)
    block = np.unique(cell_numbers(part, keys), return_inverse=True)[1]
    of = {name: part.learner.codes == part.learner.labels.index(name) for name in names}
    failed = np.isnan(part.value)
    there = {name: np.isin(np.arange(block.max() + 1), block[of[name]]) for name in names}
    both = there[names[0]] & there[names[1]]
    sides = {
        role: Side(int(there[name].sum()), int((there[name] & ~both).sum()), int((failed & of[name]).sum()))
        for role, name in zip((BASELINE, CANDIDATE), names, strict=True)
    }
    _refuse(
        sides, {role: int(of[name].sum()) for role, name in zip(sides, names, strict=True)}, max_failed, missing, level
    )
    measure = part.measures[part.measure.labels[0]]
    bound = measure.lower if measure.larger_is_better else measure.upper
    seen = part.value[~failed]
    worst = bound if isfinite(bound) else float(seen.min() if measure.larger_is_better else seen.max())
    value = np.where(failed & of[names[1]], worst, part.value)
    rows = both[block] & ~(failed & of[names[0]])
    left = {name: np.isin(np.arange(block.max() + 1), block[rows & of[name]]) for name in names}
    rows &= (left[names[0]] & left[names[1]])[block]
    filled = replace(part, value=frozen(value), status=Labels.constant(OK, len(part)))
    return filled.where(rows), sides


def _refuse(
    sides: Mapping[str, Side], rows: Mapping[str, int], max_failed: float, missing: str | None, level: Level
) -> None:
    for role, side in sides.items():
        if side.failed > max_failed * rows[role]:
            raise MisfitError(
                f"{side.failed} of the {rows[role]} rows of the {role} failed, and at most {show.percent(max_failed)} "
                "may: what is left is no fair sample. Find out why, or say --max-failed."
            )
    unmatched = {role: side.unmatched for role, side in sides.items() if side.unmatched}
    if unmatched and missing is None:
        listed = "; ".join(f"the {role} has {n} that the other lacks" for role, n in unmatched.items())
        raise MisfitError(
            f"The two were not run on the same {level.value}: {listed}. Run both on the same, or say --missing "
            "drop-block to compare on those that they share."
        )


def _from_verdict(
    empty: GateComparison,
    case: Case,
    verdict: Verdict,
    names: tuple[str, str],
    sides: dict[str, Side],
    same: bool,
) -> GateComparison:
    finding, layout = verdict.finding, case.layout(verdict.finding.level)
    judged = verdict.decisions[0]
    difference, lower, upper = _oriented(judged, names[1])
    blocks = case.blocks(finding.level)
    called = [item_name(place, empty.task) for place in blocks.places]
    broke, mended = _changed(blocks.values * blocks.measure.sign, blocks.learners, names, called)
    outcome, reason = _outcome(difference, lower, upper, empty.margin, finding.on_measure, same)
    clusters = ""
    if layout.clusters is not None:
        sort = "strata" if layout.clusters.fixed else "clusters"
        clusters = f"{show.counted(layout.clusters.n, sort)} ({layout.clusters.column})"
    comparison = replace(
        empty,
        outcome=outcome,
        reason=reason,
        difference=difference,
        lower=lower,
        upper=upper,
        blocks=finding.n_blocks,
        level=finding.level.value,
        clusters=clusters,
        averaged=layout.averaged,
        sides=sides,
        procedure=finding.procedure,
        title=finding.title,
        speaks_about=finding.speaks_about,
        smallest_margin=max(0.0, -lower) if isfinite(lower) else nan,
        broke=broke,
        mended=mended,
        warnings=verdict.warnings,
    )
    return replace(comparison, detectable=_detectable(comparison), would_decide=_would_decide(comparison))


def _oriented(judged: Judged, candidate: str) -> tuple[float, float, float]:
    """The candidate's advantage and its bounds."""
    if judged.first == candidate:
        return judged.advantage, judged.at_least, judged.at_most
    return -judged.advantage, -judged.at_most, -judged.at_least


def _outcome(
    difference: float, lower: float, upper: float, margin: float, on_measure: bool, same: bool
) -> tuple[GateOutcome, str]:
    if same:
        return GateOutcome.PASS, "It is the same file."
    if not on_measure:
        return GateOutcome.UNUSABLE, "The procedure compares ranks, to which no margin applies; name another (--with)."
    if isnan(lower) or isnan(upper) or lower == upper:
        seen = "no difference in any block" if difference == 0 else "the same difference in every block"
        return GateOutcome.UNDECIDED, f"There is {seen}, and without variation no bound can be given."
    if lower > -margin:
        return GateOutcome.PASS, ""
    return (GateOutcome.FAIL if upper < -margin else GateOutcome.UNDECIDED), ""


def _changed(
    values: NDArray[np.float64], learners: Sequence[str], names: tuple[str, str], called: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The blocks in which the candidate is worse than the baseline, and those in which it is better; worst first."""
    gain = values[:, learners.index(names[1])] - values[:, learners.index(names[0])]
    order = np.argsort(gain, kind="stable")
    broke = [int(i) for i in order if gain[i] < 0]
    mended = [int(i) for i in np.argsort(-gain, kind="stable") if gain[i] > 0]
    return tuple(called[i] for i in broke), tuple(called[i] for i in mended)


def _half_width(comparison: GateComparison) -> float:
    return comparison.difference - comparison.lower if isfinite(comparison.lower) else nan


def _detectable(comparison: GateComparison) -> float:
    """The margin that candidates as good as the baseline pass with a power of 80 %, as the interval is wide now."""
    return _half_width(comparison) * (1 + normal_quantile(POWER) / normal_quantile(1 - comparison.alpha))


def _would_decide(comparison: GateComparison) -> int | None:
    """How many blocks would decide with a power of 80 %, if the difference is the one seen: widths go with 1/√n."""
    room = abs(comparison.difference + comparison.margin)
    if comparison.outcome is not GateOutcome.UNDECIDED or not isfinite(comparison.lower) or room == 0:
        return None
    needed = comparison.blocks * (_detectable(comparison) / room) ** 2
    return ceil(needed) if needed < 1e9 else None


# ----------------------------------------------------------------------------------------------------------------------
# From files or tables of the two sides to one table.


def gate(
    baseline: Scores | pd.DataFrame | str | os.PathLike[str],
    candidate: Scores | pd.DataFrame | str | os.PathLike[str],
    *,
    margin: float,
    anchor: Scores | pd.DataFrame | str | os.PathLike[str] | None = None,
    anyway: bool = False,
    measure: str | Sequence[str] | None = None,
    tasks: Sequence[str] | None = None,
    reading: Mapping[str, Any] | None = None,
    **options: Any,
) -> Gate:
    """May the candidate take the place of the baseline, given the drop (`margin`) that would still be tolerated?

    Each side is a file, folder or archive that `read_scores` knows, a DataFrame, or Scores, with the results of one
    learner. `anchor` is a further baseline that stays the same from one change to the next: a chain of candidates that
    each lose a little of the margin would else lose much in the end. Sides that were asked otherwise (other few-shot
    examples, limit, template or version) are refused, unless `anyway`. `reading` are further arguments of
    `read_scores`, all others those of `gate_scores`: `alpha`, `on_undecided`, `max_failed`, `missing`, `procedure`.

    >>> import pandas as pd
    >>> old = pd.DataFrame({"model": "v1", "item": range(400), "correct": [1, 1, 1, 0] * 100})
    >>> new = pd.DataFrame({"model": "v2", "item": range(400), "correct": [1, 1, 1, 0] * 99 + [1, 1, 0, 1]})
    >>> gate(old, new, margin=0.02).passed
    True
    """
    given = {BASELINE: baseline, CANDIDATE: candidate} | ({} if anchor is None else {ANCHOR: anchor})
    inputs = [_input(name, source) for name, source in given.items()]
    words = {"measure": measure, **(reading or {})}
    paths = [f"{name}={os.fspath(source)}" for name, source in given.items() if isinstance(source, str | os.PathLike)]
    if len(paths) == len(given):
        scores = read_scores(*paths, **words)
    else:
        scores = _joined({name: _alone(name, source, words) for name, source in given.items()})
    otherwise = _asked_otherwise(scores)
    if otherwise and not anyway:
        refused = GateComparison(show.listing(list(scores.measure.labels), 3), margin=margin, reason=otherwise)
        return Gate((refused,), margin, options.get("alpha", 0.05), inputs=tuple(inputs), notes=scores.notes)
    part = scores if tasks is None else scores.only(tasks=tasks)
    same = bool(inputs[0].sha256) and inputs[0].sha256 == inputs[1].sha256
    named = None if anchor is None else ANCHOR
    decision = gate_scores(part, margin=margin, measure=measure, anchor=named, same=same, inputs=inputs, **options)
    return replace(decision, notes=scores.notes)


def _input(name: str, source: object) -> GateInput:
    if not isinstance(source, str | os.PathLike):
        return GateInput(name)
    path = Path(os.fspath(source))
    return GateInput(name, os.fspath(source), _digest(path))


def _digest(path: Path) -> str:
    """The hash of a file; of a folder that of its files and their names. Empty where nothing can be read."""
    digest = hashlib.sha256()
    try:
        files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
        for each in files:
            if path.is_dir():
                digest.update(str(each.relative_to(path)).encode() + b"\0")
            with each.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
    except OSError:
        return ""
    return digest.hexdigest()


def _alone(name: str, source: Any, words: Mapping[str, Any]) -> Scores:
    """The scores of one side, of one learner."""
    scores = source if isinstance(source, Scores) else read_scores(source, **words)
    if len(scores.learners) > 1:
        raise UsageError(
            f"The {name} is to be one learner, and {scores.source} holds {len(scores.learners)} "
            f"({show.listing(list(scores.learners), 5)}). Give the results of one."
        )
    return scores


def _joined(sides: Mapping[str, Scores]) -> Scores:
    """Several tables under each other, each under the name of its side."""
    measures: dict[str, Measure] = {}
    for name, scores in sides.items():
        for label, measure in scores.measures.items():
            if measures.setdefault(label, measure).larger_is_better is not measure.larger_is_better:
                raise UsageError(f"Of {label} larger is better on one side and smaller on the other, the {name}'s.")
    columns = {
        key: [label for scores in sides.values() for label in getattr(scores, key).values()]
        for key in ("task", "measure", "repeat", "fold", "instance", "status", "message")
    }
    joined = Scores.of(
        np.concatenate([scores.value for scores in sides.values()]),
        learner=[name for name, scores in sides.items() for _ in range(len(scores))],
        measures=measures,
        n_train=np.concatenate([scores.n_train for scores in sides.values()]),
        n_test=np.concatenate([scores.n_test for scores in sides.values()]),
        source=" and ".join(dict.fromkeys(scores.source for scores in sides.values())),
        notes=tuple(dict.fromkeys(note for scores in sides.values() for note in scores.notes)),
        **columns,
    )
    clusters = [scores.clusters for scores in sides.values()]
    first = clusters[0]
    if first is None or None in clusters:
        return joined
    labels = Labels.of(label for each in clusters if each is not None for label in each.labels.values())
    return with_clusters(joined, first.column, labels, fixed=first.fixed)


def _asked_otherwise(scores: Scores) -> str:
    """Why the two sides cannot be compared: they were asked otherwise. Empty if they were not."""
    doubts = [doubt.text for doubt in scores.doubts if doubt.code == ASKED_OTHERWISE]
    if not doubts:
        return ""
    return f"The two were not asked alike: {' '.join(doubts)} Run both in the same way, or say --anyway."
