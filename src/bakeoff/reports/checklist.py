"""What reviewers ask of an experiment, answered from its verdict: runs, what varies, error bars, assumptions, compute.

What a table of scores cannot tell is left to the authors, and marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import Any

from bakeoff import text as show
from bakeoff.judging import wording
from bakeoff.judging.verdict import Decision, Verdict
from bakeoff.procedures import procedure_named
from bakeoff.reports.manuscript import Manuscript, PaperTable, Section, TableCell
from bakeoff.reports.paper import references
from bakeoff.reports.variability import UNKNOWN, VariabilitySource, variability

TO_SAY = "TO SAY: "  # what only the authors know


@dataclass(frozen=True)
class Compute:
    """What a stored study took: cells and how many failed, seconds of all of them, and the machine of its last run."""

    cells: int
    failed: int
    left: int
    seconds: float
    seed: int
    tuned: bool
    machine: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        gpus = ", ".join(str(each.get("name", each)) for each in self.machine.get("gpus") or ())
        memory = self.machine.get("memory")
        parts = [
            str(self.machine.get("processor") or ""),
            f"{self.machine['cores']} cores" if self.machine.get("cores") else "",
            f"{memory / 2**30:.0f} GiB of memory" if memory else "",
            f"graphics: {gpus}" if gpus else "no graphics processor was found",
            f"{self.machine['workers']} at a time" if self.machine.get("workers") else "",
        ]
        took = "" if isnan(self.seconds) else f" took {duration(self.seconds)} in all"
        return f"{show.count(self.cells)} cells (a learner on a split){took}, on {', '.join(filter(None, parts))}."


def duration(seconds: float) -> str:
    """
    >>> duration(42.31), duration(4000), duration(100000)
    ('42.3 s', '67 minutes', '27.8 hours')
    """
    if seconds < 600:
        return f"{show.number(seconds, 3)} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 36000 else f"{show.number(seconds / 3600, 3)} hours"


def checklist_of(verdict: Verdict, compute: Compute | None = None, typed: str = "") -> Manuscript:
    """The answers to what reviewers ask, and the table of what varies. `typed` is the command that gives the
    verdict."""
    sources = variability(verdict.finding, None if compute is None else compute.tuned)
    items = (
        ("What is claimed, and what not?", " ".join(_claimed(verdict))),
        ("How many runs are there, and of what?", " ".join(_runs(verdict, compute))),
        ("What varies from run to run?", _varies(sources)),
        ("What are the error bars?", " ".join(_error_bars(verdict))),
        ("Which test was made, and was it fixed in advance?", " ".join(_test(verdict))),
        ("How large are the differences?", _sizes(verdict)),
        ("What is assumed, and does it hold?", " ".join(_assumed(verdict))),
        ("What compute was used?", _compute(compute)),
        ("How were learners tuned?", _tuned(compute)),
        ("How is it repeated?", " ".join(_repeated(verdict, compute, typed))),
    )
    return Manuscript(
        title=f"Checklist: {show.listing(list(verdict.finding.learners), 4)} by {verdict.finding.measure.name}",
        answer=verdict.answer,
        sections=tuple(Section(question, answer) for question, answer in items),
        tables=(_table(sources),),
        notes=tuple(f"Warning {warning}" for warning in verdict.warnings),
        references=references(verdict.finding),
    )


def _claimed(verdict: Verdict) -> Iterator[str]:
    undecided = sum(judged.decision is Decision.UNDECIDED for judged in verdict.decisions)
    claimed = len(verdict.decisions) - undecided
    if verdict.decisions:
        yield f"Claimed: {claimed} of {show.counted(len(verdict.decisions), 'comparisons')}; undecided: {undecided}."
    if undecided:
        yield "Undecided is not equal: the paper should not call such learners equivalent."
    about = wording.scope(verdict.finding.speaks_about, verdict.finding.conditional_on)
    yield f"The conclusion speaks about {about}, and about nothing else."


def _runs(verdict: Verdict, compute: Compute | None) -> Iterator[str]:
    place = wording.place(verdict)
    yield f"{place}, {show.counted(len(verdict.finding.learners), 'learners')}."
    if compute is not None:
        failed = "none failed" if not compute.failed else f"{compute.failed} failed (bakeoff failures tells why)"
        left = f", {compute.left} are left" if compute.left else ""
        yield f"Of {show.count(compute.cells)} cells {failed}{left}."
    gone = [warning.code for warning in verdict.warnings if warning.code in _GAPS]
    if gone:
        yield f"Beware: {', '.join(gone)}."
    yield f"{TO_SAY}runs that were made and are not reported here."


_GAPS = ("dropped-blocks", "filled-worst", "never-succeeded", "identical-scores", "incomplete-folds", "single-run")


def _varies(sources: tuple[VariabilitySource, ...]) -> str:
    unknown = [source.name for source in sources if source.covered == UNKNOWN]
    missing = f" {TO_SAY}about {show.listing(unknown)}." if unknown else ""
    return f"See the table: what is not covered may come out otherwise in another experiment.{missing}"


def _error_bars(verdict: Verdict) -> Iterator[str]:
    finding = verdict.finding
    kinds = {judged.row.interval.value: judged.row for judged in verdict.decisions if not isnan(judged.at_least)}
    for kind, row in kinds.items():
        of = "credible" if finding.posterior else kind
        yield f"Intervals of differences are {show.percent(row.confidence)} {of} intervals by {finding.title}."
    if verdict.decisions and not kinds:
        yield f"{finding.title} gives no intervals of differences."
    own = next((each.interval for each in verdict.summaries if each.interval), "")
    if own:
        yield f"Those of single learners are: {own}; whether two differ is not read off them."
    if verdict.summaries:
        yield f"sd is the standard deviation over {finding.level.value}, not a standard error."


def _test(verdict: Verdict) -> Iterator[str]:
    finding = verdict.finding
    yield f"{finding.heading}; null hypothesis: {finding.null}."
    if (test := wording.test_of_all(verdict)) is not None:
        yield f"All learners at once: {wording.statistic(test)}, {show.p_equals(test.p, finding.alpha)}."
    if finding.instead_of:
        yield finding.instead_because
    if verdict.standing is not None:
        yield str(verdict.standing)
    else:
        yield f"{TO_SAY}whether measure, test and α were chosen before the scores were seen; a file does not tell."


def _sizes(verdict: Verdict) -> str:
    known = [judged for judged in verdict.decisions if not isnan(judged.advantage)]
    if not known:
        return "No pairs were compared."
    largest = max(known, key=lambda judged: abs(judged.advantage))
    margin = (
        f"{TO_SAY}which difference would matter (--margin Δ, fixed in advance)."
        if verdict.margin is None
        else f"The margin of relevance is {show.number(verdict.margin)}."
    )
    span = show.interval(*largest.ends, verdict.places)
    return (
        f"The largest is that of {largest.first} and {largest.second}: {show.fixed(largest.advantage, verdict.places)} "
        f"({wording.estimand_of(verdict)}){f', interval {span}' if span else ''}. {margin}"
    )


def _assumed(verdict: Verdict) -> Iterator[str]:
    card = procedure_named(verdict.finding.procedure).card
    yield from verdict.finding.conditions and (wording.condition(verdict).strip(),)
    yield from card.assumes
    if verdict.finding.against_advice:
        yield f"Used against advice: {'; '.join(verdict.finding.against_advice)}."
    if verdict.warnings:
        codes = ", ".join(dict.fromkeys(warning.code for warning in verdict.warnings))
        yield f"Warnings, each with what to do, are below: {codes}."
    else:
        yield "Nothing in the scores gave rise to a warning."


def _compute(compute: Compute | None) -> str:
    lacking = (
        f"{TO_SAY}processor or graphics processor, memory, time of a run and of all of them, failed ones included."
    )
    return lacking if compute is None else f"{compute.sentence} {TO_SAY}what was run before and is not stored here."


def _tuned(compute: Compute | None) -> str:
    if compute is None:
        return f"{TO_SAY}which settings were searched, on which data, and that no test data took part in it."
    if compute.tuned:
        return "Inside each learning sample, by the search that the study file states; test rows take no part in it."
    return f"Settings were fixed in the study file. {TO_SAY}how they were chosen."


def _repeated(verdict: Verdict, compute: Compute | None, typed: str) -> Iterator[str]:
    finding = verdict.finding
    if typed:
        yield f"{typed}."
    if compute is not None:
        yield f"Splits and seeds of learners follow from the seed {compute.seed} of the study file."
    if "seed" in finding.details:
        yield f"Draws of the test are from seed {finding.details['seed']}."
    yield f"Versions: {', '.join(f'{name} {version}' for name, version in finding.versions.items())}."
    yield f"{TO_SAY}where data and code are, and under which licences."


def _table(sources: tuple[VariabilitySource, ...]) -> PaperTable:
    rows = [(source.name, source.covered, source.why) for source in sources]
    header = ("source of variability", "by the conclusion", "because")
    cells = tuple(tuple(map(TableCell, row)) for row in rows)
    return PaperTable(
        "variability", "Sources of variability, covered and not covered.", header, cells, header, tuple(rows), left=3
    )
