"""The MANOVA projection: blocks of each learner on the directions in which learners differ most by several measures.

Alpaydın, section 19.14: the eigenvectors of E⁻¹H are the new measures that make MANOVA reject; where the first has most
of it, projecting on it orders the learners.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bakeoff.errors import DegenerateError, MisfitError
from bakeoff.figures.figure import COLOURS, MARKERS, Chart, key, label_rows, plain_axes
from bakeoff.figures.lettering import labels_of, literal, write_literally
from bakeoff.figures.tables import number_of, shared_blocks
from bakeoff.mathematics.multivariate import manova_blocks
from bakeoff.text import counted, percent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

ONE_DIRECTION = 0.9  # of all, from which on one direction tells it


@dataclass(frozen=True)
class Projection(Chart):
    """Points by learner on one direction or two. `weights` are those of the measures in each direction, in their
    order, and `shares` how much of the differences each direction has."""

    learners: tuple[str, ...]
    measures: tuple[str, ...]
    points: tuple[tuple[str, tuple[float, ...]], ...]
    weights: tuple[tuple[float, ...], ...]
    shares: tuple[float, ...]
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {
        "projection": "learners on the direction of several measures in which they differ most (MANOVA)"
    }
    made_of: ClassVar[str] = "scores"
    size: ClassVar[tuple[float, float]] = (5.6, 4.2)
    several_measures: ClassVar[bool] = True

    @classmethod
    def of(cls, source: Any, kind: str = "", *, measures: list[str] | None = None, **options: Any) -> Projection:
        """Of scores by several measures; of those named, or of all."""
        return projection(source, measures)

    def to_frame(self) -> pd.DataFrame:
        """One row a block of a learner."""
        import pandas as pd

        columns = ["learner", *(f"direction {i + 1}" for i in range(len(self.shares)))]
        return pd.DataFrame([(name, *place) for name, place in self.points], columns=columns)

    @property
    def flat(self) -> bool:
        """Whether one direction tells it."""
        return len(self.shares) == 1 or self.shares[0] >= ONE_DIRECTION

    def height_at(self, width: float) -> float:
        return 0.8 + 0.24 * len(self.learners) if self.flat else super().height_at(width)

    def draw(self, ax: Axes) -> None:
        where = {name: np.array([place for one, place in self.points if one == name]) for name in self.learners}
        axes = [f"direction {i + 1} ({percent(share)})" for i, share in enumerate(self.shares)]
        if self.flat:
            order = sorted(self.learners, key=lambda name: float(where[name][:, 0].mean()))
            for i, name in enumerate(order):
                x = where[name][:, 0]
                ax.plot(x, np.full(len(x), i), "|", color="0.5", markersize=6, markeredgewidth=0.7)
                ax.plot([x.mean()], [i], "o", color=COLOURS[0], markersize=5, zorder=4)
            plain_axes(ax, axes[0])
            label_rows(ax, labels_of(order))
        else:
            for i, (name, label) in enumerate(zip(self.learners, labels_of(self.learners), strict=True)):
                colour, mark = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
                x, y = where[name][:, 0], where[name][:, 1]
                ax.plot(x, y, mark, color=colour, markersize=2.8, alpha=0.5, markeredgewidth=0)
                ax.plot([x.mean()], [y.mean()], mark, color=colour, markersize=7, markeredgecolor="black", label=label)
            plain_axes(ax, *axes[:2])
            key(ax, handlelength=1.0)
        write_literally(ax)


def projection(scores: Any, measures: list[str] | None = None) -> Projection:
    """The table behind the figure: directions in which the learners differ most, over the blocks that all share."""
    names = list(measures or scores.measure.labels)
    if len(names) < 2 or len(scores.learners) < 2:
        raise MisfitError(
            f"A projection needs several measures of several learners; found {counted(len(names), 'measures')} and "
            f"{counted(len(scores.learners), 'learners')}.",
            alternatives=["scores by several measures: a column of each, or a column 'measure'"],
        )
    tables = [shared_blocks(scores, name) for name in names]
    if len({(table.n_blocks, table.learners) for table in tables}) > 1:
        raise MisfitError("The measures have values in different blocks, so that they cannot be put together.")
    try:
        result = manova_blocks(np.stack([table.values for table in tables], axis=2), measures=names, reduce="yes")
    except DegenerateError as error:
        raise MisfitError(f"MANOVA does not exist for these scores. {error}") from error
    first = tables[0]
    kept = [names[j] for j in result.kept]
    # Which end of a direction is which is nobody's: the first measure with the largest weight gets the sign it has.
    vectors = result.eigenvectors[:, :2]
    turn = np.sign(vectors[np.abs(vectors).argmax(axis=0), range(vectors.shape[1])])
    vectors = vectors * np.where(turn == 0, 1.0, turn)
    places = (np.stack([table.values for table in tables], axis=2)[:, :, list(result.kept)] @ vectors).tolist()
    points = tuple(
        (name, tuple(places[block][i])) for i, name in enumerate(first.learners) for block in range(first.n_blocks)
    )
    shares = tuple(float(share) for share in result.shares[: vectors.shape[1]])
    formula = " + ".join(f"{weight:.3g} {name}" for weight, name in zip(vectors[:, 0], kept, strict=True)).replace(
        "+ -", "− "
    )
    caption = (
        f"{len(first.learners)} learners by {counted(len(kept), 'measures')} on {number_of(first)}, projected on the "
        f"direction{'s' * (len(shares) > 1)} of E⁻¹H in which they differ most. Direction 1 is {formula}, and has "
        f"{percent(shares[0])} of the differences. Small marks are blocks, large ones means."
    )
    return Projection(first.learners, tuple(kept), points, tuple(map(tuple, vectors.T.tolist())), shares,
                      "Projection of several measures", literal(caption))  # fmt: skip
