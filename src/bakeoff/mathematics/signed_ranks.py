"""The law of a signed-rank sum, and order statistics of Walsh averages.

Both serve Wilcoxon's test: the law gives its p-value, the Walsh averages (di + dj)/2, i ≤ j, its estimate and
interval, because the sum of the positive ranks is the number of positive Walsh averages.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Up to so many values all Walsh averages are held at once: two million of them.
FEW = 2000


def sum_law(ranks: Array) -> Array:
    """P(W = w/2) for w = 0, 1, 2, …: W sums the ranks whose sign, a fair coin, comes up positive.

    Ranks may be halves (ties share mean ranks), so twice their value is a whole number. The shift algorithm of
    Streitberg and Röhmel: each rank moves half of the probability up by its value.

    >>> sum_law(np.array([1.0, 2.5])).tolist()
    [0.25, 0.0, 0.25, 0.0, 0.0, 0.25, 0.0, 0.25]
    """
    doubled = np.rint(2 * np.sort(ranks)).astype(np.intp)
    law = np.zeros(int(doubled.sum()) + 1)
    unit = max(int(np.gcd.reduce(doubled)), 1)
    law[::unit] = _whole_sum_law((doubled // unit).tolist())
    return law


def _whole_sum_law(steps: Sequence[int]) -> Array:
    law = np.zeros(sum(steps) + 1)
    law[0], reach = 1.0, 0
    for step in steps:
        law[: reach + 1] /= 2
        law[step : reach + step + 1] += law[: reach + 1].copy()
        reach += step
    return law


def tails(law: Array, w: float) -> tuple[float, float]:
    """P(W ≥ w) and P(W ≤ w), the outcome w counted in both."""
    at = round(2 * w)
    return min(1.0, float(law[at:].sum())), min(1.0, float(law[: at + 1].sum()))


def lower_index(law: Array, tail: float) -> int:
    """The largest number k of Walsh averages that may be cut off: P(W < k) ≤ tail, in the law of whole ranks 1 … n."""
    below = np.cumsum(law[::2])
    return int(np.searchsorted(below, tail * (1 + 1e-12), side="right"))


def walsh_order_statistics(values: Array, positions: Sequence[int]) -> list[float]:
    """The Walsh averages at these positions, counted from 1, in order of size; −∞ and ∞ beyond both ends.

    >>> walsh_order_statistics(np.array([0.0, 2.0, 6.0]), [0, 1, 3, 7])
    [-inf, 0.0, 2.0, inf]
    """
    n = len(values)
    total = n * (n + 1) // 2
    inside = sorted({k for k in positions if 1 <= k <= total})
    if n <= FEW:
        rows, columns = np.triu_indices(n)
        ordered = np.sort((values[rows] + values[columns]) / 2)
        found = {k: float(ordered[k - 1]) for k in inside}
    else:
        ordered = np.sort(values)
        found = {k: _walsh_by_counting(ordered, k) for k in inside}
    return [-inf if k < 1 else inf if k > total else found[k] for k in positions]


def _walsh_by_counting(ordered: Array, k: int) -> float:
    """The k-th smallest Walsh average without making them all: halve the range, counting those on one side."""
    own = np.arange(len(ordered))

    def enough(theta: float) -> bool:
        """Whether k Walsh averages are at most θ: for each i, count the partners j ≥ i with dj ≤ 2θ − di."""
        partners = np.searchsorted(ordered, 2 * theta - ordered, side="right") - own
        return int(np.maximum(partners, 0).sum()) >= k

    low, high = float(ordered[0]), float(ordered[-1])
    for _ in range(60):
        middle = low + (high - low) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return _nearest_walsh(ordered, high)


def _nearest_walsh(ordered: Array, theta: float) -> float:
    """The Walsh average nearest to θ, which frees the answer from the rounding of 2θ − di."""
    right = np.minimum(np.searchsorted(ordered, 2 * theta - ordered), len(ordered) - 1)
    averages = (ordered[:, None] + ordered[np.column_stack([np.maximum(right - 1, 0), right])]).ravel() / 2
    return float(averages[np.argmin(np.abs(averages - theta))])
