"""The law of the sum of m whole numbers drawn from N without replacement: what exchanging two samples' labels gives.

1. *Shifts* (Streitberg and Röhmel 1986): score by score, the number of ways to reach a sum with c of the scores grows
   by those of reaching it with c − 1 of the scores before.
2. *Halves*: if scores are large but few, the sums of all subsets of each half are made, and the pairs of them that have
   m scores together are counted in sorted order.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, inf

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

LARGEST_WORK = 4e8  # additions of the shift algorithm
LITTLE_WORK = 1e6  # below, it beats the sums of halves in any case
LARGEST_TABLE = 2**24  # cells of its table
FEW = 32  # scores of which all subsets of halves are made
MOST = 1000  # scores; beyond, the number of ways is no float
CHUNK = 2**17  # random draws at a time


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of draws whose sum is at least, at most, and at least as far from its mean as that of the data."""

    above: float
    below: float
    far: float


def can_be_exact(scores: Whole, m: int) -> bool:
    """Whether the exact law is affordable."""
    return len(scores) <= FEW or _by_shifts(scores, m)


def _by_shifts(scores: Whole, m: int) -> bool:
    """Whether the shift algorithm is affordable, and no slower than the sums of halves."""
    n, reach = len(scores), float(_reach(scores, m))
    work = n * m * reach / 4
    return n <= MOST and (m + 1) * reach <= LARGEST_TABLE and work <= (LITTLE_WORK if n <= FEW else LARGEST_WORK)


def _reach(scores: Whole, m: int) -> int:
    """The largest sum of m scores, counted from the smallest score."""
    return int(np.sort(scores - scores.min())[len(scores) - m :].sum()) + 1


def draw_shares(scores: Whole, m: int, w: int) -> Shares:
    """How extreme the sum w of m of the scores is among all draws of m. `m` is at most half of them.

    >>> draw_shares(np.array([1, 2, 3, 4]), 2, 7)  # of the sums 3, 4, 5, 5, 6, 7
    Shares(above=0.16666666666666666, below=1.0, far=0.3333333333333333)
    """
    n, total = len(scores), int(scores.sum())
    # |N w − m Σ| whole numbers: the distance of a sum from its mean, without division.
    distance = abs(n * w - m * total)
    low, high = (m * total - distance) // n, -((-m * total - distance) // n)
    if _by_shifts(scores, m):
        least = int(scores.min())
        ways = _ways(scores - least, m)
        sums = np.arange(len(ways)) + m * least

        def share(of: NDArray[np.bool_]) -> float:
            return min(1.0, float(ways[of].sum() / ways.sum()))

        return Shares(share(sums >= w), share(sums <= w), share((sums <= low) | (sums >= high)))
    above, below, left, right = _counted(scores, m, [w - 1, w, low, high - 1])
    everything = comb(n, m)
    far = everything if distance == 0 else left + everything - right
    return Shares((everything - above) / everything, below / everything, far / everything)


def _ways(scores: Whole, m: int) -> Array:
    """How many draws of m scores have the sum 0, 1, …, counted in floats."""
    ways = np.zeros((m + 1, _reach(scores, m)))
    ways[0, 0] = 1.0
    for number, step in enumerate(np.sort(scores).tolist()):
        for c in range(min(m, number + 1), 0, -1):  # from the top, so that no score is taken twice
            if step < ways.shape[1]:
                ways[c, step:] += ways[c - 1, : ways.shape[1] - step]
    return np.asarray(ways[m])


def _counted(scores: Whole, m: int, limits: list[int]) -> list[int]:
    """How many draws have a sum of at most each limit."""
    one, other = _by_size(scores[::2]), _by_size(scores[1::2])
    found = [0] * len(limits)
    for size, sums in enumerate(one):
        if not 0 <= m - size < len(other):
            continue
        ordered = np.sort(sums)
        for i, limit in enumerate(limits):
            found[i] += int(np.searchsorted(ordered, limit - other[m - size], side="right").sum())
    return found


def _by_size(scores: Whole) -> list[Whole]:
    """Sums of all subsets, by the number of scores in them."""
    made = [np.zeros(1, dtype=np.int64)] + [np.empty(0, dtype=np.int64)] * len(scores)
    for score in scores.tolist():
        made = [made[0], *(np.concatenate([made[c], made[c - 1] + score]) for c in range(1, len(made)))]
    return made


def random_draws(scores: Whole, m: int, w: int, resamples: int, seed: int) -> tuple[int, int, int]:
    """Of so many random draws: how many sums are ≥ w, ≤ w, and at least as far from the mean.

    Score by score, each draw takes it with the chance that it still needs: memory is for a few numbers a draw, and for
    no more than CHUNK draws at a time.
    """
    rng = np.random.Generator(np.random.SFC64(seed))
    values = scores.astype(float)
    n, mean, size = len(values), m * float(values.mean()), float(np.abs(values).sum())
    tie = 0.25 / n if size * n < 2.0**50 else 8 * float(np.finfo(float).eps) * size
    above = below = far = 0
    for start in range(0, resamples, CHUNK):
        sums = _sums_of_draws(values, m, min(CHUNK, resamples - start), rng)
        above += int(np.count_nonzero(sums >= w - tie))
        below += int(np.count_nonzero(sums <= w + tie))
        far += int(np.count_nonzero(np.abs(sums - mean) >= abs(w - mean) - tie))
    return above, below, far


def _sums_of_draws(values: Array, m: int, draws: int, rng: np.random.Generator) -> Array:
    sums, needed = np.zeros(draws), np.full(draws, float(m))
    for i, value in enumerate(values.tolist()):
        taken = rng.random(draws) * (len(values) - i) < needed
        needed -= taken
        sums[taken] += value
    return sums


def lowest_difference(x: Array, y: Array, tail: float) -> float:
    """The lower end of the shifts of x against y that the exact test does not reject; −∞ if the level is out of reach.

    Exchanging a subset of x for one of y of the same size raises the sum of x − θ if mean_y + θ exceeds mean_x, so
    the end is an order statistic of the differences of means of all subsets of equal size.

    >>> lowest_difference(np.array([3.0, 5.0]), np.array([1.0, 2.0]), 1 / 3)  # of 1, 2, 2.5, 3, 4
    2.0
    """
    everything = comb(len(x) + len(y), len(x))
    cut = int(tail * everything * (1 + 1e-12)) - 1
    if cut < 0:
        return -inf
    ours, theirs = _means_by_size(x), _means_by_size(y)
    made = [np.subtract.outer(a, b).ravel() for a, b in zip(ours[1:], theirs[1:], strict=False)]
    return float(np.partition(np.concatenate(made), cut)[cut])


def _means_by_size(values: Array) -> list[Array]:
    made = [np.zeros(1)] + [np.empty(0)] * len(values)
    for value in values.tolist():
        made = [made[0], *(np.concatenate([made[c], made[c - 1] + value]) for c in range(1, len(made)))]
    return [sums / max(size, 1) for size, sums in enumerate(made)]
