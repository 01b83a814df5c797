"""Closed testing of all pairs of up to four learners by permutation tests with t*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError
from bakeoff.inference.evidence import Decided
from bakeoff.mathematics.block_permutations import LARGEST_ENUMERATION, enumeration_size
from bakeoff.mathematics.checks import choice, number_table
from bakeoff.mathematics.laws import chi2_sf
from bakeoff.procedures.card import FEWER, Caution, Compares, Fallback, Published, SmallestP, orders
from bakeoff.procedures.needs import not_repeated
from bakeoff.procedures.pair_permutation import (
    BOUNDED,
    INDEPENDENT_BLOCKS,
    MANY_FLIPS,
    METHODS,
    OPTIONS,
    paired_permutation,
)
from bakeoff.procedures.permutation import TStar, permutation, t_star
from bakeoff.procedures.procedure import ManyResult, Result, procedure
from bakeoff.scores import Level

Array = NDArray[np.float64]
Pair = tuple[int, int]
PARTITIONS = ("bonferroni", "sum-chi2")
MOST = 4
BEYOND = Fallback(
    "aligned-tukey",
    MOST,
    "the closure of all pairs has 14 hypotheses for four learners, 51 for five and 115,974 for ten, so that Hothorn et "
    "al. go over to simultaneous intervals on aligned performances there",
)


@dataclass(frozen=True, eq=False)
class Closure:
    """p of every hypothesis in the closure: that the learners of a set are alike, and that two pairs are at once."""

    table: Array
    method: str
    partitions: str
    resamples: int
    seed: int

    @property
    def k(self) -> int:
        return int(self.table.shape[1])

    def statistic(self, members: Sequence[int]) -> TStar:
        return t_star(self.table[:, list(members)])

    def p(self, members: Sequence[int]) -> float:
        """p that these learners are alike, by the test of the method for so many of them."""
        sheet = self.table[:, _in_order(self.table, members)]
        if self.method == "asymptotic":
            return self.statistic(members).p_asymptotic
        options: dict[str, Any] = {"resamples": self.resamples, "seed": self.seed}
        if len(members) == 2:
            return paired_permutation(sheet[:, 0], sheet[:, 1], method=self.method, **options).p
        method = self.method
        if method == "auto":
            few = enumeration_size(*sheet.shape) <= LARGEST_ENUMERATION
            method = "exact" if few else "monte-carlo"
        return permutation(sheet, method=method, **options).tests[0].p

    def p_partition(self, one: Pair, other: Pair, p_of: Mapping[tuple[int, ...], float]) -> float:
        """p that two pairs are alike, each by itself: twice the smaller p, or the sum of both χ² with 2 df."""
        if self.partitions == "bonferroni":
            return min(1.0, 2 * min(p_of[one], p_of[other]))
        return float(chi2_sf(self.statistic(one).chi2 + self.statistic(other).chi2, 2))


def _in_order(table: Array, members: Sequence[int]) -> list[int]:
    """The columns of a set in an order of their own, so that random relabellings do not depend on that of the table."""
    return sorted(members, key=lambda column: table[:, column].tolist())


def _published() -> list[float]:
    many = closed_testing(_TEN_BLOCKS, method="asymptotic")
    assert many.decided is not None
    adjusted = many.decided.p_adjusted
    return [
        many.tests[0].p,
        float(adjusted[0, 3]),
        float(adjusted[1, 3]),
        float(adjusted[2, 3]),
        float(many.details["p_closed_subsets_only"][2, 3]),
    ]


@procedure(
    Compares.MANY,
    Level.RESAMPLES,
    title="Closed testing of all pairs with t*",
    question="Which of up to four learners differ, over learning samples of this problem?",
    null="the two learners of a pair can be exchanged within each block",
    needs=(not_repeated(),),
    assumes=(
        INDEPENDENT_BLOCKS,
        "Under each hypothesis its learners can be exchanged within a block. Nothing is assumed about the law.",
    ),
    conventions=(
        "The adjusted p of a pair is the largest p of the hypotheses that contain it: all sets of learners with "
        "both, and for four learners the pair together with the pair of the other two. Hothorn et al. speak of "
        "subsets only; the closure has these partitions too, and without them the error is not controlled. What "
        "subsets alone give is in the details.",
        "Two pairs at once are tested by twice the smaller p, or (asymptotically) by the sum of both χ².",
        "Monte-Carlo tests of all hypotheses start from the same seed, with the columns of a set in an order that "
        "does not depend on the table's.",
        BOUNDED,
        "Another adjustment, asked for by --adjust, starts from the pairs' own p. There is no interval: closed "
        "testing decides, it does not bound.",
    ),
    cautions=(
        "Tukey's intervals, which take over above four learners, assume one variance and means that are about "
        "normal; the permutation tests do not. paired-permutation with --adjust bergmann-hommel (up to twelve "
        "learners) or holm makes no such assumption with more learners either.",
        Caution(
            "Folds share training data, so they are not independent blocks.",
            "See the error rates of the permutation test.",
        ),
    ),
    references=("marcus1976", "hothorn2005 section 4.2"),
    published=Published(
        "R coin 1.4.2, symmetry_test(teststat = 'quadratic') on every set of four learners in ten made-up "
        "blocks, and the largest of each",
        "all four = 0.01048833485; 1 − 4 = 0.01109218359; 2 − 4 = 0.04736237802; 3 − 4 = 0.21821658950; 3 − 4 "
        "without partitions = 0.10910829475",
        _published,
    ),
    recommended_for="up to four learners over independent learning samples, all pairs without assumptions about the "
    "law",
    rank=60,
    options={"partitions": ("how two pairs at once are tested", PARTITIONS), **OPTIONS},
    rank_for_draws=10,
    intervals=False,
    fallback=BEYOND,
    single_step="closed testing",
    default_adjust="single-step",
    sides=False,
    smallest_p=SmallestP(orders, "blocks", "all of them order the learners alike", for_pairs=False),
    fewer=FEWER,
)
def closed_testing(
    table: ArrayLike,
    *,
    method: str = "auto",
    partitions: str = "bonferroni",
    resamples: int = 100_000,
    seed: int = 1,
) -> ManyResult:
    """Compare all pairs of up to four learners over B blocks: a pair differs if all hypotheses that contain it fall.

    Useful where all pairs are of interest and no law is to be assumed: closed testing controls the familywise error
    without paying for all pairs, because a pair's adjusted p is the largest p of the hypotheses that imply it: the set
    of all learners, each set with both of the pair, and, for four learners, the pair together with the pair of
    the other two. Each set is tested by the permutation test with t*, pairs by the matched-pairs test.

    method      "exact", "monte-carlo" (the same seed for every hypothesis), "asymptotic", or "auto": exact where all
                relabellings can be made, else Monte Carlo up to 1,000 blocks, else asymptotic
    partitions  how two pairs at once are tested: "bonferroni", twice the smaller p; "sum-chi2", the sum of both χ²
                with 2 degrees of freedom, for the asymptotic method only

    >>> many = closed_testing([[0.20, 0.22, 0.25], [0.23, 0.24, 0.24], [0.19, 0.23, 0.22], [0.25, 0.26, 0.29]])
    >>> many.decided.p_adjusted[0].tolist(), round(many.tests[0].p, 4)
    ([1.0, 0.125, 0.125], 0.037)
    """
    values = number_table(table, "table", rows=2, columns=2)
    choice(method, METHODS, "method of the permutation test")
    choice(partitions, PARTITIONS, "test of two pairs at once")
    k = values.shape[1]
    if k > MOST:
        raise UsageError(
            f"Closed testing is for at most {MOST} learners; found {k}: use {BEYOND.procedure}, with which `analyse` "
            "answers in its place."
        )
    if partitions == "sum-chi2" and method != "asymptotic":
        raise UsageError("The sum of two χ² needs the method asymptotic; choose that, or the partitions bonferroni.")
    if method == "auto" and len(values) > MANY_FLIPS:
        method = "asymptotic"
    closure = Closure(values, method, partitions, resamples, seed)
    pairs = list(combinations(range(k), 2))
    sets = [set_ for size in range(2, k + 1) for set_ in combinations(range(k), size)]
    p_of = {members: closure.p(members) for members in sets}
    p_two = _partitions(closure, pairs, p_of)

    containing = {(i, j): [p for members, p in p_of.items() if i in members and j in members] for i, j in pairs}
    at_once = {pair: [p for both, p in p_two.items() if pair in both] for pair in pairs}
    alone = _matrix({pair: p_of[pair] for pair in pairs}, k)
    subsets_only = _matrix({pair: max(containing[pair]) for pair in pairs}, k)
    adjusted = _matrix({pair: max(containing[pair] + at_once[pair]) for pair in pairs}, k)
    note = "" if method == "auto" else method
    test = Result(statistic=t_star(values).value, statistic_name="t*", p=p_of[tuple(range(k))], note=note)
    details: dict[str, Any] = {
        "p_sets": {_named(members): p for members, p in p_of.items()},
        "p_partitions": {"|".join(map(_named, both)): p for both, p in p_two.items()},
        "p_closed_subsets_only": subsets_only,
        "chi2_pairs": np.array([closure.statistic(pair).chi2 for pair in pairs]),
        "column_means": values.mean(axis=0),
    }
    decided = Decided(_differences(values), alone, adjusted, _z(values), "z")
    return ManyResult(tests=(test,), decided=decided, details=details)


def _partitions(
    closure: Closure, pairs: list[Pair], p_of: Mapping[tuple[int, ...], float]
) -> dict[tuple[Pair, Pair], float]:
    """p of two pairs at once, for four learners: {12}{34}, {13}{24}, {14}{23}."""
    if closure.k < MOST:
        return {}
    return {
        (one, other): closure.p_partition(one, other, p_of)
        for one, other in combinations(pairs, 2)
        if not set(one) & set(other)
    }


def _matrix(p: Mapping[Pair, float], k: int) -> Array:
    """The p of pairs as a symmetric matrix with ones on the diagonal."""
    made = np.ones((k, k))
    for (i, j), value in p.items():
        made[i, j] = made[j, i] = value
    return made


def _named(members: Sequence[int]) -> str:
    """A set of learners by their columns, counted from one."""
    return "".join(str(member + 1) for member in members)


def _differences(values: Array) -> Array:
    """Mean differences, row − column; rounding error counts as zero."""
    unit = float(np.abs(values).max()) or 1.0
    means = (values / unit).mean(axis=0)
    difference = means[:, None] - means[None, :]
    return np.where(np.abs(difference) < 1e-13, 0.0, difference) * unit


def _z(values: Array) -> Array:
    """Σd / √Σd² of each pair."""
    k = values.shape[1]
    made = np.zeros((k, k))
    for i, j in combinations(range(k), 2):
        d = values[:, i] - values[:, j]
        unit = float(np.abs(d).max())
        if unit > 100 * np.finfo(float).eps * float(np.abs(values[:, [i, j]]).max()):
            made[i, j] = float(np.sum(d / unit)) / sqrt(float(np.sum((d / unit) ** 2)))
            made[j, i] = -made[i, j]
    return made


_TEN_BLOCKS = [
    [0.1873, 0.2004, 0.2092, 0.2040], [0.2147, 0.1994, 0.2139, 0.2450], [0.2007, 0.1988, 0.2126, 0.2086],
    [0.1898, 0.2067, 0.2059, 0.2011], [0.2213, 0.2087, 0.2362, 0.2313], [0.1938, 0.2058, 0.1902, 0.2154],
    [0.2064, 0.2149, 0.2528, 0.2379], [0.2029, 0.2140, 0.1771, 0.2171], [0.2011, 0.1850, 0.2022, 0.2292],
    [0.1903, 0.2038, 0.1996, 0.2190],
]  # fmt: skip
