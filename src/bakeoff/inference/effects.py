"""Effect sizes: how large a difference is, beside whether it is there.

difference     first − second, in the measure's own unit, averaged over blocks, with a t interval of its own: pointwise,
               wider where resamples share training data (Nadeau and Bengio), Welch's for independent samples
standardised   that difference in standard deviations of itself (paired d, Cohen's d_z)
superiority    the share of blocks in which the first is better, ties counted half
dominance      Cliff's delta: the chance that a value of the first is better than any value of the second, less the
               chance that it is worse; it ignores which values belong to the same block
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.mathematics.checks import Array, rounded, row_steps
from bakeoff.mathematics.laws import t_quantile
from bakeoff.records import Record


@dataclass(frozen=True, slots=True, eq=False)
class Effect(Record):
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
    a, b = (np.asarray(side, dtype=float)[None] for side in (first, second))
    return paired_effects([contrast], a, b, larger_is_better, confidence=confidence, inflation=inflation)[0]


def paired_effects(
    contrasts: Sequence[str],
    first: Array,
    second: Array,
    larger_is_better: bool,
    *,
    confidence: float = 0.95,
    inflation: float = 0.0,
) -> tuple[Effect, ...]:
    """The same for many contrasts at once, each a row of `first` and of `second`."""
    sign, n = (1.0 if larger_is_better else -1.0), first.shape[1]
    scale = np.maximum(np.abs(first).max(axis=1), np.abs(second).max(axis=1))[:, None]
    exact = _right_or_wrong(first) and _right_or_wrong(second)
    d = sign * (first - second if exact else rounded(first - second, scale))
    mean = d.mean(axis=1)
    # Differences that are all the same have no spread, whatever rounding makes of their standard deviation.
    varies = np.ptp(d, axis=1) > 0 if n > 1 else np.zeros(len(d), dtype=bool)
    unit = np.where(varies, np.abs(d).max(axis=1), 1.0)  # squares stay in the range of numbers in this unit
    spread = np.zeros(len(d))
    if varies.any():
        spread[varies] = unit[varies] * (d[varies] / unit[varies, None]).std(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        standardised = np.where(spread > 0, mean / spread, np.where(mean == 0, 0.0, np.copysign(inf, mean)))
    superiority = (d > 0).mean(axis=1) + 0.5 * (d == 0).mean(axis=1)
    quantile = t_quantile((1 + confidence) / 2, n - 1) if n > 1 else nan
    half = np.where(spread > 0, quantile * spread * sqrt(1 / n + inflation), nan)
    delta = sign * cliffs_deltas(first, second)
    columns = (sign * mean, standardised, superiority, delta, sign * mean - half, sign * mean + half)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return tuple(Effect(contrast, *row) for contrast, row in zip(contrasts, rows, strict=True))


def independent_effects(
    contrasts: Sequence[str], first: Array, second: Array, larger_is_better: bool, *, confidence: float = 0.95
) -> tuple[Effect, ...]:
    """Effect sizes of independent samples: d with the pooled standard deviation, superiority over all pairs.

    Each row of `first` and of `second` is a contrast; all are of the same two sizes.
    """
    sign, m, n = (1.0 if larger_is_better else -1.0), first.shape[1], second.shape[1]
    means = np.stack([first.mean(axis=1), second.mean(axis=1)], axis=1)
    difference = rounded(means[:, :1] - means[:, 1:], np.abs(means).max(axis=1, keepdims=True))[:, 0]
    unit = np.maximum(np.ptp(first, axis=1), np.ptp(second, axis=1))  # squares stay in the range of numbers in it
    scale = np.where(unit > 0, unit, 1.0)
    variances = [(side / scale[:, None]).var(axis=1) for side in (first, second)]
    pooled = unit * np.sqrt((variances[0] * m + variances[1] * n) / max(m + n - 2, 1))
    there = (pooled > 0) & (m + n > 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        without = np.where(difference == 0, 0.0, np.copysign(inf, difference))
        standardised = np.where(there, difference / pooled, without)
    half = np.full(len(first), nan)
    if min(m, n) > 1:  # Welch's interval: variances may differ
        v, w = (variance[there] / (size - 1) for variance, size in zip(variances, (m, n), strict=True))
        df = (v + w) ** 2 / (v**2 / (m - 1) + w**2 / (n - 1))
        half[there] = special.stdtrit(df, (1 + confidence) / 2) * np.sqrt(v + w) * unit[there]
    delta = sign * cliffs_deltas(first, second)
    columns = (difference, sign * standardised, (1 + delta) / 2, delta, difference - half, difference + half)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return tuple(Effect(contrast, *row) for contrast, row in zip(contrasts, rows, strict=True))


def _right_or_wrong(values: Array) -> bool:
    return bool(((values == 0) | (values == 1)).all())


_MANY = 10_000


def _dominance(first: Array, second: Array) -> float:
    """(#{x > y} − #{x < y}) / (m n) of two sorted columns."""
    below, up_to = (int(np.searchsorted(second, first, side).sum()) for side in ("left", "right"))
    pairs = len(first) * len(second)
    return (below - (pairs - up_to)) / pairs


def cliffs_deltas(first: Array, second: Array) -> Array:
    """P(first > second) − P(first < second) over all pairs of values, for each row of two tables.

    From the ranks of both sides together, δ = 2 U / (m n) − 1.

    >>> cliffs_deltas(np.array([[1, 2, 3]]), np.array([[1, 1, 4]])).round(6).tolist()
    [0.111111]
    """
    m, n = first.shape[1], second.shape[1]
    if _right_or_wrong(first) and _right_or_wrong(second):
        return np.asarray(first.mean(axis=1) - second.mean(axis=1))
    both = np.concatenate([first, second], axis=1)
    if m + n > _MANY:  # sorting is several times as fast as ranking
        return np.array([_dominance(np.sort(each[:m]), np.sort(each[m:])) for each in rounded(both)])
    u = _rank_sums(both, m) - m * (m + 1) / 2
    return np.asarray((2 * u - m * n) / (m * n))


def _rank_sums(both: Array, m: int) -> Array:
    """In each row the sum of the ranks of the first m values.

    Values in whole steps are sorted with their side in the last bit, which takes a fraction of the time that ranking
    does. Of equal values those of the first side come first; where there are any, both ways are taken, and their mean.
    """
    places = np.arange(1.0, both.shape[1] + 1)
    marked = 2 * row_steps(both) + 1
    marked[:, :m] -= 1
    marked.sort(axis=1)
    sums = places.sum() - (marked & 1) @ places
    if len(tied := np.flatnonzero((marked[:, 1:] ^ marked[:, :-1] <= 1).any(axis=1))):
        sums[tied] = (sums[tied] + (np.sort(marked[tied] ^ 1, axis=1) & 1) @ places) / 2
    return np.asarray(sums)
