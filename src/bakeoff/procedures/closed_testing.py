"""Closed testing of all pairs of up to four learners by permutation tests with t*."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.inference.evidence import DecidedPairs
from bakeoff.mathematics import block_permutations
from bakeoff.mathematics.checks import Array, choice, number_table
from bakeoff.mathematics.laws import chi2_sf
from bakeoff.mathematics.sign_flips import pairwise_z
from bakeoff.procedures import permutations
from bakeoff.procedures.anova import FOLDS
from bakeoff.procedures.card import FEWER, ONE_LAW, Fallback, SmallestP, orders
from bakeoff.procedures.needs import not_repeated
from bakeoff.procedures.procedure import Compares, Example, Level, ManyResult, Result, procedure

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

    @cached_property
    def pairs(self) -> list[Pair]:
        return list(combinations(range(self.k), 2))

    @cached_property
    def p_sets(self) -> dict[tuple[int, ...], float]:
        """p of every set of learners."""
        return {members: self.p(members) for n in range(2, self.k + 1) for members in combinations(range(self.k), n)}

    @cached_property
    def p_partitions(self) -> dict[tuple[Pair, Pair], float]:
        """p of two pairs at once, for four learners: {12}{34}, {13}{24}, {14}{23}."""
        both = combinations(self.pairs, 2) if self.k == MOST else ()
        return {(one, other): self.p_partition(one, other) for one, other in both if not set(one) & set(other)}

    def statistic(self, members: Sequence[int]) -> block_permutations.TStar:
        return block_permutations.t_star(self.table[:, list(members)])

    def p(self, members: Sequence[int]) -> float:
        """p that these learners are alike, by the test of the method for so many of them."""
        if self.method == "asymptotic":
            return self.statistic(members).p_asymptotic
        # In an order of their own, so that random relabellings do not depend on that of the table.
        columns = self.table[:, sorted(members, key=lambda column: self.table[:, column].tolist())]
        options: dict[str, Any] = {"resamples": self.resamples, "seed": self.seed}
        if len(members) == 2:
            return permutations.paired_permutation(columns[:, 0], columns[:, 1], method=self.method, **options).p
        method = self.method
        if method == "auto":
            few = block_permutations.enumeration_size(*columns.shape) <= block_permutations.LARGEST_ENUMERATION
            method = "exact" if few else "monte-carlo"
        return permutations.permutation(columns, method=method, **options).tests[0].p

    def p_partition(self, one: Pair, other: Pair) -> float:
        """p that two pairs are alike, each by itself: twice the smaller p, or the sum of both χ² with 2 df."""
        if self.partitions == "bonferroni":
            return min(1.0, 2 * min(self.p_sets[one], self.p_sets[other]))
        return float(chi2_sf(self.statistic(one).chi2 + self.statistic(other).chi2, 2))

    def largest(self, pair: Pair, partitions: bool = True) -> float:
        """The largest p of the hypotheses that contain a pair: its adjusted p."""
        sets = [p for members, p in self.p_sets.items() if set(pair) <= set(members)]
        at_once = [p for both, p in self.p_partitions.items() if pair in both] if partitions else []
        return max(sets + at_once)

    def matrix(self, p_of: Callable[[Pair], float]) -> Array:
        """The p of pairs as a symmetric matrix with ones on the diagonal."""
        p_values = np.ones((self.k, self.k))
        for i, j in self.pairs:
            p_values[i, j] = p_values[j, i] = p_of((i, j))
        return p_values


def _named(members: Sequence[int]) -> str:
    """A set of learners by their columns, counted from one."""
    return "".join(str(member + 1) for member in members)


def _published(many: Any) -> list[float]:
    return [many.tests[0].p, *many.decided.p_adjusted[:3, 3], many.details["p_closed_subsets_only"][2, 3]]


@procedure(
    Compares.MANY,
    Level.RESAMPLES,
    title="Closed testing of all pairs with t*",
    question="Which of up to four learners differ, over learning samples of this problem?",
    null="the two learners of a pair can be exchanged within each block",
    needs=(not_repeated,),
    assumes=(
        permutations.INDEPENDENT_BLOCKS,
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
        permutations.BOUNDED,
        "Another adjustment, asked for by --adjust, starts from the pairs' own p. There is no interval: closed "
        "testing decides, it does not bound.",
    ),
    cautions=(
        "Labels are exchanged among all learners of a set, which takes them to vary alike; run-flips does not. "
        "Permutation within runs of the largest difference, unequal standard deviations (α = .05): 7–9 % false claims "
        "for 3 learners, 9–11 % for 5, 18–20 % for 10.",
        "Tukey's intervals, which take over above four learners, assume one variance and means that are about "
        "normal; the permutation tests do not. paired-permutation with --adjust bergmann-hommel (up to twelve "
        "learners) or holm makes no such assumption with more learners either.",
        "Folds share training data, so they are not independent blocks. See the error rates of the permutation test.",
    ),
    references=("marcus1976", "hothorn2005 section 4.2"),
    published="R coin 1.4.2, symmetry_test(teststat = 'quadratic') on every set of four learners in ten made-up "
    "blocks, and the largest of each",
    printed="all four = 0.01048833485; 1 − 4 = 0.01109218359; 2 − 4 = 0.04736237802; 3 − 4 = 0.21821658950; 3 − 4 "
    "without partitions = 0.10910829475",
    example=Example(_published, np.array(FOLDS)[:, :4], method="asymptotic"),
    recommended_for="up to four learners over {runs}, all pairs without assumptions about the law",
    rank=60,
    pooled=ONE_LAW,
    options={"partitions": ("how two pairs at once are tested", PARTITIONS), **permutations.OPTIONS},
    rank_for_draws=10,
    intervals=False,
    fallback=BEYOND,
    single_step="closed testing",
    sides=False,
    smallest_p=SmallestP(orders, "blocks", "all of them order the learners alike", for_pairs=False),
    fewer=FEWER,
)
def closed_testing(
    table: ArrayLike, *, method: str = "auto", partitions: str = "bonferroni", resamples: int = 100_000, seed: int = 1
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
    choice(method, permutations.METHODS, "method of the permutation test")
    choice(partitions, PARTITIONS, "test of two pairs at once")
    k = values.shape[1]
    if k > MOST:
        raise UsageError(
            f"Closed testing is for at most {MOST} learners; found {k}: use {BEYOND.procedure}, with which `analyse` "
            "answers in its place."
        )
    if partitions == "sum-chi2" and method != "asymptotic":
        raise UsageError("The sum of two χ² needs the method asymptotic; choose that, or the partitions bonferroni.")
    if method == "auto" and len(values) > permutations.MANY_FLIPS:
        method = "asymptotic"
    closure = Closure(values, method, partitions, resamples, seed)
    p_sets = closure.p_sets
    note = "" if method == "auto" else method
    test = Result(
        statistic=block_permutations.t_star(values).value, statistic_name="t*", p=p_sets[tuple(range(k))], note=note
    )
    details: dict[str, Any] = {
        "p_sets": {_named(members): p for members, p in p_sets.items()},
        "p_partitions": {"|".join(map(_named, both)): p for both, p in closure.p_partitions.items()},
        "p_closed_subsets_only": closure.matrix(lambda pair: closure.largest(pair, partitions=False)),
        "chi2_pairs": np.array([closure.statistic(pair).chi2 for pair in closure.pairs]),
        "column_means": values.mean(axis=0),
    }
    alone, adjusted = closure.matrix(p_sets.__getitem__), closure.matrix(closure.largest)
    decided = DecidedPairs(block_permutations.mean_differences(values), alone, adjusted, pairwise_z(values), "z")
    return ManyResult(tests=(test,), decided=decided, details=details)
