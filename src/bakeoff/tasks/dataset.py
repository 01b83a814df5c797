"""A data set: a learning sample as it lies in memory, the same for every learner."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.resampling.draws import Draws

if TYPE_CHECKING:
    import pandas as pd


class Kind(StrEnum):
    """What is to be learned."""

    CLASSIFICATION = "classification"
    REGRESSION = "regression"
    DENSITY = "density"


@dataclass(frozen=True, eq=False)
class Dataset:
    """Inputs and, unless a density is to be learned, what is to be predicted from them.

    `X` is an array of numbers if all inputs are numbers, else a DataFrame with a column for each input. `y` are the
    labels as the user knows them (classification), numbers (regression) or None (density); `classes` are the distinct
    labels in order, the last of two being the positive one, and `codes` the position of each row's label in them.
    `groups` and `clusters` number the rows that belong together. `test` holds the rows of a test sample that came with
    the data. `draws` tells where the samples lie if the rows were drawn, sample by sample. `key` is the hash of the
    content; `origin`, of drawn samples, that of what stays the same when more of them are drawn.
    """

    name: str
    kind: Kind
    X: NDArray[np.float64] | pd.DataFrame
    y: NDArray[Any] | None
    classes: tuple[Any, ...]
    codes: NDArray[np.int64] | None
    features: tuple[str, ...]
    categorical: tuple[str, ...]
    n_missing: int
    key: str
    groups: NDArray[np.int64] | None = None
    clusters: NDArray[np.int64] | None = None
    test: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()
    draws: Draws | None = None
    target: str = "target"  # what the column of `y` is called in files that commands read
    origin: str = ""

    @property
    def task_key(self) -> str:
        """What results are stored under: more samples of the same origin are more rows of the same task."""
        return self.origin or self.key

    @property
    def n(self) -> int:
        return len(self.X)

    def rows(self, indices: NDArray[np.integer[Any]]) -> tuple[Any, Any]:
        """Inputs and labels of some rows, as copies: a learner that changes them changes nothing else."""
        X = self.X[indices] if isinstance(self.X, np.ndarray) else self.X.iloc[indices].reset_index(drop=True)
        return X, None if self.y is None else self.y[indices]
