"""The F test of two error variances: two regression models, each tested on instances of its own."""

from __future__ import annotations

from math import inf, log

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import number_column
from bakeoff.mathematics.linear_models import f_test_of_variances
from bakeoff.procedures.card import PowerFormula
from bakeoff.procedures.needs import squared_errors
from bakeoff.procedures.procedure import Compares, Level, Result, numbers, procedure


def variance_ratio(e1: ArrayLike, e2: ArrayLike, *, confidence: float = 0.95, alternative: str = "two-sided") -> Result:
    """Compare the variances of two independent series of errors, F = s1² / s2² with n1 − 1 and n2 − 1 df.

    Useful for the residuals of two regression models on test sets of their own, if they are normal. The null hypothesis
    is that both have the same variance; the estimate is the ratio F, with its interval. A bias is not counted, because
    each series' own mean is subtracted.

    >>> result = variance_ratio([1.0, -2.0, 3.0, -1.5], [0.5, -0.2, 0.4, -0.9, 0.1])
    >>> round(result.statistic, 3), round(result.p, 4)
    (17.022, 0.0193)
    """
    first, second = number_column(e1, "first"), number_column(e2, "second")
    if min(len(first), len(second)) < 2:
        raise UsageError(f"A variance needs at least two errors; found {len(first)} and {len(second)}.")
    first, second = first - first.mean(), second - second.mean()
    unit = float(max(np.abs(first).max(), np.abs(second).max())) or 1.0
    squares = (first / unit) ** 2, (second / unit) ** 2
    df = float(len(first) - 1), float(len(second) - 1)
    return _f_test(float(squares[0].sum()) / df[0], float(squares[1].sum()) / df[1], df, confidence, alternative)


def _f_test(v1: float, v2: float, df: tuple[float, float], confidence: float, alternative: str) -> Result:
    f, lower, upper, p = f_test_of_variances(v1, v2, df, confidence, alternative)
    if v1 == v2 == 0:
        return Result(f, lower, upper, f, "F", df, p, "no errors at all in either")
    return Result(f, lower, upper, f, "F", df, p, details={"variances": (v1, v2)})


# Made-up errors of 25 and 30 instances.
E1 = (
    -0.7376, -1.6627, -1.6109, -0.7935, -0.5492, -0.978, 0.6999, 0.6904, 0.8522, 0.1328, 0.29, 2.1522, 2.0881,
    0.7416, -0.6545, -0.5946, -0.4964, -0.1171, 0.0873, 0.4057, 0.8768, 2.5104, 0.7142, -0.7134, -0.7292,
)  # fmt: skip
E2 = (
    0.23, -0.0527, 0.0438, -1.3876, -0.7275, 1.1081, 0.4764, 1.2823, 0.3697, 1.4886, 0.0323, -1.035, 0.0789, -1.0408,
    0.6759, 0.479, 1.4404, 0.2425, 0.6771, -0.4681, -0.4021, -1.2592, 1.772, 0.828, 2.4618, 0.4105, 0.3473, 1.1064,
    0.2217, 0.5905,
)  # fmt: skip


@procedure(
    Compares.PAIR,
    Level.INSTANCES,
    name="variance-ratio",
    title="F test of squared errors on independent test sets",
    question="Do two regression models, each tested on instances of its own, have different error variances?",
    null="the errors of both models have the same variance",
    needs=(squared_errors,),
    assumes=(
        "The errors are normal with mean zero. The test leans on that: it does not become right with more data.",
        "The two test sets are independent, with no instance in common.",
        "The models were fitted without them.",
    ),
    conventions=(
        "F is the ratio of the mean squared errors, first over second, with n1 and n2 degrees of freedom. "
        "Two-sided p is twice the smaller tail.",
        "The estimate is log F, the difference of the logarithms of the mean squared errors, with its interval; "
        "the ratio itself is in the details.",
        "In Python, variance_ratio takes the errors themselves and subtracts their means, as R's var.test does.",
    ),
    cautions=(
        "Alpaydın's exercise 9 proposes it for two regression algorithms. On one test set the errors of both "
        "are dependent and F is not F: use paired-t on the squared errors.",
        "With errors that are not normal its error rate is off, however many instances there are. Simulated at a true "
        "null (α = .05, 100 instances each, 20,000 samples): 5.0 % false positives for normal errors, 21 % for "
        "double-exponential ones, 22 % for Student's t with five degrees of freedom.",
        "For losses of independent test sets unpaired-losses assumes less.",
    ),
    references=("alpaydin2014 exercise 9 of chapter 19", "box1953"),
    published="R 4.2.2, var.test(e1, e2) on made-up errors of 25 and 30 instances",
    printed="F = 1.45423568; p = 0.334186088; lower = 0.675130749; upper = 3.22468436",
    example=lambda: numbers(variance_ratio(E1, E2), "statistic p lower upper"),
    recommended_for="two regression models with squared errors on test sets of their own",
    rank=80,
    scale="log mean squared error",
    paired=False,
    measure="squared_error",
    power=PowerFormula.VARIANCES,
    difference_scale="compares mean squared errors by their ratio: say the difference of their logarithms, e.g. 0.2 "
    "for one that is 18 % smaller",
)
def compute(a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95, alternative: str = "two-sided") -> Result:
    """The same from two columns of squared errors, F = ā / b̄ with n1 and n2 df; estimate and interval are log F.

    Errors are taken to have the mean zero, so that their variance is the mean squared error and a bias is counted.

    >>> result = compute([1.0, 4.0, 9.0, 2.25], [0.25, 0.04, 0.16, 0.81, 0.01])
    >>> round(result.statistic, 3), round(result.p, 4), round(result.estimate, 3)
    (15.994, 0.0094, 2.772)
    """
    first, second = number_column(a), number_column(b)
    if min(float(first.min()), float(second.min())) < 0:
        raise UsageError("Squared errors are not negative; found a negative value.")
    unit = float(max(first.max(), second.max())) or 1.0
    df = float(len(first)), float(len(second))
    ratio = _f_test(float(np.mean(first / unit)), float(np.mean(second / unit)), df, confidence, alternative)
    lower = log(ratio.lower) if ratio.lower > 0 else -inf
    upper = log(ratio.upper) if ratio.upper < inf else inf
    details = {"ratio": ratio.estimate, "ratio_lower": ratio.lower, "ratio_upper": ratio.upper}
    return Result(log(ratio.estimate), lower, upper, ratio.statistic, "F", df, ratio.p, ratio.note, details)
