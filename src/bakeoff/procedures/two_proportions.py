"""Two rates on two independent test sets: z test and interval for their difference."""

from __future__ import annotations

from math import nan, sqrt

from numpy.typing import ArrayLike

from bakeoff.inference.evidence import align_interval_with_p
from bakeoff.mathematics.checks import choice
from bakeoff.mathematics.laws import check_alternative, check_confidence, direction, end_tail, one_sided
from bakeoff.mathematics.proportions import TwoRates, checked_rate_of, rate_of
from bakeoff.procedures.card import Compares, PowerFormula, Published
from bakeoff.procedures.needs import at_least_learners, independent_instances, rates_or_answers, share_of_instances
from bakeoff.procedures.procedure import Result, procedure
from bakeoff.scores import Level

INTERVALS = ("newcombe", "wald")


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
    check_confidence(confidence)
    check_alternative(alternative)
    choice(interval, INTERVALS, "interval of a difference of rates")
    rates = TwoRates(*checked_rate_of(rate_a, n_a, "first"), *checked_rate_of(rate_b, n_b, "second"))
    z, p = rates.z_test(alternative, pooled, correction)
    bounds = rates.wald if interval == "wald" else rates.newcombe
    lower, upper = one_sided(*bounds(end_tail(confidence, alternative)), alternative, -1.0, 1.0)
    side = direction(alternative, rates.difference)
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


def _published() -> list[float]:
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
    common_needs=False,
    needs=(at_least_learners(2), rates_or_answers(), share_of_instances(), independent_instances()),
    assumes=(
        "The two test sets are independent draws from the population that the models are meant for, with no "
        "instance in common.",
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
    published=Published(
        "slides on comparing data-mining methods (15 % of 30 and 25 % of 5000, Wald), and Newcombe (1998), "
        "Table II, method 10 for 56/70 − 48/80",
        "variance = 0.0043; half-width = 0.128; lower, 56/70 and 48/80 = 0.0524; upper, 56/70 and 48/80 = 0.3339",
        _published,
    ),
    recommended_for="two models with right and wrong answers on test sets of their own",
    rank=20,
    options={
        "pooled": "one variance for both, under the null hypothesis",
        "correction": "continuity correction of z",
        "interval": ("which interval is given", INTERVALS),
    },
    paired=False,
    with_sizes=True,
    binary=True,
    power=PowerFormula.PROPORTIONS,
    planned_as="proportions",
    synonyms=("z-test", "chi-squared test", "test of two proportions"),
)
def compute(
    a: ArrayLike,
    b: ArrayLike,
    n_a: float = nan,
    n_b: float = nan,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    pooled: bool = True,
    correction: bool = False,
    interval: str = "newcombe",
) -> Result:
    """The same from two columns of zeros and ones, or from two single rates with the sizes of their test sets.

    >>> compute([1, 1, 1, 0], [0, 0, 1, 0, 0]).estimate
    0.55
    >>> compute([0.25], [0.15], 5000, 30).details["n"]
    (5000.0, 30.0)
    """
    first, second = rate_of(a, n_a, "first"), rate_of(b, n_b, "second")
    return two_proportions(
        *first,
        *second,
        confidence=confidence,
        alternative=alternative,
        pooled=pooled,
        correction=correction,
        interval=interval,
    )
