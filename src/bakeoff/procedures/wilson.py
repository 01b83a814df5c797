"""Intervals for the rate of one learner: Wilson's, and the five that people know beside it."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, nan, sqrt

from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import choice
from bakeoff.mathematics.laws import beta_quantile, check_alternative, check_confidence, normal_quantile
from bakeoff.procedures.card import (
    Answers,
    Card,
    Caution,
    Compares,
    Option,
    Published,
    Reference,
    Scope,
)
from bakeoff.procedures.rates import rates_or_answers, share_of_instances, x_of
from bakeoff.procedures.result import Procedure, Result
from bakeoff.scores import Level

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


def compute(
    values: ArrayLike,
    n: float = nan,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    method: str = "wilson",
) -> Result:
    """The rate of ones in a column of zeros and ones, or a single rate of n, with its interval.

    >>> result = compute([1, 0, 0, 0], confidence=0.95)
    >>> result.estimate, round(result.lower, 4), round(result.upper, 4)
    (0.25, 0.0456, 0.6994)
    >>> compute([0.75], 1000).estimate
    0.75
    """
    x, size = x_of(values, n)
    lower, upper = proportion_interval(x, size, confidence=confidence, method=method, alternative=alternative)
    return Result(estimate=x / size, lower=lower, upper=upper, details={"x": x, "n": size, "method": method})


def _published() -> dict[str, float]:
    lower, upper = proportion_interval(80, 100, confidence=0.95)
    wide = proportion_interval(75, 100, confidence=0.80)
    wald = proportion_interval(250, 1000, confidence=0.95, method="wald")
    return {
        "lower, 80 of 100": lower,
        "upper, 80 of 100": upper,
        "lower, 75 of 100 at 80 %": wide[0],
        "upper, 75 of 100 at 80 %": wide[1],
        "Wald's lower, 25 % of 1000, in percent": 100 * wald[0],
        "Wald's upper, 25 % of 1000, in percent": 100 * wald[1],
    }


PROCEDURE = Procedure(
    card=Card(
        name="wilson",
        title="Interval for a rate (Wilson's unless another is named)",
        question="How large is the error rate (or the accuracy) of this model, and how well is it known?",
        null="none is tested: an interval is given",
        compares=Compares.ONE,
        answers=Answers.EACH,
        speaks_about=Scope.MODELS,
        level=Level.INSTANCES,
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
            Caution(
                "Intervals of two models on the same instances are not a comparison: use mcnemar, which is paired.",
            ),
            Caution(
                "Wald's interval is too short for rates near 0 and 1 and has no width at 0 of n.",
                "At n = 30 and a true rate of .9 it covers 81 % where 95 % is asked, Wilson's 97 %.",
            ),
            Caution("It says nothing about how the learner would do with another training set."),
        ),
        references=(
            Reference("Wilson (1927), JASA 22, 209–212.", "10.1080/01621459.1927.10502953"),
            Reference("Newcombe (1998), Statistics in Medicine 17, 857–872."),
            Reference("Brown, Cai and DasGupta (2001), Statistical Science 16, 101–133.", "10.1214/ss/1009213286"),
        ),
        published=Published(
            where=(
                "slides on comparing data-mining methods: 80 of 100 at 95 % (the slides cut .8666 to .866; rounded it "
                "is .867), 75 of 100 at 80 %, and Wald's interval for 25 % of 1000, given without saying that it is "
                "another one"
            ),
            compute=_published,
            values={
                "lower, 80 of 100": "0.711",
                "upper, 80 of 100": "0.867",
                "lower, 75 of 100 at 80 %": "0.691",
                "upper, 75 of 100 at 80 %": "0.801",
                "Wald's lower, 25 % of 1000, in percent": "22.32",
                "Wald's upper, 25 % of 1000, in percent": "27.68",
            },
        ),
        because="one learner's right and wrong answers, whose rate needs an interval that holds near 0 and 1 as well",
        preference=10,
        options=(Option("method", "wilson", "which interval is given", choices=tuple(METHODS)),),
        default_adjust="none",
    ),
    compute=compute,
    with_sizes=True,
)
