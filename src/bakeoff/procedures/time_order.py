"""Values that are successive in time: means and differences whose errors come from the slowest waves of the series."""

from __future__ import annotations

from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError
from bakeoff.mathematics.checks import Array, number_column
from bakeoff.mathematics.linear_models import t_test
from bakeoff.mathematics.time_series import FEW_WAVES, LEAST_WAVES, CosineMeans, cosine_means
from bakeoff.procedures.card import Caution, Compares, NullDesign, Published, Trial
from bakeoff.procedures.needs import in_time
from bakeoff.procedures.one_mean import P0, UNTESTED, checked_null
from bakeoff.procedures.procedure import Example, Result, is_constant, procedure
from bakeoff.scores import Level

WAVES = (
    "With the cosine transforms a_k = √(2/n) Σ cos(πk(t − ½)/n) d_t, k = 1 … ν, the squared standard error is the "
    "mean of a_k² over n, and t has ν degrees of freedom. ν is the smaller of 0.4 n^(2/3) and ⌊0.174 n (1 − ρ)/√ρ⌋, "
    "with ρ the autocorrelation of lag 1, plus (1 + 3ρ)/n for its bias. Where autocorrelations of further lags tell "
    "of a slow part under noise, fewer waves are used, as many as its spectrum allows, and at least "
    f"{LEAST_WAVES}."
)
REFUSES = (
    f"A series with ν below {LEAST_WAVES} is refused: it is too persistent for its length, and no method known to us "
    f"holds its level then. With ν up to {FEW_WAVES} a warning is given."
)
IN_ORDER: dict[str, Any] = {
    "needs": (in_time(),),
    "least_blocks": 3,
    "ordered": True,
    "rank": 5,
    "references": ("lazarus2018", "kendall1954"),
}
STATIONARY = "The series is stationary: its mean and its correlations do not change over time. Rows are equally spaced."
RATES = Caution(
    "Near the border of what is refused, answers are too often wrong.",
    "Measured at α = 5 %: 4.2–5.8 % for autocorrelations up to .8 with 500 times, 5.6–6.8 % at .8 with 100; among the "
    "answers given with ν of 4 to 6, 9–12 %. A slow part (autocorrelation .9 to .95) with a fifth to a half of the "
    "variance, under noise: 6–8 % with 500 times, 7–10 % with 200, 11–17 % with 100, most of these under the condition "
    "that there is none. The paired t test claims 26 % at .5 and 51 % at .8.",
)


def _series(means: CosineMeans) -> dict[str, Any]:
    return {
        "waves": int(means.waves[0]),
        "autocorrelation": float(means.autocorrelation[0]),
        "slow": bool(means.slow[0]),
    }


def _refuse(means: CosineMeans, n: int) -> None:
    if means.refused[0]:
        raise DegenerateError(
            f"The series is too persistent for its length: with an autocorrelation of {means.corrected[0]:.2f} from "
            f"one time to the next, {n} times hold {int(means.waves[0])} waves that tell how much a mean varies, and "
            f"at least {LEAST_WAVES} are needed. Collect more times, or compare averages of longer spells that are "
            "nearly independent."
        )


def _note(means: CosineMeans) -> str:
    return f"ν = {int(means.waves[0])} waves, autocorrelation {float(means.autocorrelation[0]):.2f}"


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
    published=Published(
        "d = sin(.37 t²) + .2, t = 1 … 200, computed by other code from the definition",
        "lag-1 autocorrelation = 0.0247641332; waves = 14; se = 0.0425907220; t = 5.9168950; p = 3.7565e-5",
        Example("autocorrelation waves standard_error statistic p", _SERIES, np.zeros(200)),
    ),
    recommended_for="losses that are successive in time",
    trials=(Trial(NullDesign.SERIES, 2), Trial(NullDesign.SERIES, 4)),
    no_power="it depends on how a series is correlated over time, of which there is no usual guess",
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
    d, size = first - second, float(max(np.abs(first).max(), np.abs(second).max()))
    if is_constant(d, size):
        if not is_constant([*d, 0.0], size):
            raise DegenerateError(
                f"The difference is {float(d.mean()):.6g} at every time, so its variance is zero and the statistic "
                "does not exist. Report the difference itself."
            )
        return Result(0.0, nan, nan, 0.0, "t", (), 1.0, "the two columns are the same")
    means = cosine_means(d[:, None])
    _refuse(means, len(d))
    mean, se, df = (float(part[0]) for part in (means.means.estimate, means.means.standard_error, means.means.df))
    if not se > 0:
        raise DegenerateError(
            "The slowest waves of the series of differences vanish, so that its standard error is zero: there is no "
            "test. Look at the series itself."
        )
    lower, upper, t, p = t_test(mean, se, df, confidence, alternative)
    details = {"times": len(d), "standard_error": se, **_series(means)}
    return Result(mean, lower, upper, t, "t", (df,), p, _note(means), details)


@procedure(
    Compares.ONE,
    Level.INSTANCES,
    title="Interval and test of one mean over time, by equal-weighted cosines",
    question="How well does this model do over time, whatever one time has to do with the next?",
    null=UNTESTED,
    assumes=(STATIONARY, "p0 was chosen without these data."),
    conventions=(WAVES, REFUSES, "Values that are all the same are refused: they have no standard error."),
    cautions=(
        RATES,
        "Intervals of two models over the same times are not a comparison: use cosine-t, which is paired.",
    ),
    published=Published(
        "x = sin(.37 t²) + .2, t = 1 … 200, computed by other code from the definition",
        "mean = 0.2520048; se = 0.0425907220; waves = 14",
        Example("estimate standard_error waves", _SERIES),
    ),
    recommended_for="one model's values that are successive in time",
    against="p0",
    options=P0,
    trials=(Trial(NullDesign.ONE_SERIES, 1, (("p0", 0.3),)),),
    no_power="it depends on how a series is correlated over time, of which there is no usual guess",
    **IN_ORDER,
)
def cosine_mean(
    x: ArrayLike, *, confidence: float = 0.95, alternative: str = "two-sided", p0: float | None = None
) -> Result:
    """The mean of successive values, with an interval that holds under autocorrelation.

    >>> t = np.arange(1, 201)
    >>> result = cosine_mean(np.sin(0.37 * t**2) + 0.2)
    >>> round(result.lower, 4), round(result.upper, 4)
    (0.1607, 0.3434)
    """
    values, null = number_column(x), checked_null(p0)
    if is_constant(values, float(np.abs(values).max())):
        raise DegenerateError(
            f"The value is {float(values[0]):.6g} at every one of {len(values)} times, so its standard error is zero "
            "and there is neither t nor interval. Report the value itself."
        )
    means = cosine_means(values[:, None])
    _refuse(means, len(values))
    mean, se, df = (float(part[0]) for part in (means.means.estimate, means.means.standard_error, means.means.df))
    if not se > 0:
        raise DegenerateError("The slowest waves of the series vanish, so that its standard error is zero.")
    lower, upper, t, p = t_test(mean, se, df, confidence, alternative, null)
    details = {"times": len(values), "standard_error": se, **_series(means)}
    if isnan(null):
        return Result(mean, lower, upper, df=(df,), note=_note(means), details=details)
    return Result(mean, lower, upper, t, "t", (df,), p, f"tested against {null:g}; {_note(means)}", details)
