"""The mean of one learner over resamples, its interval and a test against a fixed value: by t, and by z."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isfinite, isnan, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import count, number_column
from bakeoff.mathematics.laws import normal_quantile, t_quantile
from bakeoff.mathematics.linear_models import mean_and_sd, t_test
from bakeoff.procedures.card import NullDesign, PowerFormula, Trial
from bakeoff.procedures.needs import CORRELATION, known_ratio, not_repeated, sharing_training_data
from bakeoff.procedures.paired_t import checked_ratio
from bakeoff.procedures.procedure import Compares, Example, Level, Options, Result, is_constant, procedure

UNTESTED = "the expected value is p0 (without p0 none is tested: an interval is given)"
P0: Options = {"p0": ("the mean tested against, fixed in advance", (), "without it no test")}
NOT_PAIRED = "Intervals of two learners are not a comparison: use corrected-t, which is paired."
TEN_ERRORS = (0.182, 0.205, 0.171, 0.214, 0.196, 0.188, 0.221, 0.179, 0.203, 0.191)


def interval_and_test(
    mean: float,
    df: float,
    details: Mapping[str, Any],
    remark: str = "",
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    p0: float | None = None,
) -> Result:
    """The interval of a mean, and its test if there is a value to test against; df = ∞ makes t a z."""
    null = checked_null(p0)
    lower, upper, t, p = t_test(mean, details["standard_error"], df, confidence, alternative, null)
    name, freedom = ("z", ()) if df == inf else ("t", (df,))
    if isnan(null):
        return Result(mean, lower, upper, df=freedom, note=remark, details=details)
    note = "; ".join(part for part in (f"tested against {null:g}", remark) if part)
    return Result(mean, lower, upper, t, name, freedom, p, note, details)


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


# What procedures say alike that test the mean of one learner, if p0 is given.
AGAINST_P0: dict[str, Any] = {"null": UNTESTED, "against": "p0", "options_of": interval_and_test}


@procedure(
    Compares.ONE,
    Level.RESAMPLES,
    title="t interval and t test of one learner's mean",
    question="How well does this learner do on average over training sets, and is that better than a fixed value?",
    needs=(not_repeated,),
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
        "Over folds the standard error may be too small, because training sets overlap; no unbiased estimate of it "
        "exists (Bengio and Grandvalet 2004). Measured with nearest means on 150 instances (1,500 data sets, 500 of 10 "
        "× 10 folds; α = .05): 4.6 % false claims over 10 folds, but 57 % over 10 × 10 folds and 59 % over 30 random "
        "splits, where corrected-mean has 0.9, 3.2 and 3.6 %.",
        NOT_PAIRED,
    ),
    references=("student1908", "alpaydin2014 sections 19.8 and 19.10.3", "bengio2004"),
    published="Alpaydın, section 19.10.3 (quantiles), and R 4.2.2, t.test(x) and t.test(x, mu = .18, alternative = "
    "'greater') on ten made-up error rates",
    printed="t(.05, 9) = 1.83; t(.05, 29) = 1.70; lower = 0.183644061; upper = 0.206355939; t against .18 = "
    "2.98807152; p = 0.00762427516",
    example=(
        Example(lambda result: [t_quantile(0.95, 9), t_quantile(0.95, 29), result.lower, result.upper], TEN_ERRORS),
        Example("statistic p", TEN_ERRORS, p0=0.18, alternative="greater"),
    ),
    recommended_for="one learner's scores over resamples, whose mean needs an interval",
    rank=10,
    options=P0,
    power=PowerFormula.ONE_T,
    **AGAINST_P0,
)
def mean_t(x: ArrayLike, **options: Any) -> Result:
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
    mean, s, n = _mean_and_sd(x)
    return interval_and_test(mean, float(n - 1), {"blocks": n, "sd": s, "standard_error": s / sqrt(n)}, **options)


def _mean_and_sd(x: ArrayLike) -> tuple[float, float, int]:
    """The mean of values, their standard deviation and number; refused are values without a standard error."""
    values = number_column(x)
    n = len(values)
    if n < 2:
        raise UsageError("A standard error needs at least two values; found 1.")
    if is_constant(values, float(np.abs(values).max())):
        raise DegenerateError(
            f"The value is {float(values[0]):.6g} in every one of {n} blocks, so its standard error is zero and there "
            "is neither t nor interval. Report the value itself; values that agree to the last digit are rarely "
            "independent measurements."
        )
    return *mean_and_sd(values), n


def from_summary(mean: float, sd: float, n: int, **options: Any) -> Result:
    """The same from what a paper prints: the mean, the standard deviation and the number of values. `options` are those
    of `mean_t`.

    >>> result = from_summary(0.195, 0.0159, 10)
    >>> round(result.lower, 4), round(result.upper, 4)
    (0.1836, 0.2064)
    """
    values = count(n, "number of values")
    if values < 2:
        raise UsageError(f"A standard error needs at least two values; found {values}.")
    if not (isfinite(mean) and isfinite(sd) and sd > 0):
        raise UsageError(f"The mean must be finite, and the standard deviation positive; found {mean!r} and {sd!r}.")
    details = {"blocks": values, "sd": float(sd), "standard_error": sd / sqrt(values)}
    return interval_and_test(float(mean), float(values - 1), details, **options)


# --- The same over resamples that share training data -----------------------------------------------------------------
@procedure(
    Compares.ONE,
    Level.RESAMPLES,
    title="Corrected t of one learner's mean over resamples",
    title_bracket="Nadeau and Bengio",
    question="How well does this learner do on average over training sets of this problem, where resamples overlap?",
    needs=(sharing_training_data, known_ratio),
    assumes=(
        "The values are about normal, with one common correlation between resamples.",
        CORRELATION,
        "p0 was chosen without these data.",
    ),
    conventions=(
        "The estimate is the mean; its variance is (1/J + n_test/n_train) S², with J − 1 degrees of freedom for J "
        "resamples.",
        "Values that are all the same are refused: they have no standard error.",
    ),
    cautions=(
        "The correction is approximate. Measured with nearest means on 150 instances (1,500 data sets, 500 of 10 × 10 "
        "folds; α = .05): 0.9 % false claims over 10 folds, 3.2 % over 10 × 10 folds, 3.6 % over 30 random splits with "
        "a third tested, where mean-t has 4.6, 57 and 59 %.",
        NOT_PAIRED,
    ),
    references=("nadeau2003", "bengio2004"),
    published="R 4.2.2, mean(x) ± qt(.975, 9) * sd(x) * sqrt(1/10 + 1/9) and the t test of .18 with that standard "
    "error, on ten made-up error rates",
    printed="lower = 0.178500203; upper = 0.211499797; t = 2.05653186; p = 0.0698713022",
    example=Example("lower upper statistic p", TEN_ERRORS, ratio=1 / 9, p0=0.18),
    recommended_for="one learner's scores over folds or random splits, whose training sets overlap",
    rank=9,
    options={**P0, "ratio": "test size over training size, if the data do not tell"},
    repeated_folds=True,
    no_power="more folds or splits of the same data are not more data: plan mean-t over independent runs",
    trials=(Trial(NullDesign.ONE_MEAN_OF_FOLDS),),
    **AGAINST_P0,
)
def corrected_mean(x: ArrayLike, *, ratio: float | None = None, **options: Any) -> Result:
    """The mean of J resamples of one data set with an interval, by the variance (1/J + n_test/n_train) S².

    Useful for one learner after repeated cross-validation or random splits: S²/J is far too small there, because the
    resamples learn from the same instances, and test on them. With ratio = 0 this would be mean-t.

    >>> errors = [0.182, 0.205, 0.171, 0.214, 0.196, 0.188, 0.221, 0.179, 0.203, 0.191]
    >>> result = corrected_mean(errors, ratio=1 / 9, p0=0.18)
    >>> round(result.statistic, 3), round(result.p, 4)
    (2.057, 0.0699)
    """
    ratio = checked_ratio(ratio, "The corrected interval of a mean")
    mean, s, n = _mean_and_sd(x)
    details = {"blocks": n, "sd": s, "standard_error": s * sqrt(1 / n + ratio)}
    return interval_and_test(mean, float(n - 1), details, **options)


# --- The z interval and z test of one learner's mean, where the standard deviation of a value is known ----------------
@procedure(
    Compares.ONE,
    Level.RESAMPLES,
    title="z interval and z test of one learner's mean, σ known",
    question="How well does this learner do on average, if the spread of a single value is known in advance?",
    least_blocks=1,
    needs=(not_repeated,),
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
        "With σ estimated from a few values the interval covers too rarely. Exactly, for normal values: a “95 %” z "
        "interval with the estimated σ covers in 88 % of the samples of five, and in 92 % of those of ten.",
        NOT_PAIRED,
    ),
    references=("alpaydin2014 sections 19.8 and 19.9",),
    published="Alpaydın, section 19.8 (the quantile), and R's BSDA 1.2.2, z.test(x, sigma.x = .02) on ten made-up "
    "error rates",
    printed="z(.05) = 1.64; lower = 0.184597032; upper = 0.205402968; z against .185 = 1.58113883; p = 0.0569231490",
    example=(
        Example(
            lambda result: [normal_quantile(0.95), result.lower, result.upper],
            TEN_ERRORS,
            sigma=0.02,
            confidence=0.9,
        ),
        Example("statistic p", TEN_ERRORS, sigma=0.02, p0=0.185, alternative="greater"),
    ),
    recommended_for="one learner's scores over resamples, with a spread that is known from elsewhere",
    rank=60,
    options={"sigma": ("the known standard deviation of a value", (), "required"), **P0},
    power=PowerFormula.Z,
    planned_as="z",
    fewer=(("sigma", 0.05),),
    **AGAINST_P0,
)
def mean_z(x: ArrayLike, *, sigma: float | None = None, **options: Any) -> Result:
    """The mean of N values with its z interval, and z = √N (m − p0) / σ, for a standard deviation σ that is known.

    Useful where σ comes from elsewhere: a large earlier experiment, or theory. Estimated from these values it makes
    the interval too short; then use mean-t. The null hypothesis is that the expected value is p0; without p0 there is
    an interval and no test.

    >>> errors = [0.182, 0.205, 0.171, 0.214, 0.196, 0.188, 0.221, 0.179, 0.203, 0.191]
    >>> result = mean_z(errors, sigma=0.02, p0=0.185, alternative="greater")
    >>> round(result.statistic, 4), round(result.p, 4)
    (1.5811, 0.0569)
    """
    values = number_column(x)
    if sigma is None:
        raise UsageError(
            "The z interval needs the standard deviation of a value, known from elsewhere: give --sigma (in Python "
            "sigma=). If it is to be estimated from these values, use mean-t."
        )
    if not (isfinite(sigma) and sigma > 0):
        raise UsageError(f"sigma, the known standard deviation, must be a positive number; found {sigma!r}.")
    details = {"blocks": len(values), "sigma": float(sigma), "standard_error": sigma / sqrt(len(values))}
    return interval_and_test(float(np.mean(values)), inf, details, **options)
