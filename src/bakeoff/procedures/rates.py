"""Rates of right or wrong answers: from the answers themselves, or as reported, with the size of the test set."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from math import ceil, floor, inf, isfinite, isnan, lgamma, log, log1p, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.inference.evidence import align_interval_with_p
from bakeoff.mathematics.checks import binary_column, choice, count, number_column
from bakeoff.mathematics.laws import (
    beta_quantile,
    binomial_cdf,
    binomial_sf,
    check_alternative,
    check_confidence,
    normal_quantile,
    p_from_t,
)
from bakeoff.measures.measure import canonical_name
from bakeoff.procedures.card import Caution, Compares, Need, PowerFormula, Published
from bakeoff.procedures.procedure import Result, procedure
from bakeoff.scores import Layout, Level

SHARES = ("accuracy", "error")
_ROUNDING = 1e-6  # reported rates may pass 0 and 1 by so much
_NEAR = 0.25  # a rate that is this far from a count of n is not one of n


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
    found, size = x_of(values, n)
    if size != int(size):
        raise UsageError(f"A test set has a whole number of instances; found n = {size!r}.")
    x, rate = round(found), found / size
    if abs(found - x) > _NEAR:
        raise DegenerateError(
            f"This test counts whole answers, and {rate:g} of {size:g} are {found:g}. Give the counts, or use a "
            "procedure that takes rates: wilson, normal-approximation."
        )
    exact = abs(found - x) <= _ROUNDING * size
    return x, int(size), "" if exact else f"{rate:g} of {size:g} is counted as {x}"


def _rates(facts: Layout) -> str | None:
    if facts.level is Level.INSTANCES:
        return None if facts.binary else f"the values of {facts.measure.name} are not 0 or 1 per instance"
    if facts.level is not Level.SINGLE:
        return f"it takes one rate a learner, or answers that are right or wrong; the blocks are {facts.level.value}"
    if isnan(facts.n_test):
        return "the sizes of the test sets are not known: give a column n_test"
    return None


def rates_or_answers() -> Need:
    """Answers that are right or wrong, or rates of them with their number."""
    return Need("answers that are right or wrong (0 or 1), or one rate a learner with the size n_test", _rates)


def is_share(facts: Layout) -> bool:
    """Whether a measure is a share of the test instances."""
    return canonical_name(facts.measure.name) in SHARES


def _share(facts: Layout) -> str | None:
    if facts.level is Level.INSTANCES or is_share(facts):
        return None
    return f"it takes rates over all test instances, as error and accuracy are, and the measure is {facts.measure.name}"


def share_of_instances() -> Need:
    """Only such rates have the variance e(1 − e)/n."""
    return Need("a rate over all test instances: error or accuracy", _share, essential=False)


# ----------------------------------------------------------------------------------------------------------------------
# Intervals for the rate of one learner: Wilson's, and the five that people know beside it.


# Each method takes x, n, and the probability left out at each end.


Method = Callable[[float, float, float], tuple[float, float]]


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


METHODS: dict[str, Method] = {
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
    interval = METHODS[choice(method, METHODS, "interval method")]
    if alternative == "two-sided":
        return interval(x, n, (1 - confidence) / 2)
    lower, upper = interval(x, n, 1 - confidence)
    return (lower, 1.0) if alternative == "greater" else (0.0, upper)


def _published_wilson() -> list[float]:
    lower, upper = proportion_interval(80, 100, confidence=0.95)
    wide = proportion_interval(75, 100, confidence=0.80)
    wald = proportion_interval(250, 1000, confidence=0.95, method="wald")
    return [lower, upper, wide[0], wide[1], 100 * wald[0], 100 * wald[1]]


@procedure(
    Compares.ONE,
    Level.INSTANCES,
    name="wilson",
    title="Interval for a rate (Wilson's unless another is named)",
    question="How large is the error rate (or the accuracy) of this model, and how well is it known?",
    null="none is tested: an interval is given",
    common_needs=False,
    needs=(rates_or_answers(), share_of_instances()),
    assumes=(
        "The instances are independent draws from the population that the rate is about.",
        "The model was fitted without them.",
    ),
    conventions=(
        "The interval is Wilson's unless another method is named; it is never left of 0 or right of 1.",
        "Wald's and Agresti and Coull's intervals are given as their formulas say, not clipped to [0, 1].",
        "Clopper and Pearson's never covers too rarely, and is wide for it; Jeffreys' is a posterior interval.",
        "A one-sided alternative gives a one-sided interval that ends at 0 or at 1.",
    ),
    cautions=(
        "Intervals of two models on the same instances are not a comparison: use mcnemar, which is paired.",
        Caution(
            "Wald's interval is too short for rates near 0 and 1 and has no width at 0 of n.",
            "At n = 30 and a true rate of .9 it covers 81 % where 95 % is asked, Wilson's 97 %.",
        ),
        "It says nothing about how the learner would do with another training set.",
    ),
    references=("wilson1927", "newcombe1998a", "brown2001"),
    published=Published(
        "slides on comparing data-mining methods: 80 of 100 at 95 % (the slides cut .8666 to .866; rounded it is "
        ".867), 75 of 100 at 80 %, and Wald's interval for 25 % of 1000, given without saying that it is another one",
        "lower, 80 of 100 = 0.711; upper, 80 of 100 = 0.867; lower, 75 of 100 at 80 % = 0.691; upper, 75 of 100 at 80 "
        "% = 0.801; Wald's lower, 25 % of 1000, in percent = 22.32; Wald's upper, 25 % of 1000, in percent = 27.68",
        _published_wilson,
    ),
    recommended_for="one learner's right and wrong answers, whose rate needs an interval that holds near 0 and 1 as "
    "well",
    rank=10,
    options={"method": ("which interval is given", tuple(METHODS))},
    with_sizes=True,
    binary=True,
    no_power="it is an interval; the test of one error rate is binomial",
)
def compute_wilson(
    values: ArrayLike,
    n: float = nan,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    method: str = "wilson",
) -> Result:
    """The rate of ones in a column of zeros and ones, or a single rate of n, with its interval.

    >>> result = compute_wilson([1, 0, 0, 0], confidence=0.95)
    >>> result.estimate, round(result.lower, 4), round(result.upper, 4)
    (0.25, 0.0456, 0.6994)
    >>> compute_wilson([0.75], 1000).estimate
    0.75
    """
    x, size = x_of(values, n)
    lower, upper = proportion_interval(x, size, confidence=confidence, method=method, alternative=alternative)
    return Result(estimate=x / size, lower=lower, upper=upper, details={"x": x, "n": size, "method": method})


# ----------------------------------------------------------------------------------------------------------------------
# The exact binomial test of one learner's rate against a value fixed in advance.


# Two probabilities that differ by less than this are equal but for rounding (as in R and scipy).


SLACK = 1e-7


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
    steps = bisect_left(range(abs(last - start) + 1), True, key=lambda k: log_ratio(start + step * k) <= SLACK)
    return start + step * steps


def binomial_test(
    x: float, n: float, p0: float | None, *, confidence: float = 0.95, alternative: str = "two-sided"
) -> Result:
    """Test whether the probability behind x of n is p0, and give Clopper and Pearson's interval for it.

    The null hypothesis of "greater" is that the rate is at most p0, that of "less" that it is at least p0. Exact for
    every n, so it is conservative: its true error rate is at most α, and less for small n.

    >>> result = binomial_test(12, 100, 0.08, alternative="greater")
    >>> round(result.p, 4), round(result.lower, 4), result.upper
    (0.1028, 0.0707, 1.0)
    """
    check_alternative(alternative)
    x, n = count(x, "errors"), count(n, "n")
    if n == 0:
        raise UsageError("A binomial test needs at least one trial; found n = 0.")
    if x > n:
        raise UsageError(f"Of n = {n} trials at most {n} can be errors; found {x}.")
    p0 = checked_rate(p0, "binomial")
    p = binomial_p(x, n, p0, alternative)
    lower, upper = proportion_interval(x, n, confidence=confidence, method="clopper_pearson", alternative=alternative)
    side = {"greater": inf, "less": -inf}.get(alternative, x / n)
    lower, upper = align_interval_with_p(lower, upper, p, confidence, null=p0, estimate=side)
    return Result(
        estimate=x / n,
        lower=lower,
        upper=upper,
        statistic=float(x),
        statistic_name="X",
        p=p,
        note=f"tested against p0 = {p0:g}",
        details={"x": x, "n": n, "p0": p0},
    )


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


P0 = {"p0": "the rate tested against, between 0 and 1; required"}
NO_FIXED_VALUE = Caution("Another model is not a fixed value: to compare two models on the same instances use mcnemar.")
OF_ONES = "The rate is that of ones: of errors if a one is an error, of right answers if a one is right."
ASSUMES = (
    "The instances are independent draws from the population that the rate is about.",
    "The model was fitted without them, and p0 was chosen without them.",
)


def _published_binomial() -> list[float]:
    return [binomial_test(12, 100, 0.08, alternative="greater").p, binomial_test(3, 20, 0.3).p]


QUESTION = "Is the error rate (or the accuracy) of this model different from a value fixed in advance?"
NULL = "the probability of a one (an error, if the measure is one) is p0"


@procedure(
    Compares.ONE,
    Level.INSTANCES,
    name="binomial",
    title="Binomial test of a rate",
    question=QUESTION,
    null=NULL,
    common_needs=False,
    needs=(rates_or_answers(), share_of_instances()),
    assumes=ASSUMES,
    conventions=(
        "The test is exact. Two-sided, p sums the outcomes that are no more likely than the one seen, as in R.",
        "The interval is Clopper and Pearson's; where it and the two-sided test disagree about p0, the end next to "
        "p0 is moved onto it.",
        OF_ONES,
    ),
    cautions=(
        NO_FIXED_VALUE,
        "With few instances the test rejects less often than α allows, because its law is discrete.",
    ),
    references=("clopper1934", "alpaydin2014 section 19.10.1"),
    published=Published(
        "R 4.2.2, binom.test(12, 100, .08, 'greater') and binom.test(3, 20, .3); no document prints a p",
        "p, 12 of 100 against .08 = 0.102845239599; p, 3 of 20 against .3, two-sided = 0.220418267381",
        _published_binomial,
    ),
    recommended_for="one learner's right and wrong answers, against a rate that was fixed in advance",
    rank=30,
    options={**P0},
    with_sizes=True,
    binary=True,
    against="p0",
    power=PowerFormula.ONE_RATE,
)
def compute_binomial(
    values: ArrayLike,
    n: float = nan,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    p0: float | None = None,
) -> Result:
    """The same for a column of zeros and ones, or a single rate of n: the rate of ones against p0.

    >>> compute_binomial([1, 0, 0, 0], p0=0.5).p, compute_binomial([0.25], 4, p0=0.5).p
    (0.625, 0.625)
    """
    x, size, counted = count_of(values, n)
    found = binomial_test(x, size, p0, confidence=confidence, alternative=alternative)
    return replace(found, note=f"{found.note}; {counted}") if counted else found


# ----------------------------------------------------------------------------------------------------------------------
# The approximate normal test of one learner's rate against a value fixed in advance.


RULE = 5  # of thumb: N p0 and N (1 − p0) are at least so many


def normal_approximation(
    x: float,
    n: float,
    p0: float | None,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    correction: bool = False,
) -> Result:
    """Test whether the probability behind x of n is p0, by z = (x/n − p0) / √(p0 (1 − p0) / n) (eq. 19.11).

    Useful for large n, where it says what the binomial test says. x need not be a whole number: reported rates often
    are none. The note says so where Np0 or N(1 − p0) is below five, the rule of thumb for the normal approximation. The
    interval is Wilson's, which holds exactly the p0 that z does not reject. With `correction` the distance |x − n p0|
    is cut by a half, but not below 0, as in R.

    >>> result = normal_approximation(12, 100, 0.08, alternative="greater")
    >>> round(result.statistic, 4), round(result.p, 4)
    (1.4744, 0.0702)
    >>> normal_approximation(0, 20, 0.05, alternative="greater").note
    'tested against p0 = 0.05; N p0 = 1 is below 5: use binomial'
    """
    check_alternative(alternative)
    p0 = checked_rate(p0, "normal")
    if not (isfinite(n) and n > 0 and 0 <= x <= n):
        raise UsageError(f"x counts some of n ≥ 1 trials; found x = {x!r} and n = {n!r}.")
    z = binomial_z(x, n, p0, correction)
    p = p_from_t(z, inf, alternative)
    method = "wilson_cc" if correction else "wilson"
    lower, upper = proportion_interval(x, n, confidence=confidence, method=method, alternative=alternative)
    side = {"greater": inf, "less": -inf}.get(alternative, x / n)
    lower, upper = align_interval_with_p(lower, upper, p, confidence, null=p0, estimate=side)
    expected = min(n * p0, n * (1 - p0))
    crowded = expected >= RULE * (1 - 1e-12)
    name = "N p0" if p0 <= 0.5 else "N (1 − p0)"
    return Result(
        estimate=x / n,
        lower=lower,
        upper=upper,
        statistic=z,
        statistic_name="z",
        p=p,
        note=f"tested against p0 = {p0:g}" + ("" if crowded else f"; {name} = {expected:g} is below 5: use binomial"),
        details={"x": x, "n": n, "p0": p0, "rule_of_thumb": crowded},
    )


def binomial_z(x: float, n: float, p0: float, correction: bool) -> float:
    """(x − n p0) / √(n p0 (1 − p0)); corrected, the distance is half a unit smaller, but not below 0 (as in R).

    >>> round(binomial_z(21, 30, 0.5, correction=False), 4), round(binomial_z(21, 30, 0.5, correction=True), 4)
    (2.1909, 2.0083)
    """
    distance = x - n * p0
    if correction:
        distance -= min(0.5, abs(distance)) * (1 if distance > 0 else -1)
    return distance / sqrt(n * p0 * (1 - p0))


def _published_normal() -> list[float]:
    result = normal_approximation(12, 100, 0.08, alternative="greater")
    return [normal_quantile(0.95), result.statistic, result.p]


@procedure(
    Compares.ONE,
    Level.INSTANCES,
    name="normal-approximation",
    title="Approximate normal test of a rate",
    question=QUESTION,
    null=NULL,
    common_needs=False,
    needs=(rates_or_answers(), share_of_instances()),
    assumes=(*ASSUMES, "There are enough of them: N p0 ≥ 5 and N (1 − p0) ≥ 5."),
    conventions=(
        "z divides by the standard deviation at p0, √(p0 (1 − p0) / N), and is not corrected for continuity unless "
        "asked.",
        "The interval is Wilson's, which holds exactly the p0 that z does not reject.",
        OF_ONES,
    ),
    cautions=(
        Caution(
            "Where N p0 or N (1 − p0) is below 5 the approximation is poor, and the note says so; the binomial "
            "test costs nothing and is exact.",
            "Exactly, at N = 20, p0 = .05 and α = .05, one-sided: it rejects in 7.5 % of the samples.",
        ),
        NO_FIXED_VALUE,
    ),
    references=("alpaydin2014 section 19.10.2", "wilson1927"),
    published=Published(
        "Alpaydın, section 19.10.2 (the quantile, 1.645 cut to two digits), and R 4.2.2, prop.test(12, 100, "
        ".08, 'greater', correct = FALSE)",
        "z(.05) = 1.64; z, 12 of 100 against .08 = 1.47441956; p, 12 of 100 against .08 = 0.0701843304",
        _published_normal,
    ),
    recommended_for="one learner's many right and wrong answers, against a rate that was fixed in advance",
    rank=50,
    options={**P0, "correction": "continuity correction"},
    with_sizes=True,
    binary=True,
    against="p0",
    power=PowerFormula.ONE_RATE_NORMAL,
)
def compute_normal(
    values: ArrayLike,
    n: float = nan,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    p0: float | None = None,
    correction: bool = False,
) -> Result:
    """The same for a column of zeros and ones, or a single rate of n: the rate of ones against p0.

    >>> round(compute_normal([1, 0, 0, 0], p0=0.5).p, 4)
    0.3173
    """
    x, size = x_of(values, n)
    return normal_approximation(x, size, p0, confidence=confidence, alternative=alternative, correction=correction)
