"""The law of a sum of whole numbers whose signs are fair coins: exactly, or by drawing from it.

With scores s_i ≥ 0 and fair coins c_i ∈ {0, 1} let W = Σ c_i s_i. All signed sums are 2W − Σ s_i, so the tails of W are
those of a matched-pairs permutation test. W is symmetric about half of the total, so only its lower tail is needed.

1. *Shifts* (Streitberg and Röhmel 1986): each score adds to the number of ways to reach w those of reaching w − s. The
   scores are dealt into two halves, and P(W ≤ t) = Σ_x P(W₁ = x) P(W₂ ≤ t − x), which takes a third of the time.
2. *Halves*: if scores are large but few, all sums of each half are made and the pairs of them counted in sorted order.
3. *Rounding*: if scores are large and many, they are rounded to a grid that 1 can do, and the answer is bounded from
   both sides, because the rounding errors of a sum are.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, inf

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

LARGEST_WORK = 4e8  # additions of the shift algorithm: about half a second
LITTLE_WORK = 1e6  # below, it beats the sums of halves in any case
GRID = 2**18  # total of rounded scores
FEW = 32  # scores of which all sums of halves are made: 2 × 2^16
GROUP = 12  # signs that one look-up of a random resample decides
SMALL_GROUP = 8  # the same where tables of twelve signs would take too much memory
MEMORY = 2**26  # bytes for these tables
CHUNK = 2**16  # random resamples at a time
RESCALE = 512  # 2^512 can be squared in a float


@dataclass(frozen=True, slots=True)
class Tails:
    """P(W ≥ w) and P(W ≤ w), the outcome w counted in both, and between which bounds the smaller of them lies."""

    above: float
    below: float
    lowest: float
    highest: float

    @property
    def exact(self) -> bool:
        return self.lowest == self.highest


def flip_tails(scores: Whole, w: int) -> Tails:
    """The tails of W at w.

    >>> flip_tails(np.array([1, 2, 3]), 5)  # of the sums 0, 1, 2, 3, 3, 4, 5, 6
    Tails(above=0.25, below=0.875, lowest=0.25, highest=0.25)
    """
    scores = scores[scores > 0]
    total = int(scores.sum())
    t = min(w, total - w)
    work = len(scores) * total / 4
    if work > LARGEST_WORK and len(scores) > FEW:
        return _rounded(scores, w, t)
    if work > LITTLE_WORK and len(scores) <= FEW:
        at, beyond = _by_halves(scores, t), _by_halves(scores, t - 1)
    else:
        at, beyond = _shifted(scores, np.array([t, t - 1]))
    return _tails(w, t, at, beyond, at, at)


def _tails(w: int, t: int, at: float, beyond: float, lowest: float, highest: float) -> Tails:
    """From P(W ≤ t) and P(W ≤ t − 1), t being w or its mirror image, whichever is smaller."""
    other = min(1.0, 1.0 - beyond)
    return Tails(other, at, lowest, highest) if w == t else Tails(at, other, lowest, highest)


def _shifted(scores: Whole, limits: Whole) -> list[float]:
    """P(W ≤ t) for each t of `limits`, by shifts."""
    ordered = np.sort(scores)
    most = int(limits.max())
    first, second = _ways(ordered[::2], most), np.cumsum(_ways(ordered[1::2], most))
    found = []
    for t in limits.tolist():
        reach = min(t, len(first) - 1)
        rest = np.minimum(t - np.arange(reach + 1), len(second) - 1)
        # A sum of products, not a dot product: that one starts threads, which take longer than they save.
        found.append(float(np.sum(first[: reach + 1] * second[rest])) if t >= 0 else 0.0)
    return found


def _ways(scores: Whole, most: int) -> Array:
    """P(W = w) for w up to the total or `most`. Ways are counted in floats, exact up to 2^53 and then rounded."""
    size = max(min(int(scores.sum()), most) + 1, 1)
    steps = [step for step in scores.tolist() if step < size]
    # Zeros before the start and beyond the end, so that one addition does for every sum.
    start = max(steps, default=0)
    ways, grown = np.zeros(start + size), np.zeros(start + size)
    ways[start], end = 1.0, 1
    for number, step in enumerate(steps):
        if number % RESCALE == RESCALE - 1:
            ways *= 2.0**-RESCALE
        end = min(end + step, size)
        np.add(ways[start : start + end], ways[start - step : start - step + end], out=grown[start : start + end])
        ways, grown = grown, ways
    # A score beyond the limit is never part of the sum: its coin only halves.
    halvings = len(scores) - RESCALE * (len(steps) // RESCALE)
    return np.asarray(np.ldexp(ways[start:], -halvings))


def _by_halves(scores: Whole, t: int) -> float:
    """P(W ≤ t) from all sums of one half of the scores and all of the other."""
    one, other = (_all_sums(part) for part in (scores[::2], scores[1::2]))
    found = int(np.searchsorted(np.sort(one), t - other, side="right").sum())
    return float(found / 2 ** len(scores))


def _all_sums(scores: Whole) -> Whole:
    sums = np.zeros(1, dtype=np.int64)
    for score in scores.tolist():
        sums = np.concatenate([sums, sums + score])
    return sums


def _rounded(scores: Whole, w: int, t: int) -> Tails:
    """The same after rounding scores to a grid, with bounds that hold whatever the rounding did."""
    unit = float(scores.sum()) / max(GRID, 16 * len(scores))
    coarse = np.rint(scores / unit)
    error = scores / unit - coarse
    above, below = float(error[error > 0].sum()), float(error[error < 0].sum())
    limits = np.array([round(t / unit), round(t / unit) - 1, ceil(t / unit - above) - 1, floor(t / unit - below)])
    at, beyond, lowest, highest = _shifted(coarse.astype(np.int64), np.maximum(limits, -1))
    least = 2.0 ** -len(scores)
    return _tails(w, t, max(at, least), beyond, max(lowest, least), max(highest, least))


def random_sums(scores: Whole, w: int, resamples: int, seed: int) -> tuple[int, int, int]:
    """Of so many random W: how many are ≥ w, how many ≤ w, and how many at least as far from the middle.

    >>> [round(n / 100_000, 2) for n in random_sums(np.array([1, 2, 3]), 5, 100_000, seed=1)]
    [0.25, 0.87, 0.5]
    """
    rng = np.random.Generator(np.random.SFC64(seed))
    kept = scores[scores > 0].astype(float)
    total = float(kept.sum())
    # Whole numbers below 2^53 add up exactly; for larger ones the rounding error of a sum counts as a tie.
    tie = 0.5 if total < 2.0**52 else 4 * float(np.finfo(float).eps) * total
    size = GROUP if len(kept) / GROUP * 2**GROUP * kept.itemsize <= MEMORY else SMALL_GROUP
    groups = [_all_flips(kept[start : start + size]) for start in range(0, len(kept), size)]
    above = below = far = 0
    for start in range(0, resamples, CHUNK):
        n = min(CHUNK, resamples - start)
        sums = np.zeros(n)
        for flips in groups:
            sums += flips.take(rng.integers(0, len(flips), size=n, dtype=np.uint16))
        above += int(np.count_nonzero(sums >= w - tie))
        below += int(np.count_nonzero(sums <= w + tie))
        far += int(np.count_nonzero(np.abs(2 * sums - total) >= abs(2.0 * w - total) - 2 * tie))
    return above, below, far


def _all_flips(scores: Array) -> Array:
    sums = np.zeros(1)
    for score in scores.tolist():
        sums = np.concatenate([sums, sums + score])
    return sums


def fractional_steps(values: Array, most: float) -> Whole | None:
    """Values as whole multiples of a common unit that need not be decimal, such as 1/30; None if there is none.

    Euclid's algorithm on floats. The sum of the multiples is to be at most `most`, which also says what is noise.

    >>> fractional_steps(np.array([1 / 30, -0.1, 1 / 6]), 1e6).tolist()
    [1, -3, 5]
    """
    size = np.unique(np.abs(values[values != 0]))
    if not len(size):
        return None
    least = float(np.abs(values).sum()) / most
    unit = float(size[0])
    for one in size[1:].tolist():
        a, b = one, unit
        while b > least / 4:
            a, b = b, abs(a - b * round(a / b))
        unit = a
        if unit < least:
            return None
    steps = np.rint(values / unit)
    unit = float((values / unit) @ (steps / (steps @ steps))) * unit
    if float(np.max(np.abs(values / unit - steps), initial=0.0)) > 1e-6 or unit in (0.0, inf):
        return None
    return steps.astype(np.int64)
