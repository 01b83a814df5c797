"""ROC curves and their kin: the learners of one task in a figure, with what no learning would give as a thin line.

`ThresholdCurves` is the table behind the figure; only `figure` and `save` load matplotlib.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from os import PathLike
from typing import TYPE_CHECKING, Literal

from bakeoff.errors import UsageError
from bakeoff.figures.labels import literal
from bakeoff.figures.several_curves import COLOURS, STROKES
from bakeoff.presentation import wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

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
class ThresholdCurves:
    """Points (x, y) by learner, the names of the axes, title and caption."""

    kind: str
    curves: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]
    x_axis: str
    y_axis: str
    title: str
    caption: str

    def to_frame(self) -> pd.DataFrame:
        """One row a point."""
        import pandas as pd

        rows = [(name, *point) for name, points in self.curves for point in points]
        return pd.DataFrame(rows, columns=["learner", "x", "y"])

    def save(self, path: str | PathLike[str]) -> None:
        """Save the figure as SVG, PDF or PNG, by the extension."""
        from bakeoff.figures.files import save_figure

        save_figure(lambda: figure(self), path, title=self.title, about=self.caption)


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
    made = tuple(
        (literal(name), tuple((float(a), float(b)) for a, b in zip(x, y, strict=True)))
        for name, (x, y) in points.items()
    )
    return ThresholdCurves(kind, made, literal(axes[0]), literal(axes[1]), literal(title), literal(caption))


def figure(info: ThresholdCurves) -> Figure:
    """All curves on one square ax, with a legend and the caption below."""
    from matplotlib.figure import Figure

    made = Figure(figsize=(5.2, 5.2), facecolor="white", layout="constrained")
    ax = made.subplots()
    for (name, points), colour, stroke in zip(info.curves, cycle(COLOURS), cycle(STROKES), strict=False):
        x, y = zip(*points, strict=True)
        ax.plot(x, y, color=colour, linestyle=stroke, linewidth=1.4, label=name)
    if info.kind in _WITHOUT_LEARNING:
        x, y = zip(*_WITHOUT_LEARNING[info.kind], strict=True)
        ax.plot(x, y, color="0.6", linestyle=":", linewidth=0.9, zorder=0, label="no learning")
    highest = max(b for _, points in info.curves for _, b in points)
    ax.set_xlim(0, 1)
    # Costs lie below ½, lifts above 1; all others are rates.
    ax.set_ylim(0, 1.08 * max(highest, 0.5) if info.kind in ("lift", "cost") else 1.01)
    ax.set_xlabel(info.x_axis)
    ax.set_ylabel(info.y_axis)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(fontsize=8, frameon=False, loc=_LEGEND.get(info.kind, "best"))
    made.suptitle(wrapped(info.title, 64), fontsize=10)
    made.supxlabel(wrapped(info.caption, 90), fontsize=6.5, x=0.02, ha="left", color="0.35")
    return made
