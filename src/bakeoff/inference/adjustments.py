"""Adjustments of p-values for the number of comparisons.

Missing p-values (NaN) stay missing and are not counted, as in R's p.adjust. Shaffer's and Bergmann and Hommel's
adjustments are for all pairs of some learners: they use that not every set of pairs can be alike at once, and count a
missing p-value as one, because the pair is part of those relations.

A family may be larger than the p-values at hand, if only the smallest are printed: the others then count as p = 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff import text as show
from bakeoff.errors import UsageError, nearest
from bakeoff.inference.joint_laws import RangeLaw
from bakeoff.mathematics.checks import count
from bakeoff.mathematics.laws import check_alpha, t_quantile
from bakeoff.records import Answer

if TYPE_CHECKING:
    import pandas as pd


# ----------------------------------------------------------------------------------------------------------------------
# Which hypotheses about all pairs of k learners can be true together.
#
# If learners 1 and 2 are alike, and 2 and 3, then so are 1 and 3: the hypotheses that hold are those within the groups
# of some partition of the learners. Shaffer's and Bergmann and Hommel's adjustments gain their power from that.


Labels = NDArray[np.int8]

# Rows of partitions that are held at a time.
CHUNK = 2**16


def possible_counts(k: int) -> list[int]:
    """How many of the k(k−1)/2 hypotheses can be true together, in increasing order.

    Shaffer's recursion over the size j of one group: S(k) = ∪_j { j(j−1)/2 + x : x ∈ S(k−j) }, S(0) = {0}. A set of
    numbers is kept as the bits of one integer, so that adding to all of them is a shift.

    >>> possible_counts(4)
    [0, 1, 2, 3, 6]
    """
    sets = [1]
    for n in range(1, k + 1):
        reached = 0
        for j in range(1, n + 1):
            reached |= sets[n - j] << (j * (j - 1) // 2)
        sets.append(reached)
    bits = np.frombuffer(sets[k].to_bytes(sets[k].bit_length() // 8 + 1, "little"), dtype=np.uint8)
    counts: list[int] = np.flatnonzero(np.unpackbits(bits, bitorder="little")).tolist()
    return counts


def partitions(k: int) -> Iterator[Labels]:
    """All partitions of k learners, some at a time: a row a partition, with the group of each learner.

    A row is a restricted growth string: a learner joins one of the groups before it or begins the next one. There are
    Bell(k) of them: 4,140 for k = 8, 21,147 for k = 9, 4,213,597 for k = 12.

    >>> np.concatenate(list(partitions(3))).tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]
    """
    yield from _continued(np.zeros((1, 1), dtype=np.int8), k)


def _continued(begun: Labels, k: int) -> Iterator[Labels]:
    if begun.shape[1] == k:
        yield begun
        return
    groups = begun.max(axis=1).astype(np.intp) + 2  # the groups so far, and one more
    rows = np.repeat(np.arange(len(begun)), groups)
    first = np.repeat(np.cumsum(groups) - groups, groups)
    label = (np.arange(len(rows)) - first).astype(np.int8)
    longer = np.column_stack([begun[rows], label])
    for start in range(0, len(longer), CHUNK):
        yield from _continued(longer[start : start + CHUNK], k)


# ----------------------------------------------------------------------------------------------------------------------


Array = NDArray[np.float64]
Pairs = Sequence[tuple[int, int]]

# Bell(12) is four million partitions, some seconds; each further learner takes six times as long.
MOST_LEARNERS = 12
# Hommel's adjustment compares all with all: half a minute for so many.
MOST_HYPOTHESES = 100_000


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
    relations between all pairs of learners. `sources` are keys of data/references.toml."""

    name: str
    title: str
    of: Callable[[Array], Array]
    stepwise: bool
    controls: str
    of_pairs: Callable[[Array, Pairs], Array] | None = None
    sources: tuple[str, ...] = ()


FAMILYWISE = "the chance of any false claim among all comparisons"
# With m independent tests of which m0 are of true hypotheses, and the others certain to reject, the chance of a false
# claim is 1 − (1 − α)^(m0 (m − m0 + 1) / m): for m = 10 and m0 = 5 it is 14 % at α = 5 %.
WEAKLY = "the chance of any false claim if no two learners differ; if some do, it can be several times α"
POSITIVE = " (positively dependent tests)"
INDEPENDENT = " (independent or positively dependent tests)"
RATE = "the false discovery rate"
PAIRED = " (all pairs)"
ADJUSTMENTS: dict[str, Adjustment] = {
    a.name: a
    for a in (
        Adjustment("none", "no adjustment", none, False, "each comparison by itself, not the family"),
        Adjustment("bonferroni", "Bonferroni", bonferroni, False, FAMILYWISE, sources=("dunn1961",)),
        Adjustment("sidak", "Šidák", sidak, False, FAMILYWISE + INDEPENDENT, sources=("sidak1967",)),
        Adjustment("holm", "Holm", holm, True, FAMILYWISE, sources=("holm1979",)),
        Adjustment(
            "holm-sidak", "Holm–Šidák", holm_sidak, True, FAMILYWISE + INDEPENDENT, sources=("holm1979", "sidak1967")
        ),
        Adjustment("hochberg", "Hochberg", hochberg, True, FAMILYWISE + POSITIVE, sources=("hochberg1988",)),
        Adjustment("hommel", "Hommel", hommel, True, FAMILYWISE + POSITIVE, sources=("hommel1988",)),
        Adjustment("bh", "Benjamini–Hochberg", benjamini_hochberg, True, RATE, sources=("benjamini1995",)),
        Adjustment("by", "Benjamini–Yekutieli", benjamini_yekutieli, True, RATE, sources=("benjamini2001",)),
        Adjustment("finner", "Finner", finner, True, WEAKLY, sources=("finner1993",)),
        Adjustment("shaffer", "Shaffer", holm, True, FAMILYWISE + PAIRED, shaffer, ("shaffer1986",)),
        Adjustment(
            "bergmann-hommel", "Bergmann–Hommel", holm, True, FAMILYWISE + PAIRED, bergmann_hommel, ("bergmann1988",)
        ),
    )
}


def adjustment_named(name: str) -> Adjustment:
    adjustment = ADJUSTMENTS.get(str(name).lower().replace("_", "-"))
    if adjustment is None:
        raise UsageError(f"There is no adjustment {name!r}. {nearest(name, ADJUSTMENTS)}")
    return adjustment


def adjust(p: ArrayLike, method: str, pairs: Pairs | None = None, family: int | None = None) -> Array:
    """Adjusted p-values by the method of that name.

    `pairs` says which two learners each p is about. Adjustments for all pairs need it; without it the pairs are taken
    to be in the order (0, 1), (0, 2), …, (1, 2), …. `family` is the number of hypotheses tested, if p-values are at
    hand for some of them only: as in R's p.adjust(p, method, n), all others count as p = 1.

    >>> adjust([0.01, 0.02, 0.03], "holm").tolist()
    [0.03, 0.04, 0.04]
    >>> adjust([0.01, 0.02, 0.03], "holm", family=10).tolist()
    [0.1, 0.18, 0.24]
    """
    p = np.atleast_1d(np.asarray(p, dtype=float))
    known = ~np.isnan(p)
    wrong = p[known & ~((p >= 0) & (p <= 1))]
    if len(wrong):
        raise UsageError(f"p-values lie between 0 and 1; found {wrong[0]:g}.")
    named = adjustment_named(method)
    at_hand = int(known.sum())
    unseen = 0 if family is None else _family(family, at_hand) - at_hand
    adjusted = np.full(p.shape, np.nan)
    if known.any() and named.of_pairs is not None:
        if unseen:
            raise UsageError(f"{named.title}'s adjustment needs the p-value of every pair of its family. Use holm.")
        adjusted[known] = named.of_pairs(np.where(known, p, 1.0), _all_pairs(len(p), pairs, named.title))[known]
    elif known.any():
        adjusted[known] = named.of(np.append(p[known], np.ones(unseen)))[:at_hand]
    return adjusted


def _family(family: int, at_hand: int) -> int:
    size = count(family, "size of the family")
    if size < at_hand:
        raise UsageError(f"A family has at least as many hypotheses as p-values; found {size} and {at_hand}.")
    if size > MOST_HYPOTHESES:
        raise UsageError(f"The size of the family is at most {MOST_HYPOTHESES:,}; found {size:,}.")
    return size


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


# ----------------------------------------------------------------------------------------------------------------------
# The familywise error: the chance of any false claim among several, and which hypotheses each adjustment rejects.


# Those that need nothing but the p-values.
METHODS = tuple(name for name, method in ADJUSTMENTS.items() if method.of_pairs is None and name != "none")


def independent_error(alpha: float, tests: int) -> float:
    """1 − (1 − α)^J: the chance of any false claim among J independent tests at level α, all hypotheses true.

    >>> round(independent_error(0.05, 20), 2)
    0.64
    """
    return float(-np.expm1(_checked(tests) * np.log1p(-check_alpha(alpha))))


def bonferroni_bound(alpha: float, tests: int) -> float:
    """Jα, but at most 1: what the familywise error cannot exceed, however the tests depend on each other.

    >>> round(bonferroni_bound(0.05, 6), 4)
    0.3
    """
    return min(1.0, _checked(tests) * check_alpha(alpha))


def all_pairs_error(alpha: float, k: int, df: float = inf) -> float:
    """The exact familywise error of all pairwise z tests (with `df`, of t tests) between k equal means.

    It is less than that of independent tests: five means have ten pairs, and .286 where ten independent tests have
    .401. (Feelders and Verkooijen say that dependence makes it larger; by Šidák's inequality it does not.)

    >>> round(all_pairs_error(0.05, 5), 3), round(independent_error(0.05, 10), 3)
    (0.286, 0.401)
    """
    if _checked(k) < 2:
        raise UsageError(f"Pairs need at least two means; found k = {k}.")
    quantile = t_quantile(1 - check_alpha(alpha) / 2, df)
    return float(RangeLaw(k, df).tail(np.array(quantile), k * (k - 1) // 2))


def level_for(alpha: float, tests: int, method: str = "bonferroni") -> float:
    """The level of a single test at which J tests together keep α: α/J (bonferroni) or 1 − (1 − α)^(1/J) (sidak).

    >>> round(level_for(0.05, 10), 4), round(level_for(0.05, 10, "sidak"), 4)
    (0.005, 0.0051)
    """
    check_alpha(alpha)
    if method == "sidak":
        return float(-np.expm1(np.log1p(-alpha) / _checked(tests)))
    if method != "bonferroni":
        raise UsageError(f"One level for all tests is bonferroni's or sidak's; found {method!r}.")
    return alpha / _checked(tests)


def _checked(tests: float) -> int:
    n = count(tests, "number of tests")
    if n < 1:
        raise UsageError("At least one test is needed; found 0.")
    return n


@dataclass(frozen=True, eq=False)
class Rejections(Answer):
    """Several hypotheses and, by each method, their adjusted p-values. A hypothesis is rejected if that is ≤ α.

    `family` is the number of hypotheses that were tested: more than there are here, if the others' p are not at hand.
    """

    p: tuple[float, ...]
    alpha: float
    adjusted: dict[str, tuple[float, ...]]
    family: int

    def rejects(self, method: str) -> tuple[bool, ...]:
        """Which hypotheses a method rejects, in the order given."""
        name = adjustment_named(method).name
        if name not in self.adjusted:
            raise UsageError(f"{method!r} was not asked for. Known are: {', '.join(self.adjusted)}.")
        return tuple(value <= self.alpha for value in self.adjusted[name])

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and cells: a row a hypothesis, a column a method; a star marks what it rejects."""

        def marked(p: float) -> str:
            return ("*" if p <= self.alpha else "") + show.p_value(p)

        header = ["hypothesis", "p", *self.adjusted]
        columns = [self.p, *self.adjusted.values()]
        return header, [[f"H{i + 1}", *(marked(column[i]) for column in columns)] for i in range(len(self.p))]

    def to_text(self) -> str:
        m = len(self.p)
        family = f" as part of {self.family}" if self.family > m else ""
        lines = [
            f"{m} p-value{'s' * (m != 1)}, adjusted{family}; * rejected at α = {show.number(self.alpha)}",
            show.text_table(*self.table()),
            f"Without adjustment, {self._true} some false claim with probability "
            f"{show.number(independent_error(self.alpha, self.family), 3)}.",
        ]
        for name in self.adjusted:
            method, rejected = ADJUSTMENTS[name], self.rejects(name)
            which = show.listing([f"H{i + 1}" for i, one in enumerate(rejected) if one], 12) or "nothing"
            lines.append(f"  {method.title} rejects {which}; it controls {method.controls}.")
        return "\n".join(show.wrapped(line, indent="    ") if line.startswith("  ") else line for line in lines)

    @property
    def _true(self) -> str:
        m = self.family
        return "a test of a true hypothesis makes" if m == 1 else f"{m} independent tests of true hypotheses make"

    def to_frame(self) -> pd.DataFrame:
        """A row a hypothesis: p, and for each method the adjusted p and whether it is rejected."""
        import pandas as pd

        columns: dict[str, Any] = {"hypothesis": [f"H{i + 1}" for i in range(len(self.p))], "p": self.p}
        for name, values in self.adjusted.items():
            columns[name], columns[f"{name}_rejects"] = values, self.rejects(name)
        return pd.DataFrame(columns)

    def to_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] = show.to_json_value(self)
        return {**fields, "rejected": {name: list(self.rejects(name)) for name in self.adjusted}}

    def _repr_html_(self) -> str:
        return show.html_table(*self.table(), f"rejected (*) at α = {show.number(self.alpha)}")


def rejected(
    p: ArrayLike, alpha: float = 0.05, methods: Sequence[str] = METHODS, family: int | None = None
) -> Rejections:
    """Which of several hypotheses each adjustment rejects, at the familywise (or false discovery) rate α.

    `family` is the number of hypotheses that were tested, if not all of their p-values are here.

    >>> result = rejected([0.01, 0.02, 0.04])
    >>> result.rejects("bonferroni"), result.rejects("holm"), result.rejects("hochberg")
    ((True, False, False), (True, True, True), (True, True, True))
    """
    check_alpha(alpha)
    try:
        values = np.atleast_1d(np.asarray(p, dtype=float))
    except (TypeError, ValueError):
        raise UsageError("p-values must be numbers; found something else among them.") from None
    if values.ndim != 1 or len(values) == 0:
        raise UsageError(f"At least one p-value is needed, in one list; found the shape {values.shape}.")
    if np.isnan(values).any():
        raise UsageError("A p-value is missing (NaN): leave the hypothesis out, or count it as p = 1.")
    names = [adjustment_named(name).name for name in methods]
    adjusted = {name: tuple(adjust(values, name, family=family).tolist()) for name in names}
    return Rejections(tuple(values.tolist()), float(alpha), adjusted, len(values) if family is None else int(family))
