"""Figures of designed studies: which table of a verdict each kind is drawn of; and differences by task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bakeoff.designs.effects import lenth
from bakeoff.errors import DegenerateError, MisfitError, UsageError, nearest
from bakeoff.figures.figure import (
    ACCENT,
    COLOURS,
    FAINT,
    INK,
    MARKERS,
    PALE,
    Chart,
    key,
    label_rows,
    plain_axes,
    strokes,
)
from bakeoff.figures.learning_curve import judged_curves
from bakeoff.figures.lettering import labels_of, literal, shortened_in_the_middle, write_literally
from bakeoff.figures.tables import LEARNERS, VALUES, column_of, numbers_in, shared_blocks
from bakeoff.judging.case import Case
from bakeoff.judging.design_verdict import DesignVerdict, level_text
from bakeoff.judging.designed import judge_design
from bakeoff.judging.learning_curves import TaskDifference, task_differences
from bakeoff.judging.request import Request
from bakeoff.records import Record
from bakeoff.text import listing, number, p_equals, percent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


# ----------------------------------------------------------------------------------------------------------------------
# Figures of designed experiments: interaction plot, response contour, half-normal plot of effects. Of plain tables.


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


def half_normal(effects: Mapping[str, float] | Sequence[tuple[str, float]], alpha: float = 0.05) -> HalfNormal:
    """The table behind the figure, with Lenth's pseudo standard error and margin; both are 0 where half of the effects
    and more are zero.

    >>> made = half_normal({"A": 10.0, "B": 1.0, "C": -2.0, "AB": 0.5, "AC": 1.5, "BC": -1.0, "ABC": 0.2})
    >>> made.error, [one.term for one in made.effects if one.beyond]
    (1.5, ['A'])
    """
    from scipy.stats import halfnorm

    pairs = sorted((float(value), name) for name, value in dict(effects).items() if np.isfinite(value))
    pairs.sort(key=lambda pair: abs(pair[0]))
    m = len(pairs)
    if m < 3:
        raise MisfitError(
            f"A half-normal plot needs at least three effects; found {m}.", alternatives=["a table of the effects"]
        )
    try:
        against = lenth([value for value, _ in pairs], alpha)
        error, margin = against.pse, against.margin
    except DegenerateError:
        error, margin = 0.0, 0.0
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


# ----------------------------------------------------------------------------------------------------------------------


def design_chart(verdict: DesignVerdict, kind: str, **options: Any) -> Chart:
    """The figure of a designed study: interaction, contour, half-normal, learning-curve, difference or
    task-differences. `x` and `group` (or `y`) name factors, `pair` two learners."""
    wanted = kind.strip().lower().replace("_", "-")
    if wanted not in _MAKERS:
        raise UsageError(f"There is no figure {kind!r} of a design. {nearest(wanted, _MAKERS)}")
    chart: Chart = _MAKERS[wanted](verdict, options)
    return chart


def _interaction(verdict: DesignVerdict, options: Mapping[str, Any]) -> Chart:
    """Means over two factors: those named, or those whose interaction has the largest share; of a surface, what is
    fitted."""
    import pandas as pd

    names = list(dict.fromkeys(name for setting, _ in verdict.cells for name in setting))
    pairs = [effect for effect in verdict.effects if len(effect.factors) == 2]
    strongest = list(max(pairs, key=lambda effect: effect.share).factors) if pairs else names[:2]
    x, group = _factor(options.get("x"), names), _factor(options.get("group") or options.get("y"), names)
    if x is None and group is None and len(strongest) == 2:
        x = max(reversed(strongest), key=lambda name: _breadth(verdict, name))
    x = x or next(name for name in [*strongest[::-1], *names] if name != group)
    group = group or next((name for name in [*strongest, *names] if name != x), None)
    surface = verdict.surface
    mean = f"{'mean' if surface is None else 'fitted'} {verdict.measure}"
    if surface is not None and group is not None:
        frame = surface.lines(x, group).rename(columns={"predicted": mean})
        over = f"Fitted {verdict.measure} at {len(set(frame[group]))} levels of {group}, other factors at their best."
    else:
        frame = pd.DataFrame(
            [
                {x: setting[x], (group or "setting"): setting.get(group or "", "all"), mean: value}
                for setting, value in verdict.cells
            ]
        )
        over = f"Mean {verdict.measure} over {verdict.blocks}."
    keys = [name for name in (x, group) if name is not None and frame[name].dtype.kind in "fiu"]
    frame = frame.sort_values(keys, kind="stable") if keys else frame
    lines = group or "setting"
    chart = interaction(frame.assign(**{lines: frame[lines].map(level_text)}), factor=x, value=mean, group=lines)
    tested = next((e for e in verdict.effects if group and set(e.factors) == {x, group}), None)
    caption = "Parallel lines: the effect of one factor does not depend on the other."
    if tested is not None and not np.isnan(tested.p_adjusted):
        caption += f" Interaction {tested.label}: adjusted {p_equals(tested.p_adjusted)}."
    return replace(chart, caption=literal(f"{over} {caption}"))


def _breadth(verdict: DesignVerdict, factor: str) -> tuple[bool, int]:
    """What stands along the axis of an interaction plot: numbers before names, many levels before few."""
    levels = {setting[factor] for setting, _ in verdict.cells}
    return all(isinstance(level, (int, float)) for level in levels), len(levels)


def _factor(name: str | None, known: Sequence[str]) -> str | None:
    if name is not None and name not in known:
        raise UsageError(f"There is no factor {name!r}. {nearest(name, known)}")
    return name


def _contour(verdict: DesignVerdict, options: Mapping[str, Any]) -> Chart:
    surface = verdict.surface
    if surface is None:
        raise MisfitError(
            f"A contour is that of a fitted surface, and this study has the design {verdict.kind!r}.",
            alternatives=["interaction: means over two factors", '[design] kind = "response-surface"'],
        )
    names = list(surface.axes)
    if len(names) < 2:
        raise MisfitError("A contour is over two factors, and the surface has one.")
    x = _factor(options.get("x"), names) or names[0]
    y = _factor(options.get("y") or options.get("group"), names) or next(name for name in names if name != x)
    chart = response_contour(surface.grid(x, y), x=x, y=y, value="predicted")
    others = [f"{name} = {surface.best[name]:.4g}" for name in names if name not in (x, y)]
    caption = (
        f"Fitted {verdict.measure} over {x} and {y}{f', at {listing(others)}' if others else ''}. Dots are settings "
        f"that were run, the diamond is where the surface is best: {surface.best[x]:.4g}, {surface.best[y]:.4g}. "
        f"{surface.sentence}"
    )
    runs = tuple((float(setting[x]), float(setting[y])) for setting in verdict.settings.values())
    best = (float(surface.best[x]), float(surface.best[y]))
    return replace(chart, runs=runs, best=best, measure=literal(verdict.measure), caption=literal(caption))


def _half_normal(verdict: DesignVerdict, options: Mapping[str, Any]) -> Chart:
    if not verdict.sizes:
        raise MisfitError(
            "A half-normal plot is of effects that are differences between two halves of the settings: each factor "
            "has two levels.",
            alternatives=["interaction: means over two factors"],
        )
    return half_normal(verdict.sizes, verdict.alpha)


def _curves(kind: str) -> Any:
    def make(verdict: DesignVerdict, options: Mapping[str, Any]) -> Chart:
        if not verdict.curves:
            raise MisfitError(
                "Learning curves are over training sizes, and this study has no factor training-size.",
                alternatives=["interaction: means over two factors", '[design] kind = "learning-curve"'],
            )
        tasks = [each.task for each in verdict.curves]
        wanted = options.get("task") or tasks[0]
        if wanted not in tasks:
            raise UsageError(f"There are no curves on {wanted!r}. {nearest(wanted, tasks)}")
        chart = judged_curves(verdict.curves[tasks.index(wanted)], kind, options.get("pair"))
        if len(tasks) == 1:
            return chart
        others = listing([task for task in tasks if task != wanted], 5)
        return replace(chart, caption=literal(f"{chart.caption} There are such curves on {others} too."))

    return make


def _by_task(verdict: DesignVerdict, options: Mapping[str, Any]) -> Chart:
    if verdict.noise is None:
        raise MisfitError(
            "Of a design, differences by task are drawn for each level of noise, and this one has no such factor.",
            alternatives=["interaction: means over two factors", '[design] kind = "noise"'],
        )
    noise = verdict.noise
    first, second = _pair(options.get("pair"), noise.learners)
    rows: dict[str, tuple[TaskDifference, ...]] = {}
    for (level, one, other), differences in noise.differences.items():
        if {one, other} == {first, second}:
            rows[f"{noise.factor} {100 * float(level):g}%"] = (
                differences if one == first else tuple(map(_turned, differences))
            )
    return _graph(rows, verdict.measure, verdict.larger_is_better, (first, second), 1 - verdict.alpha)


def _turned(row: TaskDifference) -> TaskDifference:
    return TaskDifference(row.task, -row.difference, -row.upper, -row.lower)


def _pair(given: tuple[str, str] | None, known: Sequence[str]) -> tuple[str, str]:
    if given is None and len(known) == 2:
        return known[0], known[1]
    if given is None:
        raise UsageError(f"A difference is that of two learners, and there are {len(known)}: --learner A --learner B.")
    for name in given:
        if name not in known:
            raise UsageError(f"There is no learner {name!r}. {nearest(name, known)}")
    return given


_MAKERS = {
    "interaction": _interaction,
    "contour": _contour,
    "half-normal": _half_normal,
    "learning-curve": _curves("learning-curve"),
    "difference": _curves("difference"),
    "task-differences": _by_task,
}


# ----------------------------------------------------------------------------------------------------------------------
# The graph of differences in performance: a row for each task, sorted, with an interval over its resamples.


MOST_NAMED, MOST_TASKS = 80, 1000
UNNAMED_ROW = 0.03  # inches of a task without a name, of which there are many


@dataclass(frozen=True, eq=False)
class DifferenceGraph(Chart, Record):
    """Differences of two learners by task, with pointwise intervals; a series for each level of noise, or one."""

    series: Mapping[str, tuple[TaskDifference, ...]]
    axis: str
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {
        "task-differences": "difference in performance of two learners on each task, sorted, with intervals"
    }
    made_of: ClassVar[str] = "scores"

    @classmethod
    def of(
        cls, source: Any, kind: str = "", *, measure: str | None = None, pair: tuple[str, str] | None = None,
        **options: Any,
    ) -> Chart:  # fmt: skip
        """Of scores of folds on several tasks; of a study with noise, at each level. Without a pair of the two learners
        with the best means."""
        if source.settings:
            return design_chart(judge_design(source, measure=measure), "task-differences", pair=pair)
        table = shared_blocks(source, measure)
        best = [table.learners[i] for i in table.best_first[:2]]
        first, second = _pair(pair, source.learners if pair else best)
        case = Case(source, Request.of(measure=measure))
        named = case.lead.measures[case.lead.measure.labels[0]]
        rows = {"": task_differences(case, first, second, 0.95)}
        return _graph(rows, named.name, named.larger_is_better, (first, second), 0.95)

    def to_frame(self) -> pd.DataFrame:
        """One row a task and series."""
        import pandas as pd

        rows = [
            (name, row.task, row.difference, row.lower, row.upper) for name, own in self.series.items() for row in own
        ]
        return pd.DataFrame(rows, columns=["series", "task", "difference", "lower", "upper"])

    @property
    def tasks(self) -> list[str]:
        """From the smallest difference of the first series to the largest."""
        return [row.task for row in next(iter(self.series.values()))]

    def height_at(self, width: float) -> float:
        if len(self.tasks) > MOST_NAMED:
            return 0.9 + min(8.0, UNNAMED_ROW * len(self.tasks))
        return 0.9 + (0.1 + 0.07 * len(self.series)) * max(2, len(self.tasks))

    def draw(self, ax: Axes) -> None:
        place = {task: number for number, task in enumerate(self.tasks)}
        n, named = len(self.series), len(place) <= MOST_NAMED
        ax.axvline(0, color=PALE, linewidth=0.9, zorder=0)
        for i, (name, rows) in enumerate(self.series.items()):
            colour, shift = COLOURS[i % len(COLOURS)], (i - (n - 1) / 2) * 0.7 / n
            y = np.array([place[row.task] + shift for row in rows])
            ax.hlines(y, [row.lower for row in rows], [row.upper for row in rows], color=colour, linewidth=1.1)
            mark: dict[str, Any] = {
                "marker": MARKERS[i % len(MARKERS)],
                "markersize": 4 if named else 2.5,
                "linestyle": "none",
                "color": colour,
            }
            ax.plot([row.difference for row in rows], y, label=literal(name) if n > 1 else None, **mark)
        plain_axes(ax, self.axis)
        label_rows(ax, labels_of(self.tasks) if named else [""] * len(place))
        if not named:
            ax.set_yticks([])
            ax.set_ylabel(f"{len(place)} tasks, sorted", fontsize="medium")
        key(ax)
        write_literally(ax)


def _graph(
    series: Mapping[str, tuple[TaskDifference, ...]],
    measure: str,
    larger_is_better: bool,
    pair: tuple[str, str],
    confidence: float,
) -> DifferenceGraph:
    tasks = len(next(iter(series.values())))
    if tasks > MOST_TASKS:
        raise MisfitError(f"{tasks} tasks cannot be read; at most {MOST_TASKS} are drawn: choose some (--task NAME).")
    first, second = pair
    ahead = first if larger_is_better else second
    shown = next(iter(series.values()))
    apart = sum(row.lower > 0 or row.upper < 0 for row in shown)
    lines = (
        f" Lines are {percent(confidence)} intervals over resamples of a task (corrected t), each for itself: "
        f"{number(apart)} leave zero out{' in the first series' if len(series) > 1 else ''}."
    )
    caption = (
        f"{measure} of {first} less that of {second} on each of {tasks} tasks, sorted; to the right of zero {ahead} is "
        f"better.{lines if not all(np.isnan(row.lower) for row in shown) else ''}"
    )
    better = "larger" if larger_is_better else "smaller"
    axis = literal(f"{measure} ({better} is better), {first} – {second}")
    return DifferenceGraph(dict(series), axis, "Differences in performance", literal(caption))
