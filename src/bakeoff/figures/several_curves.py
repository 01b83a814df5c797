"""Several curves over one axis, such as the power of tests against the true difference; simulated ones with a band.

`SeveralCurves` is the table behind the figure; only `figure` and `save` load matplotlib.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from os import PathLike
from typing import TYPE_CHECKING

from bakeoff.errors import UsageError
from bakeoff.figures.labels import literal
from bakeoff.presentation import wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

COLOURS = ("black", "#0050a0", "#c04000", "#2a7f2a", "#7a3b9a", "#808000")
STROKES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)))
BAND = 2.0  # standard errors to either side


@dataclass(frozen=True, slots=True)
class Curve:
    """One curve: points (x, y, standard error), the last 0 where y is exact."""

    name: str
    points: tuple[tuple[float, float, float], ...]


@dataclass(frozen=True)
class SeveralCurves:
    """The table behind the figure; `level` is a height to mark, such as α."""

    curves: tuple[Curve, ...]
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

    def save(self, path: str | PathLike[str]) -> None:
        """Save the figure as SVG, PDF or PNG, by the extension."""
        from bakeoff.figures.files import save_figure

        save_figure(lambda: figure(self), path, title=self.title, about=self.caption)


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
    curves = tuple(Curve(literal(name), tuple(sorted(them))) for name, them in points.items())
    banded = any(error > 0 for curve in curves for _, _, error in curve.points)
    caption = f"Bands are ± {BAND:g} standard errors of the simulation." if banded else ""
    return SeveralCurves(curves, literal(x_axis), literal(y_axis), literal(title), caption, level)


def figure(info: SeveralCurves) -> Figure:
    """All curves on one ax, with a legend and the caption below."""
    from matplotlib.figure import Figure

    made = Figure(figsize=(6.5, 4.2), facecolor="white", layout="constrained")
    ax = made.subplots()
    for curve, colour, stroke in zip(info.curves, cycle(COLOURS), cycle(STROKES), strict=False):
        x, y, error = zip(*curve.points, strict=True)
        ax.plot(x, y, color=colour, linestyle=stroke, marker=".", linewidth=1.3, label=curve.name)
        if any(error):
            lower = [max(0.0, value - BAND * e) for value, e in zip(y, error, strict=True)]
            upper = [min(1.0, value + BAND * e) for value, e in zip(y, error, strict=True)]
            ax.fill_between(x, lower, upper, color=colour, alpha=0.12, linewidth=0)
    if info.level is not None:
        ax.axhline(info.level, color="0.6", linestyle=":", linewidth=0.8, zorder=0)
    ax.set_ylim(0, 1.02)
    ax.set_xlabel(info.x_axis)
    ax.set_ylabel(info.y_axis)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(fontsize=8, frameon=False)
    made.suptitle(wrapped(info.title, 80), fontsize=10)
    made.supxlabel(wrapped(info.caption, 105), fontsize=6.5, x=0.02, ha="left", color="0.35")
    return made
