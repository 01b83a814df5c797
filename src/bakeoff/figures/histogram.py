"""The histogram of errors, or of scores by any measure: a row of bars for each learner, in the same classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bakeoff.errors import MisfitError, UsageError
from bakeoff.figures.figure import ACCENT, INK, PALE, Chart, label_rows, plain_axes
from bakeoff.figures.lettering import labels_of, literal, write_literally
from bakeoff.figures.tables import LearnerValues, values_of
from bakeoff.mathematics.checks import Array
from bakeoff.text import counted

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_ROWS = 40
FEWEST, MOST_BINS = 5, 40


@dataclass(frozen=True, slots=True)
class HistogramRow:
    """One learner's values: how many lie in each class, and their mean."""

    panel: str
    learner: str
    label: str
    counts: tuple[int, ...]
    mean: float


@dataclass(frozen=True)
class Histogram(Chart):
    """Rows of bars over common classes; `edges` are the ends of these, the last one belonging to the last class."""

    rows: tuple[HistogramRow, ...]
    edges: tuple[float, ...]
    axis: str
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {"histogram": "how often each learner had which error, or score"}
    made_of: ClassVar[str] = "scores"

    @classmethod
    def of(
        cls, source: Any, kind: str = "", *, measure: str | None = None, bins: int | None = None, **options: Any
    ) -> Histogram:
        return histogram(values_of(source, measure), bins=bins, source=source.source)

    def to_frame(self) -> pd.DataFrame:
        """One row a class of a learner."""
        import pandas as pd

        cells = [
            (row.panel, row.learner, self.edges[i], self.edges[i + 1], count)
            for row in self.rows
            for i, count in enumerate(row.counts)
        ]
        return pd.DataFrame(cells, columns=["panel", "learner", "from", "to", "count"])

    def height_at(self, width: float) -> float:
        return 0.6 + len(self.rows) * max(0.3, min(1.1, 3.6 / len(self.rows)))

    def draw(self, ax: Axes) -> None:
        """A row of bars for each learner, as high as the counts; a black line is the mean."""
        from matplotlib.collections import PolyCollection

        edges, highest = np.array(self.edges), max(max(row.counts) for row in self.rows)
        for place, row in enumerate(self.rows):
            heights = 0.84 * np.array(row.counts) / highest
            base = place + 0.4
            corners = [
                [(a, base), (a, base - h), (b, base - h), (b, base)]
                for a, b, h in zip(edges, edges[1:], heights, strict=False)
                if h > 0
            ]
            ax.add_collection(PolyCollection(corners, facecolor=ACCENT, alpha=0.55, edgecolor="white", linewidth=0.5))
        bases = np.arange(len(self.rows)) + 0.4
        ax.hlines(bases, edges[0], edges[-1], color=PALE, linewidth=0.6)
        means = [row.mean for row in self.rows]
        ax.vlines(means, bases - 0.84, bases, color=INK, linewidth=1.1)
        room = 0.02 * (edges[-1] - edges[0])
        ax.set_xlim(edges[0] - room, edges[-1] + room)
        plain_axes(ax, self.axis)
        label_rows(ax, [row.label for row in self.rows])
        ax.set_ylim(len(self.rows) - 0.45, -0.55)
        write_literally(ax)


def histogram(values: LearnerValues, *, bins: int | None = None, source: str = "") -> Histogram:
    """The table behind the figure; without `bins` as many classes as Freedman and Diaconis's rule asks for.

    >>> made = histogram(LearnerValues("error", "smaller", "tasks", {"": {"a": np.array([0.0, 0.1, 0.4])}}), bins=2)
    >>> made.rows[0].counts, made.edges
    ((2, 1), (0.0, 0.2, 0.4))
    """
    if bins is not None and not 1 <= bins <= 500:
        raise UsageError(f"A histogram has 1 to 500 classes; found {bins}.")
    pairs = [(panel, name, each) for panel, by_name in values.panels.items() for name, each in by_name.items()]
    pairs = [(panel, name, each) for panel, name, each in pairs if len(each)]
    together = np.concatenate([each for _, _, each in pairs]) if pairs else np.array([])
    if not len(together) or max(len(each) for _, _, each in pairs) < 2:
        raise MisfitError(
            "A histogram needs several values of a learner, and each has a single one here.",
            alternatives=["scores on several tasks, folds or instances"],
        )
    if len(pairs) > MOST_ROWS:
        raise MisfitError(
            f"{len(pairs)} rows of bars cannot be read; at most {MOST_ROWS} are drawn.",
            alternatives=["choose learners or tasks: --learner NAME, --task NAME"],
        )
    edges = _edges(together, bins)
    labels = labels_of(list(dict.fromkeys(name for _, name, _ in pairs)))
    label = dict(zip(dict.fromkeys(name for _, name, _ in pairs), labels, strict=True))
    panels = {panel for panel, _, _ in pairs}
    rows = tuple(
        HistogramRow(
            panel,
            name,
            label[name] if len(panels) == 1 else literal(f"{label[name]}, {panel}"),
            tuple(np.histogram(each, edges)[0].tolist()),
            float(each.mean()),
        )
        for panel, name, each in pairs
    )
    sizes = sorted({len(each) for _, _, each in pairs})
    each_has = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    highest = max(max(row.counts) for row in rows)
    caption = (
        f"How often {values.measure} had which value over {each_has} {values.what}"
        f"{f' of {source}' if source and source != 'scores' else ''}, in classes of width "
        f"{edges[1] - edges[0]:.3g}; the highest bar stands for {counted(highest, 'values')}, and a black line is the "
        "mean of its row."
    )
    return Histogram(rows, tuple(edges.tolist()), literal(values.axis), f"Histogram of {literal(values.measure)}",
                     literal(caption))  # fmt: skip


def _edges(values: Array, bins: int | None) -> Array:
    """Ends of classes: round numbers where nobody said how many."""
    low, high = float(values.min()), float(values.max())
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        room = 0.05 * abs(low) or 0.5
        return np.linspace(low - room, high + room, 2)
    if bins is not None:
        return np.linspace(low, high, bins + 1)
    q1, q3 = np.quantile(values, (0.25, 0.75))
    width = 2 * float(q3 - q1) * len(values) ** (-1 / 3) or (high - low) / 10
    count = int(np.clip(np.ceil((high - low) / width), FEWEST, MOST_BINS))
    step = _round_up((high - low) / count)
    first = np.floor(low / step + 1e-9) * step
    return np.asarray(first + step * np.arange(int(np.ceil((high - first) / step - 1e-9)) + 1))


def _round_up(step: float) -> float:
    """The next of 1, 2, 2.5 and 5 times a power of ten.

    >>> [_round_up(x) for x in (0.013, 0.21, 3.0)]
    [0.02, 0.25, 5.0]
    """
    power = 10.0 ** np.floor(np.log10(step))
    nearest = next(times for times in (1, 2, 2.5, 5, 10) if times * power >= step * (1 - 1e-9))
    return float(nearest * power)
