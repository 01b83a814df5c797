"""Exact power of the F test of two mean squared errors."""

from __future__ import annotations

from math import exp

from bakeoff.errors import UsageError
from bakeoff.mathematics.laws import check_alpha, f_cdf, f_quantile


def power_variance_ratio(n: int, log_ratio: float, *, alpha: float = 0.05, sides: int = 2) -> float:
    """The chance that the better of two models is found better, each on n instances of its own.

    Errors are normal with mean zero, and the mean squared errors have the ratio exp(log_ratio). F is then that ratio
    times a value from the F law with n and n degrees of freedom.

    >>> round(power_variance_ratio(100, 0.5), 4), round(power_variance_ratio(100, 0.0), 4)
    (0.701, 0.025)
    """
    check_alpha(alpha)
    if n < 2:
        raise UsageError(f"A mean squared error to compare is over two instances at least; found {n!r}.")
    return float(f_cdf(f_quantile(alpha / sides, float(n), float(n)) * exp(min(log_ratio, 700.0)), float(n), float(n)))
