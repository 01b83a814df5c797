"""Student's t for the mean of paired differences: the mathematics that paired-t, kfold-t and corrected-t share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import number_column, paired
from bakeoff.mathematics.laws import check_alternative, check_confidence, p_from_t, symmetric_interval
from bakeoff.procedures.result import Result, is_constant


def mean_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    inflation: float = 0.0,
    df: float | None = None,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    null: float = 0.0,
) -> Result:
    """t = (d̄ − null) / √((1/n + inflation) s²) with n − 1 degrees of freedom (or `df`), where d = a − b.

    `inflation` is 0 for independent differences and what is added to 1/n for differences that are correlated. Columns
    that are the same up to rounding error have t = 0, p = 1 and no interval: without a standard error nothing shows
    how equal they are. A difference that is the same in every block, and is not `null`, is refused.

    >>> round(mean_difference([3, 5, 4], [1, 2, 3]).statistic, 4)
    3.4641
    """
    check_confidence(confidence)
    check_alternative(alternative)
    first, second = paired(number_column(a, "first"), number_column(b, "second"))
    n = len(first)
    if n < 2:
        raise UsageError("A standard error needs at least two paired values; found 1.")
    d = first - second
    size = float(max(np.abs(first).max(), np.abs(second).max()))
    df = float(n - 1) if df is None else df
    if is_constant(d, size):
        if not is_constant([*d, null], size):
            raise DegenerateError(
                f"The difference is {float(d.mean()):.6g} in every block, so its standard error is zero and t does not "
                f"exist. Report the difference itself; {n} blocks that agree to the last digit are rarely {n} "
                "independent blocks.",
            )
        return _no_difference(null, n, df)

    unit = float(np.abs(d).max())  # squares of very small or large differences would leave the range of floats
    mean, s = float(np.mean(d / unit)) * unit, float(np.std(d / unit, ddof=1)) * unit
    se = float(np.sqrt(1 / n + inflation)) * s
    t = (mean - null) / se
    lower, upper = symmetric_interval(mean, se, df, confidence, alternative)
    return Result(
        estimate=mean,
        lower=lower,
        upper=upper,
        statistic=t,
        statistic_name="t",
        df=(df,),
        p=p_from_t(t, df, alternative),
        details={"blocks": n, "sd_of_differences": s, "standard_error": se},
    )


def _no_difference(value: float, n: int, df: float) -> Result:
    """What 0/0 is taken to be: no sign of a difference, and none of how small it is."""
    return Result(
        estimate=value,
        statistic=0.0,
        statistic_name="t",
        df=(df,),
        p=1.0,
        note="the two columns are the same" if value == 0 else "the difference is the null value in every block",
        details={"blocks": n, "sd_of_differences": 0.0, "standard_error": 0.0},
    )
