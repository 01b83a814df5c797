"""Tails and quantiles of the everyday distributions.

scipy.special has them as fast functions; scipy.stats would say the same and costs a second to import.
"""

from __future__ import annotations

from math import inf
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.errors import UsageError

ALTERNATIVES = ("two-sided", "greater", "less")
_MOST_TRIALS = 2**31 - 1  # that scipy's binomial law knows; of more it says nan


def normal_sf(z: ArrayLike) -> Any:
    """P(Z > z)."""
    return special.ndtr(-np.asarray(z, dtype=float))


def normal_quantile(p: float) -> float:
    return float(special.ndtri(p))


def t_sf(t: ArrayLike, df: float) -> Any:
    """P(T > t) with df degrees of freedom; df = inf is the normal law."""
    t = np.asarray(t, dtype=float)
    return special.ndtr(-t) if df == inf else special.stdtr(df, -t)


def t_quantile(p: float, df: float) -> float:
    return float(t_quantiles(p, df))


def t_quantiles(p: ArrayLike, df: float) -> Any:
    """The same for an array of probabilities."""
    p = np.asarray(p, dtype=float)
    return special.ndtri(p) if df == inf else special.stdtrit(df, p)


def f_sf(f: ArrayLike, df1: float, df2: float) -> Any:
    """P(F > f)."""
    return special.fdtrc(df1, df2, np.asarray(f, dtype=float))


def f_cdf(f: ArrayLike, df1: float, df2: float) -> Any:
    """P(F ≤ f)."""
    return special.fdtr(df1, df2, np.asarray(f, dtype=float))


def f_quantile(p: float, df1: float, df2: float) -> float:
    return float(special.fdtri(df1, df2, p))


def noncentral_t_sf(t: ArrayLike, df: float, shift: float) -> Any:
    """P(T > t) of the t law whose normal part has the mean `shift`; what power is made of."""
    t = np.asarray(t, dtype=float)
    return special.ndtr(shift - t) if df == inf else 1 - special.nctdtr(df, shift, t)


def noncentral_f_sf(f: ArrayLike, df1: float, df2: float, shift: float) -> Any:
    """P(F > f) of the F law whose numerator has the noncentrality `shift`."""
    return 1 - special.ncfdtr(df1, df2, shift, np.asarray(f, dtype=float))


def chi2_sf(x: ArrayLike, df: float) -> Any:
    """P(χ² > x)."""
    return special.chdtrc(df, np.asarray(x, dtype=float))


def chi2_quantile(p: float, df: float) -> float:
    return float(special.chdtri(df, 1 - p))


def binomial_cdf(x: int, n: int, p: float) -> float:
    """P(X ≤ x)."""
    if x < 0:
        return 0.0
    if x >= n:
        return 1.0
    return float(special.bdtr(x, n, p) if n <= _MOST_TRIALS else special.betainc(n - x, x + 1, 1 - p))


def binomial_sf(x: int, n: int, p: float) -> float:
    """P(X ≥ x): the tail includes x."""
    if x <= 0:
        return 1.0
    if x > n:
        return 0.0
    return float(special.bdtrc(x - 1, n, p) if n <= _MOST_TRIALS else special.betainc(x, n - x + 1, p))


def binomial_pmf(x: int, n: int, p: float) -> float:
    if p in (0.0, 1.0):
        return float(x == n * p)
    log = special.gammaln(n + 1) - special.gammaln(x + 1) - special.gammaln(n - x + 1)
    return float(np.exp(log + x * np.log(p) + (n - x) * np.log1p(-p)))


def beta_quantile(p: float, a: float, b: float) -> float:
    return float(special.betaincinv(a, b, p))


def p_from_t(t: float, df: float, alternative: str) -> float:
    """The p-value of a t (or, with df = inf, z) statistic.

    >>> round(p_from_t(1.96, inf, "two-sided"), 3)
    0.05
    """
    if alternative == "two-sided":
        return float(min(1.0, 2 * t_sf(abs(t), df)))
    return float(t_sf(t if alternative == "greater" else -t, df))


def check_alternative(alternative: str) -> str:
    if alternative not in ALTERNATIVES:
        raise UsageError(f"alternative must be one of {', '.join(ALTERNATIVES)}; found {alternative!r}.")
    return alternative


def check_confidence(confidence: float) -> float:
    if not isinstance(confidence, Real) or not 0 < confidence < 1:
        raise UsageError(f"A confidence level lies strictly between 0 and 1; found {confidence!r}.")
    return confidence


def check_alpha(alpha: float) -> float:
    if not isinstance(alpha, Real) or not 0 < alpha < 1:
        raise UsageError(f"α, the error rate, lies strictly between 0 and 1; found {alpha!r}.")
    if 1 - alpha == 1:
        raise UsageError(f"α = {alpha!r} cannot be told from 0 in a confidence level 1 − α; use 1e-15 at least.")
    return alpha


def end_tail(confidence: float, alternative: str) -> float:
    """The probability that an interval leaves out at each of its ends.

    >>> end_tail(0.75, "two-sided"), end_tail(0.75, "greater")
    (0.125, 0.25)
    """
    return (1 - confidence) / 2 if alternative == "two-sided" else 1 - confidence


def one_sided(
    lower: float, upper: float, alternative: str, least: float = -inf, most: float = inf
) -> tuple[float, float]:
    """The interval; where a side is asked for, its other end is as far away as it can be.

    >>> one_sided(0.2, 0.3, "greater", 0.0, 1.0)
    (0.2, 1.0)
    """
    return (least if alternative == "less" else lower), (most if alternative == "greater" else upper)


def direction(alternative: str, estimate: float) -> float:
    """On which side of the null value a test that rejects puts the truth: the one asked about, else the estimate's.

    >>> direction("less", 0.2), direction("two-sided", 0.2)
    (-inf, 0.2)
    """
    return {"greater": inf, "less": -inf}.get(alternative, estimate)


def symmetric_interval(
    estimate: float, se: float, df: float, confidence: float, alternative: str
) -> tuple[float, float]:
    """estimate ± t · se; one-sided alternatives give the one-sided interval that agrees with their p-value."""
    if alternative == "two-sided":
        half = t_quantile((1 + confidence) / 2, df) * se
        return estimate - half, estimate + half
    half = t_quantile(confidence, df) * se
    return (estimate - half, inf) if alternative == "greater" else (-inf, estimate + half)


def percentile_interval(draws: NDArray[np.float64], alpha: float, alternative: str) -> tuple[float, float, float]:
    """The percentile interval of sorted draws and its p, which is at most α exactly if zero lies outside.

    >>> percentile_interval(np.arange(-4.0, 95.0), 0.05, "two-sided")
    (-3.0, 93.0, 0.12)
    """
    n, one_sided = len(draws), alternative != "two-sided"
    k = int((alpha if one_sided else alpha / 2) * (n + 1) * (1 + 1e-12))
    below, above = np.searchsorted(draws, 0.0, "right"), n - np.searchsorted(draws, 0.0, "left")
    low, high = (draws[k - 1], draws[n - k]) if k else (-inf, inf)
    if one_sided:
        beyond = below if alternative == "greater" else above
        ends = (float(low), inf) if alternative == "greater" else (-inf, float(high))
        return *ends, float((1 + beyond) / (n + 1))
    return float(low), float(high), min(1.0, 2 * float(1 + min(below, above)) / (n + 1))
