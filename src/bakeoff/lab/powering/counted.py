"""Exact power of tests that count: the sign test, the binomial test, McNemar's test.

Their p-values jump from count to count, so that α is not used up, and power goes up and down with n like the teeth of
a saw. Only claims in the right direction count as found.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import choice
from bakeoff.mathematics.laws import (
    binomial_cdf,
    binomial_sf,
    check_alpha,
    chi2_quantile,
    normal_quantile,
    p_from_t,
)
from bakeoff.procedures.binomial import binomial_p
from bakeoff.procedures.mcnemar import FEW
from bakeoff.procedures.normal_approximation import binomial_z

Whole = NDArray[np.int64]
MCNEMAR_METHODS = ("auto", "exact", "chi2")


def power_sign(n: int, win: float, *, alpha: float = 0.05, sides: int = 2) -> float:
    """The chance that the exact sign test on n blocks finds the learner better that wins each with chance `win`.

    >>> round(power_sign(20, 0.75), 4), power_sign(5, 0.99)
    (0.6172, 0.0)
    """
    _check_rate(win, "A chance to win")
    critical = int(critical_counts(np.array([_checked(n)]), check_alpha(alpha) / _checked_sides(sides))[0])
    return binomial_sf(critical, n, win)


def power_binomial(n: int, p0: float, rate: float, *, alpha: float = 0.05, sides: int = 2) -> float:
    """The chance that the exact binomial test on n instances finds that an error rate is below p0, when it is `rate`.

    Two-sided p-values add all outcomes that are no more likely, as the procedure does.

    >>> round(power_binomial(100, 0.2, 0.1, sides=1), 4)
    0.8761
    """
    check_alpha(alpha)
    _check_rate(rate, "An error rate")
    if not 0 < p0 < 1:
        raise UsageError(f"The error rate tested against lies strictly between 0 and 1; found {p0!r}.")
    side = "two-sided" if _checked_sides(sides) == 2 else "less"
    # The largest count below p0 n that is still significant, by halving: p grows with the count.
    low, high = -1, int(np.ceil(_checked(n) * p0))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if binomial_p(middle, n, p0, side) <= alpha else (low, middle)
    return binomial_cdf(low, n, rate)


def power_normal_approximation(n: int, p0: float, rate: float, *, alpha: float = 0.05, sides: int = 2) -> float:
    """The same for the approximate normal test, whose z divides by the standard deviation at p0.

    The count is binomial whatever the test makes of it, so that this power is exact; at `rate` = p0 it is the size of
    the test on that side, which can exceed α.

    >>> round(power_normal_approximation(100, 0.2, 0.1, sides=1), 4), round(power_binomial(100, 0.2, 0.1, sides=1), 4)
    (0.8761, 0.8761)
    """
    check_alpha(alpha)
    _check_rate(rate, "An error rate")
    if not 0 < p0 < 1:
        raise UsageError(f"The error rate tested against lies strictly between 0 and 1; found {p0!r}.")
    side = "two-sided" if _checked_sides(sides) == 2 else "less"
    low, high = -1, int(np.ceil(_checked(n) * p0))
    while high - low > 1:
        middle = (low + high) // 2
        found = p_from_t(binomial_z(middle, n, p0, correction=False), inf, side)
        low, high = (middle, high) if found <= alpha else (low, middle)
    return binomial_cdf(low, n, rate)


def power_mcnemar(
    n: int, difference: float, discordant: float, *, alpha: float = 0.05, sides: int = 2, method: str = "auto"
) -> float:
    """The chance that McNemar's test on n instances finds a difference of two error rates.

    `discordant` is the share of instances on which exactly one of the two is right: (discordant + difference)/2 are in
    favour of the better one. The number D of such instances varies; its law is summed over, and given D the count in
    favour is binomial. `method` is the procedure's: exact below 25 discordant instances and χ² with continuity
    correction from there on (auto), or one of them throughout.

    >>> round(power_mcnemar(300, 0.05, 0.1), 4), round(power_mcnemar(300, 0.05, 0.1, method="exact"), 4)
    (0.7443, 0.7445)
    """
    check_alpha(alpha)
    choice(method, MCNEMAR_METHODS, "method of McNemar's test")
    _check_rate(discordant, "The share of discordant instances")
    if not 0 <= difference <= discordant:
        raise UsageError(
            f"Two error rates cannot differ by more than the share of instances on which the two disagree, "
            f"{discordant:g}; found a difference of {difference:g}."
        )
    if discordant == 0:
        return 0.0
    sides = _checked_sides(sides)
    spread = 9 * sqrt(n * discordant * (1 - discordant)) + 9  # beyond lies less than 1e-15
    count = np.arange(max(0, int(n * discordant - spread)), min(_checked(n), int(n * discordant + spread)) + 1)
    enough = _mcnemar_critical(count, alpha, sides, method)
    favour = (discordant + difference) / (2 * discordant)
    return float(_pmf(count, n, discordant) @ _at_least(enough, count, favour))


def _mcnemar_critical(count: Whole, alpha: float, sides: int, method: str) -> Whole:
    """For each number of discordant instances, how many in favour are significant; one more than all if none are."""
    exact = critical_counts(count, alpha / sides)
    if method == "exact":
        return exact
    # (2X − D − 1)/√D ≥ z, the root of eq. 19.13; the square of a two-sided z is the quantile of χ²
    z = sqrt(chi2_quantile(1 - alpha, 1)) if sides == 2 else normal_quantile(1 - alpha)
    approximate = np.minimum(np.ceil((count + 1 + z * np.sqrt(count)) / 2 - 1e-9), count + 1).astype(np.int64)
    return approximate if method == "chi2" else np.where(count < FEW, exact, approximate)


def critical_counts(n: Whole, tail: float) -> Whole:
    """The smallest count c with P(X ≥ c) ≤ tail for X ~ Bin(n, ½), for each n; n + 1 if there is none.

    >>> critical_counts(np.array([5, 6, 10]), 0.025).tolist()
    [6, 6, 9]
    """
    low, high = np.zeros(len(n), dtype=np.int64), np.asarray(n, dtype=np.int64) + 1
    while (high - low > 1).any():
        middle = (low + high) // 2
        small = _at_least(middle, n, 0.5) <= tail * (1 + 1e-12)
        low, high = np.where(small, low, middle), np.where(small, middle, high)
    return np.asarray(high)


def _at_least(count: Whole, n: Whole, p: float) -> Any:
    """P(X ≥ count) for each; certain for 0, impossible beyond n."""
    inside = np.clip(count - 1, 0, np.maximum(n - 1, 0))
    tail = special.bdtrc(inside, np.maximum(n, 1), p)
    return np.where(count <= 0, 1.0, np.where(count > n, 0.0, tail))


def _pmf(count: Whole, n: int, p: float) -> Any:
    if p == 1:
        return (count == n).astype(float)
    log = special.gammaln(n + 1) - special.gammaln(count + 1) - special.gammaln(n - count + 1)
    return np.exp(log + count * np.log(p) + (n - count) * np.log1p(-p))


def _checked(n: float) -> int:
    if not 1 <= n < inf or n != int(n):
        raise UsageError(f"The number of instances or tasks is a whole number, one at least; found {n!r}.")
    return int(n)


def _checked_sides(sides: int) -> int:
    if sides not in (1, 2):
        raise UsageError(f"A test has one or two sides; found {sides!r}.")
    return sides


def _check_rate(rate: float, name: str) -> None:
    if not 0 <= rate <= 1:
        raise UsageError(f"{name} lies between 0 and 1; found {rate!r}.")
