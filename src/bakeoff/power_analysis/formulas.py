"""Power: how likely a test is to find a difference, how many observations that takes, and what can be found with them.

`power_…` gives the chance of rejection, `…_size` the sample size at which it reaches a target, `…_difference` the
smallest difference found with that chance. Sizes are not rounded: take the next whole number.

*strict* counts rejections in the wrong direction too, as a two-sided test makes them; without it the tail on the side
of the difference alone is counted, as R does unless told otherwise. They differ where power is close to α.

References: Cohen (1988), Statistical Power Analysis; Alpaydın (2014), 19.9.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.errors import UsageError
from bakeoff.mathematics.binary_tables import FEW
from bakeoff.mathematics.checks import choice
from bakeoff.mathematics.laws import (
    beta_quantile,
    binomial_cdf,
    binomial_sf,
    check_alpha,
    chi2_quantile,
    f_cdf,
    f_quantile,
    noncentral_f_sf,
    noncentral_t_sf,
    normal_quantile,
    normal_sf,
    p_from_t,
    t_quantile,
)
from bakeoff.mathematics.proportions import binomial_p, binomial_z

KINDS = ("paired", "one-sample", "two-sample")


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


# ----------------------------------------------------------------------------------------------------------------------
# Exact power of Welch's t test of two samples of the same size and the same spread.
#
# Welch's degrees of freedom depend on the data, so that the critical value does. With S₁² and S₂² the sample variances
# of n values each and u = S₁²/(S₁² + S₂²),
#
# df(u) = (n − 1)/(u² + (1 − u)²), u ~ Beta((n − 1)/2, (n − 1)/2),
#
# and u is independent of the sum S₁² + S₂² and of the means. Given u the statistic is therefore noncentral t with 2(n −
# 1) degrees of freedom, as in Student's test, held against the quantile with df(u) of them: the power is the mean over
# u. With few values it is clearly smaller than that of the test that pools the variances.


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


# ----------------------------------------------------------------------------------------------------------------------
# Exact power by the noncentral F law: Hotelling's T², and learners in a two-way layout.


def power_hotelling(n: int, measures: int, distance: float, *, alpha: float = 0.05) -> float:
    """Power of the paired T² test over n blocks, where the learners lie `distance` apart.

    The distance is √(δ'Σ⁻¹δ), with δ the mean differences of the measures and Σ the covariance of the differences; for
    measures that are not correlated, the root of the sum of squared differences in sds. T²(n − p)/(p(n − 1)) has the
    noncentral F law with p and n − p degrees of freedom and noncentrality n·distance².

    >>> round(power_hotelling(20, 2, 0.8), 4), power_hotelling(2, 2, 5.0)
    (0.8449, 0.0)
    """
    check_alpha(alpha)
    if measures < 1 or distance < 0:
        raise UsageError(f"There is one measure at least, and no distance below 0; found {measures!r}, {distance!r}.")
    if n <= measures:
        return 0.0  # S has no inverse: nothing can be claimed
    df = float(measures), float(n - measures)
    return float(noncentral_f_sf(f_quantile(1 - alpha, *df), *df, n * distance**2))


def power_two_way(tasks: int, runs: int, learners: int, between: float, within: float, *, alpha: float = 0.05) -> float:
    """Power of the F test of the learners in a balanced two-way layout with interaction.

    `between` is the variance of the learners' means (divided by learners − 1), `within` that of the runs of a learner
    on a task. Each mean is over tasks × runs values; the error has tasks × learners × (runs − 1) degrees of freedom.

    >>> round(power_two_way(5, 4, 3, 0.0001, 0.0008), 4)
    0.4759
    """
    check_alpha(alpha)
    if min(tasks, runs, learners) < 2:
        raise UsageError(
            f"A two-way layout has two tasks, two runs and two learners at least; found {tasks}, {runs}, {learners}."
        )
    df = float(learners - 1), float(tasks * learners * (runs - 1))
    shift = (learners - 1) * tasks * runs * between / within
    return float(noncentral_f_sf(f_quantile(1 - alpha, *df), *df, shift))


def power_block_effect(shift: float, df: int, df_blocks: int, *, between: int = 1, alpha: float = 0.05) -> float:
    """Power of an effect of `df` contrasts that is held against its own variation from block to block, with the ε of
    Greenhouse and Geisser, `shift` being the noncentrality. Of one effect in several tasks `between` is how many of
    its differences are tested, the tasks less one.

    The contrasts are taken to vary alike (ε = 1). What is estimated of ε is below one even so, which costs power: on
    average about (df ν + 2)/(df (ν + df + 1)) of ν = `df_blocks` degrees of freedom, by the moments of Wishart's law.

    >>> round(power_block_effect(20, 2, 9), 3), round(power_block_effect(0, 1, 9), 3)
    (0.954, 0.05)
    """
    if df_blocks < 1:
        raise UsageError(f"An effect is held against its variation over two blocks or more; found {df_blocks + 1}.")
    epsilon = min(1.0, (df * df_blocks + 2) / (df * (df_blocks + df + 1)))
    first, second = df * between, df * df_blocks
    critical = f_quantile(1 - alpha, first * epsilon, second * epsilon)
    return float(noncentral_f_sf(critical, first, second, shift))


# ----------------------------------------------------------------------------------------------------------------------
# Exact power of t tests over folds that are correlated: the naive and the corrected resampled t test.
#
# The model is that of Nadeau and Bengio (2003), doi:10.1023/A:1024068626366: the differences of n folds are normal with
# mean δ and standard deviation σ, and any two of them have the correlation ρ. Then, with S² their sample variance,
#
# mean ~ N(δ, σ²(ρ + (1 − ρ)/n)), S² ~ σ²(1 − ρ) χ²(n − 1)/(n − 1), independent of each other,
#
# so that t = mean/√(S²(1/n + r)) is a noncentral t times c = √((ρ + (1 − ρ)/n) / ((1 − ρ)(1/n + r))). For K-fold cross-
# validation with the ratio r = 1/(K − 1) of test to training size and ρ = 1/K, c is 1.


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


# ----------------------------------------------------------------------------------------------------------------------
# Exact power of tests that count: the sign test, the binomial test, McNemar's test.
#
# Their p-values jump from count to count, so that α is not used up, and power goes up and down with n like the teeth of
# a saw. Only claims in the right direction count as found.


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
    side = _side_below(p0, rate, alpha, sides)
    return _chance_of_few(n, p0, rate, alpha, lambda count: binomial_p(count, n, p0, side))


def _side_below(p0: float, rate: float, alpha: float, sides: int) -> str:
    check_alpha(alpha)
    _check_rate(rate, "An error rate")
    if not 0 < p0 < 1:
        raise UsageError(f"The error rate tested against lies strictly between 0 and 1; found {p0!r}.")
    return "two-sided" if _checked_sides(sides) == 2 else "less"


def _chance_of_few(n: int, p0: float, rate: float, alpha: float, p_of: Callable[[int], float]) -> float:
    """The chance of a count below p0 n that is significant. The largest such, by halving: p grows with the count."""
    low, high = -1, int(np.ceil(_checked(n) * p0))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if p_of(middle) <= alpha else (low, middle)
    return binomial_cdf(low, n, rate)


def power_normal_approximation(n: int, p0: float, rate: float, *, alpha: float = 0.05, sides: int = 2) -> float:
    """The same for the approximate normal test, whose z divides by the standard deviation at p0.

    The count is binomial whatever the test makes of it, so that this power is exact; at `rate` = p0 it is the size of
    the test on that side, which can exceed α.

    >>> round(power_normal_approximation(100, 0.2, 0.1, sides=1), 4), round(power_binomial(100, 0.2, 0.1, sides=1), 4)
    (0.8761, 0.8761)
    """
    side = _side_below(p0, rate, alpha, sides)

    def p_of(count: int) -> float:
        return p_from_t(binomial_z(count, n, p0, correction=False), inf, side)

    return _chance_of_few(n, p0, rate, alpha, p_of)


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


# ----------------------------------------------------------------------------------------------------------------------
# Exact power of the F test of two mean squared errors.


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
