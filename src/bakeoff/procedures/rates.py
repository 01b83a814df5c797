"""Rates of right or wrong answers: from the answers themselves, or as reported, with the size of the test set."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite, nan, sqrt
from typing import Any

from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.inference.evidence import align_interval_with_p
from bakeoff.mathematics import laws, proportions
from bakeoff.mathematics.checks import choice, count
from bakeoff.procedures import needs
from bakeoff.procedures.card import PowerFormula
from bakeoff.procedures.procedure import Compares, Level, Options, Result, numbers, procedure

OF_RATES: dict[str, Any] = {
    "common_needs": False,
    "needs": (needs.rates_or_answers, needs.share_of_instances, needs.independent_instances),
    "with_sizes": True,
    "binary": True,
}


# --- An interval for the rate of one learner --------------------------------------------------------------------------
@procedure(
    Compares.ONE,
    Level.INSTANCES,
    name="wilson",
    title="Interval for a rate",
    title_bracket="Wilson's unless another is named",
    question="How large is the error rate (or the accuracy) of this model, and how well is it known?",
    null="none is tested: an interval is given",
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
        "Wald's interval is too short for rates near 0 and 1 and has no width at 0 of n. At n = 30 and a true rate of "
        ".9 it covers 81 % where 95 % is asked, Wilson's 97 %.",
        "It says nothing about how the learner would do with another training set.",
    ),
    references=("wilson1927", "newcombe1998a", "brown2001"),
    published="slides on comparing data-mining methods: 80 of 100 at 95 % (the slides cut .8666 to .866; rounded it is "
    ".867), 75 of 100 at 80 %, and Wald's interval for 25 % of 1000, given without saying that it is another one",
    printed="lower, 80 of 100 = 0.711; upper, 80 of 100 = 0.867; lower, 75 of 100 at 80 % = 0.691; upper, 75 of 100 at "
    "80 % = 0.801; Wald's lower, 25 % of 1000, in percent = 22.32; Wald's upper, 25 % of 1000, in percent = 27.68",
    example=lambda: [
        *proportions.proportion_interval(80, 100, confidence=0.95),
        *proportions.proportion_interval(75, 100, confidence=0.80),
        *(100 * end for end in proportions.proportion_interval(250, 1000, confidence=0.95, method="wald")),
    ],
    recommended_for="one learner's right and wrong answers, whose rate needs an interval that holds near 0 and 1 as "
    "well",
    rank=10,
    options={"method": ("which interval is given", tuple(proportions.INTERVALS))},
    options_of=proportions.proportion_interval,
    no_power="it is an interval; the test of one error rate is binomial",
    **OF_RATES,
    synonyms=("confidence interval of an accuracy", "binomial proportion interval", "error bar of an accuracy"),
)
def compute_wilson(
    values: ArrayLike, n: float = nan, *, confidence: float = 0.95, method: str = "wilson", **options: Any
) -> Result:
    """The rate of ones in a column of zeros and ones, or a single rate of n, with its interval.

    >>> result = compute_wilson([1, 0, 0, 0], confidence=0.95)
    >>> result.estimate, round(result.lower, 4), round(result.upper, 4)
    (0.25, 0.0456, 0.6994)
    >>> compute_wilson([0.75], 1000).estimate
    0.75
    """
    x, size = proportions.x_of(values, n)
    lower, upper = proportions.proportion_interval(x, size, confidence=confidence, method=method, **options)
    return Result(estimate=x / size, lower=lower, upper=upper, details={"x": x, "n": size, "method": method})


# --- Tests of one learner's rate against a value fixed in advance: the binomial law, and its normal approximation -----
AGAINST_P0: dict[str, Any] = {
    **OF_RATES,
    "question": "Is the error rate (or the accuracy) of this model different from a value fixed in advance?",
    "null": "the probability of a one (an error, if the measure is one) is p0",
    "against": "p0",
}
P0: Options = {"p0": ("the rate tested against, between 0 and 1", (), "required")}
NO_FIXED_VALUE = "Another model is not a fixed value: to compare two models on the same instances use mcnemar."
OF_ONES = "The rate is that of ones: of errors if a one is an error, of right answers if a one is right."
ASSUMES = (
    "The instances are independent draws from the population that the rate is about.",
    "The model was fitted without them, and p0 was chosen without them.",
)
RULE = 5  # of thumb: N p0 and N (1 − p0) are at least so many


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
    laws.check_alternative(alternative)
    x, n = count(x, "errors"), count(n, "n")
    if n == 0:
        raise UsageError("A binomial test needs at least one trial; found n = 0.")
    if x > n:
        raise UsageError(f"Of n = {n} trials at most {n} can be errors; found {x}.")
    p0 = proportions.checked_rate(p0, "binomial")
    p = proportions.binomial_p(x, n, p0, alternative)
    lower, upper = proportions.proportion_interval(
        x, n, confidence=confidence, method="clopper_pearson", alternative=alternative
    )
    lower, upper = align_interval_with_p(lower, upper, p, confidence, p0, laws.direction(alternative, x / n))
    note, details = f"tested against p0 = {p0:g}", {"x": x, "n": n, "p0": p0}
    return Result(x / n, lower, upper, float(x), "X", p=p, note=note, details=details)


@procedure(
    Compares.ONE,
    Level.INSTANCES,
    name="binomial",
    title="Binomial test of a rate",
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
    published="R 4.2.2, binom.test(12, 100, .08, 'greater') and binom.test(3, 20, .3); no document prints a p",
    printed="p, 12 of 100 against .08 = 0.102845239599; p, 3 of 20 against .3, two-sided = 0.220418267381",
    example=lambda: [binomial_test(12, 100, 0.08, alternative="greater").p, binomial_test(3, 20, 0.3).p],
    recommended_for="one learner's right and wrong answers, against a rate that was fixed in advance",
    rank=30,
    options=P0,
    options_of=binomial_test,
    power=PowerFormula.ONE_RATE,
    **AGAINST_P0,
)
def compute_binomial(values: ArrayLike, n: float = nan, *, p0: float | None = None, **options: Any) -> Result:
    """The same for a column of zeros and ones, or a single rate of n: the rate of ones against p0.

    >>> compute_binomial([1, 0, 0, 0], p0=0.5).p, compute_binomial([0.25], 4, p0=0.5).p
    (0.625, 0.625)
    """
    x, size, counted = proportions.count_of(values, n)
    test = binomial_test(x, size, p0, **options)
    return replace(test, note=f"{test.note}; {counted}") if counted else test


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
    laws.check_alternative(alternative)
    p0 = proportions.checked_rate(p0, "normal")
    if not (isfinite(n) and n > 0 and 0 <= x <= n):
        raise UsageError(f"x counts some of n ≥ 1 trials; found x = {x!r} and n = {n!r}.")
    z = proportions.binomial_z(x, n, p0, correction)
    p = laws.p_from_t(z, inf, alternative)
    method = "wilson_cc" if correction else "wilson"
    lower, upper = proportions.proportion_interval(x, n, confidence=confidence, method=method, alternative=alternative)
    lower, upper = align_interval_with_p(lower, upper, p, confidence, p0, laws.direction(alternative, x / n))
    expected = min(n * p0, n * (1 - p0))
    crowded = expected >= RULE * (1 - 1e-12)
    name = "N p0" if p0 <= 0.5 else "N (1 − p0)"
    remark = "" if crowded else f"{name} = {expected:g} is below 5: use binomial"
    note = "; ".join(part for part in (f"tested against p0 = {p0:g}", remark) if part)
    details = {"x": x, "n": n, "p0": p0, "rule_of_thumb": crowded}
    return Result(x / n, lower, upper, z, "z", p=p, note=note, details=details, remark=remark)


@procedure(
    Compares.ONE,
    Level.INSTANCES,
    name="normal-approximation",
    title="Approximate normal test of a rate",
    assumes=(*ASSUMES, "There are enough of them: N p0 ≥ 5 and N (1 − p0) ≥ 5."),
    conventions=(
        "z divides by the standard deviation at p0, √(p0 (1 − p0) / N), and is not corrected for continuity unless "
        "asked.",
        "The interval is Wilson's, which holds exactly the p0 that z does not reject.",
        OF_ONES,
    ),
    cautions=(
        "Where N p0 or N (1 − p0) is below 5 the approximation is poor, and the note says so; the binomial test costs "
        "nothing and is exact. Exactly, at N = 20, p0 = .05 and α = .05, one-sided: it rejects in 7.5 % of the "
        "samples.",
        NO_FIXED_VALUE,
    ),
    references=("alpaydin2014 section 19.10.2", "wilson1927"),
    published="Alpaydın, section 19.10.2 (the quantile, 1.645 cut to two digits), and R 4.2.2, prop.test(12, 100, "
    ".08, 'greater', correct = FALSE)",
    printed="z(.05) = 1.64; z, 12 of 100 against .08 = 1.47441956; p, 12 of 100 against .08 = 0.0701843304",
    example=lambda: [
        laws.normal_quantile(0.95),
        *numbers(normal_approximation(12, 100, 0.08, alternative="greater"), "statistic p"),
    ],
    recommended_for="one learner's many right and wrong answers, against a rate that was fixed in advance",
    rank=50,
    options={**P0, "correction": "continuity correction"},
    options_of=normal_approximation,
    power=PowerFormula.ONE_RATE_NORMAL,
    **AGAINST_P0,
)
def compute_normal(values: ArrayLike, n: float = nan, *, p0: float | None = None, **options: Any) -> Result:
    """The same for a column of zeros and ones, or a single rate of n: the rate of ones against p0.

    >>> round(compute_normal([1, 0, 0, 0], p0=0.5).p, 4)
    0.3173
    """
    return normal_approximation(*proportions.x_of(values, n), p0, **options)


# --- Two rates on two independent test sets: z test and interval for their difference ---------------------------------
INTERVALS_OF_TWO = ("newcombe", "wald")


def two_proportions(
    rate_a: float,
    n_a: float,
    rate_b: float,
    n_b: float,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    pooled: bool = True,
    correction: bool = False,
    interval: str = "newcombe",
) -> Result:
    """Compare two rates, each on its own test set of n instances: z = (a − b) / √(variance of the difference).

    Useful where the two test sets have no instance in common. The null hypothesis is that both probabilities are the
    same; `pooled` estimates it from both sets together, otherwise each rate has its own variance e(1 − e)/n, as in the
    slides. Rates need not be counts over n: 15 % of 30 is fine. `correction` is Yates's, for z. `interval` is
    Newcombe's hybrid of two Wilson intervals, or Wald's, d ± z √(e1(1 − e1)/n1 + e2(1 − e2)/n2), which has no width if
    both rates are 0.

    >>> result = two_proportions(0.25, 5000, 0.15, 30, pooled=False, interval="wald")
    >>> round(result.estimate, 3), round(result.lower, 3), round(result.upper, 3)
    (0.1, -0.028, 0.228)
    """
    laws.check_confidence(confidence)
    laws.check_alternative(alternative)
    choice(interval, INTERVALS_OF_TWO, "interval of a difference of rates")
    rates = proportions.TwoRates(
        *proportions.checked_rate_of(rate_a, n_a, "first"), *proportions.checked_rate_of(rate_b, n_b, "second")
    )
    z, p = rates.z_test(alternative, pooled, correction)
    bounds = rates.wald if interval == "wald" else rates.newcombe
    lower, upper = laws.one_sided(*bounds(laws.end_tail(confidence, alternative)), alternative, -1.0, 1.0)
    side = laws.direction(alternative, rates.difference)
    lower, upper = align_interval_with_p(lower, upper, p, confidence, estimate=side)
    variance = rates.variance
    note = "Wald's interval has no width here: its variance is zero" if variance == 0 and interval == "wald" else ""
    details = {
        "n": (rates.n_a, rates.n_b),
        "rates": (rates.rate_a, rates.rate_b),
        "variance": variance,
        "standard_error": sqrt(variance),
    }
    return Result(rates.difference, lower, upper, z, "z", p=p, note=note, details=details)


def _published_two() -> list[float]:
    slides = two_proportions(0.25, 5000, 0.15, 30, pooled=False, interval="wald")
    newcombe = two_proportions(56 / 70, 70, 48 / 80, 80)
    return [slides.details["variance"], (slides.upper - slides.lower) / 2, newcombe.lower, newcombe.upper]


@procedure(
    Compares.PAIR,
    Level.INSTANCES,
    name="two-proportions",
    title="z test of two rates on independent test sets",
    question="Do two models, each tested on instances of its own, have different error rates?",
    null="both models have the same probability of an error",
    assumes=(
        needs.OWN_TEST_SETS,
        "The models were fitted without them.",
        "The test sets are large enough for a normal approximation: about five errors and five right answers each.",
    ),
    conventions=(
        "The estimate is the first rate minus the second; rates need not be counts over n.",
        "z uses the variance pooled over both sets; with pooled=no each rate has its own, as in the slides.",
        "The interval is Newcombe's hybrid of two Wilson intervals, which keeps its level for rates near 0 and 1; "
        "Wald's, that of the slides, with interval=wald. Where interval and test disagree about 0, the end next to "
        "0 is moved onto it.",
        "With correction=yes half a count of either set is taken off the distance (Yates, R's prop.test).",
        "If both rates are 0, or both are 1, z is 0 and p is 1.",
    ),
    cautions=(
        "On the same instances it throws the pairing away: use mcnemar.",
        "Wald's interval has no width if neither model made an error: it then claims what nobody knows.",
        "The slides print the variance .0043 as σ̂d, leave out a square in σ̂i², and give d = e1 − e2 = .1 where "
        "it is −.1; their interval ± .128 is right.",
        "It speaks about these two fitted models; for learners, resample and use corrected-t.",
    ),
    references=("newcombe1998b", "alpaydin2014 section 19.8"),
    published="slides on comparing data-mining methods (15 % of 30 and 25 % of 5000, Wald), and Newcombe (1998), "
    "Table II, method 10 for 56/70 − 48/80",
    printed="variance = 0.0043; half-width = 0.128; lower, 56/70 and 48/80 = 0.0524; upper, 56/70 and 48/80 = 0.3339",
    example=_published_two,
    recommended_for="two models with right and wrong answers on test sets of their own",
    rank=20,
    options={
        "pooled": "one variance for both, under the null hypothesis",
        "correction": "continuity correction of z",
        "interval": ("which interval is given", INTERVALS_OF_TWO),
    },
    paired=False,
    **{**OF_RATES, "needs": (needs.at_least_learners(2), *OF_RATES["needs"])},
    power=PowerFormula.PROPORTIONS,
    planned_as="proportions",
    options_of=two_proportions,
    synonyms=("z-test", "chi-squared test", "test of two proportions"),
)
def compute(a: ArrayLike, b: ArrayLike, n_a: float = nan, n_b: float = nan, **options: Any) -> Result:
    """The same from two columns of zeros and ones, or from two single rates with the sizes of their test sets.

    >>> compute([1, 1, 1, 0], [0, 0, 1, 0, 0]).estimate
    0.55
    >>> compute([0.25], [0.15], 5000, 30).details["n"]
    (5000.0, 30.0)
    """
    return two_proportions(*proportions.rate_of(a, n_a, "first"), *proportions.rate_of(b, n_b, "second"), **options)
