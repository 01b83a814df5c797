"""Splits inside a learning sample, for tuning: nested, so that no test row has a say in the choice."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.resampling.cross_validation import CrossValidation
from bakeoff.resampling.scheme import whole
from bakeoff.resampling.split import Rows, Sample
from bakeoff.resampling.units import Units

Labels = NDArray[np.integer[Any]]


def inner_splits(
    n: int, folds: int, strata: Labels | None = None, groups: Labels | None = None, seed: int = 0
) -> list[tuple[Rows, Rows]]:
    """Cross-validation of a learning sample of n rows, as pairs of positions in it: learn from, validate on.

    `groups` is what `inner_groups` says. A sample of fewer rows or groups than folds is divided into as many folds as
    it has of them, because a grid can be searched there too; of fewer than two it cannot.

    >>> [(train.tolist(), test.tolist()) for train, test in inner_splits(4, 2, groups=np.array([5, 8, 8, 9]))]
    [([0, 3], [1, 2]), ([1, 2], [0, 3])]
    """
    whole(folds, "folds", 2)
    sample = Sample(n, _codes(strata), _codes(groups))
    units = Units.of(sample)
    if units.n < 2:
        raise UsageError(
            f"Tuning divides the learning sample, which needs two different rows or groups; found {units.word(units.n)}"
            f" among {n} row{'s' * (n != 1)}. Leave out the tuning, or use a resampling that learns from more rows."
        )
    scheme = CrossValidation(folds=min(folds, units.n))
    return [(one.train, one.test) for one in scheme.splits(sample, seed).splits]


def inner_groups(train: Labels, groups: Labels | None = None) -> NDArray[np.int64] | None:
    """What has to stay together inside a learning sample: the groups of its rows, or the copies of a row.

    `train` are the rows of the learning sample, `groups` the groups of all rows of the data. In a bootstrap sample a
    row occurs several times; validated on by what learned its copy, it would flatter whatever learns by heart.

    >>> inner_groups(np.array([0, 2, 2, 5])).tolist()
    [0, 2, 2, 5]
    >>> inner_groups(np.array([0, 2, 5])) is None
    True
    """
    if groups is not None:
        return np.asarray(groups[train], dtype=np.int64)
    return np.asarray(train, dtype=np.int64) if len(np.unique(train)) < len(train) else None


def _codes(labels: Labels | None) -> NDArray[np.int64] | None:
    return None if labels is None else np.unique(labels, return_inverse=True)[1].astype(np.int64).reshape(-1)
