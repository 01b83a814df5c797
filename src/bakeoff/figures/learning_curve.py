"""Learning curves: a measure against the size of the training sample, and how much one learner is ahead there.

Both take any table with a column of sizes, one of learners and one of values; several rows of one size are averaged.
Riddle's slides, "Experiments with Learning Curves" and "with Difference in Performance Graph".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bakeoff.errors import MisfitError, UsageError
from bakeoff.figures.figure import ACCENT, FAINT, MARKERS, Chart, key, plain_axes, strokes
from bakeoff.figures.lettering import labels_of, literal, write_literally
from bakeoff.figures.tables import LEARNERS, VALUES, column_of, numbers_in
from bakeoff.mathematics.checks import Array
from bakeoff.measures.measure import known_measure
from bakeoff.records import Record
from bakeoff.text import percent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

SIZES = (
    "n_train",
    "train_size",
    "n",
    "size",
    "samples",
    "training_size",
    "train_sizes",
    "epoch",
    "step",
    "budget",
    "x",
)
PAIRED = ("task", "dataset", "repeat", "seed", "run", "fold", "split")
MOST_BARS = 4  # learners whose spread can be told apart
STRETCH = 20.0  # of sizes from the smallest to the largest, from which on the axis is logarithmic


@dataclass(frozen=True, slots=True, eq=False)
class SizePoint(Record):
    """One learner (or difference) at one size: how many values, their mean and standard deviation (NaN of one); and the
    ends of a band of confidence, if there is one."""

    curve: str
    x: float
    rows: int
    mean: float
    deviation: float
    lower: float = nan
    upper: float = nan


@dataclass(frozen=True, eq=False)
class LearningCurveChart(Chart, Record):
    """Means against sizes, a curve for each learner; or the mean difference of two, with zero marked."""

    kind: str
    points: tuple[SizePoint, ...]
    x_axis: str
    y_axis: str
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {
        "learning-curve": "a measure against the size of the training sample, a curve for each learner",
        "difference": "difference in performance of two learners against the size of the training sample",
    }
    made_of: ClassVar[str] = "table"

    @classmethod
    def of(
        cls,
        source: Any,
        kind: str = "learning-curve",
        *,
        x: str | None = None,
        value: str | None = None,
        group: str | None = None,
        pair: tuple[str, str] | None = None,
        **options: Any,
    ) -> LearningCurveChart:
        """Of a frame; `x` is the column of sizes, `value` that of the measure, `group` that of the learners."""
        if hasattr(source, "separations"):  # curves that were judged
            return judged_curves(source, kind, pair)
        return (learning_difference if kind == "difference" else learning_curves)(
            source, x=x, value=value, group=group, **({"pair": pair} if kind == "difference" else {})
        )

    def to_frame(self) -> pd.DataFrame:
        """One row a point."""
        import pandas as pd

        names = ("curve", "x", "rows", "mean", "deviation")
        return pd.DataFrame([[getattr(point, name) for name in names] for point in self.points], columns=list(names))

    def draw(self, ax: Axes) -> None:
        curves = list(dict.fromkeys(point.curve for point in self.points))
        labels = labels_of(curves) if len(curves) > 1 else [""]
        for i, (name, look) in enumerate(zip(curves, strokes(len(curves)), strict=True)):
            own = [point for point in self.points if point.curve == name]
            x, y = [point.x for point in own], [point.mean for point in own]
            ends = _band(own)
            if len(curves) <= MOST_BARS and ends is not None:
                ax.fill_between(x, *ends, color=look["color"], alpha=0.13, linewidth=0)
            mark: dict[str, Any] = {"marker": MARKERS[i % len(MARKERS)], "markersize": 3.5, "linewidth": 1.3}
            ax.plot(x, y, label=labels[i] or None, **mark, **look)
        sizes = sorted({point.x for point in self.points})
        if sizes[0] > 0 and sizes[-1] / sizes[0] >= STRETCH:
            ax.set_xscale("log")
            if len(sizes) <= 8:
                ax.set_xticks(sizes, [f"{size:g}" for size in sizes])
                ax.minorticks_off()
        if self.kind == "difference":
            ax.axhline(0, color=FAINT, linewidth=0.8, zorder=1)
            ax.lines[0].set_color(ACCENT)
        plain_axes(ax, self.x_axis, self.y_axis)
        if len(curves) > 1:
            key(ax)
        write_literally(ax)


def _band(points: Sequence[SizePoint]) -> tuple[Array, Array] | None:
    """The band of confidence, or one standard deviation to either side."""
    lower, upper = (np.array([getattr(point, end) for point in points]) for end in ("lower", "upper"))
    if np.isfinite(lower).any():
        return lower, upper
    mean, spread = (np.array([getattr(point, name) for point in points]) for name in ("mean", "deviation"))
    return (mean - np.nan_to_num(spread), mean + np.nan_to_num(spread)) if np.isfinite(spread).any() else None


def judged_curves(judged: Any, kind: str = "learning-curve", pair: tuple[str, str] | None = None) -> LearningCurveChart:
    """The figure of learning curves that were judged, with their simultaneous bands; or of the difference of a pair."""
    level = percent(1 - judged.alpha)
    if kind == "difference":
        separations = [one for one in judged.separations if pair is None or {one.first, one.second} == set(pair)]
        if len(separations) != 1:
            raise UsageError(
                f"A difference is that of two learners, and there are {len(judged.curves)}: choose two (--learner A "
                "--learner B)."
            )
        curves = {f"{separations[0].first} – {separations[0].second}": separations[0].differences}
        y_axis = f"{judged.measure}, {separations[0].first} – {separations[0].second}"
    else:
        curves, y_axis = dict(judged.curves), judged.measure
    points = tuple(
        SizePoint(name, point.size, 0, point.mean, nan, point.lower, point.upper)
        for name, own in curves.items()
        for point in own
    )
    caption = f"{y_axis} against the size of the training sample; bands are simultaneous over all sizes ({level})."
    title = "Difference in performance" if kind == "difference" else "Learning curves"
    return LearningCurveChart(kind, points, "size of the training sample", literal(y_axis), title, literal(caption))


def _columns(frame: pd.DataFrame, x: str | None, value: str | None, group: str | None) -> tuple[str, str, str]:
    across = column_of(frame, x, SIZES, "sizes of training samples")
    learner = column_of(frame, group, LEARNERS, "learners")
    return across, column_of(frame, value, VALUES, "values of the measure"), learner


def _points(name: str, x: Any, values: Any) -> list[SizePoint]:
    points = []
    for size in np.unique(x):
        here = values[(x == size) & ~np.isnan(values)]
        if len(here):
            deviation = float(here.std(ddof=1)) if len(here) > 1 else nan
            points.append(SizePoint(name, float(size), len(here), float(here.mean()), deviation))
    return points


def learning_curves(
    frame: pd.DataFrame, *, x: str | None = None, value: str | None = None, group: str | None = None
) -> LearningCurveChart:
    """The table behind the figure."""
    across, measure, learner = _columns(frame, x, value, group)
    sizes, values = numbers_in(frame, across), numbers_in(frame, measure)
    names = frame[learner].astype(str).to_numpy()
    points = [
        point for name in dict.fromkeys(names) for point in _points(name, sizes[names == name], values[names == name])
    ]
    if len({point.x for point in points}) < 2:
        raise MisfitError(
            f"A learning curve needs several sizes of the training sample, and column {across!r} has one.",
            alternatives=["scores after training on parts of the sample, with a column n_train"],
        )
    rows = sorted({point.rows for point in points})
    each = f"{rows[0]}" if len(rows) == 1 else f"{rows[0]} to {rows[-1]}"
    curves = len({point.curve for point in points})
    spread = " Bands are one standard deviation to either side." if rows[-1] > 1 and curves <= MOST_BARS else ""
    caption = (
        f"{measure} against {across}: means of {each} values each.{spread} Points of one curve often share rows, so "
        "that its ups and downs are not independent."
    )
    return LearningCurveChart(
        "learning-curve", tuple(points), literal(across), literal(measure), "Learning curves", literal(caption)
    )


def learning_difference(
    frame: pd.DataFrame,
    *,
    x: str | None = None,
    value: str | None = None,
    group: str | None = None,
    pair: tuple[str, str] | None = None,
) -> LearningCurveChart:
    """The table behind the difference of two learners: paired by the other columns where these match, else of means."""
    across, measure, learner = _columns(frame, x, value, group)
    names = list(dict.fromkeys(frame[learner].astype(str)))
    chosen = pair if pair is not None else tuple(names) if len(names) == 2 else None
    if chosen is None or len(set(chosen)) != 2 or not set(chosen) <= set(names):
        raise UsageError(
            f"A difference is that of two learners, and there are {len(names)}: {', '.join(names[:8])}. Choose two: "
            "--learner A --learner B."
        )
    numbers = frame.assign(**{across: numbers_in(frame, across), measure: numbers_in(frame, measure)})
    keys = [across, *(name for name in frame.columns if str(name).lower() in PAIRED)]
    wide = numbers.assign(**{learner: numbers[learner].astype(str)}).pivot_table(
        index=keys, columns=learner, values=measure, aggfunc="mean", observed=True
    )
    wide = wide[list(chosen)].dropna().reset_index()
    known = known_measure(measure)
    sign = -1 if known is not None and not known.larger_is_better else 1
    gained = sign * (wide[chosen[0]].to_numpy() - wide[chosen[1]].to_numpy())
    points = _points(f"{chosen[0]} – {chosen[1]}", wide[across].to_numpy(), gained)
    if len(points) < 2:
        raise MisfitError(
            "A difference in performance is drawn against several sizes of the training sample, and there is one.",
            alternatives=["scatter: two learners against each other, a point for each task"],
        )
    ahead = f"advantage of {chosen[0]} ({measure})" if known is not None else f"{measure}, {chosen[0]} – {chosen[1]}"
    caption = (
        f"By how much {chosen[0]} is {'better' if known is not None else 'larger'} than {chosen[1]} in {measure} at "
        f"each {across}: means over {points[0].rows} pairs of values. The band is one standard deviation of the "
        "differences to either side."
    )
    return LearningCurveChart(
        "difference", tuple(points), literal(across), literal(ahead), "Difference in performance", literal(caption)
    )
