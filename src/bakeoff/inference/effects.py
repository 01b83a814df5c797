"""Effect sizes: how large a difference is, beside whether it is there.

difference     first − second, in the measure's own unit, averaged over blocks, with a t interval of its own: pointwise,
               wider where resamples share training data (Nadeau and Bengio), Welch's for independent samples
standardised   that difference in standard deviations of itself (paired d, Cohen's d_z)
superiority    the share of blocks in which the first is better, ties counted half
dominance      Cliff's delta: the chance that a value of the first is better than any value of the second, less the
               chance that it is worse; it ignores which values belong to the same block
"""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign, inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.mathematics.checks import differences, rounded
from bakeoff.mathematics.laws import t_quantile

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect sizes of one pair. Standardised and dominance are positive if the first learner is better.

    `lower` and `upper` bound the difference; without spread there is no interval.
    """

    contrast: str
    difference: float
    standardised: float
    superiority: float
    dominance: float
    lower: float = nan
    upper: float = nan


def paired_effect(
    contrast: str,
    first: ArrayLike,
    second: ArrayLike,
    larger_is_better: bool,
    *,
    confidence: float = 0.95,
    inflation: float = 0.0,
) -> Effect:
    """Effect sizes of two columns that share their blocks; `inflation` adds to 1/n in the variance of the mean.

    >>> effect = paired_effect("a − b", [0.8, 0.9, 0.7, 0.9], [0.7, 0.8, 0.7, 0.7], larger_is_better=True)
    >>> round(effect.difference, 3), round(effect.standardised, 3), effect.superiority, effect.dominance
    (0.1, 1.225, 0.875, 0.625)
    >>> round(effect.lower, 3), round(effect.upper, 3)
    (-0.03, 0.23)
    """
    sign = 1.0 if larger_is_better else -1.0
    d = sign * differences(first, second)
    mean, n = float(d.mean()), len(d)
    # Differences that are all the same have no spread, whatever rounding makes of their standard deviation.
    unit = float(np.abs(d).max())  # squares stay in the range of numbers in this unit
    spread = unit * float((d / unit).std(ddof=1)) if n > 1 and np.ptp(d) > 0 else 0.0
    standardised = mean / spread if spread > 0 else (0.0 if mean == 0 else copysign(inf, mean))
    superiority = float(np.mean(d > 0) + 0.5 * np.mean(d == 0))
    ends = _interval(sign * mean, spread * sqrt(1 / n + inflation), n - 1, confidence)
    return Effect(contrast, sign * mean, standardised, superiority, sign * cliffs_delta(first, second), *ends)


def _interval(mean: float, se: float, df: float, confidence: float) -> tuple[float, float]:
    if not se > 0:
        return nan, nan
    half = float(t_quantile((1 + confidence) / 2, df)) * se
    return mean - half, mean + half


def independent_effect(
    contrast: str, first: ArrayLike, second: ArrayLike, larger_is_better: bool, *, confidence: float = 0.95
) -> Effect:
    """Effect sizes of two independent samples: d with the pooled standard deviation, superiority over all pairs."""
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    sign = 1.0 if larger_is_better else -1.0
    difference = float(differences([a.mean()], [b.mean()])[0])
    df = len(a) + len(b) - 2
    constant = df <= 0 or (np.ptp(a) == 0 and np.ptp(b) == 0)
    unit = max(float(np.ptp(a)), float(np.ptp(b)))  # squares stay in the range of numbers in this unit
    pooled = 0.0 if constant else unit * sqrt(((a / unit).var() * len(a) + (b / unit).var() * len(b)) / df)
    standardised = difference / pooled if pooled > 0 else (0.0 if difference == 0 else copysign(inf, difference))
    delta = sign * cliffs_delta(a, b)
    ends = _welch(a / unit, b / unit, difference / unit, confidence) if pooled > 0 else (nan, nan)
    return Effect(contrast, difference, sign * standardised, (1 + delta) / 2, delta, ends[0] * unit, ends[1] * unit)


def _welch(a: Array, b: Array, difference: float, confidence: float) -> tuple[float, float]:
    """The interval of a difference of means whose variances may differ."""
    if min(len(a), len(b)) < 2:
        return nan, nan
    v, w = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
    df = (v + w) ** 2 / (v**2 / (len(a) - 1) + w**2 / (len(b) - 1))
    return _interval(difference, sqrt(v + w), float(df), confidence)


def cliffs_delta(first: ArrayLike, second: ArrayLike) -> float:
    """P(first > second) − P(first < second) over all pairs of values, by sorting.

    >>> cliffs_delta([1, 2, 3], [1, 1, 4])
    0.1111111111111111
    """
    both = rounded(np.concatenate([np.asarray(first, dtype=float), np.asarray(second, dtype=float)]))
    a, b = both[: np.size(first)], np.sort(both[np.size(first) :])
    below, above = np.searchsorted(b, a, "left"), len(b) - np.searchsorted(b, a, "right")
    return float(np.sum(below - above) / (len(a) * len(b)))
