"""The exact law of Friedman's statistic: every order of the ranks within each task is equally likely.

Only the rank sums of the learners matter, and by symmetry only their sorted values. Task by task, the sums reached so
far are combined with all orders of the task's own ranks (ties included), and equal outcomes are put together.
"""

from __future__ import annotations

from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

SMALL = 2**14  # combinations of a step that cost a few milliseconds
LARGE = 2**22


def spread_law(ranks: ArrayLike, most: int = LARGE) -> tuple[Whole, Array] | None:
    """The values of the spread of k rank sums and their probabilities; None if there are too many combinations.

    `ranks` has a row a task; mean ranks of ties are halves.

    >>> values, p = spread_law([[1, 2, 3], [1, 2, 3]])
    >>> (values / 12).tolist(), (36 * p).round().tolist()  # Σ (R − R̄)², and how many of 36 orders
    ([0.0, 2.0, 6.0, 8.0], [6.0, 12.0, 12.0, 6.0])
    """
    doubled = np.rint(2 * np.atleast_2d(np.asarray(ranks, dtype=float))).astype(np.int64)
    k = doubled.shape[1]
    base = int(doubled.max(axis=1).sum()) + 1
    if factorial(k) > most or base**k >= 2**62:
        return None
    places = base ** np.arange(k, dtype=np.int64)
    sums, p = np.sort(doubled[:1], axis=1), np.ones(1)
    for task in doubled[1:]:
        orders = np.array(sorted(set(permutations(task.tolist()))), dtype=np.int64)
        if len(sums) * len(orders) > most:
            return None
        reached = np.sort((sums[:, None, :] + orders[None, :, :]).reshape(-1, k), axis=1)
        _, first, which = np.unique(reached @ places, return_index=True, return_inverse=True)
        p = _gathered(which, np.repeat(p, len(orders)) / len(orders))
        sums = reached[first]
    values, which = np.unique(spread(sums), return_inverse=True)
    return values, _gathered(which, p)


def _gathered(which: NDArray[np.intp], p: Array) -> Array:
    """The sum of p for each number in `which`."""
    return np.asarray(np.bincount(which, weights=p), dtype=float)


def spread(doubled_sums: Whole) -> Whole:
    """4k Σ (R_j − R̄)², a whole number, of rows of rank sums that were doubled: k Σ (2R)² − (Σ 2R)²."""
    k = doubled_sums.shape[-1]
    return np.asarray(k * np.sum(doubled_sums * doubled_sums, axis=-1) - np.sum(doubled_sums, axis=-1) ** 2)


def spread_tail(ranks: ArrayLike, most: int = LARGE) -> float | None:
    """P(spread ≥ that of these ranks); None if there are too many combinations.

    >>> spread_tail([[1, 2, 3], [1, 2, 3]])
    0.16666666666666666
    """
    table = np.atleast_2d(np.asarray(ranks, dtype=float))
    law = spread_law(table, most)
    if law is None:
        return None
    values, p = law
    observed = int(spread(np.rint(2 * table).astype(np.int64).sum(axis=0)))
    return min(1.0, float(p[values >= observed].sum()))
