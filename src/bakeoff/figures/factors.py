"""Figures of designed experiments: interaction plot, response contour, half-normal plot of effects. Of plain tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bakeoff.errors import MisfitError
from bakeoff.figures.figure import ACCENT, FAINT, INK, MARKERS, PALE, Chart, key, plain_axes, strokes
from bakeoff.figures.lettering import labels_of, literal, shortened_in_the_middle, write_literally
from bakeoff.figures.tables import LEARNERS, VALUES, column_of, numbers_in
from bakeoff.records import Record
from bakeoff.text import number

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_LEVELS = 30


@dataclass(frozen=True, slots=True, eq=False)
class CellMean(Record):
    """The mean of the values at a level of one factor and of another, how many they are, and their standard error."""

    level: str
    group: str
    rows: int
    mean: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class InteractionPlot(Chart, Record):
    """Means at the levels of a factor, a line for each group: parallel lines mean that there is no interaction."""

    cells: tuple[CellMean, ...]
    factor: str
    group: str
    measure: str
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {
        "interaction": "means at the levels of a factor, a line for each learner: whether the order hangs on it"
    }
    made_of: ClassVar[str] = "table"

    @classmethod
    def of(
        cls, source: Any, kind: str = "", *, x: str | None = None, value: str | None = None, group: str | None = None,
        **options: Any,
    ) -> InteractionPlot:  # fmt: skip
        """Of a frame: `x` is the column of the factor, `group` that of the lines, `value` that of the measure."""
        return interaction(source, factor=x, value=value, group=group)

    def to_frame(self) -> pd.DataFrame:
        """One row a cell."""
        import pandas as pd

        names = ("level", "group", "rows", "mean", "standard_error")
        rows = [[getattr(cell, name) for name in names] for cell in self.cells]
        return pd.DataFrame(rows, columns=list(names)).rename(columns={"level": self.factor, "group": self.group})

    def draw(self, ax: Axes) -> None:
        levels = list(dict.fromkeys(cell.level for cell in self.cells))
        groups = list(dict.fromkeys(cell.group for cell in self.cells))
        place = {level: i for i, level in enumerate(levels)}
        for i, (name, label, look) in enumerate(zip(groups, labels_of(groups), strokes(len(groups)), strict=True)):
            own = sorted((cell for cell in self.cells if cell.group == name), key=lambda cell: place[cell.level])
            x, y = [place[cell.level] for cell in own], [cell.mean for cell in own]
            mark: dict[str, Any] = {"marker": MARKERS[i % len(MARKERS)], "markersize": 4.5, "linewidth": 1.3}
            ax.plot(x, y, label=label, **mark, **look)
        shown = [shortened_in_the_middle(literal(level), 16) for level in levels]
        stands = sum(len(level) + 2 for level in shown) > 60
        ax.set_xticks(range(len(levels)), shown, rotation=90 if stands else 0)
        ax.set_xlim(-0.3, len(levels) - 0.7)
        plain_axes(ax, self.factor, self.measure)
        key(ax, title=shortened_in_the_middle(self.group), title_fontsize="small")
        write_literally(ax)


def interaction(
    frame: pd.DataFrame, *, factor: str | None = None, value: str | None = None, group: str | None = None
) -> InteractionPlot:
    """The table behind the figure: the mean of each cell.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"learner": list("aabb"), "factor": list("xyxy"), "value": [1.0, 2.0, 3.0, 3.0]})
    >>> [cell.mean for cell in interaction(frame).cells]
    [1.0, 2.0, 3.0, 3.0]
    """
    lines = column_of(frame, group, LEARNERS, "the lines (learners)")
    across = column_of(frame, factor, ("factor", "level", "setting", "condition", "features"), "the levels of a factor")
    measure = column_of(frame, value, VALUES, "values of the measure")
    numbers = frame.assign(**{measure: numbers_in(frame, measure)}).dropna(subset=[measure])
    cells = []
    for (name, level), part in numbers.groupby([lines, across], sort=False, observed=True):
        values = part[measure].to_numpy()
        error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else nan
        cells.append(CellMean(_level(level), str(name), len(values), float(values.mean()), error))
    levels, groups = ({getattr(cell, what) for cell in cells} for what in ("level", "group"))
    if len(levels) < 2 or len(levels) > MOST_LEVELS or len(groups) > MOST_LEVELS:
        raise MisfitError(
            f"An interaction plot shows 2 to {MOST_LEVELS} levels of a factor; {across!r} has {len(levels)}, and there "
            f"are {len(groups)} lines.",
            alternatives=["another column: --x COLUMN"],
        )
    caption = (
        f"Mean {measure} at each level of {across}, a line for each {lines}. Parallel lines: the differences between "
        "lines do not hang on the factor; lines that cross: the order does. What is more than chance is said by a test "
        f"of the interaction (bakeoff compare FILE --factor {across})."
    )
    return InteractionPlot(
        tuple(cells), literal(across), literal(lines), literal(measure), "Interaction", literal(caption)
    )


def _level(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


# ----------------------------------------------------------------------------------------------------------------------
# Response contour.


@dataclass(frozen=True, eq=False)
class ResponseContour(Chart, Record):
    """A response over two factors: points (x, y, response), and lines of equal response between them."""

    points: tuple[tuple[float, float, float], ...]
    x_axis: str
    y_axis: str
    measure: str
    title: str
    caption: str
    runs: tuple[tuple[float, float], ...] | None = None  # where something was run, if the points are a fitted grid
    best: tuple[float, float] | None = None  # where it is best, if not at the largest response

    kinds: ClassVar[Mapping[str, str]] = {"contour": "lines of equal response over two numeric factors"}
    made_of: ClassVar[str] = "table"
    size: ClassVar[tuple[float, float]] = (5.0, 4.2)

    @classmethod
    def of(
        cls, source: Any, kind: str = "", *, x: str | None = None, y: str | None = None, value: str | None = None,
        **options: Any,
    ) -> ResponseContour:  # fmt: skip
        """Of a frame: columns of two numeric factors and of the response."""
        return response_contour(source, x=x, y=y, value=value)

    def to_frame(self) -> pd.DataFrame:
        """One row a point."""
        import pandas as pd

        return pd.DataFrame(self.points, columns=[self.x_axis, self.y_axis, self.measure])

    def draw(self, ax: Axes) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        x, y, z = (np.array(part) for part in zip(*self.points, strict=True))
        shades = LinearSegmentedColormap.from_list("response", ["white", "#7f9fc6"])
        for axis, values in (("x", x), ("y", y)):
            if values.min() > 0 and values.max() / values.min() >= 50:
                getattr(ax, f"set_{axis}scale")("log")
                getattr(ax, f"{axis}axis").set_major_formatter(lambda value, _: f"{value:g}")
        if z.max() > z.min():
            across, up = np.unique(x), np.unique(y)
            # A whole grid is drawn as one: triangles between its points would be thin where an axis is logarithmic.
            grid = len(across) * len(up) == len(z)
            table = z[np.lexsort((x, y))].reshape(len(up), len(across)) if grid else z
            fill, line = (ax.contourf, ax.contour) if grid else (ax.tricontourf, ax.tricontour)
            places = (across, up, table) if grid else (x, y, z)
            fill(*places, levels=8, cmap=shades)
            lines = line(*places, levels=8, colors=INK, linewidths=0.6, linestyles="solid")
            ax.clabel(lines, fontsize="x-small", fmt=lambda level: number(level, 3))
        dots = zip(x, y, strict=True) if self.runs is None else self.runs
        ax.plot(*zip(*dots, strict=True), "o", color=FAINT, markersize=2.5, clip_on=False, zorder=3)
        best = (x[int(z.argmax())], y[int(z.argmax())]) if self.best is None else self.best
        ax.plot([best[0]], [best[1]], "D", color=ACCENT, markersize=5, clip_on=False, zorder=4)
        plain_axes(ax, self.x_axis, self.y_axis)
        write_literally(ax)


def response_contour(
    frame: pd.DataFrame, *, x: str | None = None, y: str | None = None, value: str | None = None
) -> ResponseContour:
    """The table behind the figure: the mean response at each setting of two factors."""
    measure = column_of(frame, value, ("response", "predicted", "z", *VALUES), "the response")
    others = [str(name) for name in frame.columns if str(name) != measure and frame[name].dtype.kind in "fiu"]
    across = column_of(frame, x, ("x", "x1", *[name.lower() for name in others[:1]]), "the first factor")
    up = column_of(frame, y, ("y", "x2", *[name.lower() for name in others if name != across][:1]), "the second factor")
    numbers = {name: numbers_in(frame, name) for name in (across, up, measure)}
    import pandas as pd

    means = pd.DataFrame(numbers).dropna().groupby([across, up], as_index=False).mean()
    points = [(float(a), float(b), float(c)) for a, b, c in means.to_numpy()]
    if min(len({point[i] for point in points}) for i in (0, 1)) < 2 or len(points) < 4:
        raise MisfitError(
            "A contour needs at least four settings, with two values or more of each factor.",
            alternatives=["interaction: means at the levels of one factor"],
        )
    caption = (
        f"Mean {measure} over {across} and {up}: lines of equal response, interpolated between {len(points)} settings "
        "(dots); the diamond is the largest one seen."
    )
    return ResponseContour(
        tuple(points), literal(across), literal(up), literal(measure), "Response contour", literal(caption)
    )


# ----------------------------------------------------------------------------------------------------------------------
# Half-normal plot.


@dataclass(frozen=True, slots=True, eq=False)
class PlacedEffect(Record):
    """An effect, its size, and the quantile of the half-normal law that belongs to its rank."""

    term: str
    effect: float
    quantile: float
    beyond: bool


@dataclass(frozen=True, eq=False)
class HalfNormal(Chart, Record):
    """Sizes of effects against half-normal quantiles: those of no effect lie on a line through zero. `error` is Lenth's
    pseudo standard error, `margin` what an effect has to exceed."""

    effects: tuple[PlacedEffect, ...]
    error: float
    margin: float
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {"half-normal": "effects of factors against what chance alone would give"}
    made_of: ClassVar[str] = "table"
    size: ClassVar[tuple[float, float]] = (5.0, 4.0)

    @classmethod
    def of(
        cls, source: Any, kind: str = "", *, x: str | None = None, value: str | None = None, **options: Any
    ) -> HalfNormal:
        """Of a frame: `x` is the column of the terms, `value` that of their effects."""
        term = column_of(source, x, ("term", "effect_name", "factor", "source", "name"), "the terms")
        effect = column_of(source, value, ("effect", "estimate", "coefficient", "coef", "value"), "their effects")
        return half_normal(dict(zip(source[term].astype(str), numbers_in(source, effect).tolist(), strict=True)))

    def to_frame(self) -> pd.DataFrame:
        """One row an effect, the smallest first."""
        import pandas as pd

        names = ("term", "effect", "quantile", "beyond")
        return pd.DataFrame([[getattr(one, name) for name in names] for one in self.effects], columns=list(names))

    def draw(self, ax: Axes) -> None:
        x = np.array([one.quantile for one in self.effects])
        y = np.array([abs(one.effect) for one in self.effects])
        far = np.array([one.beyond for one in self.effects])
        ax.plot([0, x.max() * 1.05], [0, x.max() * 1.05 * self.error], color=PALE, linewidth=0.9)
        ax.axhline(self.margin, color=FAINT, linewidth=0.8, linestyle=(0, (1, 1.5)))
        ax.plot(x[~far], y[~far], "o", markerfacecolor="white", markeredgecolor=INK, markersize=4.5)
        ax.plot(x[far], y[far], "o", color=ACCENT, markersize=5)
        last = np.inf
        step = 0.05 * max(float(y.max()), self.margin)
        for one in reversed(self.effects):
            if one.beyond and last - abs(one.effect) >= step:
                last = abs(one.effect)
                text = shortened_in_the_middle(literal(one.term), 24)
                ax.annotate(text, (one.quantile, last), (-6, 0), textcoords="offset points", ha="right", va="center",
                            fontsize="small")  # fmt: skip
        ax.set_xlim(0, x.max() * 1.08)
        ax.set_ylim(0, max(float(y.max()), self.margin) * 1.1)
        plain_axes(ax, "half-normal quantile", "size of the effect")
        write_literally(ax)


def half_normal(effects: Mapping[str, float] | Sequence[tuple[str, float]], confidence: float = 0.95) -> HalfNormal:
    """The table behind the figure, with Lenth's (1989) margin of error, doi:10.1080/00401706.1989.10488595.

    s₀ = 1.5 median |e|, the pseudo standard error is 1.5 times the median of those below 2.5 s₀, and the margin t of
    m/3 degrees of freedom times that.

    >>> made = half_normal({"A": 10.0, "B": 1.0, "C": -2.0, "AB": 0.5, "AC": 1.5, "BC": -1.0, "ABC": 0.2})
    >>> made.error, [one.term for one in made.effects if one.beyond]
    (1.5, ['A'])
    """
    from scipy.stats import halfnorm, t

    pairs = sorted((float(value), name) for name, value in dict(effects).items() if np.isfinite(value))
    pairs.sort(key=lambda pair: abs(pair[0]))
    m = len(pairs)
    if m < 3:
        raise MisfitError(
            f"A half-normal plot needs at least three effects; found {m}.", alternatives=["a table of the effects"]
        )
    sizes = np.array([abs(value) for value, _ in pairs])
    first = 1.5 * float(np.median(sizes))
    error = 1.5 * float(np.median(sizes[sizes <= 2.5 * first] if first > 0 else sizes))
    margin = float(t.ppf((1 + confidence) / 2, m / 3)) * error
    places = halfnorm.ppf((np.arange(1, m + 1) - 0.5) / m)
    placed = tuple(
        PlacedEffect(name, value, float(place), abs(value) > margin)
        for (value, name), place in zip(pairs, places, strict=True)
    )
    far = [one.term for one in placed if one.beyond]
    caption = (
        f"Sizes of {m} effects against quantiles of the half-normal law; effects that are chance alone lie near the "
        f"line (Lenth's pseudo standard error {number(error)}). Filled, beyond the dotted margin {number(margin)}: "
        f"{', '.join(far) or 'none'}. The margin holds for each effect by itself."
    )
    return HalfNormal(placed, error, margin, "Half-normal plot of effects", literal(caption))
