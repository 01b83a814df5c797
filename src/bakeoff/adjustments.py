"""Adjustments of p-values for the number of comparisons.

Missing p-values (NaN) stay missing and are not counted, as in R's p.adjust.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError, nearest

Array = NDArray[np.float64]


def _step_down(p: Array, factors: Array) -> Array:
    """Running maxima of factor × p from the smallest p on: once a hypothesis stands, those after it stand."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(factors * p[order])
    return np.minimum(adjusted, 1.0)


def _step_up(p: Array, factors: Array) -> Array:
    """Running minima of factor × p from the largest p on: once a hypothesis falls, those before it fall."""
    order = np.argsort(p, kind="stable")[::-1]
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum.accumulate(factors * p[order])
    return np.minimum(adjusted, 1.0)


def none(p: Array) -> Array:
    return p.copy()


def bonferroni(p: Array) -> Array:
    return np.minimum(len(p) * p, 1.0)


def sidak(p: Array) -> Array:
    return np.asarray(-np.expm1(len(p) * np.log1p(-np.minimum(p, 1 - 1e-16))))


def holm(p: Array) -> Array:
    return _step_down(p, np.arange(len(p), 0, -1.0))


def hochberg(p: Array) -> Array:
    return _step_up(p, np.arange(1.0, len(p) + 1))


def hommel(p: Array) -> Array:
    """Hommel (1988), by the algorithm of Wright (1992)."""
    n = len(p)
    order = np.argsort(p, kind="stable")
    ordered = p[order]
    rank = np.arange(1, n + 1)
    floor = np.full(n, np.min(n * ordered / rank, initial=1.0))
    adjusted = floor.copy()
    for m in range(n - 1, 1, -1):
        low, high = ordered[: n - m + 1], ordered[n - m + 1 :]
        smallest = np.min(m * high / np.arange(2, m + 1))
        floor[: n - m + 1] = np.minimum(m * low, smallest)
        floor[n - m + 1 :] = floor[n - m]
        adjusted = np.maximum(adjusted, floor)
    result = np.empty(n)
    result[order] = np.maximum(adjusted, ordered)
    return result


def benjamini_hochberg(p: Array) -> Array:
    n = len(p)
    return _step_up(p, n / np.arange(n, 0, -1.0))


def benjamini_yekutieli(p: Array) -> Array:
    n = len(p)
    return _step_up(p, np.sum(1 / np.arange(1, n + 1)) * n / np.arange(n, 0, -1.0))


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A way to adjust p-values. `stepwise` ones test each hypothesis at a level of its own, so no simultaneous
    interval of one common level goes with them."""

    name: str
    title: str
    of: Callable[[Array], Array]
    stepwise: bool
    controls: str


FAMILYWISE = "the chance of any false claim among all comparisons"
ADJUSTMENTS: dict[str, Adjustment] = {
    a.name: a
    for a in (
        Adjustment("none", "no adjustment", none, False, "each comparison by itself, not the family"),
        Adjustment("bonferroni", "Bonferroni", bonferroni, False, FAMILYWISE),
        Adjustment("sidak", "Šidák", sidak, False, FAMILYWISE + " (independent or positively dependent tests)"),
        Adjustment("holm", "Holm", holm, True, FAMILYWISE),
        Adjustment("hochberg", "Hochberg", hochberg, True, FAMILYWISE + " (positively dependent tests)"),
        Adjustment("hommel", "Hommel", hommel, True, FAMILYWISE + " (positively dependent tests)"),
        Adjustment("bh", "Benjamini–Hochberg", benjamini_hochberg, True, "the false discovery rate"),
        Adjustment("by", "Benjamini–Yekutieli", benjamini_yekutieli, True, "the false discovery rate"),
    )
}


def adjustment_named(name: str) -> Adjustment:
    found = ADJUSTMENTS.get(name.lower())
    if found is None:
        raise UsageError(f"There is no adjustment {name!r}. {nearest(name, ADJUSTMENTS)}")
    return found


def adjust(p: ArrayLike, method: str) -> Array:
    """Adjusted p-values by the method of that name.

    >>> adjust([0.01, 0.02, 0.03], "holm").tolist()
    [0.03, 0.04, 0.04]
    """
    p = np.atleast_1d(np.asarray(p, dtype=float))
    known = ~np.isnan(p)
    wrong = p[known & ~((p >= 0) & (p <= 1))]
    if len(wrong):
        raise UsageError(f"p-values lie between 0 and 1; found {wrong[0]:g}.")
    adjusted = np.full(p.shape, np.nan)
    if known.any():
        adjusted[known] = adjustment_named(method).of(p[known])
    return adjusted
