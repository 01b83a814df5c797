"""Student's t for the mean of one learner over resamples: an interval, and a test against a value fixed in advance."""

from __future__ import annotations

from math import isfinite, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import number_column
from bakeoff.mathematics.laws import check_alternative, check_confidence, p_from_t, symmetric_interval, t_quantile
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
from bakeoff.procedures.result import Procedure, Result, is_constant
from bakeoff.scores import Level


def mean_t(
    x: ArrayLike, *, confidence: float = 0.95, alternative: str = "two-sided", p0: float | None = None
) -> Result:
    """The mean of K values with its t interval, and t = √K (m − p0) / S with K − 1 degrees of freedom (eq. 19.12).

    Useful for one learner that was run on K training and validation sets. The null hypothesis is that the expected
    value is p0; without p0 there is an interval and no test. A one-sided alternative gives a one-sided interval:
    "greater" a lower bound, "less" an upper one. Values that are all the same have no standard error: as R does, that
    is refused.

    >>> errors = [0.182, 0.205, 0.171, 0.214, 0.196, 0.188, 0.221, 0.179, 0.203, 0.191]
    >>> result = mean_t(errors, p0=0.18, alternative="greater")
    >>> round(result.statistic, 3), round(result.p, 4)
    (2.988, 0.0076)
    """
    check_confidence(confidence)
    check_alternative(alternative)
    values, null = number_column(x), checked_null(p0)
    n = len(values)
    if n < 2:
        raise UsageError("A standard error needs at least two values; found 1.")
    size = float(np.abs(values).max())
    if is_constant(values, size):
        raise DegenerateError(
            f"The value is {float(values[0]):.6g} in every one of {n} blocks, so its standard error is zero and there "
            "is neither t nor interval. Report the value itself; values that agree to the last digit are rarely "
            "independent measurements."
        )
    unit = size  # squares of very small or large values would leave the range of floats
    mean, s = float(np.mean(values / unit)) * unit, float(np.std(values / unit, ddof=1)) * unit
    se, df = s / sqrt(n), float(n - 1)
    lower, upper = symmetric_interval(mean, se, df, confidence, alternative)
    t = (mean - null) / se
    tested = p0 is not None
    return Result(
        estimate=mean,
        lower=lower,
        upper=upper,
        statistic=t,
        statistic_name="t" if tested else "",
        df=(df,),
        p=p_from_t(t, df, alternative) if tested else nan,
        note=f"tested against {null:g}" if tested else "",
        details={"blocks": n, "sd": s, "standard_error": se},
    )


def checked_null(p0: float | None) -> float:
    """The value tested against; NaN if there is none.

    >>> checked_null(0.2), checked_null(None)
    (0.2, nan)
    """
    if p0 is None:
        return nan
    if not isfinite(p0):
        raise UsageError(f"p0, the value tested against, must be a finite number; found {p0!r}.")
    return float(p0)


NULL = "the expected value is p0 (without p0 none is tested: an interval is given)"
NOT_PAIRED = Caution("Intervals of two learners are not a comparison: use corrected-t, which is paired.")
P0 = Option("p0", None, "the mean tested against, fixed in advance; without it no test", kind=float)
TEN_ERRORS = (0.182, 0.205, 0.171, 0.214, 0.196, 0.188, 0.221, 0.179, 0.203, 0.191)


def _published() -> dict[str, float]:
    result, test = mean_t(TEN_ERRORS), mean_t(TEN_ERRORS, p0=0.18, alternative="greater")
    return {
        "t(.05, 9)": t_quantile(0.95, 9),
        "t(.05, 29)": t_quantile(0.95, 29),
        "lower": result.lower,
        "upper": result.upper,
        "t against .18": test.statistic,
        "p": test.p,
    }


PROCEDURE = Procedure(
    card=Card(
        name="mean-t",
        title="t interval and t test of one learner's mean",
        question="How well does this learner do on average over training sets, and is that better than a fixed value?",
        null=NULL,
        compares=Compares.ONE,
        answers=Answers.EACH,
        speaks_about=Scope.LEARNERS,
        level=Level.RESAMPLES,
        needs=(at_level(Level.RESAMPLES), at_least_blocks(2), not_repeated()),
        assumes=(
            "The values are independent and about normal. Those of K folds are not quite independent: any two training "
            "sets share most of their instances.",
            "p0 was chosen without these data.",
        ),
        conventions=(
            "The estimate is the mean, its standard error S/√K, with K − 1 degrees of freedom.",
            "A one-sided alternative gives a one-sided interval.",
            "Values that are all the same are refused, as in R: they have no standard error.",
        ),
        cautions=(
            Caution(
                "Over the folds of one cross-validation the standard error is too small, because training sets "
                "overlap; no unbiased estimate of it exists (Bengio and Grandvalet 2004)."
            ),
            NOT_PAIRED,
        ),
        references=(
            Reference("Student (1908), The probable error of a mean, Biometrika 6, 1–25.", "10.1093/biomet/6.1.1"),
            Reference("Alpaydın (2014), Introduction to Machine Learning, 3rd ed., sections 19.8 and 19.10.3."),
            Reference(
                "Bengio and Grandvalet (2004), No unbiased estimator of the variance of K-fold cross-validation, "
                "JMLR 5, 1089–1105."
            ),
        ),
        published=Published(
            where="Alpaydın, section 19.10.3 (quantiles), and R 4.2.2, t.test(x) and t.test(x, mu = .18, alternative = "
            "'greater') on ten made-up error rates",
            compute=_published,
            values={
                "t(.05, 9)": "1.83",
                "t(.05, 29)": "1.70",
                "lower": "0.183644061",
                "upper": "0.206355939",
                "t against .18": "2.98807152",
                "p": "0.00762427516",
            },
        ),
        because="one learner's scores over resamples, whose mean needs an interval",
        preference=10,
        options=(P0,),
        default_adjust="none",
    ),
    compute=mean_t,
)
