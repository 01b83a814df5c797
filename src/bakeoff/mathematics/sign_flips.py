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
from functools import lru_cache
from itertools import combinations
from math import ceil, copysign, exp, floor, inf, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.mathematics.checks import Array, whole_steps
from bakeoff.mathematics.laws import end_tail, normal_quantile, one_sided

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


def tails_of_flips(scores: Whole) -> Tails:
    """The tails of the sum of those scores that are positive, all of them having their sign by a fair coin.

    >>> tails_of_flips(np.array([-1, 2, 3])).above
    0.25
    """
    return _kept_tails(np.abs(scores).tobytes(), int(scores[scores > 0].sum()))


@lru_cache(maxsize=64)
def _kept_tails(content: bytes, w: int) -> Tails:
    """Kept, because the same pair is asked again for an interval at another level."""
    return flip_tails(np.frombuffer(content, dtype=np.int64), w)


def _tails(w: int, t: int, at: float, beyond: float, lowest: float, highest: float) -> Tails:
    """From P(W ≤ t) and P(W ≤ t − 1), t being w or its mirror image, whichever is smaller."""
    other = min(1.0, 1.0 - beyond)
    return Tails(other, at, lowest, highest) if w == t else Tails(at, other, lowest, highest)


def _shifted(scores: Whole, limits: Whole) -> list[float]:
    """P(W ≤ t) for each t of `limits`, by shifts."""
    ordered = np.sort(scores)
    most = int(limits.max())
    first, second = _ways(ordered[::2], most), np.cumsum(_ways(ordered[1::2], most))
    shifted = []
    for t in limits.tolist():
        reach = min(t, len(first) - 1)
        rest = np.minimum(t - np.arange(reach + 1), len(second) - 1)
        # A sum of products, not a dot product: that one starts threads, which take longer than they save.
        shifted.append(float(np.sum(first[: reach + 1] * second[rest])) if t >= 0 else 0.0)
    return shifted


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
    below = int(np.searchsorted(np.sort(one), t - other, side="right").sum())
    return float(below / 2 ** len(scores))


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


def flip_scores(d: Array, scale: float) -> Whole:
    """Differences as whole numbers: multiples of their last decimal, or of a fraction such as 1/30.

    >>> flip_scores(np.array([0.3, -0.1, 0.25]), 1.0).tolist()
    [6, -2, 5]
    """
    whole = whole_steps(d, scale)
    n = max(int(np.count_nonzero(whole)), 1)
    if n * float(np.abs(whole).sum()) / 4 > LARGEST_WORK:
        fractions = fractional_steps(d / (float(np.abs(d).max()) or 1.0), 4 * LARGEST_WORK / n)
        return whole if fractions is None else fractions
    return whole


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


# ----------------------------------------------------------------------------------------------------------------------
# Statistics of matched differences that order sign flips as their sum does.


def flip_z(d: Array) -> float:
    """Σd / √Σd², the sum in units of its standard deviation over all flips; 0 if all differences are.

    >>> flip_z(np.array([3.0, 4.0])), flip_z(np.zeros(2))
    (1.4, 0.0)
    """
    unit = float(np.abs(d).max()) or 1.0
    return float(np.sum(d / unit)) / (sqrt(float(np.sum((d / unit) ** 2))) or 1.0)


def pairwise_z(table: Array) -> Array:
    """The same for all pairs of columns, row − column; differences that are rounding error count as zero."""
    k = table.shape[1]
    z = np.zeros((k, k))
    for i, j in combinations(range(k), 2):
        d = table[:, i] - table[:, j]
        if np.abs(d).max() > 100 * np.finfo(float).eps * float(np.abs(table[:, [i, j]]).max()):
            z[i, j], z[j, i] = flip_z(d), -flip_z(d)
    return z


def flip_t(d: Array) -> float:
    """t of eq. (2) of Hothorn et al., d̄ / √(s²/B); infinite if all differences are the same and not zero.

    >>> flip_t(np.array([1.0, 3.0])), flip_t(np.array([-2.0, -2.0]))
    (2.0, -inf)
    """
    scaled, n = d / (float(np.abs(d).max()) or 1.0), len(d)
    mean = float(scaled.mean())
    if n < 2 or np.ptp(scaled) == 0:
        return 0.0 if mean == 0 else copysign(inf, mean)
    return mean / (float(scaled.std(ddof=1)) / sqrt(n))


# ----------------------------------------------------------------------------------------------------------------------
# Which shifts of matched differences a sign-flip test would not reject: its interval.
#
# The test of d − θ compares Σ(d_i − θ) with all Σ ±(d_i − θ). Flipping the signs of the set A changes the sum by −2 Σ_A
# (d_i − θ), so that the upper tail is P(S ≥ s) = (1 + number of sets A with mean_A ≤ θ) / 2^n, and the ends of the
# interval are order statistics of the means of all subsets (Hartigan 1969). For more differences than can be enumerated
# the tail is Lugannani and Rice's saddlepoint approximation (Robinson 1982), with K(t) = Σ log cosh(t x_i).


FEW_VALUES = 14  # differences of which all subsets are made


def flip_interval(d: Array, confidence: float, alternative: str, asymptotic: bool = False) -> tuple[float, float]:
    """The shifts that the test does not reject."""
    tail = end_tail(confidence, alternative)
    if not asymptotic:
        low = lowest_shift(d, tail) if alternative != "less" else -inf
        high = -lowest_shift(-d, tail) if alternative != "greater" else inf
        return low, high
    # z(θ)² = z² is solved by (d̄ − θ)² = z² Σ(d − d̄)² / (B (B − z²)).
    n, z2 = len(d), normal_quantile(1 - tail) ** 2
    unit = float(np.abs(d).max()) or 1.0
    scaled = d / unit
    squared = float(np.sum((scaled - scaled.mean()) ** 2))
    half = sqrt(z2 * squared / (n * (n - z2))) * unit if n > z2 else inf
    middle = float(scaled.mean()) * unit
    return one_sided(middle - half, middle + half, alternative)


def lowest_shift(d: Array, tail: float) -> float:
    """The lower end of the interval that leaves `tail` out on its left; −∞ if the level is out of reach.

    >>> lowest_shift(np.array([1.0, 2.0, 4.0, 7.0]), 0.125)  # the smallest but one of 15 means
    1.5
    """
    n = len(d)
    if 2.0**-n > tail * (1 + 1e-12):
        return -inf
    if n <= FEW_VALUES:
        cut = int(tail * 2**n * (1 + 1e-12)) - 1  # means that may be left out
        return float(np.partition(_subset_means(d), cut)[cut])
    return _by_saddlepoint(d, tail)


def _subset_means(d: Array) -> Array:
    sums, sizes = np.zeros(1), np.zeros(1)
    for one in d.tolist():
        sums, sizes = np.concatenate([sums, sums + one]), np.concatenate([sizes, sizes + 1])
    return np.asarray(sums[1:] / sizes[1:])


def _by_saddlepoint(d: Array, tail: float) -> float:
    """θ with P(S ≥ s) = tail, by false position on the scale of normal quantiles, where the tail is almost linear."""
    low, high = float(d.min()), float(d.mean())
    if not low < high:
        return low
    goal = normal_quantile(tail)

    def excess(theta: float) -> float:
        return normal_quantile(max(flip_tail(d - theta), 1e-300)) - goal

    at_low, at_high = normal_quantile(max(0.5 ** len(d), 1e-300)) - goal, -goal  # at `low` no difference is negative
    # Start where the normal approximation puts the end, then keep the two sides of the root apart.
    z2 = goal**2
    unit = high - low  # in which squares stay in the range of numbers
    spread = float(np.sum(((d - high) / unit) ** 2))
    theta = high - unit * sqrt(z2 * spread / (len(d) * (len(d) - z2))) if len(d) > z2 else low
    theta = min(max(theta, low + 1e-3 * (high - low)), high - 1e-3 * (high - low))
    for _ in range(60):
        at = excess(theta)
        if abs(at) < 1e-6 or high - low <= 1e-13 * max(abs(low), abs(high)):
            break
        if at < 0:
            low, at_low = theta, at
        else:
            high, at_high = theta, at
        step = low - at_low * (high - low) / (at_high - at_low)
        edge = 1e-3 * (high - low)
        theta = min(max(step, low + edge), high - edge)
    return theta


def flip_tail(x: Array) -> float:
    """P(Σ ±x_i ≥ Σ x_i) for a positive sum, signs being fair coins, by the saddlepoint approximation.

    >>> round(flip_tail(np.array([1.3, 2.1, 3.4, -1.2, 2.2, 4.7, 1.8, 2.5, -2.6, 3.9])), 4)  # exact: 0.0186
    0.0175
    """
    unit = float(np.abs(x).max(initial=0.0))
    s = float(x.sum())
    if unit == 0 or s <= 1e-12 * unit:
        return 0.5
    x, s = np.abs(x) / unit, s / unit
    if s >= float(x.sum()) * (1 - 1e-12):
        return float(0.5 ** np.count_nonzero(x))
    squared = x * x
    t, curvature = _saddlepoint(x, squared, s)
    # log cosh(y) = y + log(1 + e^(−2y)) − log 2
    cumulant = float(np.sum(t * x + np.log1p(np.exp(-2 * t * x)) - log(2)))
    r = sqrt(max(2 * (t * s - cumulant), 0.0))
    u = t * sqrt(curvature)
    if r < 1e-3:
        return float(special.ndtr(-r))
    density = exp(-r * r / 2) / sqrt(2 * pi)
    return min(max(float(special.ndtr(-r)) + density * (1 / u - 1 / r), 0.0), 0.5)


def _saddlepoint(x: Array, squared: Array, s: float) -> tuple[float, float]:
    """t with K'(t) = Σ x tanh(t x) = s, by Newton's method, and K''(t) there."""
    second, fourth = float(squared.sum()), float(squared @ squared)
    t = s / second
    t *= 1 + min(t * t * fourth / (3 * second), 0.5)  # K'(t) = t Σx² − t³ Σx⁴ / 3 + …
    for _ in range(50):
        tanh = np.tanh(t * x)
        curvature = second - float(squared @ (tanh * tanh))
        step = (s - float(x @ tanh)) / curvature
        if abs(step) <= 1e-6 * t:
            break
        t += max(step, -t / 2)  # K' is concave for t > 0: from the right a step may go too far
    return t, curvature
