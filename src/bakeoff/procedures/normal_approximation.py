"""The approximate normal test of one learner's rate against a value fixed in advance."""

from __future__ import annotations

from math import inf, isfinite, nan, sqrt

from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.evidence import agreeing
from bakeoff.mathematics.laws import check_alternative, normal_quantile, p_from_t
from bakeoff.procedures.binomial import ASSUMES, NO_FIXED_VALUE, NULL, OF_ONES, P0, QUESTION, checked_rate
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
from bakeoff.procedures.wilson import proportion_interval
from bakeoff.scores import Level

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
    lower, upper = agreeing(lower, upper, p, confidence, null=p0, estimate=side)
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


def compute(
    values: ArrayLike,
    n: float = nan,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    p0: float | None = None,
    correction: bool = False,
) -> Result:
    """The same for a column of zeros and ones, or a single rate of n: the rate of ones against p0.

    >>> round(compute([1, 0, 0, 0], p0=0.5).p, 4)
    0.3173
    """
    x, size = x_of(values, n)
    return normal_approximation(x, size, p0, confidence=confidence, alternative=alternative, correction=correction)


def _published() -> dict[str, float]:
    result = normal_approximation(12, 100, 0.08, alternative="greater")
    return {
        "z(.05)": normal_quantile(0.95),
        "z, 12 of 100 against .08": result.statistic,
        "p, 12 of 100 against .08": result.p,
    }


PROCEDURE = Procedure(
    card=Card(
        name="normal-approximation",
        title="Approximate normal test of a rate",
        question=QUESTION,
        null=NULL,
        compares=Compares.ONE,
        answers=Answers.EACH,
        speaks_about=Scope.MODELS,
        level=Level.INSTANCES,
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
        references=(
            Reference("Alpaydın (2014), Introduction to Machine Learning, 3rd ed., section 19.10.2."),
            Reference("Wilson (1927), JASA 22, 209–212.", "10.1080/01621459.1927.10502953"),
        ),
        published=Published(
            where="Alpaydın, section 19.10.2 (the quantile, 1.645 cut to two digits), and R 4.2.2, prop.test(12, 100, "
            ".08, 'greater', correct = FALSE)",
            compute=_published,
            values={
                "z(.05)": "1.64",
                "z, 12 of 100 against .08": "1.47441956",
                "p, 12 of 100 against .08": "0.0701843304",
            },
        ),
        because="one learner's many right and wrong answers, against a rate that was fixed in advance",
        preference=50,
        options=(P0, Option("correction", False, "continuity correction", kind=bool)),
    ),
    compute=compute,
    with_sizes=True,
)
