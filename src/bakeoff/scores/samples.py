"""Independent samples: each learner's own values, where learners do not share their blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bakeoff.measures import Measure
from bakeoff.scores.blocks import Level, grid
from bakeoff.scores.factor import frozen
from bakeoff.scores.table import Scores, cell_numbers


@dataclass(frozen=True, eq=False)
class Samples:
    """The values of one measure, learner by learner; values that are missing are left out. `n_test` may be NaN."""

    measure: Measure
    learners: tuple[str, ...]
    values: tuple[NDArray[np.float64], ...]
    n_test: tuple[float, ...]

    @property
    def means(self) -> NDArray[np.float64]:
        return np.array([column.mean() if len(column) else np.nan for column in self.values])

    @property
    def best_first(self) -> tuple[int, ...]:
        return tuple(int(i) for i in np.argsort(-self.measure.sign * self.means, kind="stable"))


def samples(scores: Scores, *, level: Level) -> Samples:
    """Each learner's values at a level; finer rows are averaged within the blocks of that level."""
    measure = scores.measures[scores.measure.labels[0]]
    fine = grid(scores)
    keys = {
        Level.INSTANCES: ("task", "repeat", "fold", "instance"),
        Level.RESAMPLES: ("task", "repeat", "fold"),
        Level.TASKS: ("task",),
        Level.SINGLE: (),
    }[level]
    block = cell_numbers(scores, keys)[fine.first_row] if keys else np.zeros(len(fine.values), dtype=np.int64)
    columns, sizes = [], []
    for j in range(len(scores.learners)):
        have = ~np.isnan(fine.values[:, j])
        _, member = np.unique(block[have], return_inverse=True)
        sums = np.bincount(member, weights=fine.values[have, j])
        columns.append(frozen(sums / np.bincount(member)))
        known = scores.n_test[(scores.learner.codes == j) & ~np.isnan(scores.n_test)]
        sizes.append(float(known.sum()) if len(known) else float("nan"))
    return Samples(measure, scores.learners, tuple(columns), tuple(sizes))


def unpaired(scores: Scores) -> Scores:
    """The same scores, read as if no two learners shared a block: for designs in which they did not.

    >>> from bakeoff.measures import known_measure
    >>> made = Scores.of([0.9, 0.8], learner=["a", "b"], fold=["1", "1"], measures={"auc": known_measure("auc")})
    >>> unpaired(made).independent
    True
    """
    if scores.independent:
        return scores
    came = scores.provenance
    return replace(
        scores,
        independent=True,
        notes=(*scores.notes, "learners are independent samples, as you said"),
        provenance=None if came is None else came.changed("learners taken for independent samples"),
        by_instance=None,  # test rows that learners have in common
    )
