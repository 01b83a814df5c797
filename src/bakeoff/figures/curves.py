"""Curves: power against the size of an experiment, several curves over one axis, ROC curves and their kin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isnan
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from bakeoff.errors import MisfitError, UsageError, nearest
from bakeoff.figures.figure import ACCENT, INK, PALE, Chart, key, label_with, plain_axes, strokes
from bakeoff.figures.lettering import literal, shortened_in_the_middle, write_literally
from bakeoff.figures.tables import column_of, numbers_in
from bakeoff.measures.answers import KINDS
from bakeoff.records import Record
from bakeoff.text import counted, listing, number, percent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bakeoff.measures.answers import LearnerAnswers, LearnerCurve


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
            ax.fill_between(x, lower, upper, color=ACCENT, alpha=0.2, linewidth=0)
        ax.plot(x, y, color=ACCENT, marker=".", linewidth=1.5)
        ax.plot(*([value] for value in self.at), color=INK, marker="o", linestyle="none", markersize=6, zorder=4)
        for level, style in ((self.wanted, "--"), (self.alpha, ":")):
            if level is not None:
                ax.axhline(level, color=PALE, linestyle=style, linewidth=0.8, zorder=0)
        ax.set_ylim(0, 1.02)
        plain_axes(ax, self.axis, "power")
        write_literally(ax)


# ----------------------------------------------------------------------------------------------------------------------
# Several curves over one axis, such as the power of tests against the true difference; simulated ones with a band.


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

    kinds: ClassVar[Mapping[str, str]] = {
        "power": "power curves: the chance to find a difference, against its size or N"
    }
    made_of: ClassVar[str] = "table"

    @classmethod
    def of(
        cls, source: Any, kind: str = "power", *, x: str | None = None, value: str | None = None,
        group: str | None = None, **options: Any,
    ) -> SeveralCurves:  # fmt: skip
        """Of a frame with a column of sizes, one of powers, and where there are several curves one of their names."""
        across = column_of(source, x, ("x", "n", "tasks", "blocks", "difference", "effect", "delta", "beta2"), "sizes")
        power = column_of(source, value, ("power", "y", "rejections", "rate"), "powers")
        numbers = list(zip(numbers_in(source, across).tolist(), numbers_in(source, power).tolist(), strict=True))
        lines = ["power"] * len(numbers)
        if group is not None or {"curve", "test", "procedure", "method"} & {
            str(name).lower() for name in source.columns
        }:
            named = column_of(source, group, ("curve", "test", "procedure", "method"), "the names of curves")
            lines = source[named].astype(str).tolist()
        by_name: dict[str, list[tuple[float, float, float]]] = {}
        for name, (place, height) in zip(lines, numbers, strict=True):
            by_name.setdefault(name, []).append((place, height, 0.0))
        return several_curves(by_name, x_axis=across, y_axis="power", title="Power curves", level=0.05)

    def to_frame(self) -> pd.DataFrame:
        """One row a point."""
        import pandas as pd

        rows = [(curve.name, *point) for curve in self.curves for point in curve.points]
        return pd.DataFrame(rows, columns=["curve", "x", "y", "standard_error"])

    def draw(self, ax: Axes) -> None:
        """All curves on one ax, with a legend."""
        for curve, look in zip(self.curves, strokes(len(self.curves)), strict=True):
            x, y, error = zip(*curve.points, strict=True)
            ax.plot(x, y, marker=".", linewidth=1.3, label=shortened_in_the_middle(curve.name), **look)
            if any(error):
                lower = [max(0.0, value - BAND * e) for value, e in zip(y, error, strict=True)]
                upper = [min(1.0, value + BAND * e) for value, e in zip(y, error, strict=True)]
                ax.fill_between(x, lower, upper, color=look["color"], alpha=0.12, linewidth=0)
        if self.level is not None:
            ax.axhline(self.level, color="0.6", linestyle=":", linewidth=0.8, zorder=0)
        ax.set_ylim(0, 1.02)
        plain_axes(ax, self.x_axis, self.y_axis)
        key(ax)
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


@dataclass(frozen=True, slots=True)
class Band:
    """What lies around a curve: places, and ends there."""

    learner: str
    x: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]


@dataclass(frozen=True)
class ThresholdCurves(Chart):
    """Points (x, y) by learner, bands around them if there are any, and what no learning would give as a thin line.
    `areas` are texts beside the names of the learners."""

    kind: str
    curves: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]
    x_axis: str
    y_axis: str
    title: str
    caption: str
    bands: tuple[Band, ...] = ()
    areas: tuple[str, ...] = ()

    kinds: ClassVar[Mapping[str, str]] = {
        "roc": "ROC curves of the learners on one task, with bands and areas",
        "pr": "precision against recall",
        "sensitivity-specificity": "sensitivity against specificity",
        "lift": "lift: how much denser positives are among those scored highest",
        "cost": "cost curves: expected cost against the share of positives",
    }
    made_of: ClassVar[str] = "predictions"
    size: ClassVar[tuple[float, float]] = (4.6, 4.6)

    @classmethod
    def of(cls, source: Any, kind: str = "roc", *, task: str | None = None, **options: Any) -> ThresholdCurves:
        """Curves of what learners answered on one task; options are those of `learner_curve`."""
        from bakeoff.measures.answers import learner_curve

        known = ("positive", "pool", "band", "confidence", "seed")
        how = {name: value for name, value in options.items() if name in known and value is not None}
        return curves_figure([learner_curve(one, kind, **how) for one in on_one_task(source, task)])

    @property
    def square(self) -> bool:  # type: ignore[override]
        return self.kind not in ("lift", "cost")

    def to_frame(self) -> pd.DataFrame:
        """One row a point."""
        import pandas as pd

        rows = [(name, *point) for name, points in self.curves for point in points]
        return pd.DataFrame(rows, columns=["learner", "x", "y"])

    def draw(self, ax: Axes) -> None:
        """All curves on one ax, with a legend where no curve is."""
        styles = dict(zip((name for name, _ in self.curves), strokes(len(self.curves)), strict=True))
        for band in self.bands:
            ax.fill_between(
                band.x, band.lower, band.upper, color=styles[band.learner]["color"], alpha=0.13, linewidth=0
            )
        texts = self.areas or ("",) * len(self.curves)
        within = self.kind in _LEGEND and len(self.curves) <= MOST_INSIDE
        for (name, points), text in zip(self.curves, texts, strict=True):
            x, y = zip(*points, strict=True)
            inside = label_with(shortened_in_the_middle(name), text if within else "")
            ax.plot(x, y, linewidth=1.4, label=inside, **styles[name])
        if self.kind in _WITHOUT_LEARNING:
            x, y = zip(*_WITHOUT_LEARNING[self.kind], strict=True)
            ax.plot(x, y, color="0.6", linestyle=":", linewidth=0.9, zorder=0, label="no learning")
        highest = max(b for _, points in self.curves for _, b in points)
        ax.set_xlim(0, 1)
        # Costs lie below ½, lifts above 1; all others are rates.
        ax.set_ylim(0, 1.08 * max(highest, 0.5) if self.kind in ("lift", "cost") else 1.01)
        plain_axes(ax, self.x_axis, self.y_axis)
        if within:
            ax.legend(fontsize="small", frameon=False, loc=_LEGEND[self.kind], handlelength=2.6)
        else:  # curves may be anywhere, so it stands beside or below them
            key(ax, behind=texts)
        write_literally(ax)


MOST_INSIDE, MOST_BANDS = 5, 3  # learners whose legend is where no curve is; whose bands can be told apart


def on_one_task(source: Sequence[LearnerAnswers], task: str | None = None) -> list[LearnerAnswers]:
    """The answers on the task named, or on the only one."""
    tasks = list(dict.fromkeys(one.task for one in source))
    if not tasks:
        raise MisfitError(
            "There are no predictions of classes here: neither labels, nor scores beside a truth of 0 and 1.",
            alternatives=[
                "a file with a column 'truth' and a column of predictions for each learner, or a stored study"
            ],
        )
    if task is None and len(tasks) > 1:
        raise UsageError(f"A figure shows one task, and there are {len(tasks)}: say --task NAME.")
    if task is not None and task not in tasks:
        raise UsageError(f"There is no task {task!r}. {nearest(task, tasks)}")
    return [one for one in source if one.task == (tasks[0] if task is None else task)]


def curves_figure(curves: Sequence[LearnerCurve]) -> ThresholdCurves:
    """The figure of the curves of one task."""
    first = curves[0]
    banded = [curve for curve in curves if curve.band_x is not None] if len(curves) <= MOST_BANDS else []
    points = {curve.learner: (curve.x.tolist(), curve.y.tolist()) for curve in curves}
    where = f", {first.task}" if first.task else ""
    title = f"{KINDS[first.kind].title}{where}: {first.positive} against the rest"
    caption = " ".join(_sentences(curves, bool(banded)))
    figure = threshold_curves(first.kind, points, axes=first.names, title=title, caption=caption)
    bands = tuple(
        Band(literal(one.learner), *(tuple(part.tolist()) for part in (one.band_x, one.lower, one.upper)))  # type: ignore[union-attr]
        for one in banded
    )
    areas = tuple(f"AUC {one.area[0]:.3f}" for one in curves) if first.kind in AREAS else ()
    return replace(figure, bands=bands, areas=areas)


AREAS = ("roc", "sensitivity-specificity")


def how_made(curves: Sequence[LearnerCurve]) -> str:
    """What each curve is of."""
    first = curves[0]
    if first.pooled:
        return (
            f"The scores of {counted(first.samples, 'test samples')} are pooled, though each fit may have a scale of "
            "its own: the area tends to be too small, after leave-one-out most of all."
        )
    if first.samples == 1:
        return "Of one test sample."
    several = counted(first.samples - first.skipped, "test samples")
    sentence = f"The mean of the curves of {several}, at equal {first.names[0]}."
    if first.skipped:
        sentence += f" {counted(first.skipped, 'others')} had no rows of one of the classes."
    return sentence


def _sentences(curves: Sequence[LearnerCurve], banded: bool) -> list[str]:
    """The caption: what the curves are of, what bands and areas mean, and which is best for which losses."""
    first = curves[0]
    task = f" on {first.task}" if first.task else ""
    parts = [f"{KINDS[first.kind].title}s{task}, {first.positive} against the rest.", how_made(curves)]
    if banded:
        parts.append(BAND_SENTENCES[first.band])
    if first.kind in AREAS and first.samples > 1 and not first.pooled:
        parts.append("AUC is the mean over the test samples.")
    if first.kind == "roc" and len(curves) > 1:
        parts += preference_sentences(curves)[:MOST_PREFERENCES]
    return parts


MOST_PREFERENCES = 6
BAND_SENTENCES = {
    "simultaneous": "Bands are simultaneous: the whole true curve of each fitted model lies in its band with 95 % "
    "confidence (Kolmogorov's distance).",
    "pointwise": "Bands are pointwise: at each fp-rate the true height lies in them with 95 % confidence (bootstrap), "
    "not the whole curve.",
    "spread": "Bands are one standard deviation of the curves of the test samples to either side: how far they spread, "
    "no confidence.",
}


def preference_sentences(curves: Sequence[LearnerCurve]) -> list[str]:
    """Which learner is cheapest for which ratio of losses, in words; nothing where one curve is above all others."""
    from bakeoff.measures.answers import preferences

    partial = [one for one in preferences(curves) if len(one.learners) < len(curves)]
    if len({one.learners for one in partial}) < 2:
        return []
    parts = [
        "The curves cross: which learner is cheapest depends on how many times as much a missed positive costs as a "
        f"false alarm (at {percent(curves[0].share)} positives)."
    ]
    for one in partial:
        ends = [number(end, 3) for end in (one.ratio_from, one.ratio_to)]
        span = f"up to {ends[1]} times" if one.ratio_from == 0 else f"{ends[0]} to {ends[1]} times"
        span = f"from {ends[0]} times on" if one.ratio_to == inf else span
        parts.append(f"{listing(list(one.learners))}: {span}.")
    return parts


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
