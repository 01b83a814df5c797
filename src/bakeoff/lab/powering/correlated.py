"""Exact power of t tests over folds that are correlated: the naive and the corrected resampled t test.

The model is that of Nadeau and Bengio (2003), doi:10.1023/A:1024068626366: the differences of n folds are normal with
mean δ and standard deviation σ, and any two of them have the correlation ρ. Then, with S² their sample variance,

    mean ~ N(δ, σ²(ρ + (1 − ρ)/n)),  S² ~ σ²(1 − ρ) χ²(n − 1)/(n − 1),  independent of each other,

so that t = mean/√(S²(1/n + r)) is a noncentral t times c = √((ρ + (1 − ρ)/n) / ((1 − ρ)(1/n + r))). For K-fold
cross-validation with the ratio r = 1/(K − 1) of test to training size and ρ = 1/K, c is 1.
"""

from __future__ import annotations

from math import sqrt

from bakeoff.errors import UsageError
from bakeoff.mathematics.laws import check_alpha, noncentral_t_sf, t_quantile


def power_correlated_t(
    n: int,
    difference: float,
    sd: float,
    *,
    correlation: float,
    ratio: float = 0.0,
    alpha: float = 0.05,
    sides: int = 2,
) -> float:
    """The chance that a t test over n correlated folds claims the difference; `ratio` 0 is the naive test.

    At no difference it is the error rate on one side: over ten times ten folds the naive test claims far too much.

    >>> round(power_correlated_t(100, 0.0, 1.0, correlation=0.1), 3)
    0.285
    >>> round(power_correlated_t(100, 0.0, 1.0, correlation=0.1, ratio=1 / 9), 3)
    0.025
    """
    check_alpha(alpha)
    if not n >= 2:
        raise UsageError(f"A t test needs at least two folds; found {n!r}.")
    if not sd > 0:
        raise UsageError(f"The spread of the differences must be positive; found {sd!r}.")
    if not 0 <= correlation < 1:
        raise UsageError(f"The correlation between folds is at least 0 and less than 1; found {correlation!r}.")
    of_mean = correlation + (1 - correlation) / n
    inflation = sqrt(of_mean / ((1 - correlation) * (1 / n + ratio)))
    critical = t_quantile(1 - alpha / sides, n - 1) / inflation
    return float(noncentral_t_sf(critical, n - 1, difference / (sd * sqrt(of_mean))))
