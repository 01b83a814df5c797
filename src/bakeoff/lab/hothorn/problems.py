"""What both experiments share: the columns of their tables, bootstrap counts in folds, and the test."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array
from bakeoff.mathematics.laws import check_alpha, normal_quantile

COLUMNS = ("sim2000", "sim_n", "comp", "oob", "oob2n", "cv")
LARGE_TEST_SAMPLE = 2000
FOLDS = 5


def fold_counts(n: int, samples: int, rng: np.random.Generator, folds: int = FOLDS) -> Array:
    """How often each of n observations stands in each fold of each bootstrap sample: samples × folds × n.

    Positions of a bootstrap sample are independent draws, so contiguous folds are as good as random ones. Counting
    draws is faster than drawing counts from a multinomial law.

    >>> fold_counts(10, 3, np.random.default_rng(0)).sum(axis=2).tolist()[0]
    [2.0, 2.0, 2.0, 2.0, 2.0]
    """
    drawn = rng.integers(0, n, size=(samples, n), dtype=np.uint16 if n < 2**16 else np.int64)
    fold = np.arange(n) * folds // n
    cell = (np.arange(samples)[:, None] * folds + fold) * n + drawn
    # Weights of one make the counts floating point at once, without a second table.
    counts = np.bincount(cell.ravel(), np.ones(cell.size), minlength=samples * folds * n)
    return np.asarray(counts.reshape(samples, folds, n), dtype=float)


def validation_counts(folds: Array, counts: Array) -> Array:
    """The cases of each fold to validate on: those all of whose copies are in this fold, so none in training."""
    return np.asarray(folds * (folds == counts[:, None, :]))


def rejects(sums: Array, squares: Array, alpha: float) -> NDArray[np.bool_]:
    """Whether z = Σd/√(Σd²) exceeds the normal quantile; no difference anywhere is no rejection."""
    return np.asarray(sums > normal_quantile(1 - check_alpha(alpha)) * np.sqrt(squares))


def check_sizes(n: int, samples: int, replications: int) -> None:
    for value, least, name in ((n, 10, "n"), (samples, 2, "samples"), (replications, 1, "replications")):
        if value != int(value) or value < least:
            raise UsageError(f"{name!r} must be a whole number of at least {least}; found {value!r}.")
