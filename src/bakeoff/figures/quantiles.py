"""Normal quantiles: whether the differences of two learners over blocks lie as those of a normal law would.

It annotates and decides nothing: which test is made follows from the design.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import ndtri

from bakeoff.errors import MisfitError, UsageError
from bakeoff.figures.figure import ACCENT, GRID, PALE, Chart, plain_axes
from bakeoff.figures.lettering import literal, write_literally
from bakeoff.figures.tables import shared_blocks
from bakeoff.judging.diagnostics import spread
from bakeoff.scores import Blocks, Level
from bakeoff.text import counted, number

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

FEWEST = 4


@dataclass(frozen=True, slots=True)
class QuantilePoint:
    """A difference in its place: what a normal law would have there, and within what 95 % of such values lie."""

    block: str
    normal: float
    difference: float
    lower: float
    upper: float


@dataclass(frozen=True)
class NormalQuantiles(Chart):
    """Ordered differences of two learners against normal quantiles, with a band for each point."""

    first: str
    second: str
    points: tuple[QuantilePoint, ...]
    axis: str
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {
        "normal-quantiles": "differences of two learners against a normal law: are they skewed, are there outliers?"
    }
    made_of: ClassVar[str] = "scores"
    size: ClassVar[tuple[float, float]] = (5.2, 3.6)

    @classmethod
    def of(
        cls,
        source: Any,
        kind: str = "",
        *,
        measure: str | None = None,
        level: Level | str | None = None,
        pair: tuple[str, str] | None = None,
        **options: Any,
    ) -> NormalQuantiles:
        """The two learners named; else the pair whose differences are the least normal."""
        return normal_quantiles(shared_blocks(source, measure, level), pair)

    def to_frame(self) -> pd.DataFrame:
        """One row a block, in the order of the differences."""
        import pandas as pd

        rows = [(point.block, point.normal, point.difference, point.lower, point.upper) for point in self.points]
        return pd.DataFrame(rows, columns=["block", "normal quantile", "difference", "band from", "band to"])

    def draw(self, ax: Axes) -> None:
        """Points near the line, inside the band, are as those of a normal law."""
        columns = ("normal", "difference", "lower", "upper")
        x, y, low, high = (np.array([getattr(point, name) for point in self.points]) for name in columns)
        ax.fill_between(x, low, high, color=GRID, linewidth=0, zorder=1)
        ax.plot(x, (low + high) / 2, color=PALE, linewidth=0.9, zorder=2)
        small = 2.5 if len(x) > 100 else 4.0
        ax.plot(x, y, "o", color=ACCENT, markersize=small, markeredgewidth=0, zorder=3)
        plain_axes(ax, "quantile of a normal law", self.axis)
        write_literally(ax)


def normal_quantiles(table: Blocks, pair: tuple[str, str] | None = None) -> NormalQuantiles:
    """The table behind the figure; without a pair, of the two whose differences are the most skewed or heavy-tailed."""
    if table.n_learners < 2 or table.n_blocks < FEWEST:
        raise MisfitError(
            f"Normal quantiles need two learners, and at least {FEWEST} blocks that both have a value in; found "
            f"{table.n_learners} and {table.n_blocks}.",
            alternatives=["scores of two learners on several tasks, folds or instances"],
        )
    pair = _least_normal(table) if pair is None else pair
    if len(set(pair)) != 2 or not set(pair) <= set(table.learners):
        raise UsageError(
            f"The figure shows the differences of two of the learners {', '.join(table.learners)}; found "
            f"{' and '.join(pair)}."
        )
    values = _difference(table, *pair)
    if np.ptp(values) == 0:
        raise MisfitError(f"{pair[0]} and {pair[1]} differ by the same in all blocks: there is nothing to draw.")
    order, n = np.argsort(values, kind="stable"), len(values)
    share = (np.arange(1, n + 1) - 0.375) / (n + 0.25)  # Blom's places
    normal = ndtri(share)
    mean, sd = float(values.mean()), float(values.std(ddof=1))
    # An order statistic has about the variance p(1 − p)/(n φ(z)²), in units of the law's own; about a line that was
    # fitted to the same values it is less by what the mean, 1/n, and the standard deviation, z²/(2n), take up of it.
    density = np.exp(-(normal**2) / 2) / np.sqrt(2 * np.pi)
    error = np.sqrt(np.maximum(share * (1 - share) / density**2 - 1 - normal**2 / 2, 0) / n)
    line, half = mean + sd * normal, 1.96 * sd * error
    points = tuple(
        QuantilePoint(table.label(int(block)), *map(float, row))
        for block, row in zip(order, np.column_stack([normal, values[order], line - half, line + half]), strict=True)
    )
    moments = spread(values)
    over = counted(n, table.level.value)
    caption = (
        f"Differences in {table.measure.name} between {pair[0]} and {pair[1]} over {over}, in order, against those of "
        f"a normal law: skewness {number(moments.skewness, 2)}, excess kurtosis {number(moments.kurtosis, 2)}. Each "
        "point of a normal law lies in the band in about 95 % of samples."
    )
    title = f"Normal quantiles: {literal(pair[0])} − {literal(pair[1])}"
    return NormalQuantiles(*pair, points, literal(f"difference in {table.measure.name}"), title, literal(caption))


def _difference(table: Blocks, first: str, second: str) -> Any:
    return table.values[:, table.learners.index(first)] - table.values[:, table.learners.index(second)]


def _least_normal(table: Blocks) -> tuple[str, str]:
    """Of all pairs the one that is furthest from a normal law; pairs without any spread come last."""
    names = [table.learners[i] for i in table.best_first]

    def distance(pair: tuple[str, str]) -> float:
        moments = spread(_difference(table, *pair))
        away = moments.skewness**2 + moments.kurtosis**2 / 4  # as in Jarque and Bera's statistic
        return -1.0 if away != away else away

    return max(combinations(names, 2), key=distance)
