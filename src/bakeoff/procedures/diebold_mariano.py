"""Diebold and Mariano's test of two forecasts of one time series, with the small-sample correction."""

from __future__ import annotations

from math import inf, nan

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import choice, count, number_column, paired
from bakeoff.mathematics.linear_models import t_test
from bakeoff.mathematics.time_series import KERNELS, mean_of_series
from bakeoff.procedures.card import Caution, Compares, NullDesign, Published, Trial
from bakeoff.procedures.needs import in_time
from bakeoff.procedures.procedure import Result, is_constant, procedure
from bakeoff.procedures.variance_ratio import E1, E2
from bakeoff.scores import Level


def diebold_mariano(
    e1: ArrayLike,
    e2: ArrayLike,
    *,
    h: int = 1,
    power: float = 2.0,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    correction: bool = True,
    kernel: str = "rectangular",
) -> Result:
    """Compare two series of forecast errors by the mean of d = |e1|^power − |e2|^power.

    `h` is the horizon of the forecasts: errors of forecasts h steps ahead are correlated up to lag h − 1, and the
    variance of the mean counts these lags. Series without any difference are refused, as in R's forecast::dm.test;
    from two columns of losses (`compute`) they have p = 1.

    >>> result = diebold_mariano([1.0, -2.0, 0.5, 1.5, -1.0, 2.5], [0.5, -1.0, 1.0, 1.0, -0.5, 1.5], h=2)
    >>> round(result.statistic, 4), round(result.p, 4)
    (3.5857, 0.0158)
    """
    first, second = paired(number_column(e1, "first"), number_column(e2, "second"))
    if not power > 0:
        raise UsageError(f"The power of the loss |e|^power must be positive; found {power!r}.")
    losses = np.abs(first) ** power, np.abs(second) ** power
    if is_constant(losses[0] - losses[1], float(max(losses[0].max(), losses[1].max()))):
        raise DegenerateError(
            "The losses of both series differ by the same amount at every time: the variance is zero."
        )
    return compute(*losses, h=h, confidence=confidence, alternative=alternative, correction=correction, kernel=kernel)


def _published() -> list[float]:
    errors = E1, E2[: len(E1)]
    one, two = diebold_mariano(*errors), diebold_mariano(*errors, h=3, power=1)
    return [one.statistic, one.p, two.statistic, two.p]


@procedure(
    Compares.PAIR,
    Level.INSTANCES,
    name="diebold-mariano",
    title="Diebold–Mariano test of two forecasts",
    question="Do two forecasts of one time series have different mean losses, allowing for correlation over time?",
    null="the mean difference of the two forecasts' losses is zero",
    needs=(in_time(),),
    assumes=(
        "The rows are times of one series, in order, without gaps.",
        "The differences of losses are stationary, and correlated up to lag h − 1 only: forecasts h steps ahead.",
        "Neither forecast was fitted with the times it forecasts.",
    ),
    conventions=(
        "The estimate is the mean of first minus second. Its variance sums the autocovariances up to lag h − 1 "
        "with equal weights (option kernel=bartlett: with falling ones, never negative).",
        "Harvey, Leybourne and Newbold's factor and n − 1 degrees of freedom are used; without the correction it is z.",
        "If the variance comes out negative, the horizon 1 is used and the note says so, as in R's forecast.",
        "With h = 1 it is the paired t test.",
        "Forecasts with the same loss at every time have t = 0, p = 1 and no interval.",
    ),
    cautions=(
        Caution(
            "With h = 1 it is the paired t test, which knows nothing of autocorrelation; cosine-t does.",
            "False claims at α = 5 % with 100 or 500 times: 26 % at an autocorrelation of .5, 51 % at .8, 77 % at .95.",
        ),
        "The order of rows matters: shuffled or sorted rows give another answer. Use it on series only.",
        "Horizons beyond a third of the series leave little to estimate a variance from.",
        "It compares forecasts, not models: two nested models need another test (Diebold 2015).",
    ),
    references=("diebold1995", "harvey1997", "diebold2015", "feelders1995 section 2 (autocorrelated series)"),
    published=Published(
        "R's forecast 8.20, dm.test(e1, e2, h, power) on two made-up series of 25 errors",
        "DM, h = 1 = 0.334276571; p, h = 1 = 0.741074425; DM, h = 3, power 1 = 0.316192641; p = 0.754589893",
        _published,
    ),
    recommended_for="two forecasts of one time series",
    rank=70,
    ordered=True,
    trials=(Trial(NullDesign.LOSSES, 2), Trial(NullDesign.SERIES, 2, holds=False)),
    options={
        "h": "the horizon: how many steps ahead the forecasts were made",
        "correction": "Harvey, Leybourne and Newbold's small-sample correction",
        "kernel": ("the weights of the autocovariances", tuple(KERNELS)),
    },
    synonyms=("DM test", "forecast comparison", "time series"),
)
def compute(
    a: ArrayLike,
    b: ArrayLike,
    *,
    h: int = 1,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    correction: bool = True,
    kernel: str = "rectangular",
) -> Result:
    """The same from two columns of losses, a row a time, in the order of time: t = d̄ / √(variance of d̄).

    >>> compute([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]).p
    1.0
    """
    choice(kernel, KERNELS, "kernel")
    first, second = number_column(a), number_column(b)
    n, h = len(first), _checked_horizon(h, len(first))
    d, df = first - second, float(n - 1)
    size = float(max(np.abs(first).max(), np.abs(second).max()))
    if is_constant(d, size):
        if not is_constant([*d, 0.0], size):
            raise DegenerateError(
                f"The difference is {float(d.mean()):.6g} at every time, so its variance is zero and the statistic "
                "does not exist. Report the difference itself."
            )
        return Result(0.0, nan, nan, 0.0, "t", (df,), 1.0, "the two columns are the same")
    mean = mean_of_series(d, h, kernel, correction)
    law = df if correction else inf
    lower, upper, t, p = t_test(mean.value, mean.standard_error, law, confidence, alternative)
    name, freedom = ("t", (df,)) if correction else ("z", ())
    details = {"times": n, "h": mean.h, "standard_error": mean.standard_error}
    return Result(mean.value, lower, upper, t, name, freedom, p, _note(h, mean.h), details)


def _checked_horizon(h: float, n: int) -> int:
    if n < 2:
        raise UsageError("A variance needs at least two times; found 1.")
    steps = count(h, "h")
    if not 1 <= steps < n:
        raise UsageError(f"The horizon h is at least 1 and less than the number of times ({n}); found {steps}.")
    return steps


def _note(requested: int, used: int) -> str:
    if requested == used:
        return f"horizon h = {used}"
    return f"the variance for h = {requested} came out negative: h = {used} was used; kernel=bartlett is never negative"
