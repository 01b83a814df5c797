"""Rates of right or wrong answers: how many of how many, intervals and tests of one rate and of two that differ."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, floor, inf, isfinite, isnan, lgamma, log, log1p, sqrt

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import binary_column, choice, number_column
from bakeoff.mathematics.laws import (
    beta_quantile,
    binomial_cdf,
    binomial_sf,
    check_alternative,
    check_confidence,
    end_tail,
    normal_quantile,
    one_sided,
    p_from_t,
)

_ROUNDING = 1e-6  # reported rates may pass 0 and 1 by so much
_NEAR = 0.25  # a rate that is this far from a count of n is not one of n
_SLACK = 1e-7  # two probabilities that differ by less are equal but for rounding (as in R and scipy)


# ----------------------------------------------------------------------------------------------------------------------
# A rate and its n: from the answers themselves, or as reported, with the size of the test set.


def rate_of(values: ArrayLike, n: float, which: str = "values") -> tuple[float, float]:
    """A rate and the size of its test set: of a column of answers, or of a single value whose size is given.

    >>> rate_of([1, 0, 0, 0], float("nan")), rate_of([0.75], 1000)
    ((0.25, 4.0), (0.75, 1000.0))
    """
    column = number_column(values, which)
    if len(column) == 1 and not isnan(n):
        return checked_rate_of(float(column[0]), float(n), which)
    answers = binary_column(column, which)
    return float(np.mean(answers)), float(len(answers))


def x_of(values: ArrayLike, n: float) -> tuple[float, float]:
    """x of n: the number of ones among answers, or a rate times the size that is given, which may be no whole number.

    >>> x_of([1, 0, 0, 0], float("nan")), x_of([0.15], 30)
    ((1.0, 4.0), (4.5, 30.0))
    """
    rate, size = rate_of(values, n)
    answers = np.size(values) > 1 or isnan(n)
    return float(np.sum(np.asarray(values, dtype=float))) if answers else rate * size, size


def checked_rate_of(rate: float, n: float, which: str) -> tuple[float, float]:
    """A rate and its n, if they can be such."""
    name = "rate" if which == "values" else f"{which} rate"
    if not (isfinite(n) and n > 0):
        raise UsageError(f"The {name} needs the size of its test set, at least one instance; found n = {n!r}.")
    if not -_ROUNDING <= rate <= 1 + _ROUNDING:
        raise UsageError(f"A rate lies between 0 and 1; the {'value' if which == 'values' else which} is {rate!r}.")
    return min(max(rate, 0.0), 1.0), n


def count_of(values: ArrayLike, n: float) -> tuple[int, int, str]:
    """How many of n, for tests that count whole answers, and a note if a rounded rate was counted back.

    >>> count_of([1, 0, 0, 0], float("nan")), count_of([0.75], 1000)
    ((1, 4, ''), (750, 1000, ''))
    >>> count_of([0.8533], 150)
    (128, 150, '0.8533 of 150 is counted as 128')
    """
    successes, size = x_of(values, n)
    if size != int(size):
        raise UsageError(f"A test set has a whole number of instances; found n = {size!r}.")
    x, rate = round(successes), successes / size
    if abs(successes - x) > _NEAR:
        raise DegenerateError(
            f"This test counts whole answers, and {rate:g} of {size:g} are {successes:g}. Give the counts, or use a "
            "procedure that takes rates: wilson, normal-approximation."
        )
    exact = abs(successes - x) <= _ROUNDING * size
    return x, int(size), "" if exact else f"{rate:g} of {size:g} is counted as {x}"


def checked_rate(p0: float | None, test: str) -> float:
    """The rate tested against, if there is one and it is a rate.

    >>> checked_rate(1.5, "binomial")
    Traceback (most recent call last):
    bakeoff.errors.UsageError: p0, the rate tested against, lies strictly between 0 and 1; found 1.5.
    """
    if p0 is None:
        raise UsageError(f"The {test} test needs a rate to test against, fixed in advance: give p0, e.g. p0=0.1.")
    if not 0 < p0 < 1:
        raise UsageError(f"p0, the rate tested against, lies strictly between 0 and 1; found {p0!r}.")
    return p0


# ----------------------------------------------------------------------------------------------------------------------
# Intervals for one rate: Wilson's, and the five that people know beside it. Each method takes x, n, and the probability
# left out at each end.


def _wilson(x: float, n: float, tail: float) -> tuple[float, float]:
    """The p0 that a score test does not reject: (p̂ + z²/2n ± z √(p̂q̂/n + z²/4n²)) / (1 + z²/n)."""
    z = normal_quantile(1 - tail)
    rate = x / n
    half = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    centre, scale = rate + z * z / (2 * n), 1 + z * z / n
    return (centre - half) / scale if x > 0 else 0.0, (centre + half) / scale if x < n else 1.0


def _wilson_cc(x: float, n: float, tail: float) -> tuple[float, float]:
    """Wilson's with Yates' correction: each end from a count moved half a unit away from it (Newcombe, method 4).

    R's prop.test says the same, but drops the correction at x = n/2, where its null hypothesis is met.
    """
    lower = _wilson(x - 0.5, n, tail)[0] if x > 0.5 else 0.0
    upper = _wilson(x + 0.5, n, tail)[1] if x < n - 0.5 else 1.0
    return lower, upper


def _wald(x: float, n: float, tail: float) -> tuple[float, float]:
    """p̂ ± z √(p̂q̂/n), not clipped: that it leaves [0, 1] and has no width at 0 and n is its fault to show."""
    rate = x / n
    half = normal_quantile(1 - tail) * sqrt(rate * (1 - rate) / n)
    return rate - half, rate + half


def _agresti_coull(x: float, n: float, tail: float) -> tuple[float, float]:
    """Wald's after adding z²/2 successes and z²/2 failures, not clipped."""
    z2 = normal_quantile(1 - tail) ** 2
    return _wald(x + z2 / 2, n + z2, tail)


def _clopper_pearson(x: float, n: float, tail: float) -> tuple[float, float]:
    """The p0 that neither tail of the binomial law rejects, as quantiles of beta laws."""
    lower = beta_quantile(tail, x, n - x + 1) if x > 0 else 0.0
    upper = beta_quantile(1 - tail, x + 1, n - x) if x < n else 1.0
    return lower, upper


def _jeffreys(x: float, n: float, tail: float) -> tuple[float, float]:
    """Equal-tailed posterior under Jeffreys' prior, Beta(x + ½, n − x + ½)."""
    lower = beta_quantile(tail, x + 0.5, n - x + 0.5) if x > 0 else 0.0
    upper = beta_quantile(1 - tail, x + 0.5, n - x + 0.5) if x < n else 1.0
    return lower, upper


INTERVALS: dict[str, Callable[[float, float, float], tuple[float, float]]] = {
    "wilson": _wilson,
    "wilson_cc": _wilson_cc,
    "wald": _wald,
    "agresti_coull": _agresti_coull,
    "clopper_pearson": _clopper_pearson,
    "jeffreys": _jeffreys,
}


def proportion_interval(
    x: float, n: float, *, confidence: float, method: str = "wilson", alternative: str = "two-sided"
) -> tuple[float, float]:
    """An interval for the probability behind x of n.

    Wilson's keeps its level for rates near 0 and 1 and for small n, where Wald's does not: at n = 30 and a true rate
    of .9 a "95 %" Wald interval covers in 81 % of the samples, Wilson's in 97 %. x need not be a whole number, because
    reported rates often are none (15 % of 30). A one-sided alternative gives a one-sided interval, up to 1 ("greater")
    or down to 0 ("less").

    >>> low, high = proportion_interval(80, 100, confidence=0.95)
    >>> round(low, 3), round(high, 3)
    (0.711, 0.867)
    >>> proportion_interval(0, 30, confidence=0.95, method="wald")
    (0.0, 0.0)
    """
    check_confidence(confidence)
    check_alternative(alternative)
    if not isfinite(n) or n <= 0:
        raise UsageError(f"A rate needs at least one trial; found n = {n!r}.")
    if not 0 <= x <= n:
        raise UsageError(f"x counts some of the n trials, so it lies between 0 and n = {n:g}; found x = {x!r}.")
    interval = INTERVALS[choice(method, INTERVALS, "interval method")]
    return one_sided(*interval(x, n, end_tail(confidence, alternative)), alternative, 0.0, 1.0)


# ----------------------------------------------------------------------------------------------------------------------
# Tests of one rate against a value fixed in advance: the binomial law, and its normal approximation.


def binomial_p(x: int, n: int, p0: float, alternative: str = "two-sided") -> float:
    """The exact p-value of x out of n where p0 n are expected.

    "greater" is P(X ≥ x), "less" is P(X ≤ x). The two-sided p is the probability of all outcomes that are no more
    likely than x (minimum likelihood, as R and scipy say it); doubling a tail would give another value unless
    p0 = ½.

    >>> round(binomial_p(12, 100, 0.08, "greater"), 4)
    0.1028
    >>> round(binomial_p(3, 20, 0.3), 4)
    0.2204
    """
    if alternative == "greater":
        return binomial_sf(x, n, p0)
    if alternative == "less":
        return binomial_cdf(x, n, p0)
    if x == n * p0:
        return 1.0
    opposite = _as_unlikely_opposite(x, n, p0)
    if x < n * p0:
        return min(1.0, binomial_cdf(x, n, p0) + binomial_sf(opposite, n, p0))
    return min(1.0, binomial_sf(x, n, p0) + binomial_cdf(opposite, n, p0))


def _as_unlikely_opposite(x: int, n: int, p0: float) -> int:
    """The outcome nearest to the mean, on its other side, that is no more likely than x; beyond 0 or n if none is."""

    def log_ratio(y: int) -> float:
        """log P(y)/P(x). Written so that it is exactly 0 for the mirror image of x where p0 = ½."""
        orders = (lgamma(x + 1) + lgamma(n - x + 1)) - (lgamma(y + 1) + lgamma(n - y + 1))
        return orders + (y - x) * (log(p0) - log1p(-p0) if p0 != 0.5 else 0.0)

    # The law falls away from its mean, so the answer is found by halving.
    step, start, last = (1, ceil(n * p0), n) if x < n * p0 else (-1, floor(n * p0), 0)
    steps = bisect_left(range(abs(last - start) + 1), True, key=lambda k: log_ratio(start + step * k) <= _SLACK)
    return start + step * steps


def binomial_z(x: float, n: float, p0: float, correction: bool) -> float:
    """(x − n p0) / √(n p0 (1 − p0)); corrected, the distance is half a unit smaller, but not below 0 (as in R).

    >>> round(binomial_z(21, 30, 0.5, correction=False), 4), round(binomial_z(21, 30, 0.5, correction=True), 4)
    (2.1909, 2.0083)
    """
    distance = x - n * p0
    if correction:
        distance -= min(0.5, abs(distance)) * (1 if distance > 0 else -1)
    return distance / sqrt(n * p0 * (1 - p0))


# ----------------------------------------------------------------------------------------------------------------------
# The difference of two rates on test sets of their own.


@dataclass(frozen=True, slots=True)
class TwoRates:
    """Two rates, each of its own n."""

    rate_a: float
    n_a: float
    rate_b: float
    n_b: float

    @property
    def difference(self) -> float:
        return self.rate_a - self.rate_b

    @property
    def variance(self) -> float:
        """Of the difference, each rate having its own: e1(1 − e1)/n1 + e2(1 − e2)/n2."""
        return self.rate_a * (1 - self.rate_a) / self.n_a + self.rate_b * (1 - self.rate_b) / self.n_b

    @property
    def pooled_variance(self) -> float:
        """The same, if both rates are one."""
        together = (self.rate_a * self.n_a + self.rate_b * self.n_b) / (self.n_a + self.n_b)
        return together * (1 - together) * (1 / self.n_a + 1 / self.n_b)

    def z_test(
        self, alternative: str = "two-sided", pooled: bool = True, correction: bool = False
    ) -> tuple[float, float]:
        """z and its p; 0 and 1 if both rates are 0, or both are 1.

        Yates's correction takes half a count of either set off the distance, (1/n1 + 1/n2)/2, but not more than all of
        it, as R's prop.test does: z² is then the corrected χ².

        >>> z, p = TwoRates(0.15, 120, 0.25, 240).z_test()
        >>> round(z, 4), round(p, 4)
        (-2.1711, 0.0299)
        >>> z, p = TwoRates(0.15, 120, 0.25, 240).z_test(correction=True)
        >>> round(z**2, 4), round(p, 4)
        (4.1428, 0.0418)
        """
        d, variance = self.difference, self.pooled_variance if pooled else self.variance
        if variance <= 0 and d != 0:
            raise DegenerateError(
                f"The rates are {self.rate_a:g} and {self.rate_b:g}, so each has the variance zero by itself, and z "
                "does not exist without pooling. Use the pooled variance."
            )
        if correction:
            distance = max(abs(d) - (1 / self.n_a + 1 / self.n_b) / 2, 0.0)
            d = distance if d > 0 else -distance
        if variance <= 0 or (d == 0 and alternative == "two-sided"):
            return 0.0, 1.0
        z = d / sqrt(variance)
        return z, p_from_t(z, inf, alternative)

    def wald(self, tail: float) -> tuple[float, float]:
        """d ± z √(e1(1 − e1)/n1 + e2(1 − e2)/n2)."""
        half = normal_quantile(1 - tail) * sqrt(self.variance)
        return self.difference - half, self.difference + half

    def newcombe(self, tail: float) -> tuple[float, float]:
        """d − √((a − l1)² + (u2 − b)²) to d + √((u1 − a)² + (b − l2)²), with Wilson's l and u (Newcombe's method 10).

        >>> [round(end, 4) for end in TwoRates(56 / 70, 70, 48 / 80, 80).newcombe(0.025)]
        [0.0524, 0.3339]
        """
        a, b, d = self.rate_a, self.rate_b, self.difference
        l1, u1 = proportion_interval(a * self.n_a, self.n_a, confidence=1 - 2 * tail)
        l2, u2 = proportion_interval(b * self.n_b, self.n_b, confidence=1 - 2 * tail)
        return d - sqrt((a - l1) ** 2 + (u2 - b) ** 2), d + sqrt((u1 - a) ** 2 + (b - l2) ** 2)
