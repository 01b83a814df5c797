"""Verdict: what may be claimed. Text, table, JSON and figure all come from this one object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from html import escape
from itertools import pairwise
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff import text as show
from bakeoff.inference.evidence import Interval
from bakeoff.inference.finding import Finding, Row
from bakeoff.judging.description import Description, LearnerSummary, TaskResults
from bakeoff.records import Answer, Record
from bakeoff.scores import Level
from bakeoff.scores.provenance import PlanStatus
from bakeoff.text import CodedWarning

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    import pandas as pd
    from matplotlib.axes import Axes

    from bakeoff.figures.figure import Chart
    from bakeoff.judging.sources_of_variance import SourcesOfVariance
    from bakeoff.reports.manuscript import Manuscript
    from bakeoff.scores import Scores


class Decision(StrEnum):
    """What is claimed of the first learner of a pair, against the second."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    NON_INFERIOR = "non-inferior"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, eq=False)
class Judged(Record):
    """A decision and the row it rests on. `advantage` is by how much the first is better, as far as is known."""

    first: str
    second: str
    decision: Decision
    advantage: float
    at_least: float
    at_most: float
    row: Row

    @property
    def ends(self) -> tuple[float, float]:
        """Between what the advantage lies, as it is shown: an end next to nothing is shown as nothing."""
        small = _NOTHING * abs(self.advantage)
        low, high = (0.0 if abs(end) < small else end for end in (self.at_least, self.at_most))
        return low, high

    @property
    def apart(self) -> bool:
        """Whether the two are told apart."""
        return self.decision in (Decision.BETTER, Decision.WORSE)

    @property
    def better_first(self) -> tuple[str, str]:
        """The two that are told apart, the better one first."""
        return (self.first, self.second) if self.decision is Decision.BETTER else (self.second, self.first)


def decide(row: Row, sign: int, alpha: float, margin: float | None) -> Judged:
    """The decision about a row, from its one interval and the margin of relevance.

    With the interval [L, U] of the first learner's advantage and the margin Δ: equivalent if −Δ < L and U < Δ; better
    if L > 0; worse if U < 0; non-inferior if L > −Δ; undecided otherwise. "Not significant" never becomes "equal". A
    row without an interval is decided by its adjusted p alone, and then never more than better, worse or undecided.
    """
    low, high = (row.lower, row.upper) if sign > 0 else (-row.upper, -row.lower)
    advantage = sign * row.estimate if not isnan(row.estimate) else row.estimate
    if not isnan(row.better):
        decision = _from_probabilities(row, alpha)
    elif isnan(low) or isnan(high):
        decision = Decision.UNDECIDED
        if row.p_adjusted <= alpha and advantage != 0 and not isnan(advantage):
            decision = Decision.BETTER if advantage > 0 else Decision.WORSE
    elif margin is not None and -margin < low and high < margin:
        decision = Decision.EQUIVALENT
    elif low > 0:
        decision = Decision.BETTER
    elif high < 0:
        decision = Decision.WORSE
    elif margin is not None and low > -margin:
        decision = Decision.NON_INFERIOR
    else:
        decision = Decision.UNDECIDED
    return Judged(row.first, row.second, decision, advantage, low, high, row)


def decide_against(row: Row, sign: int, alpha: float, margin: float | None, level: float) -> Judged:
    """The decision about one learner and a level, from the interval of its distance from the level.

    >>> row = Row("a", "a", estimate=0.015, lower=0.011, upper=0.019, p_adjusted=0.001)
    >>> made = decide_against(row, -1, 0.05, None, 0.02)
    >>> made.decision.value, made.second, round(made.advantage, 3)
    ('better', '0.02', 0.005)
    """
    distance = replace(row, estimate=row.estimate - level, lower=row.lower - level, upper=row.upper - level)
    return replace(decide(distance, sign, alpha, margin), second=show.number(level), row=row)


def _from_probabilities(row: Row, alpha: float) -> Decision:
    """The claim, if any, that has a posterior probability of at least 1 − α."""
    sure = 1 - alpha
    if row.better >= sure:
        return Decision.BETTER
    if row.worse >= sure:
        return Decision.WORSE
    if row.same >= sure:
        return Decision.EQUIVALENT
    return Decision.NON_INFERIOR if row.same > 0 and row.same + row.better >= sure else Decision.UNDECIDED


@dataclass(frozen=True, eq=False)
class RunReading(Record):
    """What would be claimed, were runs of which it is not known what they are `runs`; `say` is how to say that.

    `claims` are pairs (better, worse), `pairs` how many were compared, `p` the smallest adjusted p.
    """

    runs: str
    say: str
    procedure: str
    claims: tuple[tuple[str, str], ...]
    pairs: int
    p: float

    @property
    def answer(self) -> str:
        """
        >>> RunReading("seeds", "--runs fixed-split", "unpaired-t", (("a", "b"),), 1, 0.034).answer
        'a is better than b (p = 0.034)'
        """
        if self.pairs > 1:
            return f"{len(self.claims) or 'none'} of {self.pairs} told apart"
        what = f"{self.claims[0][0]} is better than {self.claims[0][1]}" if self.claims else "undecided"
        return f"{what} ({show.p_equals(self.p)})"


# Of the JSON of a verdict; docs/verdict-schema.json has it in full. The number grows when a field goes or changes.
SCHEMA = "bakeoff.verdict/1"
_NOTHING = 1e-12  # an end that was moved onto the level, or next to it, is shown there
_MOST_MEASURED = 2000  # decisions that are looked at for the decimals of their column


@dataclass(frozen=True, eq=False)
class Verdict(Answer):
    """Decisions about all contrasts, tie groups, the order where one exists, and warnings.

    `groups` are the largest sets of learners that the data do not tell apart, best first; None if the contrasts do not
    cover all pairs or the relation is too tangled to list. `order` is those groups if they do not overlap, else None.
    `description` is what tasks or instances show beside that: wins, ranks, medians, and where a learner is behind.
    `standing` is that of the analysis in the study that the scores come from; None for scores from elsewhere. `sources`
    tells where the variance lies, if instances were answered several times or lie in a sample of clusters. `summaries`
    are the scores of each learner by itself, best first, and `by_task` those of each task, if there are several.
    `readings` are what would be claimed under each of the things that runs may be, if it is not known what they are.
    """

    finding: Finding
    margin: float | None
    decisions: tuple[Judged, ...]
    groups: tuple[tuple[str, ...], ...] | None
    order: tuple[tuple[str, ...], ...] | None
    warnings: tuple[CodedWarning, ...]
    means: dict[str, float]
    description: Description | None = None
    sources: SourcesOfVariance | None = None
    summaries: tuple[LearnerSummary, ...] = ()
    by_task: TaskResults | None = None
    readings: tuple[RunReading, ...] = ()

    @property
    def standing(self) -> PlanStatus | None:
        return self.finding.standing

    def plot(self, kind: str = "critical-difference", ax: Axes | None = None, **options: Any) -> Chart:
        """The figure of the verdict, drawn on an ax if one is given; `save(path)` makes a file of it."""
        from bakeoff.figures import plot

        return plot(self, kind, ax, **options)

    def report(self, path: str | PathLike[str], scores: Scores | None = None) -> Path:
        """Write a page of HTML about it, which needs no network; with the scores behind it, diagnostics and what failed
        are on it too."""
        from bakeoff.reports.report import save_report

        return save_report([self], path, scores)

    @property
    def ranking(self) -> tuple[str, ...]:
        """The learners from the best position (mean rank or mean) to the worst. An estimate, not a claim."""
        return self.finding.ranking

    @property
    def ranks(self) -> dict[str, tuple[int, int]]:
        """The best and the worst rank that each learner may have, if all pairs were compared; else nothing.

        One more than those that were shown to be better, up to all but those shown to be worse: all true ranks lie
        there at once with a chance of 1 − α.
        """
        k = len(self.finding.learners)
        if len(self.finding.pairs) != k * (k - 1) // 2 or k < 2:
            return {}
        above, below = dict.fromkeys(self.finding.learners, 0), dict.fromkeys(self.finding.learners, 0)
        for judged in self.decisions:
            if judged.apart:
                better = judged.decision is Decision.BETTER
                winner, loser = (judged.first, judged.second) if better else (judged.second, judged.first)
                above[loser] += 1
                below[winner] += 1
        return {name: (1 + above[name], k - below[name]) for name in self.ranking}

    @property
    def first(self) -> tuple[str, ...]:
        """The learners that may be the best: no other was shown to be better than them."""
        return tuple(name for name, (best, _) in self.ranks.items() if best == 1)

    @property
    def first_place(self) -> str:
        """Who may be first, in a sentence; of two learners the decision says it all."""
        if len(self.first) == 1:
            return f"{self.first[0]} is first: it is shown to be better than each of the others."
        return (
            f"First place is shared by {len(self.first)} of {len(self.ranks)}: {show.listing(list(self.first), 8)}. No "
            "other learner was shown to be better than any of them."
        )

    @property
    def control(self) -> str:
        """The learner that all others were held against; empty if pairs were compared otherwise."""
        if self.finding.contrast != "control" or not self.decisions:
            return ""
        common = set.intersection(*({judged.first, judged.second} for judged in self.decisions))
        others = common - {self.finding.learners[0]}  # of a single pair both are in all
        return (
            next(iter(others or common), "") if len(self.decisions) > 1 or len(common) < 2 else self.decisions[0].second
        )

    @property
    def answer(self) -> str:
        """The verdict in a sentence or two: what a reader would remember, and whether it was planned."""
        from bakeoff.judging.wording import answer

        text = answer(self)
        return text if self.standing is None else f"{self.standing} {text}"

    @property
    def paragraph(self) -> str:
        """The verdict in plain English."""
        from bakeoff.judging.wording import paragraph

        text = paragraph(self)
        return text if self.standing is None else f"{self.standing} {text}"

    def table(self, most: int | None = None) -> tuple[list[str], list[list[str]]]:
        """Header and cells of the decisions (or of the first `most`) as they are shown."""
        finding = self.finding
        scale = finding.quantity
        kinds = {judged.row.interval for judged in self.decisions} - {Interval.NONE}
        usual = Interval.SIMULTANEOUS if Interval.SIMULTANEOUS in kinds else next(iter(kinds), Interval.POINTWISE)
        named = "interval" if usual is Interval.POINTWISE else f"{usual.value} interval"
        header = ["", "decision", "", f"advantage ({scale})", named]
        p = "adjusted p" if len(self.decisions) > 1 else "p"
        header += ["P(worse)", "P(same)", "P(better)"] if finding.posterior else [p, "P(first better)"]
        superiority = {effect.contrast: effect.superiority for effect in finding.effects}
        shown, places, cells = self.decisions[:most], self.places, []
        for judged in shown:
            row = judged.row
            cell = [judged.first, judged.decision.value, judged.second]
            other = f" {row.interval.value}" if row.interval not in (usual, Interval.NONE) else ""
            cell += [show.fixed(judged.advantage, places), show.interval(*judged.ends, places) + other]
            if finding.posterior:
                cell += [show.p_value(p) for p in (row.worse, row.same, row.better)]
            else:
                known = superiority.get(row.contrast, nan)
                cell += [show.p_value(row.p_adjusted, finding.alpha), "" if isnan(known) else f"{known:.3f}"]
            cells.append(cell)
        used = [i for i in range(len(header)) if i < 4 or any(cell[i] for cell in cells)]
        return [header[i] for i in used], [[cell[i] for i in used] for cell in cells]

    def reading_table(self) -> tuple[list[str], list[list[str]]]:
        """What would be claimed under each of the things that runs may be; empty if it is known what they are."""
        header = ["if the runs are", "say", "judged by", "then"]
        return header, [[each.runs, each.say, each.procedure, each.answer] for each in self.readings]

    @cached_property
    def places(self) -> int:
        """The decimals with which advantages and their intervals are shown."""
        known = self.decisions[:: 1 + len(self.decisions) // _MOST_MEASURED]
        return show.decimals((value for judged in known for value in (judged.advantage, *judged.ends)), 3)

    def learner_table(self, most: int | None = None) -> tuple[list[str], list[list[str]]]:
        """Header and cells of the learners, best first: where they stand."""
        finding = self.finding
        if finding.level is Level.TASKS:
            return self._task_table(most)
        names = self.ranking[:most]
        mean = f"mean {finding.measure.name}"
        beside = finding.placed_by_rank or not finding.on_measure
        ranked = beside and finding.position_name != mean  # beside the mean, what was compared instead
        header = ["learner", mean if ranked else finding.position_name]
        columns = [list(names), show.column([self.means[name] for name in names])]
        if ranked:
            header.append(finding.position_name)
            columns.append(show.column([finding.position[name] for name in names]))
        return header, [list(cell) for cell in zip(*columns, strict=True)]

    def _task_table(self, most: int | None) -> tuple[list[str], list[list[str]]]:
        """Over tasks: where learners stand, on how many tasks each is the best, and their medians; never means."""
        finding, described = self.finding, self.description
        header, names = ["learner", finding.position_name], self.ranking[:most]
        places = show.column([finding.position[name] for name in names])
        cells = [[name, place] for name, place in zip(names, places, strict=True)]
        records = [] if described is None else [described.record_of(name) for name in names]
        if described is None or not all(records):
            return header, cells
        header += [f"best of all on ({finding.n_blocks} tasks)", f"median {finding.measure.name}"]
        medians = show.column([record.median for record in records if record is not None])
        for cell, record, median in zip(cells, records, medians, strict=True):
            assert record is not None
            shared = f" + {record.best_shared} shared" if record.best_shared else ""
            cell += [f"{record.best_alone}{shared}", median]
        return header, cells

    def to_text(self, most: int = 30) -> str:
        """The answer, how it comes about, learners, decisions and warnings as plain text."""
        from bakeoff.judging.wording import body

        parts = [self.answer, body(self, answered=True)] if self.finding.pairs else [self.paragraph]
        parts = list(map(show.wrapped, parts))
        if self.readings:
            parts.append(show.text_table(*self.reading_table(), left=4, most=72))
        tables = ((self.learner_table(most), 1, len(self.ranking)), (self.table(most), 3, len(self.decisions)))
        for (header, cells), left, count in tables:
            if cells:
                hidden = f"\n… and {count - most} more" if count > most else ""
                parts.append(show.text_table(header, cells, left=left) + hidden)
        for header, cells, left in [] if self.description is None else self.description.tables():
            parts.append(show.text_table(header, cells[:most], left=left, most=72))
        if self.margin is not None and self.finding.relevance:
            header, cells = self.finding.relevance_table(most)
            parts.append(show.wrapped(self.finding.relevance_rule) + "\n" + show.text_table(header, cells))
        if self.sources is not None:
            parts.append(show.wrapped(self.sources.sentence))
        parts += [show.wrapped(f"Warning {warning}", indent="  ") for warning in self.warnings]
        return "\n\n".join(parts)

    def words(self, style: str = "plain") -> str:
        """The results as a paragraph: "plain" for everyone (it is `paragraph`), or as a "paper" has them."""
        from bakeoff.reports.paper import words

        return words(self, style)

    def methods(self) -> str:
        """What was done, as the paragraph of a paper, with its sources named."""
        from bakeoff.reports.paper import methods

        return methods(self).text

    def references(self) -> tuple[str, ...]:
        """The sources of the procedure and of the adjustment, as a list of references has them."""
        from bakeoff.reports.paper import references

        return references(self.finding)

    def to_bibtex(self) -> str:
        """Those sources in the form of BibTeX."""
        from bakeoff.reports.paper import bibtex_of

        return bibtex_of(self.finding)

    def manuscript(
        self, style: str = "paper", tables: Sequence[str] | None = None, reference: str | None = None
    ) -> Manuscript:
        """Paragraphs, tables, notes and references, of which every form for a paper is made.

        `tables` are some of "learners", "tasks", "pairs", "p" and "tests"; all that these data have, if none are named.
        `reference` is the learner that marks are about: † worse, ‡ better; the control, if there is one.
        """
        from bakeoff.reports.paper import manuscript_of

        return manuscript_of(self, style=style, tables=tables, reference=reference)

    def to_latex(self, **options: Any) -> str:
        """Paragraphs and tables in LaTeX, for a document that loads booktabs; options are those of `manuscript`."""
        from bakeoff.reports.manuscript import as_latex

        return as_latex(self.manuscript(**options))

    def to_markdown(self, **options: Any) -> str:
        """The same in Markdown."""
        from bakeoff.reports.manuscript import as_markdown

        return as_markdown(self.manuscript(**options))

    def to_html(self, **options: Any) -> str:
        """The same as a page of HTML by itself."""
        from bakeoff.reports.manuscript import as_html

        return as_html(self.manuscript(**options))

    def to_csv(self, table: str = "pairs") -> str:
        """One of the tables with full precision."""
        from bakeoff.reports.manuscript import as_csv

        return as_csv(self.manuscript(tables=[table]).tables[0])

    def save(self, path: str | PathLike[str], **options: Any) -> Path:
        """Write what the ending says: .tex, .md, .html, .csv, .json, .txt, .bib, or a figure: .svg, .pdf, .png."""
        from bakeoff.reports.files import save

        return save(self, path, **options)

    def records(self) -> dict[str, list[Any]]:
        """The columns of `to_frame`."""
        superiority = {effect.contrast: effect.superiority for effect in self.finding.effects}
        planned = None if self.standing is None else self.standing.planned
        return {
            "planned": [planned] * len(self.decisions),
            "first": [j.first for j in self.decisions],
            "decision": [j.decision.value for j in self.decisions],
            "second": [j.second for j in self.decisions],
            "advantage": [j.advantage for j in self.decisions],
            "at_least": [j.at_least for j in self.decisions],
            "at_most": [j.at_most for j in self.decisions],
            "p": [j.row.p for j in self.decisions],
            "p_adjusted": [j.row.p_adjusted for j in self.decisions],
            "p_worse": [j.row.worse for j in self.decisions],
            "p_same": [j.row.same for j in self.decisions],
            "p_better": [j.row.better for j in self.decisions],
            "superiority": [superiority.get(j.row.contrast, nan) for j in self.decisions],
        }

    def to_frame(self) -> pd.DataFrame:
        """One row a decision, with full precision. `planned` is None for scores that come from no study."""
        import pandas as pd

        return pd.DataFrame(self.records())

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON knows it, the paragraph included."""
        fields = {
            "schema": SCHEMA,
            "answer": self.answer,
            "paragraph": self.paragraph,
            "ranking": list(self.ranking),
            "first": list(self.first),
            "ranks": {name: list(ranks) for name, ranks in self.ranks.items()},
            "standing": show.to_json_value(self.standing),
        }
        return {**fields, **show.to_json_value(self)}

    def _repr_html_(self) -> str:
        finding = self.finding
        described = [] if self.description is None else [table[:2] for table in self.description.tables()]
        shown = [
            self.reading_table(),
            self.learner_table(),
            self.table(),
            *described,
            finding.relevance_table(),
            finding.effect_table(),
        ]
        tables = "".join(show.html_table(*table) for table in shown if table[1])
        warned = "".join(f"<li>{escape(str(warning))}</li>" for warning in self.warnings)
        return f"<p><b>{escape(self.answer)}</b></p><p>{escape(self.paragraph)}</p>{tables}" + (
            f"<ul>{warned}</ul>" if warned else ""
        )


# ----------------------------------------------------------------------------------------------------------------------
# Groups of learners that the data do not tell apart, and the order of the groups where one exists.
#
# "Not told apart" is not transitive: a may be tied with b and b with c while a beats c. Groups are therefore the
# maximal sets in which no pair differs; they may overlap, and only disjoint groups can be put in order.


# Beyond this many groups a listing helps nobody; relations that are so tangled are reported as such.
MOST_GROUPS = 200


def maximal_groups(tied: NDArray[np.bool_], order: Sequence[int]) -> tuple[tuple[int, ...], ...] | None:
    """All maximal sets of mutually tied learners, the best first; None if there are too many to be of use.

    >>> tied = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool)
    >>> maximal_groups(tied, [0, 1, 2])
    ((0, 1), (1, 2))
    """
    order = list(order)
    in_order = tied[np.ix_(order, order)]
    runs = _runs(in_order)
    if runs is not None:
        return tuple(tuple(order[start : stop + 1]) for start, stop in runs)
    # Sets of learners are whole numbers with a bit for each place in the order: a thousand learners are one word more.
    rows = np.packbits(in_order & ~np.eye(len(order), dtype=bool), axis=1, bitorder="little")
    neighbours = [int.from_bytes(row.tobytes(), "little") for row in rows]
    groups: list[int] = []
    try:
        if not _expand(0, (1 << len(order)) - 1, 0, neighbours, groups):
            return None
    except RecursionError:  # a group of nearly a thousand in a tangle
        return None
    places = sorted(list(_bits(group)) for group in groups)
    return tuple(tuple(order[place] for place in group) for group in places)


def _runs(tied: NDArray[np.bool_]) -> list[tuple[int, int]] | None:
    """Maximal groups as runs of neighbours, if whoever stands between two tied learners is tied with both."""
    k = len(tied)
    reach = [i + int(np.argmin(np.append(tied[i, i + 1 :], False))) for i in range(k)]
    if any(tied[i, reach[i] + 1 :].any() for i in range(k)) or any(a > b for a, b in pairwise(reach)):
        return None
    return [(i, stop) for i, stop in enumerate(reach) if i == 0 or stop > reach[i - 1]]


def _expand(group: int, open_: int, done: int, neighbours: Sequence[int], groups: list[int]) -> bool:
    """Bron and Kerbosch (1973) with a pivot; False as soon as there are too many groups."""
    if not open_ and not done:
        groups.append(group)
        return len(groups) <= MOST_GROUPS
    pivot = max(_bits(open_ | done), key=lambda i: (open_ & neighbours[i]).bit_count())
    for i in _bits(open_ & ~neighbours[pivot]):
        if not _expand(group | 1 << i, open_ & neighbours[i], done & neighbours[i], neighbours, groups):
            return False
        open_ ^= 1 << i
        done |= 1 << i
    return True


def _bits(number: int) -> Iterator[int]:
    """The places of the ones of a number, from the lowest.

    >>> list(_bits(0b1101))
    [0, 2, 3]
    """
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def order_of(groups: Sequence[Sequence[int]], n_learners: int) -> tuple[tuple[int, ...], ...] | None:
    """The groups as an order, best first, if they are disjoint; None if they overlap."""
    return tuple(tuple(group) for group in groups) if sum(map(len, groups)) == n_learners else None
