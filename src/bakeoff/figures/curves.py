"""Curves: power against the size of an experiment, several curves over one axis, ROC curves and their kin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from math import isnan
from typing import TYPE_CHECKING, ClassVar, Literal

from bakeoff.errors import UsageError
from bakeoff.figures.figure import Chart, literal, write_literally
from bakeoff.records import Record

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

INK, FAINT, LINE = "black", "0.6", "#0050a0"


@dataclass(frozen=True, eq=False)
class PowerCurve(Chart, Record):
    """How the chance to find a difference grows with the number of blocks, or with the difference: points (x, power,
    lower, upper), NaN where there is no band of Monte-Carlo error, and the one asked about."""

    points: tuple[tuple[float, float, float, float], ...]
    at: tuple[float, float]
    wanted: float | None
    alpha: float
    axis: str
    title: str
    caption: str
    size: ClassVar[tuple[float, float]] = (5.5, 4.0)

    def to_frame(self) -> pd.DataFrame:
        """One row a point."""
        import pandas as pd

        return pd.DataFrame(self.points, columns=["x", "power", "lower", "upper"])

    @property
    def banded(self) -> bool:
        return any(not isnan(lower) for _, _, lower, _ in self.points)

    def draw(self, ax: Axes) -> None:
        x, y, lower, upper = (list(column) for column in zip(*self.points, strict=True))
        if self.banded:
            ax.fill_between(x, lower, upper, color=LINE, alpha=0.2, linewidth=0)
        ax.plot(x, y, color=LINE, marker=".", linewidth=1.5)
        ax.plot(*([value] for value in self.at), color=INK, marker="o", linestyle="none", markersize=6, zorder=4)
        for level, style in ((self.wanted, "--"), (self.alpha, ":")):
            if level is not None:
                ax.axhline(level, color=FAINT, linestyle=style, linewidth=0.8, zorder=0)
        ax.set_ylim(0, 1.02)
        ax.set_xlabel(self.axis)
        ax.set_ylabel("power")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)


# ----------------------------------------------------------------------------------------------------------------------
# Several curves over one axis, such as the power of tests against the true difference; simulated ones with a band.


COLOURS = ("black", "#0050a0", "#c04000", "#2a7f2a", "#7a3b9a", "#808000")
# Of another number than the colours: it takes thirty curves until one looks like an earlier one.
STROKES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
BAND = 2.0  # standard errors to either side


@dataclass(frozen=True, slots=True)
class DrawnCurve:
    """One curve: points (x, y, standard error), the last 0 where y is exact."""

    name: str
    points: tuple[tuple[float, float, float], ...]


@dataclass(frozen=True)
class SeveralCurves(Chart):
    """Several curves over one axis; `level` is a height to mark, such as α."""

    curves: tuple[DrawnCurve, ...]
    x_axis: str
    y_axis: str
    title: str
    caption: str
    level: float | None = None

    def to_frame(self) -> pd.DataFrame:
        """One row a point."""
        import pandas as pd

        rows = [(curve.name, *point) for curve in self.curves for point in curve.points]
        return pd.DataFrame(rows, columns=["curve", "x", "y", "standard_error"])

    def draw(self, ax: Axes) -> None:
        """All curves on one ax, with a legend."""
        for curve, colour, stroke in zip(self.curves, cycle(COLOURS), cycle(STROKES), strict=False):
            x, y, error = zip(*curve.points, strict=True)
            ax.plot(x, y, color=colour, linestyle=stroke, marker=".", linewidth=1.3, label=curve.name)
            if any(error):
                lower = [max(0.0, value - BAND * e) for value, e in zip(y, error, strict=True)]
                upper = [min(1.0, value + BAND * e) for value, e in zip(y, error, strict=True)]
                ax.fill_between(x, lower, upper, color=colour, alpha=0.12, linewidth=0)
        if self.level is not None:
            ax.axhline(self.level, color="0.6", linestyle=":", linewidth=0.8, zorder=0)
        ax.set_ylim(0, 1.02)
        ax.set_xlabel(self.x_axis)
        ax.set_ylabel(self.y_axis)
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(fontsize=8, frameon=False)
        write_literally(ax)


def several_curves(
    points: Mapping[str, Sequence[tuple[float, float, float]]],
    *,
    x_axis: str,
    y_axis: str = "power",
    title: str = "",
    level: float | None = None,
) -> SeveralCurves:
    """The table behind the figure, from points (x, y, standard error) by name.

    >>> several_curves({"OOB": [(0.0, 0.054, 0.003), (0.1, 0.925, 0.004)]}, x_axis="β2").curves[0].points[1][1]
    0.925
    """
    if not points or not all(points.values()):
        raise UsageError("There is nothing to draw: each curve needs at least one point.")
    curves = tuple(DrawnCurve(literal(name), tuple(sorted(them))) for name, them in points.items())
    banded = any(error > 0 for curve in curves for _, _, error in curve.points)
    caption = f"Bands are ± {BAND:g} standard errors of the simulation." if banded else ""
    return SeveralCurves(curves, literal(x_axis), literal(y_axis), literal(title), caption, level)


# ----------------------------------------------------------------------------------------------------------------------
# ROC curves and their kin: the learners of one task in a figure, with what no learning would give as a thin line.


# What a learner would do that knows nothing: the points of a line, by kind of curve.
_WITHOUT_LEARNING: dict[str, tuple[tuple[float, float], ...]] = {
    "roc": ((0, 0), (1, 1)),
    "sensitivity-specificity": ((0, 1), (1, 0)),
    "lift": ((0, 1), (1, 1)),
    "cost": ((0, 0), (0.5, 0.5), (1, 0)),
}
# Where no curve is that is worth drawing.
_LEGEND: dict[str, Literal["lower right", "lower left"]] = {
    "roc": "lower right",
    "sensitivity-specificity": "lower left",
    "pr": "lower left",
}


@dataclass(frozen=True)
class ThresholdCurves(Chart):
    """Points (x, y) by learner, and what no learning would give as a thin line."""

    kind: str
    curves: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]
    x_axis: str
    y_axis: str
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {
        "roc": "ROC curves of the learners on one task",
        "pr": "precision against recall",
        "sensitivity-specificity": "sensitivity against specificity",
        "lift": "lift: how much denser positives are among those scored highest",
        "cost": "cost curves: expected cost against the share of positives",
    }
    made_of: ClassVar[str] = "curves"
    size: ClassVar[tuple[float, float]] = (5.2, 5.2)

    def to_frame(self) -> pd.DataFrame:
        """One row a point."""
        import pandas as pd

        rows = [(name, *point) for name, points in self.curves for point in points]
        return pd.DataFrame(rows, columns=["learner", "x", "y"])

    def draw(self, ax: Axes) -> None:
        """All curves on one ax, with a legend where no curve is."""
        for (name, points), colour, stroke in zip(self.curves, cycle(COLOURS), cycle(STROKES), strict=False):
            x, y = zip(*points, strict=True)
            ax.plot(x, y, color=colour, linestyle=stroke, linewidth=1.4, label=name)
        if self.kind in _WITHOUT_LEARNING:
            x, y = zip(*_WITHOUT_LEARNING[self.kind], strict=True)
            ax.plot(x, y, color="0.6", linestyle=":", linewidth=0.9, zorder=0, label="no learning")
        highest = max(b for _, points in self.curves for _, b in points)
        ax.set_xlim(0, 1)
        # Costs lie below ½, lifts above 1; all others are rates.
        ax.set_ylim(0, 1.08 * max(highest, 0.5) if self.kind in ("lift", "cost") else 1.01)
        ax.set_xlabel(self.x_axis)
        ax.set_ylabel(self.y_axis)
        ax.spines[["top", "right"]].set_visible(False)
        if self.kind in _LEGEND:
            ax.legend(fontsize=8, frameon=False, loc=_LEGEND[self.kind])
        else:  # curves may be anywhere, so it stands above them
            ax.legend(fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
        write_literally(ax)


def threshold_curves(
    kind: str,
    points: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    axes: tuple[str, str],
    title: str,
    caption: str = "",
) -> ThresholdCurves:
    """The table behind the figure, from x and y by learner.

    >>> threshold_curves("roc", {"svm": ([0, 0, 1], [0, 1, 1])}, axes=("fp-rate", "tp-rate"), title="iris").curves
    (('svm', ((0.0, 0.0), (0.0, 1.0), (1.0, 1.0))),)
    """
    if not points:
        raise UsageError("There is nothing to draw: at least one curve is needed.")
    lines = tuple(
        (literal(name), tuple((float(a), float(b)) for a, b in zip(x, y, strict=True)))
        for name, (x, y) in points.items()
    )
    return ThresholdCurves(kind, lines, literal(axes[0]), literal(axes[1]), literal(title), literal(caption))
