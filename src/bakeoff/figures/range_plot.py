"""The range plot: from the smallest to the largest value of each learner, with mean, median and all values between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bakeoff.errors import MisfitError
from bakeoff.figures.figure import ACCENT, INK, PALE, Chart, label_rows, plain_axes
from bakeoff.figures.lettering import labels_of, literal, write_literally
from bakeoff.figures.tables import LearnerValues, values_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_ROWS = 60
MOST_VALUES = 400  # of a learner that are drawn one by one


@dataclass(frozen=True, slots=True)
class Range:
    """One learner's values: how many, where they begin and end, mean and median."""

    panel: str
    learner: str
    label: str
    size: int
    smallest: float
    median: float
    mean: float
    largest: float
    values: tuple[float, ...]


@dataclass(frozen=True)
class RangePlot(Chart):
    """A line for each learner, the best mean first."""

    rows: tuple[Range, ...]
    axis: str
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {"range": "smallest, mean, median and largest value of each learner"}
    made_of: ClassVar[str] = "scores"

    @classmethod
    def of(cls, source: Any, kind: str = "", *, measure: str | None = None, **options: Any) -> RangePlot:
        return range_plot(values_of(source, measure))

    def to_frame(self) -> pd.DataFrame:
        """One row a learner (and task, where each has several values)."""
        import pandas as pd

        names = ("panel", "learner", "size", "smallest", "median", "mean", "largest")
        return pd.DataFrame([[getattr(row, name) for name in names] for row in self.rows], columns=list(names))

    def height_at(self, width: float) -> float:
        return 0.7 + 0.2 * max(2, len(self.rows))

    def draw(self, ax: Axes) -> None:
        """Lines with a cross-bar at either end, a dot at the mean and a stroke at the median."""
        places = np.arange(len(self.rows))
        low, high = [row.smallest for row in self.rows], [row.largest for row in self.rows]
        inside = [(value, i) for i, row in enumerate(self.rows) for value in row.values]
        if inside:
            ax.plot(*zip(*inside, strict=True), "|", color=PALE, markersize=5, markeredgewidth=0.6, zorder=1)
        ax.hlines(places, low, high, color=ACCENT, linewidth=1.2)
        for ends in (low, high):
            ax.plot(ends, places, "|", color=ACCENT, markersize=7, markeredgewidth=1.2)
        ax.plot([row.median for row in self.rows], places, "|", color=INK, markersize=9, markeredgewidth=1.6, zorder=4)
        ax.plot([row.mean for row in self.rows], places, "o", color=INK, markersize=4.5, zorder=5)
        plain_axes(ax, self.axis)
        label_rows(ax, [row.label for row in self.rows])
        write_literally(ax)


def range_plot(values: LearnerValues) -> RangePlot:
    """The table behind the figure.

    >>> made = range_plot(LearnerValues("error", "smaller", "tasks", {"": {"a": np.array([0.3, 0.1, 0.2])}}))
    >>> made.rows[0].smallest, made.rows[0].largest
    (0.1, 0.3)
    """
    best_first = -1 if values.better == "larger" else 1
    rows = []
    for panel, by_name in values.panels.items():
        known = {name: each for name, each in by_name.items() if len(each)}
        label = dict(zip(known, labels_of(list(known)), strict=True))
        for name, each in sorted(known.items(), key=lambda item: best_first * float(item[1].mean())):
            heading = label[name] if len(values.panels) == 1 else literal(f"{label[name]}, {panel}")
            shown = tuple(each.tolist()) if len(each) <= MOST_VALUES else ()
            middle = float(np.median(each)), float(each.mean())
            rows.append(Range(panel, name, heading, len(each), float(each.min()), *middle, float(each.max()), shown))
    if not rows or max(row.size for row in rows) < 2:
        raise MisfitError(
            "A range needs several values of a learner, and each has a single one here.",
            alternatives=["scores on several tasks, folds or instances"],
        )
    if len(rows) > MOST_ROWS:
        raise MisfitError(
            f"{len(rows)} ranges cannot be read; at most {MOST_ROWS} are drawn.",
            alternatives=["choose learners or tasks: --learner NAME, --task NAME"],
        )
    sizes = sorted({row.size for row in rows})
    over = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    caption = (
        f"From the smallest to the largest {values.measure} over {over} {values.what}; the dot is the mean, the black "
        "stroke the median, and each grey stroke a value. The best mean is on top. Ranges grow with the number of "
        "values, and are no intervals of confidence."
    )
    return RangePlot(tuple(rows), literal(values.axis), f"Ranges of {literal(values.measure)}", literal(caption))
