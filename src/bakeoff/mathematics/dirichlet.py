"""Dirichlet laws: which share of a whole is the largest, and medians under a Dirichlet process."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Array = NDArray[np.float64]
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


def _half_or_more(alpha: Array, beta: Array) -> Array:
    """P(B ≥ ½) for B ~ Beta(α, β); one parameter may be zero."""
    alpha, beta = np.maximum(alpha, 0.0), np.maximum(beta, 0.0)
    tiny = 1e-12 * (alpha + beta)
    inner = (alpha > tiny) & (beta > tiny)
    chance = np.where(beta <= tiny, 1.0, 0.0)
    chance[inner] = special.betainc(beta[inner], alpha[inner], 0.5)
    return chance
