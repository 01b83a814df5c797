"""The law of the sum of m whole numbers drawn from N without replacement: what exchanging two samples' labels gives.

1. *Shifts* (Streitberg and Röhmel 1986): score by score, the number of ways to reach a sum with c of the scores grows
   by those of reaching it with c − 1 of the scores before.
2. *Halves*: if scores are large but few, the sums of all subsets of each half are made, and the pairs of them that have
   m scores together are counted in sorted order.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array, whole_steps
from bakeoff.mathematics.laws import end_tail, normal_quantile, one_sided

Whole = NDArray[np.int64]

LARGEST_WORK = 4e8  # additions of the shift algorithm
LITTLE_WORK = 1e6  # below, it beats the sums of halves in any case
LARGEST_TABLE = 2**24  # cells of its table
FEW = 32  # scores of which all subsets of halves are made
MOST = 1000  # scores; beyond, the number of ways is no float
CHUNK = 2**17  # random draws at a time
MANY_RELABELLINGS = 1000  # values up to which "auto" draws relabellings where it cannot make them all
FEW_DRAWS = 2**16  # relabellings up to which the interval is exact


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of draws whose sum is at least, at most, and at least as far from its mean as that of the data."""

    above: float
    below: float
    far: float


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """Two samples as whole numbers: all scores, the size and the sum of the smaller sample, and whether it is the first
    one."""

    scores: Whole
    m: int
    w: int
    of_first: bool

    @classmethod
    def of(cls, both: Array, n: int) -> Draw:
        """The first n values are the first sample."""
        whole = whole_steps(both - both.min(), float(np.abs(both).max()))
        if 2 * n <= len(both):
            return cls(whole, n, int(whole[:n].sum()), True)
        return cls(whole, len(both) - n, int(whole[n:].sum()), False)

    def side(self, alternative: str) -> str:
        """The alternative about the smaller sample that is the one asked for about the first."""
        return alternative if self.of_first else {"greater": "less", "less": "greater"}.get(alternative, alternative)

    def method(self, name: str) -> str:
        """The method asked for, with "auto" settled by what is affordable."""
        if name not in ("auto", "exact"):
            return name
        if can_be_exact(self.scores, self.m):
            return "exact"
        if name == "auto":
            return "monte-carlo" if len(self.scores) <= MANY_RELABELLINGS else "asymptotic"
        raise UsageError(
            f"The exact law of {len(self.scores)} values with so many digits is too much work. Round them, or use the "
            "method monte-carlo."
        )


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
    counts = [0] * len(limits)
    for size, sums in enumerate(one):
        if not 0 <= m - size < len(other):
            continue
        ordered = np.sort(sums)
        for i, limit in enumerate(limits):
            counts[i] += int(np.searchsorted(ordered, limit - other[m - size], side="right").sum())
    return counts


def _by_size(scores: Whole) -> list[Whole]:
    """Sums of all subsets, by the number of scores in them."""
    sums = [np.zeros(1, dtype=np.int64)] + [np.empty(0, dtype=np.int64)] * len(scores)
    for score in scores.tolist():
        sums = [sums[0], *(np.concatenate([sums[c], sums[c - 1] + score]) for c in range(1, len(sums)))]
    return sums


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
    differences = [np.subtract.outer(a, b).ravel() for a, b in zip(ours[1:], theirs[1:], strict=False)]
    return float(np.partition(np.concatenate(differences), cut)[cut])


def _means_by_size(values: Array) -> list[Array]:
    sums_by_size = [np.zeros(1)] + [np.empty(0)] * len(values)
    for value in values.tolist():
        sums_by_size = [
            sums_by_size[0],
            *(np.concatenate([sums_by_size[c], sums_by_size[c - 1] + value]) for c in range(1, len(sums_by_size))),
        ]
    return [sums / max(size, 1) for size, sums in enumerate(sums_by_size)]


# ----------------------------------------------------------------------------------------------------------------------
# The difference of two samples, standardised over all relabellings, and the shifts that the test does not reject.


def draw_difference(x: Array, y: Array) -> float:
    """The difference of the means; rounding error counts as zero."""
    unit = max(float(np.abs(x).max()), float(np.abs(y).max())) or 1.0
    difference = float(np.mean(x / unit) - np.mean(y / unit))
    return 0.0 if abs(difference) < 1e-13 else difference * unit


def draw_z(x: Array, y: Array) -> float:
    """(Σx − n μ) / √(n m σ² / (N − 1)), with μ and σ² those of all N values; 0 if they are all the same.

    >>> round(draw_z(np.array([12.0, 15, 11, 18, 14, 16]), np.array([10.0, 9, 13, 8, 12])), 4)
    2.1331
    """
    both = np.concatenate([x, y])
    unit = float(np.ptp(both))
    if unit == 0:
        return 0.0
    centred = (both - both.mean()) / unit
    n, total = len(x), len(both)
    variance = n * (total - n) / (total * (total - 1)) * float(centred @ centred)
    return float(centred[:n].sum()) / sqrt(variance)


def draw_interval(
    x: Array, y: Array, confidence: float, alternative: str, asymptotic: bool = False
) -> tuple[float, float]:
    """The shifts of the first sample against the second that the test does not reject."""
    tail = end_tail(confidence, alternative)
    n, total = len(x), len(x) + len(y)
    if not asymptotic and total <= 40 and comb(total, n) <= FEW_DRAWS:
        return one_sided(lowest_difference(x, y, tail), -lowest_difference(y, x, tail), alternative)
    # z(θ)² = z² is solved by (D − θ)² = z² W / (c (N − 1 − z²)), W the sum of squares within, c = n m / N.
    z2 = normal_quantile(1 - tail) ** 2
    unit = max(float(np.abs(x).max()), float(np.abs(y).max())) or 1.0
    within = sum(float(np.sum((v / unit - np.mean(v / unit)) ** 2)) for v in (x, y))
    free = total - 1 - z2
    half = sqrt(z2 * within / (n * len(y) / total * free)) * unit if free > 0 else inf
    middle = draw_difference(x, y)
    return one_sided(middle - half, middle + half, alternative)
