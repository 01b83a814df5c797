"""The power curve: how the chance to find a difference grows with the number of blocks, or with the difference.

`power_curve` makes the table behind the figure from an answer of `bakeoff.power`; `save` draws it into a file.
Simulated powers come with a band of two Monte-Carlo standard errors to either side.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

from bakeoff.errors import UsageError
from bakeoff.figures.files import save_figure
from bakeoff.lab.powering.answer import Power, chance_in_words
from bakeoff.presentation import count, number, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BAND = 2.0  # standard errors
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


def power_curve(answer: Power) -> PowerCurve:
    """What there is to draw of an answer that has a curve."""
    if len(answer.curve) < 2:
        raise UsageError("This answer has no power curve to draw: ask for one (curve=True).")
    along_n = len({point.n for point in answer.curve}) > 1
    points = tuple(
        (
            float(point.n if along_n else point.difference),
            point.power,
            max(0.0, point.power - BAND * point.error),
            min(1.0, point.power + BAND * point.error),
        )
        if not isnan(point.error)
        else (float(point.n if along_n else point.difference), point.power, point.error, point.error)
        for point in answer.curve
    )
    if along_n:
        axis, fixed = answer.blocks, f"a difference of {answer.difference_in_words(answer.difference)}"
    else:
        unit = " (sd)" if answer.standardised else ""
        axis, fixed = f"difference{unit}", f"{count(answer.n)} {answer.blocks}"
    band = f" The band is ± {BAND:g} Monte-Carlo standard errors." if not isnan(answer.error) else ""
    sides = "two-sided" if answer.guess.sides == 2 else "one-sided"
    return PowerCurve(
        points,
        (float(answer.n if along_n else answer.difference), answer.power),
        answer.wanted,
        answer.guess.alpha,
        axis,
        f"Power of {answer.procedure} for {fixed}",
        f"{answer.title}, {sides}, α = {number(answer.guess.alpha)}; {answer.how}. The dot: {axis} "
        f"{number(answer.n if along_n else answer.difference)}, power {chance_in_words(answer.at)}. "
        f"Dotted: α{'; dashed: the power wanted' if answer.wanted is not None else ''}.{band}",
    )


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


def save(answer: Power, path: str | os.PathLike[str]) -> PowerCurve:
    """Save the figure of an answer as SVG, PDF or PNG, and return the table behind it."""
    info = power_curve(answer)
    save_figure(lambda: figure(info), path, title=info.title, about=info.caption)
    return info
