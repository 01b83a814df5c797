"""Effect sizes: how large a difference is, beside whether it is there.

difference     first − second, in the measure's own unit, averaged over blocks
standardised   that difference in standard deviations of itself (paired d, Cohen's d_z)
superiority    the share of blocks in which the first is better, ties counted half
dominance      Cliff's delta: the chance that a value of the first is better than any value of the second, less the
               chance that it is worse; it ignores which values belong to the same block
"""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign, inf

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.mathematics.exactness import differences, rounded


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect sizes of one pair. Standardised and dominance are positive if the first learner is better."""

    contrast: str
    difference: float
    standardised: float
    superiority: float
    dominance: float


def paired_effect(contrast: str, first: ArrayLike, second: ArrayLike, larger_is_better: bool) -> Effect:
    """Effect sizes of two columns that share their blocks.

    >>> effect = paired_effect("a − b", [0.8, 0.9, 0.7, 0.9], [0.7, 0.8, 0.7, 0.7], larger_is_better=True)
    >>> round(effect.difference, 3), round(effect.standardised, 3), effect.superiority, effect.dominance
    (0.1, 1.225, 0.875, 0.625)
    """
    sign = 1.0 if larger_is_better else -1.0
    d = sign * differences(first, second)
    mean, n = float(d.mean()), len(d)
    # Differences that are all the same have no spread, whatever rounding makes of their standard deviation.
    spread = float(d.std(ddof=1)) if n > 1 and np.ptp(d) > 0 else 0.0
    standardised = mean / spread if spread > 0 else (0.0 if mean == 0 else copysign(inf, mean))
    superiority = float(np.mean(d > 0) + 0.5 * np.mean(d == 0))
    return Effect(contrast, sign * mean, standardised, superiority, sign * cliffs_delta(first, second))


def independent_effect(contrast: str, first: ArrayLike, second: ArrayLike, larger_is_better: bool) -> Effect:
    """Effect sizes of two independent samples: d with the pooled standard deviation, superiority over all pairs."""
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    sign = 1.0 if larger_is_better else -1.0
    difference = float(differences([a.mean()], [b.mean()])[0])
    df = len(a) + len(b) - 2
    constant = df <= 0 or (np.ptp(a) == 0 and np.ptp(b) == 0)
    pooled = 0.0 if constant else float(np.sqrt((a.var() * len(a) + b.var() * len(b)) / df))
    standardised = difference / pooled if pooled > 0 else (0.0 if difference == 0 else copysign(inf, difference))
    delta = sign * cliffs_delta(a, b)
    return Effect(contrast, difference, sign * standardised, (1 + delta) / 2, delta)


def cliffs_delta(first: ArrayLike, second: ArrayLike) -> float:
    """P(first > second) − P(first < second) over all pairs of values, by sorting.

    >>> cliffs_delta([1, 2, 3], [1, 1, 4])
    0.1111111111111111
    """
    both = rounded(np.concatenate([np.asarray(first, dtype=float), np.asarray(second, dtype=float)]))
    a, b = both[: np.size(first)], np.sort(both[np.size(first) :])
    below, above = np.searchsorted(b, a, "left"), len(b) - np.searchsorted(b, a, "right")
    return float(np.sum(below - above) / (len(a) * len(b)))
