"""The z interval and z test of one learner's mean, where the standard deviation of a value is known."""

from __future__ import annotations

from math import inf, isfinite, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import number_column
from bakeoff.mathematics.laws import check_alternative, check_confidence, normal_quantile, p_from_t, symmetric_interval
from bakeoff.procedures.card import (
    Answers,
    Card,
    Caution,
    Compares,
    Option,
    Published,
    Reference,
    Scope,
    at_least_blocks,
    at_level,
    not_repeated,
)
from bakeoff.procedures.mean_t import NOT_PAIRED, NULL, P0, TEN_ERRORS, checked_null
from bakeoff.procedures.result import Procedure, Result
from bakeoff.scores import Level


def mean_z(
    x: ArrayLike,
    *,
    sigma: float | None = None,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    p0: float | None = None,
) -> Result:
    """The mean of N values with its z interval, and z = √N (m − p0) / σ, for a standard deviation σ that is known.

    Useful where σ comes from elsewhere: a large earlier experiment, or theory. Estimated from these values it makes
    the interval too short; then use mean-t. The null hypothesis is that the expected value is p0; without p0 there is
    an interval and no test.

    >>> errors = [0.182, 0.205, 0.171, 0.214, 0.196, 0.188, 0.221, 0.179, 0.203, 0.191]
    >>> result = mean_z(errors, sigma=0.02, p0=0.185, alternative="greater")
    >>> round(result.statistic, 4), round(result.p, 4)
    (1.5811, 0.0569)
    """
    check_confidence(confidence)
    check_alternative(alternative)
    values, null = number_column(x), checked_null(p0)
    if sigma is None:
        raise UsageError(
            "The z interval needs the standard deviation of a value, known from elsewhere: give --sigma (in Python "
            "sigma=). If it is to be estimated from these values, use mean-t."
        )
    if not (isfinite(sigma) and sigma > 0):
        raise UsageError(f"sigma, the known standard deviation, must be a positive number; found {sigma!r}.")
    n, mean = len(values), float(np.mean(values))
    se = sigma / sqrt(n)
    lower, upper = symmetric_interval(mean, se, inf, confidence, alternative)
    z = (mean - null) / se
    tested = p0 is not None
    return Result(
        estimate=mean,
        lower=lower,
        upper=upper,
        statistic=z,
        statistic_name="z" if tested else "",
        p=p_from_t(z, inf, alternative) if tested else nan,
        note=f"tested against {null:g}" if tested else "",
        details={"blocks": n, "sigma": float(sigma), "standard_error": se},
    )


def _published() -> dict[str, float]:
    result = mean_z(TEN_ERRORS, sigma=0.02, confidence=0.9)
    test = mean_z(TEN_ERRORS, sigma=0.02, p0=0.185, alternative="greater")
    return {
        "z(.05)": normal_quantile(0.95),
        "lower": result.lower,
        "upper": result.upper,
        "z against .185": test.statistic,
        "p": test.p,
    }


PROCEDURE = Procedure(
    card=Card(
        name="mean-z",
        title="z interval and z test of one learner's mean, σ known",
        question="How well does this learner do on average, if the spread of a single value is known in advance?",
        null=NULL,
        compares=Compares.ONE,
        answers=Answers.EACH,
        speaks_about=Scope.LEARNERS,
        level=Level.RESAMPLES,
        needs=(at_level(Level.RESAMPLES), at_least_blocks(1), not_repeated()),
        assumes=(
            "The standard deviation σ of a value is known, not estimated from these values.",
            "The values are independent, and their mean is about normal.",
            "p0 was chosen without these data.",
        ),
        conventions=(
            "The estimate is the mean, its standard error σ/√N; the quantiles are those of the normal law.",
            "A one-sided alternative gives a one-sided interval: Alpaydın's upper bound is that of “less”.",
        ),
        cautions=(
            Caution(
                "With σ estimated from a few values the interval covers too rarely.",
                "Exactly, for normal values: a “95 %” z interval with the estimated σ covers in 88 % of the samples of "
                "five, and in 92 % of those of ten.",
            ),
            NOT_PAIRED,
        ),
        references=(Reference("Alpaydın (2014), Introduction to Machine Learning, 3rd ed., sections 19.8 and 19.9."),),
        published=Published(
            where="Alpaydın, section 19.8 (the quantile), and R's BSDA 1.2.2, z.test(x, sigma.x = .02) on ten made-up "
            "error rates",
            compute=_published,
            values={
                "z(.05)": "1.64",
                "lower": "0.184597032",
                "upper": "0.205402968",
                "z against .185": "1.58113883",
                "p": "0.0569231490",
            },
        ),
        because="one learner's scores over resamples, with a spread that is known from elsewhere",
        preference=60,
        options=(Option("sigma", None, "the known standard deviation of a value; required", kind=float), P0),
        default_adjust="none",
    ),
    compute=mean_z,
)
