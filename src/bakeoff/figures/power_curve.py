"""The power curve: how the chance to find a difference grows with the number of blocks, or with the difference.

The table behind the figure is made from an answer of `bakeoff.power` by `lab.powering.curves`. Simulated powers come
with a band of Monte-Carlo error.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

from bakeoff.figures.files import save_figure
from bakeoff.presentation import wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, FAINT, LINE = "black", "0.6", "#0050a0"


@dataclass(frozen=True)
class PowerCurve:
    """The table behind the figure: points (x, power, lower, upper), where no band is NaN, and the one asked about."""

    points: tuple[tuple[float, float, float, float], ...]
    at: tuple[float, float]
    wanted: float | None
    alpha: float
    axis: str
    title: str
    caption: str

    def to_frame(self) -> pd.DataFrame:
        """One row a point."""
        import pandas as pd

        return pd.DataFrame(self.points, columns=["x", "power", "lower", "upper"])

    @property
    def banded(self) -> bool:
        return any(not isnan(lower) for _, _, lower, _ in self.points)


def draw(info: PowerCurve, ax: Axes) -> None:
    """Draw the curve on an ax."""
    x, y, lower, upper = (list(column) for column in zip(*info.points, strict=True))
    if info.banded:
        ax.fill_between(x, lower, upper, color=LINE, alpha=0.2, linewidth=0)
    ax.plot(x, y, color=LINE, marker=".", linewidth=1.5)
    ax.plot(*([value] for value in info.at), color=INK, marker="o", linestyle="none", markersize=6, zorder=4)
    for level, style in ((info.wanted, "--"), (info.alpha, ":")):
        if level is not None:
            ax.axhline(level, color=FAINT, linestyle=style, linewidth=0.8, zorder=0)
    ax.set_ylim(0, 1.02)
    ax.set_xlabel(info.axis)
    ax.set_ylabel("power")
    ax.set_title(info.title, fontsize=10)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def figure(info: PowerCurve) -> Figure:
    """A figure of its own, with the caption below."""
    from matplotlib.figure import Figure

    made: Any = Figure(figsize=(5.5, 4.0), facecolor="white", layout="constrained")
    draw(info, made.add_subplot())
    made.supxlabel(wrapped(info.caption, 88), fontsize=7, x=0.02, ha="left", color="0.35")
    return made  # type: ignore[no-any-return]


def save(info: PowerCurve, path: str | os.PathLike[str]) -> None:
    """Save the figure as SVG, PDF or PNG."""
    save_figure(lambda: figure(info), path, title=info.title, about=info.caption)
