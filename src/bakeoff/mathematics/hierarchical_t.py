"""The hierarchical model of Corani, Benavoli, Demšar, Mangili and Zaffalon (2017), on a grid instead of by simulation.

    x_ij = δ_i + noise    the differences in the folds j of task i, with variance σ_i² and correlation ρ between folds
    δ_i ~ t_ν(δ_0, σ_0)   the tasks' own differences
    δ_0, σ_0, σ_i         uniform;  ν − 1 ~ Gamma(α, β), α and β uniform

Each σ_i integrates out, and leaves a Student law for δ_i: n_i − 2 df, at the mean of the folds. A Student law is a
mixture of normal ones, in its scale, and normal laws fold into normal laws, so that of the five dimensions left

    L_i(δ_0, σ_0, ν) = ∫ t(δ | task i) t_ν(δ; δ_0, σ_0) dδ
                     = Σ_τ M_i(δ_0, τ) P(τ | σ_0, ν),   M_i(δ_0, τ) = Σ_k w_k N(x̄_i; δ_0, s_i²/λ_k + τ²)

two remain to be tabled for each task; P is the same for all tasks, and the sum is a matrix product. The posterior of
(δ_0, σ_0, ν) follows on a grid, first a coarse one and then a fine one where the mass is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]

# The priors' bounds, as published and as in baycomp.
ALPHA, BETA = (1.0, 2.0), (0.01, 0.1)
UPPER_SIGMA = 1000.0
NU_RANGE = (0.02, 2000.0)  # of ν − 1; what is beyond goes to the ends
STEP = 0.12  # of log τ
TOGETHER = 10  # tasks whose likelihoods are multiplied out at once: ten megabytes
BELOW, BEYOND = 1.0, 5.0  # how far log τ goes beyond log σ_0: low degrees of freedom have very wide components
NEGLIGIBLE = 1e-8
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
    """Σ_i log L_i, a row a δ_0 and a column a pair of σ_0 (evenly spaced in its logarithm) and ν."""
    tau, P = scale_weights(log_sigma, nu)
    mixtures = {df: components(df) for df in set(laws.df.tolist())}
    total = np.zeros((len(delta), P.shape[1]))
    for first in range(0, len(laws.mean), TOGETHER):
        tables = [_table(laws, i, delta, tau, *mixtures[laws.df[i]]) for i in range(len(laws.mean))[first:][:TOGETHER]]
        product = np.concatenate(tables) @ P
        with np.errstate(divide="ignore"):
            np.log(product, out=product)
        total += product.reshape(len(tables), *total.shape).sum(axis=0)
    return total


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
    kept = np.flatnonzero(density > NEGLIGIBLE * density.max())
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
