"""Means of time series: what correlation between times does to their variance.

Two ways lead to the variance of a mean of dependent values: to add up autocovariances (below a horizon h that is
known), or to look at the slowest waves of the series, whose squares all estimate it (equal-weighted cosines).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array, number_table
from bakeoff.mathematics.linear_models import MeanErrors
from bakeoff.mathematics.step_down import check_weights, one_thread
from bakeoff.records import Record

KERNELS: Mapping[str, str] = {"rectangular": "equal weights", "bartlett": "weights 1 − k/h"}


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


@dataclass(frozen=True, slots=True, eq=False)
class SeriesMean(Record):
    """The mean of a series, its standard error, and the horizon h of which lags below h were counted."""

    value: float
    standard_error: float
    h: int


def mean_of_series(d: Array, h: int, kernel: str, correction: bool = True) -> SeriesMean:
    """The mean of a series that is correlated up to lag h − 1, with Harvey, Leybourne and Newbold's correction or not.

    >>> mean_of_series(np.array([1.0, 0.0, 1.0, 0.0]), 1, "rectangular", correction=False)
    SeriesMean(value=0.5, standard_error=0.25, h=1)
    """
    n = len(d)
    unit = float(np.abs(d).max())  # squares of very small or large values would leave the range of floats
    variance, used = long_run_variance(d / unit, h, kernel)
    # Harvey, Leybourne and Newbold: t · √((n + 1 − 2h + h(h−1)/n) / n)
    factor = sqrt((n + 1 - 2 * used + used * (used - 1) / n) / n) if correction else 1.0
    return SeriesMean(float(np.mean(d / unit)) * unit, sqrt(variance / n) / factor * unit, used)


# ----------------------------------------------------------------------------------------------------------------------
# Equal-weighted cosines.


LEAST_WAVES = 4  # with fewer, a series is too persistent for its length
FEW_TIMES = (
    200  # below, a slow part can hide in the noise unseen, and 11 to 17 % of the answers are wrong if there is one
)
FEW_WAVES = 6  # up to so many, the answers that are given are too often wrong: 9 to 12 % instead of 5


@dataclass(frozen=True, slots=True, eq=False)
class CosineMeans(Record):
    """Means of several series with errors from their slowest waves, and what the number of waves was chosen by.

    `waves` is the number that is used. Where the autocorrelation of lag 1 leaves fewer than LEAST_WAVES the series is
    refused: it has neither error nor degrees of freedom. Up to FEW_WAVES a warning is due. `autocorrelation` is that of
    lag 1, `corrected` for its bias. `slow` tells where a slow part under noise leaves fewer than LEAST_WAVES: these are
    used all the same, and answers hold only if it is not there.
    """

    means: MeanErrors
    waves: NDArray[np.int64]
    autocorrelation: Array
    corrected: Array
    slow: NDArray[np.bool_]

    @property
    def refused(self) -> NDArray[np.bool_]:
        return self.waves < LEAST_WAVES

    @property
    def doubtful(self) -> NDArray[np.bool_]:
        return ~self.refused & (self.waves <= FEW_WAVES)


@one_thread()
def cosine_means(values: ArrayLike, contrasts: ArrayLike | None = None) -> CosineMeans:
    """Means of contrasts of time-ordered values, a row a time, with t laws that hold under autocorrelation.

    a_k = √(2/n) Σ_t cos(πk(t − ½)/n) d_t for k = 1 … ν are about independent, each with the long-run variance: se² is
    the mean of a_k² over n, and t has ν degrees of freedom (Lazarus, Lewis, Stock and Watson 2018,
    doi:10.1080/07350015.2018.1506926). They take ν = .4 n^(2/3); under strong autocorrelation that is too many, so that
    ν is at most ⌊.174 n (1 − ρ)/√ρ⌋, at which the spectrum of a first-order autoregression, averaged over ν waves, is
    10 % below its value at zero. ρ is the autocorrelation of lag 1, plus (1 + 3ρ̂)/n for its bias (Kendall 1954).
    Noise hides a slow part from lag 1: `_waves_under_noise` looks at further lags, and may leave fewer waves, but no
    fewer than LEAST_WAVES.

    >>> t = np.arange(1, 201)
    >>> result = cosine_means((np.sin(0.37 * t**2) + 0.2)[:, None])
    >>> result.waves.tolist(), result.means.t.round(4).tolist()
    ([14], [5.9169])
    """
    table = number_table(values, "values")
    C = check_weights(contrasts, table.shape[1])
    n, unit = len(table), float(np.abs(table).max()) or 1.0
    if n < 3:
        raise UsageError(f"An autocorrelation needs at least three times; found {n}.")
    d = (table / unit) @ C.T
    mean = d.mean(axis=0)
    r = d - mean
    r[:, np.abs(r).max(axis=0) <= 1e-14 * np.abs(C).sum(axis=1)] = 0.0  # rounding error of a constant
    squares = np.sum(r * r, axis=0)
    rho = np.sum(r[1:] * r[:-1], axis=0) / np.where(squares > 0, squares, 1.0)
    corrected = np.clip(rho + (1 + 3 * rho) / n, 1e-4, None)
    most = max(round(0.4 * n ** (2 / 3)), 1)
    waves = np.floor(np.clip(0.174 * n * (1 - corrected) / np.sqrt(corrected), 0, most)).astype(np.int64)
    under_noise = _waves_under_noise(r, np.where(squares > 0, squares, 1.0), most)
    slow = (under_noise < LEAST_WAVES) & (waves >= LEAST_WAVES)
    waves = np.where(squares > 0, np.minimum(waves, np.maximum(under_noise, LEAST_WAVES)), most)
    return CosineMeans(MeanErrors(mean * unit, *_by_waves(r, waves, most, unit)), waves, rho, corrected, slow)


_DECAYS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98)  # of the slow part, from one time to the next
TINY = float(np.finfo(float).tiny)  # instead of 0, where nothing is to be divided by that
_SURE = 2.0  # standard errors by which its share must exceed 0, and that are taken off it


def _waves_under_noise(r: Array, squares: Array, most: int) -> NDArray[np.int64]:
    """How many waves tell the long-run variance of noise with a slow part, as drifts and volatile times have.

    A first-order autoregression φ with a share c of the variance, and noise with the rest, have autocorrelations cφᵏ,
    of which those about an estimated mean fall short by (1 + 2cφ/(1 − φ))/n. φ and c are those of the best fit to the
    first 2√n lags. Of the spectrum at zero the slow part has w = c(1 + φ)/(1 − φ) over that and 1 − c, so that averaged
    over ν waves it is 10 % lower at ν = .174 n (1 − φ)/√(φw). Measured at α = 5 %, with half of the variance in a slow
    part of φ = .9: 6 % false claims over 200 and 500 times, where lag 1 alone leads to 14 and 12 %.
    """
    n = len(r)
    lags = min(n // 4, int(2 * sqrt(n)))
    if not lags:
        return np.full(r.shape[1], most)
    columns = np.ascontiguousarray(r.T)
    seen = np.array([np.vecdot(columns[:, k:], columns[:, :-k]) for k in range(1, lags + 1)]) / squares + 1 / n
    decay, forms, size = _forms(n, lags)
    along = forms @ seen
    share = np.clip(along / size, 0, 1)
    best = np.argmax(share * (2 * along - share * size), axis=0)  # by so much it lowers the sum of squares
    decay, share, doubt = decay[best], share[best, np.arange(len(best))], _SURE / np.sqrt(n * size[best, 0])
    surely = np.clip(share - doubt, 1e-9, 1)
    at_zero = surely * (1 + decay) / (1 - decay)
    part = at_zero / (at_zero + 1 - surely)
    own = np.where(share > doubt, 0.174 * n * (1 - decay) / np.sqrt(decay * part), most)
    return np.minimum(np.floor(own), most).astype(np.int64)


@lru_cache(maxsize=8)  # simulated series are all as long
def _forms(n: int, lags: int) -> tuple[Array, Array, Array]:
    """The slow parts that are tried, a row each: their decay, their autocorrelations, and the sums of their squares."""
    decay = np.array(_DECAYS)[:, None]
    forms = decay ** np.arange(1, lags + 1) - 2 * decay / ((1 - decay) * n)
    squares = np.sum(forms * forms, axis=1, keepdims=True)
    return decay[:, 0], forms, np.maximum(squares, TINY)  # of 4 or 5 times one form is zero: it explains nothing


def _by_waves(r: Array, waves: NDArray[np.int64], most: int, unit: float) -> tuple[Array, Array]:
    """Standard errors and degrees of freedom from so many waves of each column; NaN if they are too few."""
    from scipy.fft import dct  # the cosine transform, orthonormal, is the a_k

    n = len(r)
    a = dct(r, axis=0, norm="ortho")[1 : most + 1]
    running = np.vstack([np.zeros(r.shape[1]), np.cumsum(a * a, axis=0)])
    enough = waves >= LEAST_WAVES
    nu = np.where(enough, waves, 1)
    variance = np.take_along_axis(running, nu[None], axis=0)[0] / nu
    return np.where(enough, np.sqrt(variance / n) * unit, np.nan), np.where(enough, nu, np.nan)
