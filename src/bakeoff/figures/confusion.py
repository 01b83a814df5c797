"""Confusion matrices: which classes were taken for which, a panel for each learner; shades are shares of the row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bakeoff.errors import MisfitError
from bakeoff.figures.curves import on_one_task
from bakeoff.figures.figure import ACCENT, FAINT, INK, POINTS_PER_INCH, PanelChart, small_size
from bakeoff.figures.lettering import labels_of, labels_within, literal, width_of
from bakeoff.measures.answers import Confusion, confusion
from bakeoff.text import count, counted, number

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_CLASSES, MOST_LEARNERS = 40, 30
FEW_CLASSES, MOST_OF_MANY = 4, 12  # of more classes fewer matrices can be read


@dataclass(frozen=True)
class ConfusionMatrices(PanelChart):
    """A matrix for each learner, true classes downwards, assigned ones across."""

    matrices: tuple[Confusion, ...]
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {"confusion": "which classes were taken for which, a panel for each learner"}
    made_of: ClassVar[str] = "predictions"

    @classmethod
    def of(cls, source: Any, kind: str = "", *, task: str | None = None, **options: Any) -> ConfusionMatrices:
        return confusion_figure([confusion(one) for one in on_one_task(source, task)])

    def to_frame(self) -> pd.DataFrame:
        """One row a cell."""
        import pandas as pd

        rows = [
            (one.learner, true, assigned, int(one.matrix[i, j]), float(one.matrix[i, j] / max(1, one.matrix[i].sum())))
            for one in self.matrices
            for i, true in enumerate(one.classes)
            for j, assigned in enumerate(one.classes)
        ]
        return pd.DataFrame(rows, columns=["learner", "true", "assigned", "count", "share"])

    @property
    def panel_grid(self) -> tuple[list[float], list[float]]:
        columns = ceil(sqrt(len(self.matrices)))
        return [1.0] * ceil(len(self.matrices) / columns), [1.0] * columns

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        rows, columns = (len(part) for part in self.panel_grid)
        panel = min(6.5, 1.2 + 0.42 * len(self.matrices[0].classes) + 0.07 * max(map(len, self.matrices[0].classes)))
        wide = min(6.5, max(2.6, panel * columns))
        return wide, wide / columns * rows

    def height_at(self, width: float) -> float:
        rows, columns = (len(part) for part in self.panel_grid)
        return width / columns * rows

    @property
    def square(self) -> bool:  # type: ignore[override]
        return True

    def draw_panels(self, axes: Sequence[Sequence[Axes]]) -> None:
        flat = [ax for row in axes for ax in row]
        columns = len(axes[0])
        for place, ax in enumerate(flat):
            if place >= len(self.matrices):
                ax.set_axis_off()
                continue
            first, last = place % columns == 0, place + columns >= len(self.matrices)
            _draw_matrix(ax, self.matrices[place], columns, first, last)
        if len(self.matrices) > 1:
            across = flat[0].figure.get_figure(root=True).get_size_inches()[0] * POINTS_PER_INCH / columns
            names = [_broken(name, 0.7 * across) for name in labels_of([one.learner for one in self.matrices])]
            for ax, name in zip(flat, names, strict=False):
                ax.set_title(name, fontsize="medium")


def _broken(name: str, room: float) -> str:
    """A name that can be broken into lines of that width: a word that is wider is shortened."""
    return " ".join(labels_within([word], small_size() / 0.833, room)[0] for word in name.split(" "))


def _draw_matrix(ax: Axes, one: Confusion, columns: int, first: bool, last: bool) -> None:
    """Numbers where there is room for them; dark cells have white ones."""
    from matplotlib.colors import LinearSegmentedColormap

    k, size = len(one.classes), small_size()
    shares = one.matrix / np.maximum(one.matrix.sum(axis=1, keepdims=True), 1)
    shades = LinearSegmentedColormap.from_list("counts", ["white", ACCENT])
    edges = np.arange(k + 1) - 0.5
    ax.pcolormesh(edges, edges, shares, cmap=shades, vmin=0, vmax=1, edgecolors="0.85", linewidth=0.5)
    labels = labels_of(one.classes)
    wide = ax.figure.get_figure(root=True).get_size_inches()[0] * POINTS_PER_INCH
    longest = max(width_of(label, size) for label in labels)
    cell = ((wide - longest - 4 * size) / columns - 2 * size) / k  # classes are named on the left of all panels only
    texts = [[count(int(cell)) for cell in row] for row in one.matrix]
    widest = max(width_of(text, size) for row in texts for text in row)
    fitting = next((part for part in (1.0, 0.8, 0.65) if part * widest < cell - 2 and 1.2 * part * size < cell), None)
    if fitting is not None:
        for i, row in enumerate(texts):
            for j, text in enumerate(row):
                if text != "0":
                    ax.text(j, i, text, ha="center", va="center", fontsize=size * fitting, in_layout=False,
                            color="white" if shares[i, j] > 0.55 else INK)  # fmt: skip
    fits = next((part for part in (1.0, 0.8, 0.6) if 1.25 * part * size < cell), 0.5)
    ax.set_xlim(-0.5, k - 0.5)
    ax.set_ylim(k - 0.5, -0.5)
    ax.set_yticks(range(k), labels if first else [""] * k)
    ax.set_xticks(range(k), labels if last else [""] * k, rotation=0 if longest * fits < cell - 3 else 90)
    ax.tick_params(length=0, labelsize=size * fits)
    ax.spines[:].set_color(FAINT)
    if first:
        ax.set_ylabel("true class", fontsize="medium")
    if last:
        ax.set_xlabel("assigned class", fontsize="medium")


def confusion_figure(matrices: Sequence[Confusion]) -> ConfusionMatrices:
    """The figure of the matrices of one task."""
    if len({one.task for one in matrices}) > 1:
        raise MisfitError(
            f"A figure shows the matrices of one task, and there are {len({one.task for one in matrices})}.",
            alternatives=["--task NAME"],
        )
    first = matrices[0]
    most = MOST_LEARNERS if len(first.classes) <= FEW_CLASSES else MOST_OF_MANY
    if len(matrices) > most or len(first.classes) > MOST_CLASSES:
        raise MisfitError(
            f"{len(matrices)} matrices of {len(first.classes)} classes cannot be read; at most {most} learners and "
            f"{MOST_CLASSES} classes are drawn.",
            alternatives=["--learner NAME (may be repeated)"],
        )
    where = f" on {first.task}" if first.task else ""
    accuracy = "; ".join(f"{one.learner} {number(one.measures.accuracy, 3)}" for one in matrices)
    caption = (
        f"Confusion matrices{where}: rows are the true classes, columns the assigned ones, counts are over "
        f"{counted(first.samples, 'test samples')}; the darker a cell, the larger its share of the row. Accuracy: "
        f"{accuracy}."
    )
    return ConfusionMatrices(tuple(matrices), literal(f"Confusion{where}"), literal(caption))
