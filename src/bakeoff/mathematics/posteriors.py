"""Dirichlet laws: which share of a whole is the largest, and medians under a Dirichlet process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import copysign, inf

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.mathematics.checks import Array

# Where the pseudo-task of a prior lies: its difference.
PLACES = {"rope": 0.0, "left": -inf, "right": inf}
NEGLIGIBLE = 1e-18
NODES = 2000


def largest(alpha: ArrayLike) -> Array:
    """For shares θ ~ Dirichlet(α), the probability of each that it is the largest.

    Shares are independent gamma variables over their sum, so P(θ_i largest) = ∫ f_i(g) Π_j≠i F_j(g) dg: one integral,
    by the trapezoidal rule in log g, which is exact to rounding for a smooth integrand that vanishes at both ends. A
    share with α = 0 is zero.

    >>> [round(float(p), 6) for p in largest([2, 1])]
    [0.75, 0.25]
    >>> largest([0, 3, 0]).tolist()
    [0.0, 1.0, 0.0]
    """
    a = np.asarray(alpha, dtype=float)
    some = np.flatnonzero(a > 0)
    shares = np.zeros(len(a))
    if len(some) == 1:
        shares[some] = 1.0
        return shares
    shape = a[some][:, None]
    # The largest of them is almost surely above what the one with the most is above, and below what all are below.
    most = float(shape.max())
    low = max((np.log(NEGLIGIBLE) + special.gammaln(most + 1)) / most, -700.0)  # F(g) ≤ g^a / Γ(a + 1)
    high = special.gammainccinv(shape, NEGLIGIBLE).max()
    s = np.linspace(low, np.log(high), NODES)
    g = np.exp(s)
    below = special.gammainc(shape, g)
    density = np.exp(shape * s - g - special.gammaln(shape))  # of log g
    for row, i in enumerate(some):
        others = np.delete(below, row, axis=0).prod(axis=0)
        shares[i] = np.sum(density[row] * others)
    return np.asarray(shares / shares.sum())


def median_quantiles(values: ArrayLike, weights: ArrayLike, p: float) -> tuple[float, float]:
    """Where the median of an unknown law lies with probability p below, and with probability p above.

    With a Dirichlet process whose posterior has `weights` at `values` (ascending), the law's mass up to a point t is
    F(t) ~ Beta(weight up to t, weight beyond t), and the median is at most t if F(t) ≥ ½.

    >>> median_quantiles([1, 2, 3, 4, 5], [1, 1, 1, 1, 1], 0.05)
    (1.0, 5.0)
    >>> median_quantiles([1, 2, 3, 4, 5], [1, 1, 1, 1, 1], 0.5)
    (3.0, 3.0)
    """
    x, w = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
    upto = np.cumsum(w)
    beyond = upto[-1] - upto
    at_most = _half_or_more(upto, beyond)  # P(median ≤ x_i)
    at_least = _half_or_more(upto[-1] - upto + w, upto - w)  # P(median ≥ x_i)
    slack = 1e-12  # symmetric posteriors have their median exactly at a half
    lower = x[np.argmax(at_most >= p - slack)]
    upper = x[len(x) - 1 - np.argmax((at_least >= p - slack)[::-1])]
    return float(lower), float(upper)


def sign_counts(d: Array, rope: float) -> Array:
    """How many differences are left of the rope, in it, and right of it; one that is the rope on paper lies in it.

    >>> sign_counts(np.array([-0.2, 0.1, 0.3, 0.5]), 0.1).tolist()
    [1.0, 1.0, 2.0]
    """
    edge = 1e-12 * rope
    left, right = float(np.sum(d < -rope - edge)), float(np.sum(d > rope + edge))
    return np.array([left, len(d) - left - right, right])


def largest_sign(counts: Array, rope: float) -> tuple[float, float, float]:
    """Which of the shares left of the rope, in it and right of it is the largest, as probabilities.

    With rope = 0 two shares are compared, and ties count for neither.

    >>> largest_sign(np.array([1.0, 5.0, 1.0]), 0.0)
    (0.5, 0.0, 0.5)
    """
    left, inside, right = largest(counts).tolist()
    if rope > 0:
        return left, inside, right
    total = left + right
    return (left / total, 0.0, right / total) if total > 0 else (0.5, 0.0, 0.5)


def median_of_process(d: Array, prior: float, place: str, tail: float) -> tuple[float, float, float]:
    """The posterior median of the median, and where `tail` of it lies below and above, under a Dirichlet process.

    >>> median_of_process(np.array([1.0, 2.0, 4.0]), 1.0, "rope", 0.1)
    (1.5, 0.0, 4.0)
    """
    values = np.append(d, PLACES[place]) if prior > 0 else d
    weights = np.append(np.ones(len(d)), prior) if prior > 0 else np.ones(len(d))
    order = np.argsort(values, kind="stable")
    lower, upper = median_quantiles(values[order], weights[order], tail)
    return _middle(*median_quantiles(values[order], weights[order], 0.5)), lower, upper


def _middle(low: float, high: float) -> float:
    return (low + high) / 2 if low != high else low


def _half_or_more(alpha: Array, beta: Array) -> Array:
    """P(B ≥ ½) for B ~ Beta(α, β); one parameter may be zero."""
    alpha, beta = np.maximum(alpha, 0.0), np.maximum(beta, 0.0)
    tiny = 1e-12 * (alpha + beta)
    inner = (alpha > tiny) & (beta > tiny)
    chance = np.where(beta <= tiny, 1.0, 0.0)
    chance[inner] = special.betainc(beta[inner], alpha[inner], 0.5)
    return chance


# ----------------------------------------------------------------------------------------------------------------------
# The Bayesian signed-rank test's posterior: sums of pairs of differences under a Dirichlet process, by simulation.
#
# The posterior of the law of the differences gives the differences z_1 … z_n (and the prior's pseudo-difference z_0)
# random weights w ~ Dirichlet(s, 1, …, 1). Of interest are the weights of the pairs whose mean is beyond a threshold,
#
# θ_right = Σ_ij w_i w_j [z_i + z_j > 2r]
#
# With z sorted, the z_j that are large enough for a given z_i are a tail, so that one running sum a draw replaces the
# n × n matrix: θ costs O(n) a draw. Draws come in batches that fit the processor's cache, whatever n is; no more
# than a few of them are in memory at once.


BATCH = 1 << 15  # numbers in a batch of draws: a quarter of a megabyte
TIE = 1e-11  # shares that differ by less are equal but for rounding
NEAR = 1e-12  # sums that differ by less, relative to the largest difference, are equal on paper
MOST_WEIGHTS = 50_000_000  # that are drawn, however many tasks there are
DRAWS_OF_INTERVAL = 2000
NUMBERS_OF_INTERVAL = 1 << 20  # weights that are kept for the interval: 8 megabytes, or 200 draws
MOST_PAIRED = 400  # differences whose pairs are all looked at for the ends of the interval


@dataclass(frozen=True, slots=True)
class RopeShares:
    """Probabilities that the pairs left of the rope, in it, and right of it have the largest weight."""

    left: float
    rope: float
    right: float
    standard_error: float
    draws: int


@dataclass(frozen=True, eq=False)
class OrderedDifferences:
    """The differences in order, with the prior's pseudo-difference at `place` among them (−1 if there is none)."""

    z: Array
    place: int
    prior: float

    @property
    def n(self) -> int:
        """How many real differences there are."""
        return len(self.z) - (self.place >= 0)


def in_order(d: Array, prior: float, at: float) -> OrderedDifferences:
    """The differences and the pseudo-difference, sorted."""
    z = np.sort(d)
    if prior == 0:
        return OrderedDifferences(z, -1, 0.0)
    # In the middle of its equals, so that turning all signs round gives the same order backwards.
    low, high = np.searchsorted(z, at, "left"), np.searchsorted(z, at, "right")
    place = int(low + high) // 2
    return OrderedDifferences(np.insert(z, place, at), place, prior)


def draws(data: OrderedDifferences, count: int, rng: np.random.Generator) -> Iterator[Array]:
    """Weights up to a factor, a column a draw, in batches. Each draw of the real differences' weights comes forwards
    and backwards: both are draws, and together they favour neither sign."""
    size = max(2, BATCH // max(data.n, 1))
    left = (count + 1) // 2
    while left > 0:
        columns = min(size, left)
        left -= columns
        real = rng.standard_exponential((data.n, columns))
        prior = rng.standard_gamma(data.prior, columns) if data.place >= 0 else None
        for weights in (real, real[::-1]):
            yield weights if prior is None else _with_row(weights, data.place, prior)


def _with_row(weights: Array, place: int, row: Array) -> Array:
    """The weights with one more row; np.insert does the same in twice the time."""
    extended = np.empty((len(weights) + 1, len(row)))
    extended[:place], extended[place], extended[place + 1 :] = weights[:place], row, weights[place:]
    return extended


def _thresholds(data: OrderedDifferences, total: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each z_i, how many z_j are below total − z_i, and how many are not above it."""
    slack = NEAR * max(float(np.abs(data.z).max()), abs(total))
    other = total - data.z
    return np.searchsorted(data.z, other - slack, "left"), np.searchsorted(data.z, other + slack, "right")


def _weight_below(weights: Array, running: Array, low: NDArray[np.intp], high: NDArray[np.intp]) -> Array:
    """Σ_i w_i Σ_j w_j [z_i + z_j < total], a pair that sums to the total itself counting half."""
    below: Array = np.einsum("ij,ij->j", weights, running[high])
    if not np.array_equal(low, high):
        below = (below + np.einsum("ij,ij->j", weights, running[low])) / 2
    return below


def _running(weights: Array) -> Array:
    """Row k holds the sum of the first k weights of each draw."""
    sums = np.empty((len(weights) + 1, weights.shape[1]))
    sums[0] = 0.0
    if weights.shape[1] < 512:
        np.cumsum(weights, axis=0, out=sums[1:])
        return sums
    for k, row in enumerate(weights):  # long rows add up eight times faster one by one
        np.add(sums[k], row, out=sums[k + 1])
    return sums


def largest_shares(data: OrderedDifferences, rope: float, samples: int, seed: int) -> RopeShares:
    """How often each of the three shares is the largest; equal ones share the draw. With rope = 0 there are two.

    >>> largest_shares(in_order(np.array([1.0, 2.0, -1.0]), 0.5, 0.0), 0.0, 1000, 1).rope
    0.0
    """
    samples = min(samples, max(1000, MOST_WEIGHTS // len(data.z)))
    above, below = _thresholds(data, 2 * rope), _thresholds(data, -2 * rope)
    wins = np.zeros(3)
    squares, pairs = np.zeros(3), 0
    forwards: Array | None = None
    for weights in draws(data, samples, np.random.default_rng(seed)):
        running = _running(weights)
        whole = running[-1] ** 2
        right = whole - _weight_below(weights, running, *above)
        left = _weight_below(weights, running, *below) if rope > 0 else whole - right
        won = _winners(left, whole - left - right if rope > 0 else None, right, whole)
        wins += won.sum(axis=1)
        if forwards is None:
            forwards = won
            continue
        squares += np.square((forwards + won) / 2).sum(axis=1)
        pairs += won.shape[1]
        forwards = None
    chance = wins / (2 * pairs)
    error = np.sqrt(np.max(np.maximum(squares / pairs - chance**2, 0.0)) / pairs)
    # What never happened in n draws has a chance of up to 3/n (at 95 %): twice the error is never less.
    error = max(error, 1.5 / (2 * pairs))
    return RopeShares(float(chance[0]), float(chance[1]), float(chance[2]), float(error), 2 * pairs)


def _winners(left: Array, rope: Array | None, right: Array, whole: Array) -> Array:
    """Which share is the largest in each draw, as a row of zeros and ones for each; ties are divided."""
    if rope is None:
        ahead = (right - left) / whole
        won = np.where(np.abs(ahead) <= TIE, 0.5, ahead > 0)
        return np.stack([1 - won, np.zeros(len(won)), won])
    shares = np.stack([left, rope, right]) / whole
    best = shares >= shares.max(axis=0) - TIE
    return np.asarray(best / best.sum(axis=0))


def with_prior(d: Array, prior: float, place: str, rope: float) -> OrderedDifferences:
    """The differences with the prior's pseudo-difference in the rope, or so far left or right of everything that
    whatever is added to it is still on that side."""
    outside = 4 * (float(np.abs(d).max()) + rope) or 1.0
    return in_order(d, prior, PLACES[place] and copysign(outside, PLACES[place]))


def pseudomedian_of_process(
    data: OrderedDifferences, size: float, tail: float, seed: int
) -> tuple[float, float, float]:
    """The posterior median of the pseudo-median, and where `tail` of it lies below and above; ∞ beyond `size`."""
    outer, middle = pseudomedian_quantiles(data, (tail, 0.5), seed)
    lower, upper, low, high = (copysign(inf, end) if abs(end) > size else end for end in (*outer, *middle))
    return _middle(low, high), lower, upper


def pseudomedian_quantiles(data: OrderedDifferences, chances: Sequence[float], seed: int) -> list[tuple[float, float]]:
    """For each chance p, where the pseudo-median (the median of the means of pairs) has p below it, and p above it.

    A draw's pseudo-median is at most t if the pairs with a mean of at most t have half its weight. The share of draws
    for which that holds grows with t and changes only at means of pairs, so that each end is found by bisection.
    """
    count = int(min(DRAWS_OF_INTERVAL, max(200, NUMBERS_OF_INTERVAL // len(data.z))))
    weights = np.concatenate(list(draws(data, count, np.random.default_rng(seed))), axis=1)
    running = _running(weights)
    whole = running[-1] ** 2
    half = whole / 2 * (1 - TIE)
    means = _means_of_pairs(data.z)

    def at_most(i: int) -> float:
        _, high = _thresholds(data, 2 * means[i])
        return float(np.mean(_weight_below(weights, running, high, high) >= half))

    def at_least(i: int) -> float:
        low, _ = _thresholds(data, 2 * means[len(means) - 1 - i])
        return float(np.mean(whole - _weight_below(weights, running, low, low) >= half))

    last = len(means) - 1
    return [
        (float(means[_first(at_most, last, p - NEAR)]), float(means[last - _first(at_least, last, p - NEAR)]))
        for p in chances
    ]


def _means_of_pairs(z: Array) -> Array:
    """The means of all pairs in order; for many differences, means that are evenly spread over as many quantiles."""
    kept = z if len(z) <= MOST_PAIRED else np.quantile(z, np.linspace(0, 1, MOST_PAIRED), method="nearest")
    first, second = np.triu_indices(len(kept))
    return np.unique((kept[first] + kept[second]) / 2)


def _first(rising: Callable[[int], float], last: int, level: float) -> int:
    """The first position at which a rising function reaches a level, which it does at the last."""
    low, high = 0, last
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if rising(middle) >= level else (middle + 1, high)
    return low
