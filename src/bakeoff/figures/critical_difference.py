"""The critical-difference diagram: where the learners stand, and which of them the data do not tell apart.

Demšar (2006), JMLR 7, 1–30, section 3.2.5 and figure 1. As there, the best learner is on the right, whatever is on
the axis. `critical_difference` makes the table, which can draw itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, isclose, isfinite
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bakeoff.errors import MisfitError, UsageError
from bakeoff.figures.figure import POINTS_PER_INCH, TIKZ, USUAL, Chart, Style, rendering
from bakeoff.figures.lettering import (
    column,
    labels_of,
    labels_within,
    lines_of,
    literal,
    shortened_in_the_middle,
    tick_texts,
    width_of,
    write,
)
from bakeoff.figures.tables import refuse_means_of_groups
from bakeoff.inference.finding import MEAN_RANK
from bakeoff.scores import Level
from bakeoff.text import counted, counted_each, number

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bakeoff.inference.finding import Finding
    from bakeoff.judging.verdict import Judged, Verdict

TITLE = "Critical-difference diagram"
MOST_LEARNERS = 30
MOST_LANES = 30
# Bars share a lane if there is at least this much of the axis between them, so that they do not look like one.
ROOM_BETWEEN_BARS = 0.04


class Mark(StrEnum):
    """What a comparison with the control says of a learner; empty if there is no control."""

    NONE = ""
    CONTROL = "control"
    APART = "told apart"
    TIED = "not told apart"


@dataclass(frozen=True, slots=True)
class AxisPlace:
    """A learner on the axis. `label` is its name as drawn: in one line, shortened in the middle if it is long."""

    learner: str
    label: str
    position: float
    mark: Mark = Mark.NONE


@dataclass(frozen=True, slots=True)
class Group:
    """Learners that are not told apart, best first.

    `contiguous` groups hold everyone between their best and their worst, and are drawn as a solid bar; the others
    are drawn as a thin line with a dot at each member. A group of one has no bar, and its lane is None.
    """

    members: tuple[str, ...]
    contiguous: bool
    lane: int | None


@dataclass(frozen=True)
class CriticalDifference(Chart):
    """Where the learners stand, and which of them the data do not tell apart.

    `learners` come best first, which is from right to left on the axis. `groups` is empty if none are known or there
    are too many to draw; the caption says which. `critical_distance` is the difference in position beyond which two
    learners are told apart, if there is one such number for all pairs.
    """

    learners: tuple[AxisPlace, ...]
    axis: str
    larger_is_better: bool
    on_ranks: bool
    groups: tuple[Group, ...]
    critical_distance: float | None
    caption: str
    left_only: bool = False
    left_caption: str = ""  # its caption if the best is on the left

    kinds: ClassVar[Mapping[str, str]] = {
        "critical-difference": "where the learners stand, and bars over those that the data do not tell apart"
    }
    made_of: ClassVar[str] = "verdict"

    @classmethod
    def of(cls, source: Any, kind: str = "", *, left_only: bool = False, **options: Any) -> CriticalDifference:
        diagram = critical_difference(source)
        return diagram.with_names_on_the_left() if left_only else diagram

    @property
    def title(self) -> str:  # type: ignore[override]
        return TITLE

    @property
    def lanes(self) -> int:
        """How many rows of bars there are."""
        return 1 + max((group.lane for group in self.groups if group.lane is not None), default=-1)

    @property
    def axis_label(self) -> str:
        axis = shortened_in_the_middle(literal(self.axis), 40)
        better = "larger" if self.larger_is_better else "smaller"
        return f"{axis} (← {better} is better)" if self.left_only else f"{axis} ({better} is better →)"

    def to_frame(self) -> pd.DataFrame:
        """One row a learner, best first. Learners that share a letter in `groups` are not told apart."""
        import pandas as pd

        letters = {
            placed.learner: " ".join(
                _letter(i) for i, group in enumerate(self.groups) if placed.learner in group.members
            )
            for placed in self.learners
        }
        return pd.DataFrame(
            {
                "place": range(1, len(self.learners) + 1),
                "learner": [placed.learner for placed in self.learners],
                "label": [placed.label for placed in self.learners],
                "position": [placed.position for placed in self.learners],
                "groups": [letters[placed.learner] for placed in self.learners],
                "mark": [placed.mark.value for placed in self.learners],
            }
        )

    def draw(self, ax: Axes, *, caption: bool = False) -> None:
        """Draw the diagram on an ax, which gives up its own axes and limits. `figure` makes one of the right size.

        An ax that is too small to read the diagram is refused, with the size that is needed.
        """
        _draw_on(self, ax, caption=caption, scale=1.0)

    def figure(self, *, caption: bool = False, style: Style = USUAL) -> Figure:
        """The diagram as a matplotlib figure of its own, as large as it needs to be; pyplot does not know of it.

        All names stand on the left where the width that is asked for has no room for them on both sides.
        """
        from matplotlib.figure import Figure

        with rendering(style):
            wide = None if style.width is None else style.width * POINTS_PER_INCH / style.scale
            fitting = self._fitting(wide, caption)
            plan = _plan(fitting, wide, caption=caption)
            if _too_narrow(plan):
                needed = ceil(10 * (plan.width + _lacking(plan)) / POINTS_PER_INCH * style.scale) / 10
                raise UsageError(
                    f"The diagram of these {len(self.learners)} learners needs {needed:.1f} inches; found "
                    f"{style.width:.2f}. Make it wider, its letters smaller, or the names shorter."
                )
            inch = POINTS_PER_INCH / style.scale
            canvas = Figure(figsize=(plan.width / inch, plan.height / inch), facecolor="white")
            _draw_on(fitting, canvas.add_axes((0, 0, 1, 1)), caption=caption, scale=style.scale)
        return canvas

    text_kinds: ClassVar[Sequence[str]] = TIKZ

    def to_text(self, kind: str = "tex", style: Style = USUAL) -> str:
        r"""The diagram as a tikzpicture, for \input into a paper that loads tikz; its caption is a comment in it."""
        from bakeoff.figures.tikz import tikz

        return tikz(self.figure(style=style).axes[0], self.caption, style.scale)

    def _fitting(self, width: float | None, caption: bool) -> CriticalDifference:
        """The diagram itself, or with all names on the left if both sides do not fit into a width; there they are
        shortened as far as it takes."""
        if width is None or not _too_narrow(_plan(self, width, caption=caption)):
            return self
        narrow = self if self.left_only else self.with_names_on_the_left()
        plan = _plan(narrow, width, caption=caption)
        if not _too_narrow(plan):
            return narrow
        labels = [placed.label for placed in narrow.learners]
        room = max(width_of(label, SIZE) for label in labels) - _lacking(plan)
        short = labels_within(labels, SIZE, room)
        learners = (replace(placed, label=label) for placed, label in zip(narrow.learners, short, strict=True))
        return replace(narrow, learners=tuple(learners))

    def with_names_on_the_left(self) -> CriticalDifference:
        """The same for a narrow column: all names on the left from the best on top, and the best end of the axis."""
        return replace(self, left_only=True, caption=self.left_caption)


def critical_difference(verdict: Verdict) -> CriticalDifference:
    """The table behind the critical-difference diagram of a verdict."""
    finding = verdict.finding
    _check(finding)
    ranking = verdict.ranking
    positions = [finding.position[name] for name in ranking]
    groups = _bars(verdict.groups or (), ranking, positions)
    distance = _critical_distance(verdict)
    control = finding.pairs[0].second if verdict.groups is None and finding.contrast == "control" else None
    marks = _marks(verdict.decisions, control) if control is not None else {}
    labels = labels_of(ranking)
    placed = tuple(
        AxisPlace(name, label, position, marks.get(name, Mark.NONE))
        for name, label, position in zip(ranking, labels, positions, strict=True)
    )
    shown = groups if max((group.lane or 0 for group in groups), default=0) < MOST_LANES else ()
    meaning = _control_meaning(placed) if control is not None else _bars_meaning(shown, verdict)
    captions = [
        [
            *([] if verdict.standing is None else [str(verdict.standing)]),
            *_what_was_done(finding, best_end),
            *meaning,
            *_distance_meaning(finding, distance),
            *_advice(finding),
        ]
        for best_end in ("right", "left")
    ]
    caption, left_caption = (literal(" ".join(sentences)) for sentences in captions)
    return CriticalDifference(
        learners=placed,
        axis=finding.position_name,
        larger_is_better=not finding.smallest_first,
        on_ranks=finding.position_name == MEAN_RANK,
        groups=shown,
        critical_distance=distance,
        caption=caption,
        left_caption=left_caption,
    )


def _check(finding: Finding) -> None:
    """Refuse verdicts that no diagram can show."""
    k = len(finding.learners)
    if not finding.pairs:
        raise UsageError(
            "A critical-difference diagram shows which learners are told apart, and this verdict compares no pairs: "
            f"{finding.title} speaks of each learner by itself. Judge at least two learners with a procedure for pairs."
        )
    refuse_means_of_groups(finding)
    if k > MOST_LEARNERS:
        raise MisfitError(
            f"A critical-difference diagram of {k} learners cannot be read; at most {MOST_LEARNERS} can be drawn.",
            alternatives=[
                "choose the learners that the question is about, e.g. scores.only(learners=[…]), and judge them",
                "show the verdict's table instead, which has room for all",
            ],
        )
    bad = [name for name in finding.learners if not isfinite(finding.position[name])]
    if bad:
        raise MisfitError(
            f"A learner without a finite {finding.position_name} has no place on the axis: {', '.join(bad)}.",
            alternatives=["leave these learners out, e.g. scores.only(learners=[…]), and judge the others"],
        )


def _bars(groups: Sequence[Sequence[str]], ranking: Sequence[str], positions: Sequence[float]) -> tuple[Group, ...]:
    """The groups, each in the first lane where it has room: bars in one lane neither overlap nor look like one."""
    place = {name: i for i, name in enumerate(ranking)}
    room = ROOM_BETWEEN_BARS * abs(positions[-1] - positions[0])
    lanes: list[int] = []  # the place where the last bar of each lane ends
    bars = []
    for members in groups:
        first, last = place[members[0]], place[members[-1]]
        lane = None
        if len(members) > 1:
            free = (i for i, end in enumerate(lanes) if end < first and abs(positions[first] - positions[end]) > room)
            lane = next(free, len(lanes))
            lanes[lane : lane + 1] = [last]
        bars.append(Group(tuple(members), last - first + 1 == len(members), lane))
    return tuple(bars)


def _marks(decisions: Sequence[Judged], control: str) -> dict[str, Mark]:
    marks = {judged.first: Mark.APART if judged.apart else Mark.TIED for judged in decisions}
    return {**marks, control: Mark.CONTROL}


def _critical_distance(verdict: Verdict) -> float | None:
    """The half-width of the intervals, if it is the same for all pairs and decides them by position alone."""
    if verdict.finding.posterior:  # probabilities decide, not the intervals
        return None
    position = verdict.finding.position
    halves = [(row.upper - row.lower) / 2 for row in verdict.finding.pairs]
    common = halves[0]
    if not (isfinite(common) and common > 0 and all(isclose(half, common, rel_tol=1e-9) for half in halves)):
        return None
    for judged in verdict.decisions:
        row = judged.row
        difference = position[judged.first] - position[judged.second]
        centred = isclose((row.lower + row.upper) / 2, difference, rel_tol=1e-9, abs_tol=1e-9 * common)
        if not centred or judged.apart != (abs(difference) > common):
            return None
    return common


def _what_was_done(finding: Finding, best_end: str) -> list[str]:
    k, n = len(finding.learners), finding.n_blocks
    where = "in a single run" if finding.level is Level.SINGLE else f"over N = {counted(n, finding.level.value)}"
    if finding.n_each and finding.level is not Level.SINGLE:
        where = f"over {counted_each(finding.n_each, finding.level.value)}"
    by_measure = finding.on_measure and not finding.placed_by_rank
    what = finding.position_name if by_measure else f"{finding.position_name} by {finding.measure.name}"
    adjusted = f", {finding.adjust_title}" if len(finding.pairs) > 1 else ""
    how = f"{finding.title}, {finding.sides}{adjusted}, α = {number(finding.alpha)}."
    if finding.posterior:
        sure, rope = number(1 - finding.alpha), float(finding.options.get("rope") or 0.0)
        beyond = f" by more than {number(rope)}" if rope > 0 else ""
        how = f"{finding.title}: told apart are learners of whom one is better{beyond} with probability {sure} or more."
    return [f"{what[:1].upper()}{what[1:]} of k = {k} learners {where}; the best is on the {best_end}.", how]


def _bars_meaning(groups: Sequence[Group], verdict: Verdict) -> list[str]:
    drawn = [group for group in groups if group.lane is not None]
    not_equal = "which is not evidence that they are equal"
    if not groups:
        return [
            "Groups are not drawn, because there are too many that overlap: the relation of who is told apart from "
            "whom is too tangled for bars. See the table of pairs."
        ]
    if not drawn:
        return ["There are no bars, because every learner is told apart from every other."]
    meaning = (
        "are not told apart" if verdict.margin is None else "are not told apart, or are equivalent within the margin"
    )
    sentences = []
    if any(group.contiguous for group in drawn):
        sentences.append(f"Learners joined by a bar {meaning}, {not_equal}.")
    if not all(group.contiguous for group in drawn):
        sentences.append(
            f"Learners with a dot on one thin line {meaning}"
            + ("." if sentences else f", {not_equal}.")
            + " A learner that a thin line passes without a dot does not belong to it."
        )
    return sentences


def _control_meaning(placed: Sequence[AxisPlace]) -> list[str]:
    control = next(one.label for one in placed if one.mark is Mark.CONTROL)
    return [
        f"Compared with the control ◆ {control}: ● told apart from it, ○ not told apart, which is not evidence of "
        "being equal to it. The others are not compared with each other."
    ]


def _distance_meaning(finding: Finding, distance: float | None) -> list[str]:
    if distance is None:
        return []
    by = f"in {finding.position_name} by more than CD = {number(distance)}"
    if finding.contrast == "control":
        return [f"A learner that differs from the control {by} is told apart from it."]
    return [f"Learners that differ {by} are told apart."]


def _advice(finding: Finding) -> list[str]:
    return [f"Done against advice: {' '.join(finding.against_advice)}"] if finding.against_advice else []


def _letter(i: int) -> str:
    """a, b, …, z, aa, ab, …: the letters of a compact letter display.

    >>> [_letter(i) for i in (0, 25, 26, 53)]
    ['a', 'z', 'aa', 'bb']
    """
    letter = chr(ord("a") + i % 26)
    return letter if i < 26 else _letter(i // 26 - 1) + letter


# ----------------------------------------------------------------------------------------------------------------------
# Drawing the critical-difference diagram. All lengths are in points, x to the right and y down from the top left.
#
# From top to bottom: what is on the axis, the critical distance, the axis, the bars, the labels, the caption. A stem
# leads from each learner's place on the axis down to its label; stems that would touch are spread, with a slanted
# piece that still starts at the true place.


TEXT_WIDTH, COLUMN_WIDTH = 468.0, 238.0  # of a page, and of one of two columns: 6.5 and 3.3 inches
SHORTEST_AXIS = 230.0
SQUEEZED_AXIS = 0.42  # of the shortest axis: what an ax given by the user must have room for
MARGIN = 6.0
SIZE, SMALL = 9.0, 7.5  # of names; of numbers, ticks and caption
ROW, LINE, LANE = 13.0, 10.5, 6.5  # from one label, line of caption, lane of bars, to the next
GAP = 5.0  # between the parts of a label
STEM_GAP = 6.0  # between stems, at least
OVERHANG = 2.0  # of a bar beyond its outermost stems
INK, FAINT, BAR = "black", "0.35", "#0050a0"
FRONT = 3  # above the stems


@dataclass(frozen=True, slots=True)
class Scale:
    """The axis: its ends and ticks as values; the worse end is on the left, unless all names are."""

    left: float
    right: float
    ticks: tuple[float, ...]
    minor: tuple[float, ...]

    def share(self, value: float) -> float:
        """How far from the left end to the right one a value lies, from 0 to 1."""
        return (value - self.left) / (self.right - self.left)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where everything goes: `left` and `right` are the ends of the axis, the others are heights."""

    left: float
    right: float
    title: float
    distance: float
    axis: float
    lane: float
    row: float
    caption: float
    width: float
    height: float
    lines: tuple[str, ...]

    def x(self, share: float) -> float:
        return self.left + share * (self.right - self.left)


def _lacking(plan: Placement) -> float:
    """By how much the axis is shorter than can be read."""
    return SQUEEZED_AXIS * SHORTEST_AXIS - (plan.right - plan.left)


def _too_narrow(plan: Placement) -> bool:
    return _lacking(plan) > 0.01


def _draw_on(info: CriticalDifference, ax: Axes, *, caption: bool, scale: float) -> None:
    """Draw the diagram on an ax, in points, magnified."""
    per_point = ax.figure.dpi / POINTS_PER_INCH * scale
    width, height = ax.bbox.width / per_point, ax.bbox.height / per_point
    plan = _plan(info, width, caption=caption)
    if _too_narrow(plan) or height < plan.height - 0.01:
        whole = _plan(info, None, caption=caption)
        raise UsageError(
            f"The diagram of {len(info.learners)} learners needs an ax of {_inches(whole.width, whole.height)}; found "
            f"{_inches(width, height)}. Make it larger, or let figure(…) make one of the right size."
        )
    ax.set_axis_off()
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    axis = _scale(info)
    stems = _stems(info, plan, axis)
    _draw_axis(info, ax, plan, axis)
    _draw_labels(info, ax, plan, axis, stems)
    for group in info.groups:
        _draw_bar(info, ax, plan, stems, group)
    for row, line in enumerate(plan.lines):
        _write(ax, MARGIN, plan.caption + row * LINE, line, SMALL, color=INK)


def _inches(width: float, height: float) -> str:
    return f"{width / POINTS_PER_INCH:.1f} × {height / POINTS_PER_INCH:.1f} inches"


def _sides(info: CriticalDifference) -> tuple[list[int], list[int]]:
    """The places labelled on the left (from the worst) and on the right (from the best), each from top to bottom."""
    k = len(info.learners)
    if info.left_only:
        return list(range(k)), []
    on_right = (k + 1) // 2
    return list(range(k - 1, on_right - 1, -1)), list(range(on_right))


def _plan(info: CriticalDifference, width: float | None, *, caption: bool) -> Placement:
    """The plan for an ax of that width; without one, for the width that suits the labels."""
    value_width = max(width_of(text, SMALL) for text in _values(info))
    marker = ROW / 2 if info.learners[0].mark is not Mark.NONE else 0.0
    around = 2 * MARGIN + 2 * GAP + value_width + marker
    left, right = (
        around + max(width_of(info.learners[i].label, SIZE) for i in places) if places else 4 * MARGIN
        for places in _sides(info)
    )
    usual = COLUMN_WIDTH if info.left_only else TEXT_WIDTH
    width = (
        max(usual, left + SHORTEST_AXIS * (SQUEEZED_AXIS if info.left_only else 1) + right) if width is None else width
    )
    lines = tuple(lines_of(info.caption, SMALL, width - 2 * MARGIN)) if caption else ()
    title = MARGIN + SIZE / 2
    distance = title + (ROW + 2 if info.critical_distance is not None else 0)
    axis = distance + 24
    lane = axis + 12
    row = lane + info.lanes * LANE + ROW / 2
    bottom = row + (max(map(len, _sides(info))) - 1) * ROW + ROW / 2
    below = bottom + ROW
    height = below + (len(lines) - 0.5) * LINE + MARGIN if lines else bottom + MARGIN
    return Placement(left, width - right, title, distance, axis, lane, row, below, width, height, lines)


def _values(info: CriticalDifference) -> list[str]:
    return column([placed.position for placed in info.learners])


def _scale(info: CriticalDifference) -> Scale:
    """An axis that holds all positions: all ranks, from 1 to k, or to round values of the measure."""
    from matplotlib.ticker import MaxNLocator

    values = [placed.position for placed in info.learners]
    low, high = min(values), max(values)
    if info.on_ranks:
        low, high = 1.0, float(len(values))
        within = MaxNLocator(10, integer=True, steps=[1, 2, 5, 10]).tick_values(low, high)
        ticks = tuple(float(tick) for tick in within if low <= tick <= high)
        minor = tuple(float(rank) for rank in range(int(low), int(high) + 1))
    else:
        room = abs(low) * 0.05 or 0.5
        low, high = (low, high) if high - low > 1e-9 * max(abs(low), abs(high)) else (low - room, high + room)
        ticks = tuple(float(tick) for tick in MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(low, high))
        low, high, minor = ticks[0], ticks[-1], ()
    upwards = info.larger_is_better != info.left_only
    return Scale(low, high, ticks, minor) if upwards else Scale(high, low, ticks, minor)


def _stems(info: CriticalDifference, plan: Placement, scale: Scale) -> list[float]:
    """Where the stems are, best first: as near to the true places as the least gap allows, in the same order."""
    from scipy.optimize import isotonic_regression

    from_left = info.learners if info.left_only else info.learners[::-1]
    places = np.array([plan.x(scale.share(placed.position)) for placed in from_left])
    gap = min(STEM_GAP, (plan.right - plan.left) / len(places))
    steps = gap * np.arange(len(places))
    # Least squares under s[i+1] − s[i] ≥ gap is isotonic regression of x[i] − i·gap.
    spread = isotonic_regression(places - steps).x
    spread = np.clip(spread, plan.left, plan.right - steps[-1]) + steps
    return [float(x) for x in (spread if info.left_only else spread[::-1])]


def _draw_axis(info: CriticalDifference, ax: Axes, plan: Placement, scale: Scale) -> None:
    middle = (plan.left + plan.right) / 2
    _write(ax, middle, plan.title, info.axis_label, SIZE, color=INK, horizontalalignment="center")
    _line(ax, [plan.left, plan.right], [plan.axis, plan.axis], INK, 1.0)
    for values, length in ((scale.minor, 2.5), (scale.ticks, 4.5)):
        for value in values:
            x = plan.x(scale.share(value))
            _line(ax, [x, x], [plan.axis, plan.axis - length], INK, 0.8)
    for value, text in zip(scale.ticks, tick_texts(scale.ticks), strict=True):
        x = plan.x(scale.share(value))
        _write(ax, x, plan.axis - 10, text, SMALL, color=INK, horizontalalignment="center")
    _draw_distance(info, ax, plan, scale)


def _draw_distance(info: CriticalDifference, ax: Axes, plan: Placement, scale: Scale) -> None:
    """The critical distance to scale, from the left end of the axis; in words only if it is longer than the axis."""
    if info.critical_distance is None:
        return
    text = f"CD = {column([info.critical_distance])[0]}"
    end = plan.left + (plan.right - plan.left) * info.critical_distance / abs(scale.right - scale.left)
    if end > plan.right:
        _write(ax, plan.left, plan.distance, f"{text} (longer than the axis)", SMALL, color=INK)
        return
    _line(ax, [plan.left, end], [plan.distance, plan.distance], INK, 1.4)
    for x in (plan.left, end):
        _line(ax, [x, x], [plan.distance - 3, plan.distance + 3], INK, 1.0)
    inside = end + GAP + width_of(text, SMALL) < plan.right
    _write(ax, end + GAP if inside else plan.left - GAP, plan.distance, text, SMALL, color=INK,
          horizontalalignment="left" if inside else "right")  # fmt: skip


def _draw_labels(info: CriticalDifference, ax: Axes, plan: Placement, scale: Scale, stems: Sequence[float]) -> None:
    values = _values(info)
    value_width = max(width_of(text, SMALL) for text in values)
    for places, side, edge in zip(_sides(info), (-1, 1), (plan.left, plan.right), strict=True):
        align = "right" if side < 0 else "left"
        for row, place in enumerate(places):
            placed = info.learners[place]
            y = plan.row + row * ROW
            end = edge + side * MARGIN
            true = plan.x(scale.share(placed.position))
            _line(ax, [true, stems[place], stems[place], end], [plan.axis, plan.axis + 8, y, y], FAINT, 0.7)
            if placed.mark is not Mark.NONE:
                _draw_mark(ax, end + side * ROW / 4, y, placed.mark)
                end += side * ROW / 2
            end += side * GAP
            units = end if side < 0 else end + value_width  # numbers end at the same place, so that decimals align
            _write(ax, units, y, values[place], SMALL, color=FAINT, horizontalalignment="right")
            end += side * (value_width + GAP)
            _write(ax, end, y, placed.label, SIZE, color=INK, horizontalalignment=align)


def _draw_mark(ax: Axes, x: float, y: float, mark: Mark) -> None:
    shape = "D" if mark is Mark.CONTROL else "o"
    fill = "white" if mark is Mark.TIED else INK
    ax.plot(
        [x],
        [y],
        shape,
        markersize=5 * _magnified(ax),
        markerfacecolor=fill,
        markeredgecolor=INK,
        zorder=FRONT,
        clip_on=False,
    )


def _draw_bar(info: CriticalDifference, ax: Axes, plan: Placement, stems: Sequence[float], group: Group) -> None:
    """A solid bar over neighbours; a thin line with a dot at each member where somebody else is in between."""
    if group.lane is None:
        return
    y = plan.lane + group.lane * LANE
    xs = [x for x, placed in zip(stems, info.learners, strict=True) if placed.learner in group.members]
    if group.contiguous:
        beyond = min(OVERHANG, float(np.abs(np.diff(stems)).min()) / 3)
        _line(ax, [min(xs) - beyond, max(xs) + beyond], [y, y], BAR, 3.0, zorder=FRONT)
        return
    _line(ax, [min(xs), max(xs)], [y, y], BAR, 0.8, zorder=FRONT)
    ax.plot(
        xs, [y] * len(xs), "o", markersize=4 * _magnified(ax), color=BAR, markeredgewidth=0, zorder=FRONT, clip_on=False
    )


def _magnified(ax: Axes) -> float:
    """How many points one of the layout is."""
    low, high = ax.get_xlim()
    return round(ax.bbox.width / (ax.figure.dpi / POINTS_PER_INCH) / abs(high - low), 6)


def _write(ax: Axes, x: float, y: float, text: str, size: float, **style: Any) -> None:
    write(ax, x, y, text, size, scale=_magnified(ax), **style)


def _line(ax: Axes, xs: list[float], ys: list[float], color: str, width: float, zorder: float = 2) -> None:
    ax.plot(
        xs, ys, "-", color=color, linewidth=width * _magnified(ax), solid_capstyle="butt", solid_joinstyle="miter",
        zorder=zorder, clip_on=False, marker="none",
    )  # fmt: skip
