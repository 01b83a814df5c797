"""Power: how likely a test is to find a difference, how many observations that takes, and what can be found with them.

`power_…` gives the chance of rejection, `…_size` the sample size at which it reaches a target, `…_difference` the
smallest difference found with that chance. Sizes are not rounded: take the next whole number.

*strict* counts rejections in the wrong direction too, as a two-sided test makes them; without it the tail on the side
of the difference alone is counted, as R does unless told otherwise. They differ where power is close to α.

References: Cohen (1988), Statistical Power Analysis; Alpaydın (2014), 19.9.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, sqrt

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import choice
from bakeoff.mathematics.laws import (
    check_alpha,
    f_quantile,
    noncentral_f_sf,
    noncentral_t_sf,
    normal_quantile,
    normal_sf,
    t_quantile,
)

KINDS = ("paired", "one-sample", "two-sample")
LARGEST = 1e9


def needed(power_of: Callable[[float], float], power: float, least: float, most: float = LARGEST) -> float:
    """The argument at which an increasing power function reaches the power wanted, or `least` if it starts above.

    >>> round(needed(lambda n: 1 - 1 / n, 0.9, least=2), 6)
    10.0
    """
    from scipy.optimize import brentq

    if not 0 < power < 1:
        raise UsageError(f"The power wanted lies strictly between 0 and 1; found {power!r}.")
    if power_of(least) >= power:
        return least
    upper = max(2 * least, least + 1)
    while power_of(upper) < power:
        if upper >= most:
            raise DegenerateError(f"A power of {power:g} is not reached, even at {most:g}.")
        upper = min(2 * upper, most)
    return float(brentq(lambda value: power_of(value) - power, least, upper, xtol=1e-12, rtol=1e-13))


# --- means ------------------------------------------------------------------------------------------------------------


def power_t(
    n: float,
    difference: float,
    sd: float,
    *,
    alpha: float = 0.05,
    kind: str = "paired",
    sides: int = 2,
    strict: bool = True,
) -> float:
    """Power of a t test.

    n is the number of pairs (and sd that of their differences), of observations, or of observations in each of two
    samples. One-sided tests look in the direction of a positive difference.

    >>> round(power_t(10, 0.01, 0.02), 4)
    0.2932
    >>> round(power_t(10, 0.01, 0.02, strict=False), 4)
    0.2928
    """
    samples = 2 if choice(kind, KINDS, "kind") == "two-sample" else 1
    _check(n, sd, alpha, sides, least=1 + 1e-6)
    df = (n - 1) * samples
    critical = t_quantile(1 - alpha / sides, df)
    shift = sqrt(n / samples) * difference / sd
    return _tails(lambda t, by: float(noncentral_t_sf(t, df, by)), critical, shift, sides, strict)


def t_size(
    difference: float,
    sd: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    kind: str = "paired",
    sides: int = 2,
    strict: bool = False,
) -> float:
    """How many pairs (or observations, or observations in each sample) a t test needs to find a difference.

    >>> round(t_size(0.01, 0.02, kind="one-sample"), 3)
    33.367
    """
    _findable(difference, sides)

    def reached(n: float) -> float:
        return power_t(n, difference, sd, alpha=alpha, kind=kind, sides=sides, strict=strict)

    return needed(reached, power, least=2)


def t_difference(
    n: float,
    sd: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    kind: str = "paired",
    sides: int = 2,
    strict: bool = False,
) -> float:
    """The smallest difference that a t test on n finds with the power wanted.

    >>> round(t_difference(34, 0.02, kind="one-sample"), 4)
    0.0099
    """

    def reached(ratio: float) -> float:
        return power_t(n, ratio, 1.0, alpha=alpha, kind=kind, sides=sides, strict=strict)

    return sd * needed(reached, power, least=0.0, most=1e3)


def power_z(
    n: float, difference: float, sigma: float, *, alpha: float = 0.05, sides: int = 2, strict: bool = True
) -> float:
    """Power of a z test of one mean whose standard deviation is known: β(μ) of the textbook is one less this.

    >>> round(power_z(197, 0.01, 0.05), 4)
    0.8016
    """
    _check(n, sigma, alpha, sides, least=0)
    shift = sqrt(n) * difference / sigma
    return _tails(lambda z, by: float(normal_sf(z - by)), normal_quantile(1 - alpha / sides), shift, sides, strict)


def z_size(
    difference: float,
    sigma: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    sides: int = 2,
    strict: bool = True,
) -> float:
    """How many observations a z test needs.

    >>> round(z_size(0.01, 0.05), 3)
    196.222
    """
    _findable(difference, sides)
    _check(1, sigma, alpha, sides, least=0)

    def reached(n: float) -> float:
        return power_z(n, difference, sigma, alpha=alpha, sides=sides, strict=strict)

    return needed(reached, power, least=1e-9)


# --- proportions and several means ------------------------------------------------------------------------------------


def power_proportions(
    n: float, p1: float, p2: float, *, alpha: float = 0.05, sides: int = 2, strict: bool = False
) -> float:
    """Power of the z test of two proportions on separate test sets of n instances each.

    The critical value has the variance of the null hypothesis, the statistic that of the alternative.

    >>> round(power_proportions(30, 0.15, 0.25), 4)
    0.1588
    """
    _check(n, 1, alpha, sides, least=0)
    for p in (p1, p2):
        if not 0 <= p <= 1:
            raise UsageError(f"A proportion lies between 0 and 1; found {p!r}.")
    null = sqrt((p1 + p2) * (1 - (p1 + p2) / 2))
    own = sqrt(p1 * (1 - p1) + p2 * (1 - p2))
    if own == 0:
        return 0.0 if p1 == p2 else 1.0
    shift = sqrt(n) * abs(p1 - p2) / own
    critical = normal_quantile(1 - alpha / sides) * null / own
    return _tails(lambda z, by: float(normal_sf(z - by)), critical, shift, sides, strict)


def proportions_size(
    p1: float, p2: float, *, power: float = 0.8, alpha: float = 0.05, sides: int = 2, strict: bool = False
) -> float:
    """How many instances each of two test sets needs.

    >>> round(proportions_size(0.15, 0.25), 2)
    249.98
    """
    if p1 == p2:
        raise DegenerateError("Equal proportions are found different at the rate α, however many instances there are.")

    def reached(n: float) -> float:
        return power_proportions(n, p1, p2, alpha=alpha, sides=sides, strict=strict)

    return needed(reached, power, least=1.0)


def power_anova(n: float, groups: int, between: float, within: float, *, alpha: float = 0.05) -> float:
    """Power of the one-way analysis of variance with n observations in each group.

    `between` is the variance of the groups' means (divided by groups − 1), `within` that of observations in a group.

    >>> round(power_anova(32, 5, 0.0001, 0.0008), 4)
    0.9023
    """
    if groups < 2:
        raise UsageError(f"An analysis of variance compares at least two groups; found {groups!r}.")
    if not between >= 0:
        raise UsageError(f"The variance between groups is not negative; found {between!r}.")
    _check(n, within, alpha, 1, least=1 + 1e-6)
    df1, df2 = groups - 1, (n - 1) * groups
    shift = df1 * n * between / within
    return float(noncentral_f_sf(f_quantile(1 - alpha, df1, df2), df1, df2, shift))


def anova_size(groups: int, between: float, within: float, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """How many observations each group needs.

    >>> round(anova_size(5, 0.0001, 0.0008, power=0.9), 3)
    31.775
    """
    if between == 0:
        raise DegenerateError("Equal means are found different at the rate α, however many observations there are.")
    return needed(lambda n: power_anova(n, groups, between, within, alpha=alpha), power, least=2)


# --- shared -----------------------------------------------------------------------------------------------------------


def _tails(sf: Callable[[float, float], float], critical: float, shift: float, sides: int, strict: bool) -> float:
    """P(statistic > critical), and with two strict sides P(statistic < −critical) as well."""
    if sides == 1:
        return sf(critical, shift)
    shift = abs(shift)
    return sf(critical, shift) + (sf(critical, -shift) if strict else 0.0)


def _check(n: float, sd: float, alpha: float, sides: int, least: float) -> None:
    check_alpha(alpha)
    if sides not in (1, 2):
        raise UsageError(f"A test has one or two sides; found {sides!r}.")
    if not least < n < inf:
        raise UsageError(f"The number of observations must be more than {least:g}; found {n!r}.")
    if not 0 < sd < inf:
        raise UsageError(f"The spread of the observations must be positive and finite; found {sd!r}.")


def _findable(difference: float, sides: int) -> None:
    if not isfinite(difference):
        raise UsageError(f"The difference to find must be a finite number; found {difference!r}.")
    if difference == 0 or (sides == 1 and difference < 0):
        raise DegenerateError(f"No number of observations finds a difference of {difference:g} with the power wanted.")
