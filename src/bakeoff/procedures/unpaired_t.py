"""The unpaired t test: two samples that share nothing, of resamples or of losses."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError
from bakeoff.mathematics.checks import number_column
from bakeoff.mathematics.laws import p_from_t, symmetric_interval
from bakeoff.mathematics.linear_models import DF, two_means
from bakeoff.procedures.card import Compares, PowerFormula, Published
from bakeoff.procedures.procedure import Result, is_constant, procedure
from bakeoff.scores import Level

_A = (0.125, 0.15, 0.11, 0.14, 0.16, 0.135, 0.12, 0.145, 0.155, 0.13)
_B = (0.118, 0.139, 0.121, 0.128, 0.149, 0.131, 0.117)


def _published() -> list[float]:
    welch, pooled = unpaired_t(_A, _B), unpaired_t(_A, _B, df="pooled")
    return [welch.statistic, welch.df[0], welch.p, welch.lower, welch.upper, pooled.p]


SHARED: dict[str, Any] = {
    "paired": False,
    "conventions": (
        "The estimate is the first mean minus the second; variances may differ, degrees of freedom are Welch's. The "
        "option df=pooled takes one common variance, df=smaller counts min(n1, n2) − 1, as the slides do.",
        "Samples in which all values are the same have t = 0, p = 1 and no interval; two different constants are "
        "refused.",
    ),
    "references": ("welch1947", "feelders1995 section 1, eq. (1)"),
    "published": Published(
        "R 4.2.2, t.test(a, b) and t.test(a, b, var.equal = TRUE) on made-up samples of ten and seven",
        "t = 1.18568872; df = 14.91857598; p = 0.254287638; lower = -0.00638801383; upper = 0.0223880138; "
        "p, pooled = 0.279794010",
        _published,
    ),
    "options": {"df": ("how degrees of freedom are counted", tuple(DF))},
    "rank": 30,
}


@procedure(
    Compares.PAIR,
    Level.RESAMPLES,
    title="Unpaired t test over resamples (Welch's unless asked)",
    question="Do two learners differ in mean performance, if each was run on splits of its own?",
    null="the two learners have the same expected performance",
    assumes=(
        "All values are independent, within a learner and between learners: other training sets, other test sets.",
        "The means are about normal.",
    ),
    cautions=(
        "On shared splits it throws the pairing away and finds less: the covariance is not subtracted. Use "
        "corrected-t.",
        "Values of folds that overlap in their training data are not independent, and t is too large.",
        "min(n1, n2) − 1 degrees of freedom are conservative: p is .281 where Welch's is .254.",
    ),
    recommended_for="two learners over resamples that they do not share",
    power=PowerFormula.WELCH,
    **SHARED,
)
def unpaired_t(
    a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95, alternative: str = "two-sided", df: str = "welch"
) -> Result:
    """Compare the means of two independent samples, t = (ā − b̄) / √(s1²/n1 + s2²/n2).

    Useful where the two learners were not run on the same splits, so that there is nothing to pair. The null
    hypothesis is that the means are equal. `df` is "welch" (the standard; variances may differ), "pooled" (n1 + n2 − 2,
    one common variance) or "smaller" (min(n1, n2) − 1, as the slides say: conservative). Samples without any spread
    have no standard error: equal ones have t = 0, p = 1 and no interval, different ones are refused.

    >>> a = [0.125, 0.15, 0.11, 0.14, 0.16, 0.135, 0.12, 0.145, 0.155, 0.13]
    >>> b = [0.118, 0.139, 0.121, 0.128, 0.149, 0.131, 0.117]
    >>> [round(unpaired_t(a, b, df=df).p, 3) for df in ("welch", "pooled", "smaller")]
    [0.254, 0.28, 0.281]
    """
    first, second = number_column(a), number_column(b)
    test = two_means(first, second, df)
    size = float(max(np.abs(first).max(), np.abs(second).max()))
    if is_constant(first, size) and is_constant(second, size):
        if not is_constant([first[0], second[0]], size):
            raise DegenerateError(
                f"Each sample has one value only ({first[0]:.6g} and {second[0]:.6g}), so the standard error is zero "
                "and t does not exist. Report the values themselves."
            )
        return Result(0.0, nan, nan, 0.0, "t", (test.df,), 1.0, "all values are the same")
    t = test.difference / test.standard_error
    lower, upper = symmetric_interval(test.difference, test.standard_error, test.df, confidence, alternative)
    details = {"n": (len(first), len(second)), "standard_error": test.standard_error}
    p = p_from_t(t, test.df, alternative)
    return Result(test.difference, lower, upper, t, "t", (test.df,), p, details=details)


@procedure(
    Compares.PAIR,
    Level.INSTANCES,
    title="Unpaired t test on losses of independent test sets (Welch)",
    question="Do two fitted models, each tested on instances of its own, have different mean losses?",
    null="the two models have the same mean loss",
    assumes=(
        "The two test sets are independent draws from the population that the models are meant for, with no instance "
        "in common.",
        "The models were fitted without them.",
        "The means are about normal: exactly if the losses are, nearly if there are many.",
    ),
    cautions=(
        "On the same instances it throws the pairing away and finds less: use paired-t.",
        "For answers that are right or wrong (0 or 1), two-proportions says it better.",
        "Heavy-tailed losses let single instances decide: look at the largest ones.",
    ),
    recommended_for="two models with losses on test sets of their own",
    **SHARED,
)
def unpaired_losses(
    a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95, alternative: str = "two-sided", df: str = "welch"
) -> Result:
    """The same for losses of two fitted models, each on instances of its own.

    >>> round(unpaired_losses([0.1, 0.4, 0.2], [0.3, 0.6, 0.5, 0.4]).p, 3)
    0.119
    """
    return unpaired_t(a, b, confidence=confidence, alternative=alternative, df=df)
