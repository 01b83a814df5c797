"""Means of time series: what correlation between times does to their variance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np

from bakeoff.mathematics.checks import Array
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
