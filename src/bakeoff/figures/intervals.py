"""Intervals of differences: how much better each learner of a pair is, with zero and the margin marked.

As Hothorn, Leisch, Zeileis and Hornik (2005), figure 5. `intervals` makes the table behind the figure from a verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, ClassVar

from bakeoff.errors import MisfitError
from bakeoff.figures.figure import ACCENT, FAINT, GRID, INK, PALE, Chart, label_rows, plain_axes
from bakeoff.figures.lettering import BETWEEN, labels_of, literal, write_literally
from bakeoff.inference.evidence import Interval
from bakeoff.records import Record
from bakeoff.text import counted, number, percent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bakeoff.judging.verdict import Judged, Verdict

MOST_ROWS = 66  # of one page; twelve learners have as many pairs
ROW, NARROW_ROW, MANY = 0.19, 0.145, 30  # inches, and from how many rows on they are narrow


@dataclass(frozen=True, slots=True, eq=False)
class Difference(Record):
    """By how much the first is better than the second, and where that lies; NaN without an interval, infinite ends
    where it is one-sided."""

    first: str
    second: str
    labels: tuple[str, str]
    advantage: float
    lower: float
    upper: float
    decision: str
    p: float


@dataclass(frozen=True, eq=False)
class IntervalPlot(Chart, Record):
    """A row for each pair: a dot at the difference and a line for its interval, filled where the two are told apart.

    `hidden` are the pairs that there was no room for; the table has them.
    """

    rows: tuple[Difference, ...]
    hidden: tuple[Difference, ...]
    margin: float | None
    axis: str
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {
        "intervals": "differences of all pairs with their intervals, zero and the margin marked"
    }
    made_of: ClassVar[str] = "verdict"

    @classmethod
    def of(cls, source: Any, kind: str = "", **options: Any) -> IntervalPlot:
        return intervals(source)

    def to_frame(self) -> pd.DataFrame:
        """One row a pair, those that are not drawn last."""
        import pandas as pd

        names = ("first", "second", "advantage", "lower", "upper", "decision", "p")
        every = (*self.rows, *self.hidden)
        frame = pd.DataFrame([[getattr(row, name) for name in names] for row in every], columns=list(names))
        return frame.assign(drawn=[i < len(self.rows) for i in range(len(every))])

    @property
    def row_names(self) -> Sequence[tuple[str, ...]]:
        return [row.labels for row in self.rows]

    def height_at(self, width: float) -> float:
        return 0.75 + (ROW if len(self.rows) <= MANY else NARROW_ROW) * max(len(self.rows), 2)

    def draw(self, ax: Axes) -> None:
        """Rows from the top, the better learner of each pair first."""
        if self.margin is not None:
            ax.axvspan(-self.margin, self.margin, color=GRID, linewidth=0, zorder=0)
            for end in (-self.margin, self.margin):
                ax.axvline(end, color=PALE, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=1)
        ax.axvline(0, color=FAINT, linewidth=0.8, zorder=1)
        low, high = self._reach()
        for apart, colour in ((True, ACCENT), (False, INK)):
            rows = [(i, row) for i, row in enumerate(self.rows) if (row.decision in ("better", "worse")) is apart]
            _draw_lines(ax, [(i, row) for i, row in rows if not isnan(row.lower)], (low, high), colour)
            dots = [(row.advantage, i) for i, row in rows if isfinite(row.advantage)]
            fill: dict[str, Any] = {"markerfacecolor": colour if apart else "white", "markeredgecolor": colour}
            if dots:
                ax.plot(*zip(*dots, strict=True), "o", markersize=4.5, markeredgewidth=1.0, zorder=4, **fill)
        ax.set_xlim(low, high)
        plain_axes(ax, self.axis)
        label_rows(ax, [BETWEEN.join(names) for names in self.row_names])
        write_literally(ax)

    def _reach(self) -> tuple[float, float]:
        """The ends of the axis: all that is finite, zero and the margin, and room beyond."""
        marks = [0.0, *([] if self.margin is None else [-self.margin, self.margin])]
        ends = [end for row in self.rows for end in (row.lower, row.advantage, row.upper) if isfinite(end)]
        low, high = min([*ends, *marks]), max([*ends, *marks])
        room = 0.06 * (high - low) or 0.5
        return low - room, high + room


def _draw_lines(ax: Axes, rows: Sequence[tuple[int, Difference]], ends: tuple[float, float], colour: str) -> None:
    """A line for each interval; what has no end goes on to that of the axis, with an arrow."""
    if not rows:
        return
    places = [i for i, _ in rows]
    sides = ([max(row.lower, ends[0]) for _, row in rows], [min(row.upper, ends[1]) for _, row in rows])
    ax.hlines(places, *sides, color=colour, linewidth=1.4)
    for side, true, arrow in zip(sides, ("lower", "upper"), ("<", ">"), strict=True):
        for mark, finite in (("|", True), (arrow, False)):
            at = [(x, i) for x, (i, row) in zip(side, rows, strict=True) if isfinite(getattr(row, true)) is finite]
            if at:
                ax.plot(*zip(*at, strict=True), mark, color=colour, markersize=4.5, markeredgewidth=1.1)


def intervals(verdict: Verdict) -> IntervalPlot:
    """The table behind the figure."""
    if not verdict.decisions:
        raise MisfitError(
            f"Intervals are drawn of differences, and {verdict.finding.title} compares no pairs here.",
            alternatives=["judge at least two learners with a procedure for pairs"],
        )
    judged = list(verdict.decisions)
    drawn = judged if len(judged) <= MOST_ROWS else _with_the_best(verdict)
    shown = {id(one) for one in drawn}
    rows = _rows(drawn)
    finding = verdict.finding
    return IntervalPlot(
        rows=rows,
        hidden=_rows([one for one in judged if id(one) not in shown]),
        margin=verdict.margin,
        axis=f"advantage of the first ({literal(finding.scale)})",
        title="Intervals of differences",
        caption=literal(" ".join(_caption(verdict, len(judged) - len(drawn)))),
    )


def _with_the_best(verdict: Verdict) -> list[Judged]:
    best = verdict.ranking[0]
    rows = [one for one in verdict.decisions if best in (one.first, one.second)]
    return rows[:MOST_ROWS] if rows else list(verdict.decisions[:MOST_ROWS])


def _rows(judged: Sequence[Judged]) -> tuple[Difference, ...]:
    names = list(dict.fromkeys(name for one in judged for name in (one.first, one.second)))
    label = dict(zip(names, labels_of(names), strict=True))
    return tuple(
        Difference(
            one.first, one.second, (label[one.first], label[one.second]), one.advantage, one.at_least,
            one.at_most, one.decision.value, one.row.p_adjusted,
        )
        for one in judged
    )  # fmt: skip


def _caption(verdict: Verdict, hidden: int) -> list[str]:
    finding = verdict.finding
    parts = [] if verdict.standing is None else [str(verdict.standing)]
    kinds = {one.row.interval for one in verdict.decisions} - {Interval.NONE}
    level = percent(1 - finding.alpha)
    named = "credible" if finding.posterior else "simultaneous" if Interval.SIMULTANEOUS in kinds else "pointwise"
    if Interval.STEPWISE in kinds and not finding.posterior:
        named = "stepwise"
    about = {
        "credible": f"{level} credible intervals",
        "simultaneous": f"Simultaneous {level} intervals: all cover their differences at once",
        "stepwise": "Intervals at the level at which each difference was tested",
        "pointwise": f"Pointwise {level} intervals: each covers its own difference",
    }[named]
    parts.append(f"{finding.title}, {finding.sides}, N = {finding.n_blocks} ({finding.level.value}).")
    if kinds:
        parts.append(f"{about}.")
    if verdict.margin is not None:
        parts.append(f"The shaded band is the margin, ±{number(verdict.margin)}.")
    parts.append(
        "Right of zero the first of the two is better. A filled dot: the two are told apart; an open one: they are "
        "not, which is not evidence that they are equal."
    )
    if hidden:
        parts.append(
            f"Drawn are the pairs with {verdict.ranking[0]}, which comes first; {counted(hidden, 'others')} are in the "
            "table."
        )
    return parts
