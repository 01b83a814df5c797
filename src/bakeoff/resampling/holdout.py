"""One split into a learning and a test part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError

Rows = NDArray[np.int64]


def first_rows(n: int, n_train: int) -> tuple[Rows, Rows]:
    """The first `n_train` rows to learn from, the rest to test on: for data that come with such a split, or in time.

    >>> [part.tolist() for part in first_rows(5, 3)]
    [[0, 1, 2], [3, 4]]
    """
    _check(n, n_train)
    return np.arange(n_train), np.arange(n_train, n)


def random_split(n: int, rng: np.random.Generator, test_share: float = 1 / 3) -> tuple[Rows, Rows]:
    """A random split, each part in the order of the rows; a third is set aside unless told otherwise.

    >>> train, test = random_split(9, np.random.default_rng(1))
    >>> len(train), len(test), sorted([*train.tolist(), *test.tolist()]) == list(range(9))
    (6, 3, True)
    """
    if not 0 < test_share < 1:
        raise UsageError(f"The share to test on lies strictly between 0 and 1; found {test_share!r}.")
    n_train = n - round(n * test_share)
    _check(n, n_train)
    order = rng.permutation(n)
    return np.sort(order[:n_train]), np.sort(order[n_train:])


def _check(n: int, n_train: int) -> None:
    if not 0 < n_train < n:
        raise UsageError(
            f"Both parts of a split need at least one of the {n} rows; found {n_train} to learn from and "
            f"{n - n_train} to test on."
        )
