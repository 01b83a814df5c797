"""Confidence sequences: intervals for a mean that cover at all sample sizes at once, so that one may stop by looking.

An interval of the usual kind covers at a sample size that was fixed in advance. Whoever looks after each observation,
and stops when the interval leaves zero out, is wrong far more often than α. A confidence sequence is right at all
times together with probability 1 − α, whatever makes one stop (Ville 1939; Robbins 1970).
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, inf, log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.laws import check_alpha

Array = NDArray[np.float64]
_TRUNCATION = 0.5  # of the bets, as the authors advise
_OF_SKEWNESS = 75  # observations for each squared skewness. Cochran's rule for one look at a mean is 25


def t_radius(n: int, sd: float, alpha: float, spread: float) -> float:
    """Half the length of the confidence sequence of a normal mean at n observations with the standard deviation `sd`.

    All means that the e-value of Student's t does not reject at α: the likelihood ratio of t, under effect sizes
    δ = μ/σ that are normal with variance g (`spread`), to that under δ = 0. With r = 1 + n g and ν = n − 1

        e = r^(−1/2) · [(1 + t²/ν) / (1 + t²/(ν r))]^(n/2).

    It does not depend on σ. As n grows it is a martingale under the null, so that it exceeds 1/α at any time with a
    probability of at most α: one may stop when one likes. It is 1/α at t² = ν (c − 1)/(1 − c/r) with c = (√r/α)^(2/n);
    infinite as long as c ≥ r, where no data could reject anything. Lai (1976), doi:10.1214/aos/1176343406; Gönen,
    Johnson, Lu and Westfall (2005), doi:10.1198/000313005X55233; Wang and Ramdas (2023), arXiv:2310.03722.

    >>> round(t_radius(40, 1.0, 0.05, 0.2), 4), t_radius(2, 1.0, 0.05, 0.2)
    (0.5064, inf)
    """
    check_alpha(alpha)
    _check(n, spread)
    ratio = 1 + n * spread
    c = exp((log(ratio) - 2 * log(alpha)) / n)
    if c >= ratio:
        return inf
    return sd * sqrt((n - 1) * (c - 1) / (1 - c / ratio) / n)


def spread_for(n: int, alpha: float) -> float:
    """The variance of effect sizes that makes the sequence about shortest at n observations.

    That of the mixture for a known variance, ρ² = (−2 log α + log(1 − 2 log α))/n: Waudby-Smith, Arbour, Sinha, Kennedy
    and Ramdas (2024), doi:10.1214/24-AOS2408, appendix B.2. Fixed before the first observation.
    """
    check_alpha(alpha)
    if n < 1:
        raise UsageError(f"A confidence sequence is made for a positive number of observations; found {n!r}.")
    return (-2 * log(alpha) + log(1 - 2 * log(alpha))) / n


def _check(n: int, spread: float) -> None:
    if n < 2:
        raise UsageError(f"A t statistic needs at least two observations; found {n!r}.")
    if not spread > 0:
        raise UsageError(f"The variance of effect sizes must be positive; found {spread!r}.")


def t_sequence(values: ArrayLike, alpha: float, spread: float) -> tuple[Array, Array]:
    """Lower and upper ends after each observation: the best of all ends so far, since all of them cover at once.

    Exact for normal values of any variance. Of others the mean is nearly normal only once there are many for their
    skewness, which whoever looks often finds out: as long as there are fewer than 75 times its square there are no ends
    (Cochran 1977, Sampling Techniques, section 2.15, has 25 for a single look). `tools/sequential.py` measures what
    that is good for, and what it costs.
    """
    x = np.asarray(values, dtype=float)
    n = np.arange(1, len(x) + 1)
    centred = x - x[:1]  # so that large numbers do not cancel
    mean, square, cube = (np.cumsum(centred**power) / n for power in (1, 2, 3))
    variance = np.maximum(0.0, square - mean**2)
    third = cube - 3 * mean * square + 2 * mean**3
    enough = third**2 * _OF_SKEWNESS <= n * variance**3
    reach = np.array([_unit_radius(count, alpha, spread) for count in n.tolist()])
    length = np.full(len(x), inf)
    sd = np.sqrt(variance * n / np.maximum(1, n - 1))
    np.multiply(sd, reach, out=length, where=np.isfinite(reach) & enough)
    means = x[:1] + mean
    return np.maximum.accumulate(means - length), np.minimum.accumulate(means + length)


@lru_cache(maxsize=100_000)
def _unit_radius(n: int, alpha: float, spread: float) -> float:
    return t_radius(n, 1.0, alpha, spread) if n > 1 else inf


def bernstein_sequence(values: ArrayLike, alpha: float) -> tuple[Array, Array]:
    """The same for observations between 0 and 1, of whatever law: the predictable plug-in empirical Bernstein sequence.

    With bets λ_i that depend on the observations before, and ψ(λ) = −log(1 − λ) − λ, the lower end at n is

        (Σ λ_i x_i − log(2/α) − Σ (x_i − x̄_{i−1})² ψ(λ_i)) / Σ λ_i,

    and the upper end is one minus that of 1 − x. Waudby-Smith and Ramdas (2024), doi:10.1093/jrsssb/qkad009, theorem 2.
    """
    check_alpha(alpha)
    x = np.asarray(values, dtype=float)
    if len(x) and not (x.min() >= 0 and x.max() <= 1):
        raise UsageError(f"Observations must lie between 0 and 1; found {x.min():g} to {x.max():g}.")
    lower, upper = _lower(x, alpha / 2), 1 - _lower(1 - x, alpha / 2)
    return np.maximum.accumulate(np.maximum(lower, 0.0)), np.minimum.accumulate(np.minimum(upper, 1.0))


def _lower(x: Array, alpha: float) -> Array:
    t = np.arange(1, len(x) + 1)
    mean = (0.5 + np.cumsum(x)) / (t + 1)  # with one observation of ½ and variance ¼ before the first
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], variance[:-1]])
    bets = np.minimum(_TRUNCATION, np.sqrt(2 * log(1 / alpha) / (t * np.log1p(t) * before)))
    plain = np.concatenate([[0.0], (np.cumsum(x) / t)[:-1]])
    cost = np.cumsum((x - plain) ** 2 * (-np.log1p(-bets) - bets))
    return np.asarray((np.cumsum(bets * x) - log(1 / alpha) - cost) / np.cumsum(bets))
