"""Numeric predictions, kept beside the losses made from them: ROC curves and later measures need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bakeoff.scores.factor import frozen


@dataclass(frozen=True, eq=False)
class Predictions:
    """The truth of each instance, and a column of numbers (scores, probabilities) per learner."""

    truth: NDArray[np.float64]
    values: NDArray[np.float64]
    learners: tuple[str, ...]
    task: NDArray[np.str_]

    def only(self, tasks: Sequence[str] | None, learners: Sequence[str] | None) -> Predictions:
        """The instances of some tasks and the columns of some learners, in the order given."""
        rows = np.ones(len(self.truth), dtype=bool) if tasks is None else np.isin(self.task, list(tasks))
        names = self.learners if learners is None else tuple(learners)
        columns = [self.learners.index(name) for name in names]
        return Predictions(
            frozen(self.truth[rows]), frozen(self.values[rows][:, columns]), names, frozen(self.task[rows])
        )

    @property
    def binary(self) -> bool:
        """Whether the truth is one of two classes, 0 and 1."""
        return bool(np.isin(self.truth, (0.0, 1.0)).all()) and len(np.unique(self.truth)) == 2
