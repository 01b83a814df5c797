"""Truth and prediction, as measures read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Truth:
    """What was to be predicted: codes of classes (classification), numbers (regression), or nothing but a count."""

    kind: str  # "classification", "regression" or "density", as in tasks.dataset.Kind
    values: NDArray[Any]  # int64 codes, float64 numbers; zeros for a density
    classes: tuple[Any, ...] = ()

    def rows(self, indices: NDArray[np.integer[Any]]) -> Truth:
        return Truth(self.kind, self.values[indices], self.classes)


@dataclass(frozen=True, eq=False)
class Prediction:
    """What a learner said of each test row.

    `values` are codes of classes, numbers, or log densities. `scores` are what the learner ordered the rows by: for two
    classes one number a row (of the second class), for more a column a class; None if it gives none. They are
    probabilities if `probabilistic`, else a decision function.
    """

    values: NDArray[Any]
    scores: NDArray[np.float64] | None = None
    probabilistic: bool = False
