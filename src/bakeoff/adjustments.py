"""Adjustments of p-values for the number of comparisons.

Missing p-values (NaN) stay missing and are not counted, as in R's p.adjust. Shaffer's and Bergmann and Hommel's
adjustments are for all pairs of some learners: they use that not every set of pairs can be alike at once, and count a
missing p-value as one, because the pair is part of those relations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError, nearest
from bakeoff.mathematics.logical_relations import partitions, possible_counts

Array = NDArray[np.float64]
Pairs = Sequence[tuple[int, int]]

# Bell(12) is four million partitions, some seconds; each further learner takes six times as long.
MOST_LEARNERS = 12


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


def holm_sidak(p: Array) -> Array:
    """Holm's steps with Šidák's levels: 1 − (1 − p)^(m − i + 1) for the i-th smallest p, stepping down.

    >>> holm_sidak(np.array([0.01, 0.2])).round(4).tolist()
    [0.0199, 0.2]
    """
    order = np.argsort(p, kind="stable")
    standing = np.arange(len(p), 0, -1.0)
    raised = -np.expm1(standing * np.log1p(-np.minimum(p[order], 1 - 1e-16)))
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(raised)
    return adjusted


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


def finner(p: Array) -> Array:
    """Finner (1993): 1 − (1 − p)^(m/i) for the i-th smallest p, stepping down."""
    factors = len(p) / np.arange(1.0, len(p) + 1)
    order = np.argsort(p, kind="stable")
    with np.errstate(divide="ignore"):
        raised = -np.expm1(factors * np.log1p(-p[order]))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return adjusted


def shaffer(p: Array, pairs: Pairs) -> Array:
    """Shaffer (1986), static: Holm's factors m − i + 1, lowered to the largest number of pairs that can be alike.

    >>> shaffer(np.array([0.01, 0.02, 0.03]), [(0, 1), (0, 2), (1, 2)]).tolist()
    [0.03, 0.03, 0.03]
    """
    m = len(p)
    possible = np.array(possible_counts(_learners(pairs)))
    standing = np.arange(m, 0, -1)  # m − i + 1
    factors = possible[np.searchsorted(possible, standing, side="right") - 1]
    return _step_down(p, factors.astype(float))


def bergmann_hommel(p: Array, pairs: Pairs) -> Array:
    """Bergmann and Hommel (1988): the largest |I| · min p over the sets I of pairs that can be alike together.

    Each such exhaustive set consists of the pairs within the groups of a partition of the learners.

    >>> bergmann_hommel(np.array([0.01, 0.02, 0.03]), [(0, 1), (0, 2), (1, 2)]).tolist()
    [0.03, 0.03, 0.03]
    """
    k = _learners(pairs)
    if k > MOST_LEARNERS:
        raise UsageError(
            f"Bergmann and Hommel's adjustment goes through all partitions of the learners, which is possible for at "
            f"most {MOST_LEARNERS} of them; found {k}. Use shaffer, or holm."
        )
    _, number = np.unique(list(chain.from_iterable(pairs)), return_inverse=True)
    first, second = number.reshape(-1, 2).T
    adjusted = np.zeros(len(p))
    for groups in partitions(k):
        alike = groups[:, first] == groups[:, second]
        size = alike.sum(axis=1)
        smallest = np.where(alike, p, 1.0).min(axis=1)
        adjusted = np.maximum(adjusted, (alike * (size * smallest)[:, None]).max(axis=0))
    return np.minimum(adjusted, 1.0)


def _learners(pairs: Pairs) -> int:
    return len(set(chain.from_iterable(pairs)))


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A way to adjust p-values. `stepwise` ones test each hypothesis at a level of its own, so no simultaneous
    interval of one common level goes with them. `of_pairs` takes the place of `of` for those that use the logical
    relations between all pairs of learners."""

    name: str
    title: str
    of: Callable[[Array], Array]
    stepwise: bool
    controls: str
    of_pairs: Callable[[Array, Pairs], Array] | None = None


FAMILYWISE = "the chance of any false claim among all comparisons"
# With m independent tests of which m0 are of true hypotheses, and the others certain to reject, the chance of a false
# claim is 1 − (1 − α)^(m0 (m − m0 + 1) / m): for m = 10 and m0 = 5 it is 14 % at α = 5 %.
WEAKLY = "the chance of any false claim if no two learners differ; if some do, it can be several times α"
ADJUSTMENTS: dict[str, Adjustment] = {
    a.name: a
    for a in (
        Adjustment("none", "no adjustment", none, False, "each comparison by itself, not the family"),
        Adjustment("bonferroni", "Bonferroni", bonferroni, False, FAMILYWISE),
        Adjustment("sidak", "Šidák", sidak, False, FAMILYWISE + " (independent or positively dependent tests)"),
        Adjustment("holm", "Holm", holm, True, FAMILYWISE),
        Adjustment(
            "holm-sidak", "Holm–Šidák", holm_sidak, True, FAMILYWISE + " (independent or positively dependent tests)"
        ),
        Adjustment("hochberg", "Hochberg", hochberg, True, FAMILYWISE + " (positively dependent tests)"),
        Adjustment("hommel", "Hommel", hommel, True, FAMILYWISE + " (positively dependent tests)"),
        Adjustment("bh", "Benjamini–Hochberg", benjamini_hochberg, True, "the false discovery rate"),
        Adjustment("by", "Benjamini–Yekutieli", benjamini_yekutieli, True, "the false discovery rate"),
        Adjustment("finner", "Finner", finner, True, WEAKLY),
        Adjustment("shaffer", "Shaffer", holm, True, FAMILYWISE + " (all pairs)", shaffer),
        Adjustment("bergmann-hommel", "Bergmann–Hommel", holm, True, FAMILYWISE + " (all pairs)", bergmann_hommel),
    )
}


def adjustment_named(name: str) -> Adjustment:
    found = ADJUSTMENTS.get(str(name).lower().replace("_", "-"))
    if found is None:
        raise UsageError(f"There is no adjustment {name!r}. {nearest(name, ADJUSTMENTS)}")
    return found


def adjust(p: ArrayLike, method: str, pairs: Pairs | None = None) -> Array:
    """Adjusted p-values by the method of that name.

    `pairs` says which two learners each p is about. Adjustments for all pairs need it; without it the pairs are taken
    to be in the order (0, 1), (0, 2), …, (1, 2), ….

    >>> adjust([0.01, 0.02, 0.03], "holm").tolist()
    [0.03, 0.04, 0.04]
    """
    p = np.atleast_1d(np.asarray(p, dtype=float))
    known = ~np.isnan(p)
    wrong = p[known & ~((p >= 0) & (p <= 1))]
    if len(wrong):
        raise UsageError(f"p-values lie between 0 and 1; found {wrong[0]:g}.")
    named = adjustment_named(method)
    adjusted = np.full(p.shape, np.nan)
    if known.any() and named.of_pairs is not None:
        adjusted[known] = named.of_pairs(np.where(known, p, 1.0), _all_pairs(len(p), pairs, named.title))[known]
    elif known.any():
        adjusted[known] = named.of(p[known])
    return adjusted


def _all_pairs(m: int, pairs: Pairs | None, title: str) -> Pairs:
    """The pairs, if they are all pairs of some learners."""
    k = (1 + round((1 + 8 * m) ** 0.5)) // 2
    if pairs is None:
        pairs = list(combinations(range(k), 2))
    members = sorted(set(chain.from_iterable(pairs)))
    if len(pairs) != m or {frozenset(pair) for pair in pairs} != set(map(frozenset, combinations(members, 2))):
        raise UsageError(
            f"{title}'s adjustment is for all pairs of learners; found {m} comparison{'s' * (m != 1)} that are not all "
            "pairs. Use holm."
        )
    return pairs
