"""The exact binomial test of one learner's rate against a value fixed in advance."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from math import ceil, floor, inf, lgamma, log, log1p, nan

from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.evidence import agreeing
from bakeoff.mathematics.checks import count
from bakeoff.mathematics.laws import binomial_cdf, binomial_sf, check_alternative
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
from bakeoff.procedures.rates import count_of, rates_or_answers, share_of_instances
from bakeoff.procedures.result import Procedure, Result
from bakeoff.procedures.wilson import proportion_interval
from bakeoff.scores import Level

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
    lower, upper = agreeing(lower, upper, p, confidence, null=p0, estimate=side)
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


def compute(
    values: ArrayLike,
    n: float = nan,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    p0: float | None = None,
) -> Result:
    """The same for a column of zeros and ones, or a single rate of n: the rate of ones against p0.

    >>> compute([1, 0, 0, 0], p0=0.5).p, compute([0.25], 4, p0=0.5).p
    (0.625, 0.625)
    """
    x, size, counted = count_of(values, n)
    found = binomial_test(x, size, p0, confidence=confidence, alternative=alternative)
    return replace(found, note=f"{found.note}; {counted}") if counted else found


def _published() -> dict[str, float]:
    return {
        "p, 12 of 100 against .08": binomial_test(12, 100, 0.08, alternative="greater").p,
        "p, 3 of 20 against .3, two-sided": binomial_test(3, 20, 0.3).p,
    }


QUESTION = "Is the error rate (or the accuracy) of this model different from a value fixed in advance?"
NULL = "the probability of a one (an error, if the measure is one) is p0"
ASSUMES = (
    "The instances are independent draws from the population that the rate is about.",
    "The model was fitted without them, and p0 was chosen without them.",
)
OF_ONES = "The rate is that of ones: of errors if a one is an error, of right answers if a one is right."
NO_FIXED_VALUE = Caution("Another model is not a fixed value: to compare two models on the same instances use mcnemar.")
P0 = Option("p0", None, "the rate tested against, between 0 and 1; required", kind=float)

PROCEDURE = Procedure(
    card=Card(
        name="binomial",
        title="Binomial test of a rate",
        question=QUESTION,
        null=NULL,
        compares=Compares.ONE,
        answers=Answers.EACH,
        speaks_about=Scope.MODELS,
        level=Level.INSTANCES,
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
            Caution("With few instances the test rejects less often than α allows, because its law is discrete."),
        ),
        references=(
            Reference("Clopper and Pearson (1934), Biometrika 26, 404–413.", "10.1093/biomet/26.4.404"),
            Reference("Alpaydın, Introduction to Machine Learning, section 19.10.1."),
        ),
        published=Published(
            where="R 4.2.2, binom.test(12, 100, .08, 'greater') and binom.test(3, 20, .3); no document prints a p",
            compute=_published,
            values={"p, 12 of 100 against .08": "0.102845239599", "p, 3 of 20 against .3, two-sided": "0.220418267381"},
        ),
        because="one learner's right and wrong answers, against a rate that was fixed in advance",
        preference=30,
        options=(P0,),
    ),
    compute=compute,
    with_sizes=True,
)
