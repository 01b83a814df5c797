"""Values that are successive in time: means and differences whose errors come from the slowest waves of the series."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import Array, choice, count, number_column, paired
from bakeoff.mathematics.linear_models import t_test
from bakeoff.mathematics.time_series import FEW_WAVES, KERNELS, LEAST_WAVES, cosine_means, mean_of_series
from bakeoff.procedures.card import Compares, NullDesign, Trial
from bakeoff.procedures.needs import in_time
from bakeoff.procedures.one_mean import AGAINST_P0, P0, interval_and_test
from bakeoff.procedures.procedure import Example, Level, Result, difference_alike, is_constant, numbers, procedure
from bakeoff.procedures.variance_ratio import E1, E2

WAVES = (
    "With the cosine transforms a_k = √(2/n) Σ cos(πk(t − ½)/n) d_t, k = 1 … ν, the squared standard error is the mean "
    "of a_k² over n, and t has ν degrees of freedom. ν is the smaller of 0.4 n^(2/3) and ⌊0.174 n (1 − ρ)/√ρ⌋, with ρ "
    "the autocorrelation of lag 1, plus (1 + 3ρ)/n for its bias. Where autocorrelations of further lags tell of a slow "
    f"part under noise, fewer waves are used, as many as its spectrum allows, and at least {LEAST_WAVES}."
)
REFUSES = (
    f"A series with ν below {LEAST_WAVES} is refused: it is too persistent for its length, and no method known to us "
    f"holds its level then. With ν up to {FEW_WAVES} a warning is given."
)
AT_EVERY_TIME, NO_STATISTIC = "at every time", "its variance is zero and the statistic does not exist"
IN_ORDER: dict[str, Any] = {
    "needs": (in_time,),
    "least_blocks": 3,
    "ordered": True,
    "rank": 5,
    "references": ("lazarus2018", "kendall1954"),
    "no_power": "it depends on how a series is correlated over time, of which there is no usual guess",
}
STATIONARY = "The series is stationary: its mean and its correlations do not change over time. Rows are equally spaced."
RATES = (
    "Near the border of what is refused, answers are too often wrong. Measured at α = 5 %: 4.2–5.8 % for "
    "autocorrelations up to .8 with 500 times, 5.6–6.8 % at .8 with 100; among the answers given with ν of 4 to 6, "
    "9–12 %. A slow part (autocorrelation .9 to .95) with a fifth to a half of the variance, under noise: 6–8 % with "
    "500 times, 7–10 % with 200, 11–17 % with 100, most of these under the condition that there is none. The paired t "
    "test claims 26 % at .5 and 51 % at .8."
)


def _mean_of_waves(values: Array, vanishing: str) -> tuple[float, float, dict[str, Any], str]:
    """The mean of a series with its degrees of freedom, details and a note; one that is too persistent is refused, and
    one whose slowest waves vanish."""
    n, result = len(values), cosine_means(values[:, None])
    waves, autocorrelation = int(result.waves[0]), float(result.autocorrelation[0])
    if result.refused[0]:
        raise DegenerateError(
            f"The series is too persistent for its length: with an autocorrelation of {result.corrected[0]:.2f} from "
            f"one time to the next, {n} times hold {waves} waves that tell how much a mean varies, and at least "
            f"{LEAST_WAVES} are needed. Collect more times, or compare averages of longer spells that are nearly "
            "independent."
        )
    mean, se, df = (float(part[0]) for part in (result.means.estimate, result.means.standard_error, result.means.df))
    if not se > 0:
        raise DegenerateError(vanishing)
    details = {"times": n, "standard_error": se, "waves": waves, "autocorrelation": autocorrelation}
    note = f"ν = {waves} waves, autocorrelation {autocorrelation:.2f}"
    return mean, df, {**details, "slow": bool(result.slow[0])}, note


_TIMES = np.arange(1, 201)
_SERIES: Array = np.sin(0.37 * _TIMES**2) + 0.2


@procedure(
    Compares.PAIR,
    Level.INSTANCES,
    title="t test of successive losses, by equal-weighted cosines",
    question="Do two forecasts or models differ in mean loss over time, whatever one time has to do with the next?",
    null="the mean difference of the losses over time is zero",
    assumes=(STATIONARY, "The models were fitted without the times that they are tested on."),
    conventions=(
        WAVES,
        REFUSES,
        "The estimate is the mean of first minus second. Many learners are compared pair by pair, adjusted by Holm "
        "unless said otherwise.",
        "Columns that are the same have t = 0, p = 1 and no interval; a difference that never changes is refused.",
    ),
    cautions=(RATES, "The order of rows matters: shuffled or sorted rows give another answer."),
    published="d = sin(.37 t²) + .2, t = 1 … 200, computed by other code from the definition",
    printed="lag-1 autocorrelation = 0.0247641332; waves = 14; se = 0.0425907220; t = 5.9168950; p = 3.7565e-5",
    example=Example("autocorrelation waves standard_error statistic p", _SERIES, np.zeros(200)),
    recommended_for="losses that are successive in time",
    trials=(Trial(NullDesign.SERIES), Trial(NullDesign.SERIES, 4)),
    **IN_ORDER,
)
def cosine_t(a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95, alternative: str = "two-sided") -> Result:
    """Compare the mean losses of two models over successive times.

    Useful for forecasts, for losses in production day by day, for anything in which a row resembles the one before. The
    null hypothesis is that the mean difference is zero. It differs from diebold-mariano in that no horizon has to be
    known, and in that it knows when there is too little to go by.

    >>> t = np.arange(1, 201)
    >>> result = cosine_t(np.sin(0.37 * t**2) + 0.2, np.zeros(200))
    >>> round(result.statistic, 4), result.df, round(result.p, 7)
    (5.9169, (14.0,), 3.76e-05)
    """
    first, second = number_column(a), number_column(b)
    alike = difference_alike(first, second, AT_EVERY_TIME, NO_STATISTIC)
    if alike is not None:
        return alike
    mean, df, details, note = _mean_of_waves(
        first - second,
        "The slowest waves of the series of differences vanish, so that its standard error is zero: there is no test. "
        "Look at the series itself.",
    )
    lower, upper, t, p = t_test(mean, details["standard_error"], df, confidence, alternative)
    return Result(mean, lower, upper, t, "t", (df,), p, note, details)


@procedure(
    Compares.ONE,
    Level.INSTANCES,
    title="Interval and test of one mean over time, by equal-weighted cosines",
    question="How well does this model do over time, whatever one time has to do with the next?",
    assumes=(STATIONARY, "p0 was chosen without these data."),
    conventions=(WAVES, REFUSES, "Values that are all the same are refused: they have no standard error."),
    cautions=(
        RATES,
        "Intervals of two models over the same times are not a comparison: use cosine-t, which is paired.",
    ),
    published="x = sin(.37 t²) + .2, t = 1 … 200, computed by other code from the definition",
    printed="mean = 0.2520048; se = 0.0425907220; waves = 14",
    example=Example("estimate standard_error waves", _SERIES),
    recommended_for="one model's values that are successive in time",
    options=P0,
    **AGAINST_P0,
    trials=(Trial(NullDesign.ONE_SERIES),),
    **IN_ORDER,
)
def cosine_mean(x: ArrayLike, **options: Any) -> Result:
    """The mean of successive values, with an interval that holds under autocorrelation.

    >>> t = np.arange(1, 201)
    >>> result = cosine_mean(np.sin(0.37 * t**2) + 0.2)
    >>> round(result.lower, 4), round(result.upper, 4)
    (0.1607, 0.3434)
    """
    values = number_column(x)
    if is_constant(values, float(np.abs(values).max())):
        raise DegenerateError(
            f"The value is {float(values[0]):.6g} at every one of {len(values)} times, so its standard error is zero "
            "and there is neither t nor interval. Report the value itself."
        )
    vanishing = "The slowest waves of the series vanish, so that its standard error is zero."
    return interval_and_test(*_mean_of_waves(values, vanishing), **options)


# --- Diebold and Mariano's test of two forecasts of one time series, with the small-sample correction -----------------
def diebold_mariano(e1: ArrayLike, e2: ArrayLike, *, h: int = 1, power: float = 2.0, **options: Any) -> Result:
    """Compare two series of forecast errors by the mean of d = |e1|^power − |e2|^power.

    `h` is the horizon of the forecasts: errors of forecasts h steps ahead are correlated up to lag h − 1, and the
    variance of the mean counts these lags. Further options are those of `compute`, which takes two columns of losses:
    there series without any difference have p = 1, here they are refused, as in R's forecast::dm.test.

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
    return compute(*losses, h=h, **options)


@procedure(
    Compares.PAIR,
    Level.INSTANCES,
    name="diebold-mariano",
    title="Diebold–Mariano test of two forecasts",
    question="Do two forecasts of one time series have different mean losses, allowing for correlation over time?",
    null="the mean difference of the two forecasts' losses is zero",
    needs=(in_time,),
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
        "With h = 1 it is the paired t test, which knows nothing of autocorrelation; cosine-t does. False claims at α "
        "= 5 % with 100 or 500 times: 26 % at an autocorrelation of .5, 51 % at .8, 77 % at .95.",
        "The order of rows matters: shuffled or sorted rows give another answer. Use it on series only.",
        "Horizons beyond a third of the series leave little to estimate a variance from.",
        "It compares forecasts, not models: two nested models need another test (Diebold 2015).",
    ),
    references=("diebold1995", "harvey1997", "diebold2015", "feelders1995 section 2 (autocorrelated series)"),
    published="R's forecast 8.20, dm.test(e1, e2, h, power) on two made-up series of 25 errors",
    printed="DM, h = 1 = 0.334276571; p, h = 1 = 0.741074425; DM, h = 3, power 1 = 0.316192641; p = 0.754589893",
    example=lambda: [
        *numbers(diebold_mariano(E1, E2[: len(E1)]), "statistic p"),
        *numbers(diebold_mariano(E1, E2[: len(E1)], h=3, power=1), "statistic p"),
    ],
    recommended_for="two forecasts of one time series",
    rank=70,
    ordered=True,
    further_trials=(Trial(NullDesign.SERIES, holds=False),),
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
    df = float(n - 1)
    alike = difference_alike(first, second, AT_EVERY_TIME, NO_STATISTIC, (df,))
    if alike is not None:
        return alike
    mean = mean_of_series(first - second, h, kernel, correction)
    law = df if correction else inf
    lower, upper, t, p = t_test(mean.value, mean.standard_error, law, confidence, alternative)
    name, freedom = ("t", (df,)) if correction else ("z", ())
    details = {"times": n, "h": mean.h, "standard_error": mean.standard_error}
    return Result(mean.value, lower, upper, t, name, freedom, p, _note_on_forecasts(h, mean.h), details)


def _checked_horizon(h: float, n: int) -> int:
    if n < 2:
        raise UsageError("A variance needs at least two times; found 1.")
    steps = count(h, "h")
    if not 1 <= steps < n:
        raise UsageError(f"The horizon h is at least 1 and less than the number of times ({n}); found {steps}.")
    return steps


def _note_on_forecasts(requested: int, used: int) -> str:
    if requested == used:
        return f"horizon h = {used}"
    return f"the variance for h = {requested} came out negative: h = {used} was used; kernel=bartlett is never negative"
