"""Diebold and Mariano's test of two forecasts of one time series, with the small-sample correction."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import choice, count, number_column, paired
from bakeoff.mathematics.laws import check_alternative, check_confidence, p_from_t, symmetric_interval
from bakeoff.procedures.card import Compares, Published
from bakeoff.procedures.procedure import Result, is_constant, procedure
from bakeoff.scores import Level

Array = NDArray[np.float64]
KERNELS: Mapping[str, str] = {"rectangular": "equal weights", "bartlett": "weights 1 − k/h"}


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
    return compute(
        losses[0],
        losses[1],
        h=h,
        confidence=confidence,
        alternative=alternative,
        correction=correction,
        kernel=kernel,
    )


def _published() -> list[float]:
    one, two = diebold_mariano(_E1, _E2), diebold_mariano(_E1, _E2, h=3, power=1)
    return [one.statistic, one.p, two.statistic, two.p]


@procedure(
    Compares.PAIR,
    Level.INSTANCES,
    name="diebold-mariano",
    title="Diebold–Mariano test of two forecasts",
    question="Do two forecasts of one time series have different mean losses, allowing for correlation over time?",
    null="the mean difference of the two forecasts' losses is zero",
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
    options={
        "h": "the horizon: how many steps ahead the forecasts were made",
        "correction": "Harvey, Leybourne and Newbold's small-sample correction",
        "kernel": ("the weights of the autocovariances", tuple(KERNELS)),
    },
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
    check_confidence(confidence)
    check_alternative(alternative)
    choice(kernel, KERNELS, "kernel")
    first, second = paired(number_column(a, "first"), number_column(b, "second"))
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
    unit = float(np.abs(d).max())  # squares of very small or large differences would leave the range of floats
    variance, used = long_run_variance(d / unit, h, kernel)
    # Harvey, Leybourne and Newbold: t · √((n + 1 − 2h + h(h−1)/n) / n)
    factor = sqrt((n + 1 - 2 * used + used * (used - 1) / n) / n) if correction else 1.0
    mean, se = float(np.mean(d / unit)) * unit, sqrt(variance / n) / factor * unit
    law = df if correction else inf
    lower, upper = symmetric_interval(mean, se, law, confidence, alternative)
    t = mean / se
    return Result(
        estimate=mean,
        lower=lower,
        upper=upper,
        statistic=t,
        statistic_name="t" if correction else "z",
        df=(df,) if correction else (),
        p=p_from_t(t, law, alternative),
        note=_note(h, used),
        details={"times": n, "h": used, "standard_error": se},
    )


def _checked_horizon(h: float, n: int) -> int:
    if n < 2:
        raise UsageError("A variance needs at least two times; found 1.")
    steps = count(h, "h")
    if not 1 <= steps < n:
        raise UsageError(f"The horizon h is at least 1 and less than the number of times ({n}); found {steps}.")
    return steps


def long_run_variance(d: Array, h: int, kernel: str) -> tuple[float, int]:
    """γ0 + 2 Σ w_k γ_k for the lags k < h, with γ_k = Σ (d_t − d̄)(d_{t−k} − d̄) / n, and the horizon that was used.

    With equal weights the sum can be negative: then, as in R's forecast::dm.test, the horizon 1 is used instead.

    >>> long_run_variance(np.array([1.0, -1.0, 1.0, -1.0]), 2, "rectangular")
    (1.0, 1)
    """
    centred = d - d.mean()
    n = len(d)
    gamma = [float(centred[k:] @ centred[: n - k]) / n for k in range(h)]
    weights = [1 - k / h if kernel == "bartlett" else 1.0 for k in range(1, h)]
    total = gamma[0] + 2 * sum(w * g for w, g in zip(weights, gamma[1:], strict=True))
    return (total, h) if total > 1e-12 * gamma[0] else (gamma[0], 1)


def _note(asked: int, used: int) -> str:
    if asked == used:
        return f"horizon h = {used}"
    return f"the variance for h = {asked} came out negative: h = {used} was used; kernel=bartlett is never negative"


_E1 = (
    -0.7376, -1.6627, -1.6109, -0.7935, -0.5492, -0.978, 0.6999, 0.6904, 0.8522, 0.1328, 0.29, 2.1522, 2.0881,
    0.7416, -0.6545, -0.5946, -0.4964, -0.1171, 0.0873, 0.4057, 0.8768, 2.5104, 0.7142, -0.7134, -0.7292,
)  # fmt: skip
_E2 = (
    0.23, -0.0527, 0.0438, -1.3876, -0.7275, 1.1081, 0.4764, 1.2823, 0.3697, 1.4886, 0.0323, -1.035, 0.0789, -1.0408,
    0.6759, 0.479, 1.4404, 0.2425, 0.6771, -0.4681, -0.4021, -1.2592, 1.772, 0.828, 2.4618,
)  # fmt: skip
