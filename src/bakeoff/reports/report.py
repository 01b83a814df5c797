"""The report of verdicts: one page, the answer first, and behind it all that a careful reader would ask for.

Each function makes one section from a verdict, and from the scores behind it where they are at hand; none of them knows
how it is shown (`page.py` and its templates).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from math import isnan
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from bakeoff import __version__
from bakeoff import text as show
from bakeoff.atomic_files import write_text
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.figures import chart_named
from bakeoff.judging import wording
from bakeoff.judging.diagnostics import FAR, Diagnostics, diagnose, usual_range
from bakeoff.judging.verdict import Verdict
from bakeoff.procedures import procedure_named
from bakeoff.reports.page import (
    FoldedBlock,
    Grid,
    HtmlPage,
    Items,
    Listing,
    PageFile,
    PageSection,
    Picture,
    Words,
    csv_text,
    grid_of,
    picture_of,
)
from bakeoff.reports.paper import bibtex_entries, methods, references
from bakeoff.reports.tables import learners_table, p_table, pairs_table, tasks_table, tests_table
from bakeoff.reports.variability import variability
from bakeoff.scores import Level, Scores, align

# Rows of a table that are shown in the page; its file has all of them.
MOST_PAIRS, MOST_SPREADS = 200, 60
# Scores that are drawn each by itself; more are drawn as ranges.
MOST_POINTS = 2000
# The JSON of a verdict of more bytes than that is not put into the page.
MOST_BYTES = 600_000


@dataclass(frozen=True)
class Experiment:
    """What is known of the experiment behind a verdict, as blocks of a page: its design, its failures, how it is run
    again, and `ahead` what to run next. `tuned` tells whether learners were tuned inside each training sample; None if
    that is not known."""

    title: str = ""
    source: str = ""
    design: tuple[Any, ...] = ()
    failures: tuple[Any, ...] = ()
    reproduce: tuple[Any, ...] = ()
    tuned: bool | None = None
    ahead: tuple[Any, ...] = ()  # what to run next


@dataclass
class _Sketch:
    """A report in the making: the scores, and how many figures there are so far."""

    scores: Scores | None
    drawn: Iterator[int] = field(default_factory=lambda: count(1))

    def picture(self, source: Any, *kinds: str, **options: Any) -> tuple[Picture, ...]:
        """The first of these figures that fits; none, if none does."""
        for kind in kinds:
            try:
                chart = chart_named(kind).of(_unplanned_only(source), kind, **options)
                return (picture_of(chart, kind, next(self.drawn)),)
            except BakeoffError:
                continue
        return ()


def report_of(
    verdicts: Sequence[Verdict], scores: Scores | None = None, experiment: Experiment | None = None
) -> HtmlPage:
    """The report of one verdict, or of several of one experiment, of which the first is the one that was asked for."""
    if not verdicts:
        raise UsageError("A report is about a verdict, and there is none.")
    known = experiment if experiment is not None else Experiment()
    sketch, first = _Sketch(scores), verdicts[0]
    sections = [_answer(first, sketch), _scope(first, known), _order(first), _contrasts(first, sketch)]
    for place, other in enumerate(verdicts[1:], 2):
        sections.append(_further(other, place))
    sections += [_assumptions(first, sketch), _warnings(verdicts)]
    sections += [PageSection("next", "What to run next", known.ahead), _tasks(first, sketch)]
    sections += [
        _failures(sketch, known),
        _design(first, sketch, known),
        _methods(verdicts),
        _reproduce(verdicts, known),
    ]
    return HtmlPage(
        known.title or _title(first),
        known.source or Path(first.finding.source).name,
        tuple(section for section in sections if section.blocks),
        f"Made by bakeoff {__version__}. This page holds all that it shows, and asks no network for anything.",
    )


def save_page(page: HtmlPage, path: str | PathLike[str]) -> Path:
    """Write a page as one file of HTML: whole, or not at all."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"A report is a page of HTML: its name ends in .html; found {target.name!r}.")
    return write_text(target, page.render())


def save_report(
    verdicts: Sequence[Verdict],
    path: str | PathLike[str],
    scores: Scores | None = None,
    experiment: Experiment | None = None,
) -> Path:
    """Write the report of verdicts as one file of HTML."""
    return save_page(report_of(verdicts, scores, experiment), path)


def _unplanned_only(source: Any) -> Any:
    """A verdict without the word that it was planned, which the page has said before its figures do. That it was not is
    said wherever its figure goes."""
    planned = isinstance(source, Verdict) and source.standing is not None and source.standing.planned
    return replace(source, finding=replace(source.finding, standing=None)) if planned else source


def _title(verdict: Verdict) -> str:
    finding = verdict.finding
    return f"{show.listing(list(verdict.ranking), 4)}: {finding.measure.name}"


# ----------------------------------------------------------------------------------------------------------------------
# What the verdict says.


def _answer(verdict: Verdict, sketch: _Sketch) -> PageSection:
    several = len(verdict.finding.learners) > 2
    kinds = ("critical-difference", "intervals") if several else ("intervals", "critical-difference")
    blocks = [*_headline(verdict), *sketch.picture(verdict, *kinds, scores=sketch.scores), _paragraph(verdict)]
    return PageSection("answer", "The answer", tuple(blocks))


def _paragraph(verdict: Verdict) -> Words:
    """How the answer comes about. What stands above it is not said again: whether it was planned, and its condition."""
    return Words(wording.body(verdict, answered=True))


def _headline(verdict: Verdict) -> Iterator[Words]:
    """The answer in a sentence or two, and whether it was planned: first, if it was not."""
    standing = verdict.standing
    if standing is not None and not standing.planned:
        yield Words(str(standing), "caution")
    yield Words(wording.answer(verdict), "answer")
    if standing is not None and standing.planned:
        yield Words(str(standing), "note")


def _scope(verdict: Verdict, known: Experiment) -> PageSection:
    finding = verdict.finding
    about = (
        f"{finding.speaks_about}, conditional on {finding.conditional_on}"
        if finding.conditional_on
        else finding.speaks_about
    )
    blocks: list[Any] = [Words(f"It speaks about {about}.")]
    blocks += [Words(f"It holds under a condition: {condition}", "caution") for condition in finding.conditions]
    rows = tuple((each.name, each.covered, each.why) for each in variability(finding, known.tuned))
    caption = "What varies from one experiment to another, and whether the conclusion covers it."
    blocks.append(Grid(caption, ("what may vary", "in this conclusion", "because"), rows, left=3))
    if verdict.sources is not None:
        blocks.append(Words(verdict.sources.sentence))
    return PageSection("scope", "What it speaks about, and what it does not cover", tuple(blocks))


def _order(verdict: Verdict) -> PageSection:
    blocks: list[Any] = []
    if verdict.order is not None and len(verdict.order) > 1:
        groups = "; then ".join(show.listing(list(group), 12) for group in verdict.order)
        blocks.append(Words(f"In groups that the data tell apart, best first: {groups}."))
    elif verdict.groups is not None and len(verdict.groups) > 1:
        blocks.append(
            Words("Groups that the data do not tell apart, best first; they overlap, so that there is no order:")
        )
        blocks.append(Items(tuple(show.listing(list(group), 12) for group in verdict.groups)))
    if len(verdict.ranks) > 2 and verdict.first_place not in verdict.answer:
        blocks.append(Words(verdict.first_place))
    table = learners_table(verdict)
    blocks += [grid_of(table)] if table is not None else []
    return PageSection("learners", "The learners, best first", tuple(blocks))


def _contrasts(verdict: Verdict, sketch: _Sketch) -> PageSection:
    several = len(verdict.finding.learners) > 2
    table, matrix, tests = pairs_table(verdict), p_table(verdict), tests_table(verdict)
    blocks: list[Any] = [*(sketch.picture(verdict, "intervals") if several and table is not None else ())]
    blocks += [grid_of(table, MOST_PAIRS)] if table is not None else []
    if verdict.margin is not None and verdict.finding.relevance:
        header, cells = verdict.finding.relevance_table()
        rule = verdict.finding.relevance_rule
        blocks.append(Grid(rule, tuple(header), tuple(map(tuple, cells[:MOST_PAIRS]))))
    blocks += [grid_of(tests)] if tests is not None else []
    blocks += [FoldedBlock("All pairs as a matrix", (grid_of(matrix),))] if matrix is not None else []
    for title, (header, cells) in verdict.finding.further_tables().items():
        blocks.append(FoldedBlock(title, (Grid(title, tuple(header), tuple(map(tuple, cells[:MOST_PAIRS]))),)))
    return PageSection("contrasts", "Who differs from whom", tuple(blocks))


def _further(verdict: Verdict, place: int) -> PageSection:
    """Another analysis of the same experiment, in short."""
    blocks: list[Any] = [*_headline(verdict), _paragraph(verdict)]
    tables = (learners_table(verdict), pairs_table(verdict))
    blocks += [grid_of(table, MOST_PAIRS) for table in tables if table is not None]
    return PageSection(f"analysis-{place}", f"Also asked: {verdict.finding.measure.name}", tuple(blocks))


# ----------------------------------------------------------------------------------------------------------------------
# What it rests on.


def _assumptions(verdict: Verdict, sketch: _Sketch) -> PageSection:
    finding = verdict.finding
    card = procedure_named(finding.procedure).card
    blocks: list[Any] = [Words(f"{finding.title} assumes:"), Items(card.assumes)]
    diagnostics = None if sketch.scores is None else diagnose(sketch.scores, finding)
    if sketch.scores is None:
        blocks.append(
            Words("This report was made from a verdict alone: what the data show about that needs the scores.", "note")
        )
    elif diagnostics is not None and diagnostics.spreads:
        blocks.append(
            Words(
                "What the data show about it. None of this had a say in which procedure was used: that follows from "
                "the design."
            )
        )
        # Differences of right and wrong answers are −1, 0 and 1: their law is no question.
        binary = verdict.description is not None and verdict.description.right_or_wrong
        blocks.append(Items(tuple(_remarks(diagnostics, binary))))
        options = {"measure": finding.measure.name, "level": finding.level}
        blocks += (
            sketch.picture(sketch.scores, "normal-quantiles", **options)
            if diagnostics.of == "differences" and not binary
            else ()
        )
        blocks += () if binary else (_spreads(diagnostics),)
    return PageSection("assumptions", "Assumptions, and what the data show about them", tuple(blocks))


def _remarks(diagnostics: Diagnostics, binary: bool) -> Iterator[tuple[str, str]]:
    spreads, number = diagnostics.spreads, show.number
    n = max(spread.n for spread in spreads)
    skewness, kurtosis = usual_range(n)
    if not isnan(skewness) and not binary:
        beyond = sum(abs(each.skewness) > skewness or abs(each.kurtosis) > kurtosis for each in spreads)
        yield (
            "Normality",
            f"{_usual(beyond, len(spreads))}: of {n} normal values the skewness lies within "
            f"±{number(skewness, 2)} and the excess kurtosis within ±{number(kurtosis, 2)} in about 95 % of samples.",
        )
    far = f"more than {FAR:g} robust standard deviations from the median"
    if binary:
        pass
    elif diagnostics.outlying:
        first = diagnostics.outlying[0]
        yield (
            "Outlying blocks",
            f"{len(diagnostics.outlying)} of {len(spreads)} have a block {far}. The furthest is {first.far} in "
            f"{first.name}, with {show.percent(first.carried)} of the sum of squares.",
        )
    else:
        yield "Outlying blocks", f"No block lies {far}."
    if diagnostics.of == "differences" and any(each.zeros > 0 for each in spreads):
        most = max(spreads, key=lambda each: each.zeros)
        yield "Ties", f"Up to {show.percent(most.zeros)} of blocks show no difference ({most.name})."
    known = [each for each in spreads if not isnan(each.neighbours)]
    if known:
        most = max(known, key=lambda each: abs(each.neighbours))
        yield (
            "Neighbouring rows",
            f"The correlation of one row with the next is {number(most.neighbours, 2)} at most ({most.name}); of "
            f"independent rows it lies within ±{number(2 / most.n**0.5, 2)} in about 95 % of samples.",
        )
    full = [f"{end.learner} ({show.percent(end.best)} of its scores)" for end in diagnostics.ends if end.best > 0]
    if full:
        yield "Ceiling", f"The best value that is possible was reached by {show.listing(full, 6)}."


def _usual(beyond: int, count: int) -> str:
    """
    >>> _usual(0, 1), _usual(2, 6)
    ('The values lie within what is usual', '2 of 6 lie outside of what is usual')
    """
    if count == 1:
        return f"The values lie {'outside of' if beyond else 'within'} what is usual"
    return f"{beyond or 'None'} of {count} lie outside of what is usual"


def _spreads(diagnostics: Diagnostics) -> Any:
    header = (
        "of",
        "n",
        "skewness",
        "kurtosis",
        "furthest block",
        "robust distance",
        "share of squares",
        "ties",
        "neighbours",
    )
    data = [
        (s.name, s.n, s.skewness, s.kurtosis, s.far, s.distance, s.carried, s.zeros, s.neighbours)
        for s in diagnostics.spreads
    ]
    shown = [
        [cell if isinstance(cell, str) else show.number(float(cell), 3) for cell in row] for row in data[:MOST_SPREADS]
    ]
    used = [i for i in range(len(header)) if i < 2 or any(row[i] for row in shown)]
    file = PageFile("diagnostics.csv", "CSV", csv_text(header, data), "text/csv")
    whose = "pair" if diagnostics.of == "differences" else "learner"
    caption = f"The {diagnostics.of} of each {whose} over {diagnostics.level.value}."
    more = (f"{len(data) - len(shown)} more rows are in the file.",) if len(data) > len(shown) else ()
    rows = tuple(tuple(row[i] for i in used) for row in shown)
    return FoldedBlock(
        "Diagnostics in numbers", (Grid(caption, tuple(header[i] for i in used), rows, 1, more, file=file),)
    )


def _warnings(verdicts: Sequence[Verdict]) -> PageSection:
    raised = list(dict.fromkeys(warning for verdict in verdicts for warning in verdict.warnings))
    items = tuple((warning.code, f"{warning.text} {warning.action}") for warning in raised)
    finding = verdicts[0].finding
    blocks: list[Any] = [Items(items, "warnings")] if items else [Words("No warning was raised.")]
    if finding.against_advice:
        blocks += [Words("This was done against advice:", "caution"), Items(finding.against_advice)]
    if finding.cautions:
        blocks.append(
            FoldedBlock(f"What to beware of with {finding.title}, whatever the data", (Items(finding.cautions),))
        )
    return PageSection("warnings", "Warnings, and what to do", tuple(blocks))


# ----------------------------------------------------------------------------------------------------------------------
# What lies behind it.


def _tasks(verdict: Verdict, sketch: _Sketch) -> PageSection:
    table = tasks_table(verdict)
    blocks: list[Any] = []
    described = verdict.description
    if sketch.scores is not None and not (described is not None and described.right_or_wrong):  # these are two points
        few = len(sketch.scores.value) <= MOST_POINTS  # more would be most of the page
        kinds = ("box-density", "range") if few else ("range", "box-density")
        blocks += sketch.picture(sketch.scores, *kinds, measure=verdict.finding.measure.name)
    blocks += [grid_of(table)] if table is not None else []
    place = "Task by task" if verdict.finding.level is Level.TASKS else "Block by block"
    for header, cells, left in [] if described is None else described.tables():
        counts = described is not None and described.answers and not blocks
        caption = "Right and wrong answers of each pair." if counts else f"{place}: where learners are behind."
        blocks.append(Grid(caption, tuple(header), tuple(map(tuple, cells)), left))
    title = "Results by task" if verdict.finding.level is Level.TASKS else "The scores"
    return PageSection("results", title, tuple(blocks))


def _failures(sketch: _Sketch, known: Experiment) -> PageSection:
    blocks: tuple[Any, ...] = known.failures
    if not blocks and sketch.scores is not None:
        blocks = tuple(_failed_rows(sketch.scores))
    return PageSection("failures", "Failures and missing values", blocks)


def _failed_rows(scores: Scores) -> Iterator[Any]:
    """Rows without a value, by learner, status and message."""
    failed = (scores.value != scores.value).nonzero()[0]
    columns = [
        np.array(labels.labels)[labels.codes[failed]] for labels in (scores.learner, scores.status, scores.message)
    ]
    groups = Counter(zip(*(column.tolist() for column in columns), strict=True))
    if not groups:
        yield Words("Every learner has a value wherever others have one: nothing failed.")
        return
    rows = tuple((*group, str(n)) for group, n in groups.most_common(50))
    yield Grid("Rows without a value.", ("learner", "status", "message", "rows"), rows, left=3)


def _design(verdict: Verdict, sketch: _Sketch, known: Experiment) -> PageSection:
    blocks = list(known.design)
    if sketch.scores is not None:
        text = align(sketch.scores, verdict.finding.measure.name).to_text()
        blocks.append(FoldedBlock("What was read", (Listing(text),)) if known.design else Listing(text))
    return PageSection("design", "The design", tuple(blocks))


def _methods(verdicts: Sequence[Verdict]) -> PageSection:
    blocks: list[Any] = [Words(text) for text in dict.fromkeys(methods(verdict).text for verdict in verdicts)]
    sources = dict.fromkeys(source for verdict in verdicts for source in references(verdict.finding))
    entries = dict.fromkeys(entry for verdict in verdicts for entry in bibtex_entries(verdict.finding))
    bibliography = "\n\n".join(entries) + "\n"
    blocks += [Items(tuple(sources), "references")]
    file = PageFile("references.bib", "BibTeX", bibliography, "application/x-bibtex")
    blocks.append(FoldedBlock("BibTeX", (Listing(bibliography, file),)))
    return PageSection("methods", "Methods and references", tuple(blocks))


def _reproduce(verdicts: Sequence[Verdict], known: Experiment) -> PageSection:
    blocks = list(known.reproduce)
    versions = verdicts[0].finding.versions
    blocks.append(Items(tuple((name, version) for name, version in versions.items())))
    whole = [
        (f"verdict{place if place > 1 else ''}.json", verdict.to_json()) for place, verdict in enumerate(verdicts, 1)
    ]
    if sum(len(text) for _, text in whole) <= MOST_BYTES:
        blocks += [
            Listing(
                f"bakeoff report {name} -o report.html",
                PageFile(name, f"{name}: everything, with full precision", text, "application/json"),
            )
            for name, text in whole
        ]
    return PageSection("reproduce", "How to reproduce it", tuple(blocks))
