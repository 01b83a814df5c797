"""Drawing the critical-difference diagram. All lengths are in points, x to the right and y down from the top left.

From top to bottom: what is on the axis, the critical distance, the axis, the bars, the labels, the caption. A stem
leads from each learner's place on the axis down to its label; stems that would touch are spread, with a slanted
piece that still starts at the true place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bakeoff.errors import UsageError
from bakeoff.figures.critical_difference import CriticalDifference, Group, Mark
from bakeoff.figures.lettering import column, lines_of, tick_texts, width_of, write

POINTS_PER_INCH = 72
TEXT_WIDTH = 468.0  # of a page: 6.5 inches
SHORTEST_AXIS = 230.0
SQUEEZED_AXIS = 0.5  # of the shortest axis: what an ax given by the user must have room for
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
    """The axis: its ends and ticks as values, the worse end first, since that is on the left."""

    worst: float
    best: float
    ticks: tuple[float, ...]
    minor: tuple[float, ...]

    def share(self, value: float) -> float:
        """How far from the worse end to the better one a value lies, from 0 to 1."""
        return (value - self.worst) / (self.best - self.worst)


@dataclass(frozen=True, slots=True)
class Plan:
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


def new_figure(info: CriticalDifference, *, caption: bool) -> Figure:
    """A figure as large as the diagram needs, filled by it."""
    plan = _plan(info, None, caption=caption)
    figure = Figure(figsize=(plan.width / POINTS_PER_INCH, plan.height / POINTS_PER_INCH), facecolor="white")
    draw_on(info, figure.add_axes((0, 0, 1, 1)), caption=caption)
    return figure


def draw_on(info: CriticalDifference, ax: Axes, *, caption: bool) -> None:
    """Draw the diagram on an ax, in points."""
    per_point = ax.figure.dpi / POINTS_PER_INCH
    width, height = ax.bbox.width / per_point, ax.bbox.height / per_point
    plan = _plan(info, width, caption=caption)
    if plan.right - plan.left < SQUEEZED_AXIS * SHORTEST_AXIS - 0.01 or height < plan.height - 0.01:
        whole = _plan(info, None, caption=caption)
        raise UsageError(
            f"The diagram of {len(info.learners)} learners needs an ax of {_inches(whole.width, whole.height)}; found "
            f"{_inches(width, height)}. Make it larger, or let figure(…) make one of the right size."
        )
    ax.set_axis_off()
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    scale = _scale(info)
    stems = _stems(info, plan, scale)
    _draw_axis(info, ax, plan, scale)
    _draw_labels(info, ax, plan, scale, stems)
    for group in info.groups:
        _draw_bar(info, ax, plan, stems, group)
    for number, line in enumerate(plan.lines):
        write(ax, MARGIN, plan.caption + number * LINE, line, SMALL, color=INK)


def _inches(width: float, height: float) -> str:
    return f"{width / POINTS_PER_INCH:.1f} × {height / POINTS_PER_INCH:.1f} inches"


def _sides(info: CriticalDifference) -> tuple[list[int], list[int]]:
    """The places labelled on the left (from the worst) and on the right (from the best), each from top to bottom."""
    k = len(info.learners)
    on_right = (k + 1) // 2
    return list(range(k - 1, on_right - 1, -1)), list(range(on_right))


def _plan(info: CriticalDifference, width: float | None, *, caption: bool) -> Plan:
    """The plan for an ax of that width; without one, for the width that suits the labels."""
    value_width = max(width_of(text, SMALL) for text in _values(info))
    marker = ROW / 2 if info.learners[0].mark is not Mark.NONE else 0.0
    around = 2 * MARGIN + 2 * GAP + value_width + marker
    left, right = (around + max(width_of(info.learners[i].label, SIZE) for i in places) for places in _sides(info))
    width = max(TEXT_WIDTH, left + SHORTEST_AXIS + right) if width is None else width
    lines = tuple(lines_of(info.caption, SMALL, width - 2 * MARGIN)) if caption else ()
    title = MARGIN + SIZE / 2
    distance = title + (ROW + 2 if info.critical_distance is not None else 0)
    axis = distance + 24
    lane = axis + 12
    row = lane + info.lanes * LANE + ROW / 2
    bottom = row + (len(_sides(info)[1]) - 1) * ROW + ROW / 2
    below = bottom + ROW
    height = below + (len(lines) - 0.5) * LINE + MARGIN if lines else bottom + MARGIN
    return Plan(left, width - right, title, distance, axis, lane, row, below, width, height, lines)


def _values(info: CriticalDifference) -> list[str]:
    return column([placed.position for placed in info.learners])


def _scale(info: CriticalDifference) -> Scale:
    """An axis that holds all positions: to whole ranks, or to round values of the measure."""
    values = [placed.position for placed in info.learners]
    low, high = min(values), max(values)
    if info.on_ranks:
        low, high = float(floor(low)), float(ceil(high))
        low, high = (low, high) if low < high else (low - 1, high + 1)
        within = MaxNLocator(10, integer=True, steps=[1, 2, 5, 10]).tick_values(low, high)
        ticks = tuple(float(tick) for tick in within if low <= tick <= high)
        minor = tuple(float(rank) for rank in range(int(low), int(high) + 1))
    else:
        room = abs(low) * 0.05 or 0.5
        low, high = (low, high) if high - low > 1e-9 * max(abs(low), abs(high)) else (low - room, high + room)
        ticks = tuple(float(tick) for tick in MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(low, high))
        low, high, minor = ticks[0], ticks[-1], ()
    return Scale(low, high, ticks, minor) if info.larger_is_better else Scale(high, low, ticks, minor)


def _stems(info: CriticalDifference, plan: Plan, scale: Scale) -> list[float]:
    """Where the stems are, best first: as near to the true places as the least gap allows, in the same order."""
    from scipy.optimize import isotonic_regression

    places = np.array([plan.x(scale.share(placed.position)) for placed in reversed(info.learners)])
    gap = min(STEM_GAP, (plan.right - plan.left) / len(places))
    steps = gap * np.arange(len(places))
    # Least squares under s[i+1] − s[i] ≥ gap is isotonic regression of x[i] − i·gap.
    spread = isotonic_regression(places - steps).x
    spread = np.clip(spread, plan.left, plan.right - steps[-1]) + steps
    return [float(x) for x in spread[::-1]]


def _draw_axis(info: CriticalDifference, ax: Axes, plan: Plan, scale: Scale) -> None:
    middle = (plan.left + plan.right) / 2
    write(ax, middle, plan.title, info.axis_label, SIZE, color=INK, horizontalalignment="center")
    _line(ax, [plan.left, plan.right], [plan.axis, plan.axis], INK, 1.0)
    for values, length in ((scale.minor, 2.5), (scale.ticks, 4.5)):
        for value in values:
            x = plan.x(scale.share(value))
            _line(ax, [x, x], [plan.axis, plan.axis - length], INK, 0.8)
    for value, text in zip(scale.ticks, tick_texts(scale.ticks), strict=True):
        x = plan.x(scale.share(value))
        write(ax, x, plan.axis - 10, text, SMALL, color=INK, horizontalalignment="center")
    _draw_distance(info, ax, plan, scale)


def _draw_distance(info: CriticalDifference, ax: Axes, plan: Plan, scale: Scale) -> None:
    """The critical distance to scale, from the left end of the axis; in words only if it is longer than the axis."""
    if info.critical_distance is None:
        return
    text = f"CD = {column([info.critical_distance])[0]}"
    end = plan.left + (plan.right - plan.left) * info.critical_distance / abs(scale.best - scale.worst)
    if end > plan.right:
        write(ax, plan.left, plan.distance, f"{text} (longer than the axis)", SMALL, color=INK)
        return
    _line(ax, [plan.left, end], [plan.distance, plan.distance], INK, 1.4)
    for x in (plan.left, end):
        _line(ax, [x, x], [plan.distance - 3, plan.distance + 3], INK, 1.0)
    inside = end + GAP + width_of(text, SMALL) < plan.right
    write(ax, end + GAP if inside else plan.left - GAP, plan.distance, text, SMALL, color=INK,
          horizontalalignment="left" if inside else "right")  # fmt: skip


def _draw_labels(info: CriticalDifference, ax: Axes, plan: Plan, scale: Scale, stems: Sequence[float]) -> None:
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
            write(ax, units, y, values[place], SMALL, color=FAINT, horizontalalignment="right")
            end += side * (value_width + GAP)
            write(ax, end, y, placed.label, SIZE, color=INK, horizontalalignment=align)


def _draw_mark(ax: Axes, x: float, y: float, mark: Mark) -> None:
    shape = "D" if mark is Mark.CONTROL else "o"
    fill = "white" if mark is Mark.TIED else INK
    ax.plot([x], [y], shape, markersize=5, markerfacecolor=fill, markeredgecolor=INK, zorder=FRONT, clip_on=False)


def _draw_bar(info: CriticalDifference, ax: Axes, plan: Plan, stems: Sequence[float], group: Group) -> None:
    """A solid bar over neighbours; a thin line with a dot at each member where somebody else is in between."""
    if group.lane is None:
        return
    y = plan.lane + group.lane * LANE
    xs = [x for x, placed in zip(stems, info.learners, strict=True) if placed.learner in group.members]
    if group.contiguous:
        beyond = min(OVERHANG, float(-np.diff(stems).max()) / 3)  # stems come from right to left
        _line(ax, [min(xs) - beyond, max(xs) + beyond], [y, y], BAR, 3.0, zorder=FRONT)
        return
    _line(ax, [min(xs), max(xs)], [y, y], BAR, 0.8, zorder=FRONT)
    ax.plot(xs, [y] * len(xs), "o", markersize=4, color=BAR, markeredgewidth=0, zorder=FRONT, clip_on=False)


def _line(ax: Axes, xs: list[float], ys: list[float], color: str, width: float, zorder: float = 2) -> None:
    ax.plot(
        xs, ys, "-", color=color, linewidth=width, solid_capstyle="butt", solid_joinstyle="miter", zorder=zorder,
        clip_on=False, marker="none",
    )  # fmt: skip
