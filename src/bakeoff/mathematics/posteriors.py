"""Posteriors. Dirichlet laws: which share of a whole is the largest, and medians under a Dirichlet process; and the
hierarchical model of folds within tasks."""

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


# ----------------------------------------------------------------------------------------------------------------------
# The hierarchical model of Corani, Benavoli, Demšar, Mangili and Zaffalon (2017), on a grid instead of by simulation.
#
#     x_ij = δ_i + noise    the differences in the folds j of task i, with variance σ_i² and correlation ρ between folds
#     δ_i ~ t_ν(δ_0, σ_0)   the tasks' own differences
#     δ_0, σ_0, σ_i         uniform;  ν − 1 ~ Gamma(α, β), α and β uniform
#
# Each σ_i integrates out, and leaves a Student law for δ_i: n_i − 2 df, at the mean of the folds. A Student law is a
# mixture of normal ones, in its scale, and normal laws fold into normal laws, so that of the five dimensions left
#
#     L_i(δ_0, σ_0, ν) = ∫ t(δ | task i) t_ν(δ; δ_0, σ_0) dδ
#                      = Σ_τ M_i(δ_0, τ) P(τ | σ_0, ν),   M_i(δ_0, τ) = Σ_k w_k N(x̄_i; δ_0, s_i²/λ_k + τ²)
#
# two remain to be tabled for each task; P is the same for all tasks, and the sum is a matrix product. The posterior of
# (δ_0, σ_0, ν) follows on a grid, first a coarse one and then a fine one where the mass is.


# The priors' bounds, as published and as in baycomp.
ALPHA, BETA = (1.0, 2.0), (0.01, 0.1)
UPPER_SIGMA = 1000.0
NU_RANGE = (0.02, 2000.0)  # of ν − 1; what is beyond goes to the ends
STEP = 0.12  # of log τ
TOGETHER = 10  # tasks whose likelihoods are multiplied out at once: ten megabytes
BELOW, BEYOND = 1.0, 5.0  # how far log τ goes beyond log σ_0: low degrees of freedom have very wide components
NEGLIGIBLE_DENSITY = 1e-8
SMALLEST = 5e-3  # σ_0 in units of the standard error of δ_0: below that it makes no difference
FINE = 0.08  # of log σ_0


@dataclass(frozen=True, eq=False)
class TaskLaws:
    """What the folds say about each task's own difference: Student laws."""

    mean: Array
    scale: Array
    df: Array


@dataclass(frozen=True, eq=False)
class Posterior:
    """The posterior of the mean δ_0, the spread σ_0 and the degrees of freedom ν over tasks, on a grid.

    δ_0 = centre + unit · sinh y at the nodes y. `density` has a row a node and a column a pair of σ_0 and ν, and holds
    probabilities per step of y, up to a factor.
    """

    centre: float
    unit: float
    y: Array
    sigma: Array
    nu: Array
    density: Array

    @property
    def delta(self) -> Array:
        return np.asarray(self.centre + self.unit * np.sinh(self.y))

    def winners(self, rope: float) -> tuple[float, float, float]:
        """Probabilities that on a further task left of the rope, in it, or right of it is the most probable outcome."""
        border = rope_border(rope, self.sigma, self.nu)
        area = _running_area(self.density)
        left, upto = self._area_below(area, -border), self._area_below(area, border)
        shares = np.array([left.sum(), (upto - left).sum(), (area[-1] - upto).sum()]) / area[-1].sum()
        worse, same, better = np.clip(shares, 0.0, 1.0).tolist()
        return worse, same, better

    def mean(self) -> float:
        """Of δ_0."""
        return float(np.sum(self.density.sum(axis=1) * self.delta) / np.sum(self.density))

    def quantile(self, p: float) -> float:
        """Of δ_0."""
        height = self.density.sum(axis=1)
        area = _running_area(height[:, None])[:, 0]
        target = p * area[-1]
        j = int(np.clip(np.searchsorted(area, target, "right") - 1, 0, len(area) - 2))
        # Within a cell the height is a straight line: target − area_j = t h_j + t² (h_j+1 − h_j)/2
        rest, low, rise = target - area[j], height[j], height[j + 1] - height[j]
        root = np.sqrt(max(low**2 + 2 * rise * rest, 0.0))
        t = 2 * rest / (low + root) if low + root > 0 else 0.0
        return float(self.centre + self.unit * np.sinh(self.y[j] + t * (self.y[1] - self.y[0])))

    def _area_below(self, area: Array, at: Array) -> Array:
        """For each column, the area below a value of δ_0."""
        place = (np.arcsinh((at - self.centre) / self.unit) - self.y[0]) / (self.y[1] - self.y[0])
        place = np.clip(place, 0.0, len(self.y) - 1.0)
        j = np.minimum(place.astype(np.intp), len(self.y) - 2)
        t, column = place - j, np.arange(len(at))
        low, high = self.density[j, column], self.density[j + 1, column]
        return np.asarray(area[j, column] + t * low + t**2 * (high - low) / 2)


def _running_area(heights: Array) -> Array:
    """Areas under straight lines between heights that are one unit apart."""
    area = np.zeros_like(heights)
    np.cumsum((heights[1:] + heights[:-1]) / 2, axis=0, out=area[1:])
    return area


def rope_border(rope: float, sigma: Array, nu: Array) -> Array:
    """The δ_0 beyond which "right of the rope" is a task's most probable outcome, for each σ_0 and ν.

    With m = δ_0/σ_0 and k = rope/σ_0, right wins over rope if 2 F(m−k) + F(−m−k) > 1. The left side grows with m; if it
    is above 1 for m = 0, the rope never wins. The root lies in [0, k].
    """
    k = rope / sigma
    low, high = np.zeros(len(k)), k.copy()
    for _ in range(26 if rope > 0 else 0):
        m = (low + high) / 2
        right = 2 * special.stdtr(nu, m - k) + special.stdtr(nu, -m - k) > 1
        low, high = np.where(right, low, m), np.where(right, m, high)
    return np.asarray(sigma * high)


def task_laws(folds: list[Array], rho: float) -> TaskLaws:
    """The Student law of each task's difference: df = n − 2, scale² = SS/(1−ρ) · (1 + (n−1)ρ)/n / df.

    A task on which all folds differ by the same amount has no spread; it is given the smallest of the other tasks'.
    """
    n = np.array([len(x) for x in folds], dtype=float)
    mean = np.array([x.mean() for x in folds])
    size = np.array([np.abs(x).max() for x in folds])
    squares = np.array([np.sum((x - m) ** 2) for x, m in zip(folds, mean, strict=True)])
    df = n - 2
    scale = np.sqrt(squares / (1 - rho) * (1 + (n - 1) * rho) / n / df)
    spread = scale > 1e-13 * size
    return TaskLaws(mean, np.where(spread, scale, scale[spread].min(initial=np.inf)), df)


def degrees_of_freedom(nodes: int) -> tuple[Array, Array]:
    """ν and its prior probabilities, evenly spaced in log(ν − 1)."""
    u = np.linspace(np.log(NU_RANGE[0]), np.log(NU_RANGE[1]), nodes)
    m = np.exp(u)[:, None, None]
    x, w = np.polynomial.legendre.leggauss(20)
    alpha = (ALPHA[0] + ALPHA[1] + (ALPHA[1] - ALPHA[0]) * x) / 2
    beta = ((BETA[0] + BETA[1] + (BETA[1] - BETA[0]) * x) / 2)[:, None]
    log = alpha * np.log(beta) + alpha * np.log(m) - beta * m - special.gammaln(alpha)  # density of log(ν − 1)
    prior = np.einsum("nij,i,j->n", np.exp(log), w, w)
    return np.exp(u) + 1, np.asarray(prior / prior.sum())


def components(df: float) -> tuple[Array, Array]:
    """λ_k and weights w_k with t_df = Σ_k w_k N(0, 1/λ_k): λ ~ Gamma(df/2, df/2), evenly spaced in log λ."""
    a = df / 2
    low, high = (np.log(end / a) for end in (special.gammaincinv(a, 1e-6), special.gammainccinv(a, 1e-6)))
    step = min(0.8, 0.7 * np.sqrt(special.polygamma(1, a)))
    u = np.linspace(low, high, int(np.ceil((high - low) / step)) + 1)
    log = a * u - a * np.exp(u)
    weights = np.exp(log - log.max())
    return np.exp(u), np.asarray(weights / weights.sum())


def scale_weights(log_sigma: Array, nu: Array) -> tuple[Array, Array]:
    """τ, and P(τ | σ_0, ν) with a column a pair: t_ν(·, σ_0) is a mixture of N(·, τ²), τ = σ_0/√λ, λ ~ Gamma(ν/2, ν/2).

    A cell of τ has the probability between its edges. That depends on edge/σ_0 alone, and both grids have a common step
    h in their logarithms, so that a few hundred values for each ν serve all pairs.
    """
    h = float(log_sigma[1] - log_sigma[0])
    m = max(1, round(STEP / h))  # steps of τ in steps of σ_0
    count = int(np.ceil((log_sigma[-1] - log_sigma[0] + BELOW + BEYOND) / (m * h))) + 1
    tau = np.exp(log_sigma[0] - BELOW + m * h * np.arange(count))
    # log(σ_s / edge_e) = BELOW + h (s − m e) − m h / 2
    edges, s = np.arange(count - 1)[:, None], np.arange(len(log_sigma))
    place = s - m * edges + m * (count - 2)
    x = BELOW + h * (np.arange(m * (count - 2) + len(s)) - m * (count - 2)) - m * h / 2
    upto = special.gammaincc(nu / 2, nu / 2 * np.exp(2 * x)[:, None])[place].reshape(count - 1, -1)  # P(τ ≤ edge)
    ends = np.zeros((1, upto.shape[1]))
    return tau, np.diff(upto, axis=0, prepend=ends, append=ends + 1)


def log_likelihood(laws: TaskLaws, delta: Array, log_sigma: Array, nu: Array) -> Array:
    """Σ_i log L_i, a row a δ_0 and a column a pair of σ_0 (evenly spaced in its logarithm) and ν.

    Tasks with the same law, of which rounded scores have many, are computed once.
    """
    laws, times = _different(laws)
    tau, P = scale_weights(log_sigma, nu)
    mixtures = {df: components(df) for df in set(laws.df.tolist())}
    total = np.zeros((len(delta), P.shape[1]))
    for first in range(0, len(laws.mean), TOGETHER):
        tables = [_table(laws, i, delta, tau, *mixtures[laws.df[i]]) for i in range(len(laws.mean))[first:][:TOGETHER]]
        product = np.concatenate(tables) @ P
        with np.errstate(divide="ignore"):
            np.log(product, out=product)
        total += np.tensordot(times[first:][:TOGETHER], product.reshape(len(tables), *total.shape), axes=1)
    return total


def _different(laws: TaskLaws) -> tuple[TaskLaws, Array]:
    """The laws that differ, and how many tasks have each."""
    each = np.array([laws.mean, laws.scale, laws.df])
    unlike, times = np.unique(each, axis=1, return_counts=True)
    if unlike.shape == each.shape:  # in the order of the tasks
        return laws, np.ones(len(laws.mean))
    return TaskLaws(*unlike), times.astype(float)


def _table(laws: TaskLaws, i: int, delta: Array, tau: Array, lam: Array, w: Array) -> Array:
    """M_i(δ_0, τ), up to a factor: a row a δ_0, a column a τ."""
    variance = laws.scale[i] ** 2 / lam[:, None] + tau**2  # of component k and τ
    exponent = (-0.5 * (laws.mean[i] - delta) ** 2)[:, None] / variance.ravel()
    M = np.exp(exponent, out=exponent).reshape(len(delta), *variance.shape)
    return np.asarray(np.einsum("dkt,kt->dt", M, w[:, None] / np.sqrt(variance)))


def posterior(folds: list[Array], rho: float) -> Posterior:
    """The posterior on a grid that holds all but a negligible part of it."""
    laws = task_laws(folds, rho)
    bound = max(float(np.abs(x).max()) for x in folds)
    among = float(np.std(laws.mean)) if len(folds) > 1 else 0.0
    among = among if among > 1e-13 * bound else float(np.mean([np.std(x) for x in folds]))
    apart = float(np.median(np.abs(laws.mean - np.median(laws.mean))))  # not moved by a task that is far off
    typical = float(np.hypot(np.median(laws.scale), apart))

    centre, unit = float(np.median(laws.mean)), typical / np.sqrt(len(folds))
    reach = float(np.arcsinh(2 * bound / unit))
    widest = (float(np.log(SMALLEST * unit)), float(np.log(UPPER_SIGMA * among)))
    coarse = _on_grid(laws, bound, (centre, unit), np.linspace(-reach, reach, 61), np.linspace(*widest, 41), 7)

    first, last = _kept(coarse.density.sum(axis=1))
    middle, low, high = (coarse.quantile(p) for p in (0.5, 0.16, 0.84))
    unit = (high - low) / 2
    ends = np.arcsinh((coarse.delta[[first, last]] - middle) / unit)
    many = len(folds) >= 50  # whose posterior is narrow and smooth
    y = np.linspace(ends[0], ends[1], 49 if many else 81)
    scales = np.unique(coarse.sigma)
    first, last = _kept(coarse.density.sum(axis=0).reshape(len(scales), -1).sum(axis=1))
    low, high = np.log(scales[first]), np.log(scales[last])
    log_sigma = np.linspace(low, high, int(np.clip(np.ceil((high - low) / FINE), 24 if many else 40, 96)))
    return _on_grid(laws, bound, (middle, unit), y, log_sigma, 16)


def _kept(density: Array) -> tuple[int, int]:
    """The first and the last node that matter, and one more on each side."""
    kept = np.flatnonzero(density > NEGLIGIBLE_DENSITY * density.max())
    return max(int(kept[0]) - 1, 0), min(int(kept[-1]) + 1, len(density) - 1)


def _on_grid(
    laws: TaskLaws, bound: float, frame: tuple[float, float], y: Array, log_sigma: Array, n_nu: int
) -> Posterior:
    """The posterior for given nodes of δ_0 = centre + unit · sinh y and of log σ_0."""
    centre, unit = frame
    delta, slope = centre + unit * np.sinh(y), unit * np.cosh(y)
    scales = np.exp(log_sigma)
    weights = scales.copy()  # dσ_0 = σ_0 d log σ_0
    weights[0] += scales[0] / (log_sigma[1] - log_sigma[0])  # and what is below the grid, where the density is flat
    nu, prior = degrees_of_freedom(n_nu)
    log = log_likelihood(laws, delta, log_sigma, nu)
    log[np.abs(delta) > bound] = -np.inf  # the prior of δ_0 ends where the data do
    density = np.exp(log - log.max()) * slope[:, None] * np.outer(weights, prior).ravel()
    return Posterior(centre, unit, y, np.repeat(scales, n_nu), np.tile(nu, len(scales)), density)
