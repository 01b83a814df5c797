"""Student's t for the means of two independent samples, with the three counts of degrees of freedom in use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import choice

Array = NDArray[np.float64]

DF: Mapping[str, str] = {
    "welch": "Welch",
    "pooled": "one common variance",
    "smaller": "the smaller sample's size less one",
}


@dataclass(frozen=True, slots=True)
class TwoMeans:
    """The difference of two means, its standard error and its degrees of freedom."""

    difference: float
    standard_error: float
    df: float


def two_means(first: Array, second: Array, df: str = "welch") -> TwoMeans:
    """The difference of means with √(s1²/n1 + s2²/n2) and Welch's degrees of freedom, or pooled, or min(n1, n2) − 1.

    >>> found = two_means(np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 3.0, 4.0]))
    >>> round(found.difference, 4), round(found.standard_error, 4), round(found.df, 3)
    (0.3333, 1.2693, 4.861)
    """
    choice(df, DF, "count of degrees of freedom")
    n, m = len(first), len(second)
    if min(n, m) < 2 and not (df == "pooled" and n + m > 2):
        raise UsageError(f"A variance needs at least two values in each sample; found {n} and {m}.")
    # Squares of very small or large deviations would leave the range of floats.
    a, b = first - first.mean(), second - second.mean()
    unit = float(max(np.abs(a).max(), np.abs(b).max())) or 1.0
    ss = float(np.sum((a / unit) ** 2)), float(np.sum((b / unit) ** 2))
    if df == "pooled":
        variance = sum(ss) / (n + m - 2) * (1 / n + 1 / m)
        freedom = float(n + m - 2)
    else:
        v, w = ss[0] / (n - 1) / n, ss[1] / (m - 1) / m
        variance = v + w
        smaller = float(min(n, m) - 1)
        # ν = (v + w)² / (v²/(n1 − 1) + w²/(n2 − 1)), eq. of Welch and Satterthwaite
        freedom = variance**2 / (v**2 / (n - 1) + w**2 / (m - 1)) if df == "welch" and variance > 0 else smaller
    difference = float(first.mean()) - float(second.mean())
    return TwoMeans(difference, sqrt(variance) * unit, freedom)
