"""Exact power of Welch's t test of two samples of the same size and the same spread.

Welch's degrees of freedom depend on the data, so that the critical value does. With S₁² and S₂² the sample variances of
n values each and u = S₁²/(S₁² + S₂²),

    df(u) = (n − 1)/(u² + (1 − u)²),  u ~ Beta((n − 1)/2, (n − 1)/2),

and u is independent of the sum S₁² + S₂² and of the means. Given u the statistic is therefore noncentral t with
2(n − 1) degrees of freedom, as in Student's test, held against the quantile with df(u) of them: the power is the mean
over u. With few values it is clearly smaller than that of the test that pools the variances.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from bakeoff.errors import UsageError
from bakeoff.mathematics.laws import beta_quantile, check_alpha, noncentral_t_sf, t_quantile

NODES = 24


def power_welch(n: int, difference: float, sd: float, *, alpha: float = 0.05, sides: int = 2) -> float:
    """The chance that Welch's test claims the difference of two learners with n values each.

    >>> round(power_welch(3, 2.5, 1.0), 3), round(power_welch(100, 0.4, 1.0), 4)
    (0.527, 0.8036)
    """
    check_alpha(alpha)
    if not n >= 2:
        raise UsageError(f"Welch's t test needs at least two values of each learner; found {n!r}.")
    if not sd > 0:
        raise UsageError(f"The spread of the values must be positive; found {sd!r}.")
    shift, half = sqrt(n / 2) * difference / sd, (n - 1) / 2
    # The law of u is symmetric: its lower half says all, and is averaged over the probabilities of u.
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    chance = 0.0
    for node, weight in zip(nodes, weights, strict=True):
        u = beta_quantile((1 + node) / 4, half, half)
        critical = t_quantile(1 - alpha / sides, (n - 1) / (u * u + (1 - u) ** 2))
        chance += weight / 2 * float(noncentral_t_sf(critical, 2 * (n - 1), shift))
    return float(chance)
