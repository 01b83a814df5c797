"""Statistics of ranks: of independent samples, and of tables of tasks × learners, complete or with holes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial, nan, prod, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import Array, midranks, number_column, rounded

# ----------------------------------------------------------------------------------------------------------------------
# Independent samples: Kruskal and Wallis.


CHUNK = 2**20  # values of random dealings at a time


@dataclass(frozen=True, slots=True, eq=False)
class RankedSamples:
    """The ranks of all values together, sample by sample, their means, and H; `raw` is H as if there were no ties."""

    ranks: tuple[Array, ...]
    sizes: NDArray[np.intp]
    means: Array
    h: float
    raw: float

    @property
    def ways(self) -> float:
        return dealing_ways(self.sizes)


def rank_samples(samples: Sequence[Array]) -> RankedSamples:
    """H = 12 / (N (N+1)) Σ n_i (R̄_i − (N+1)/2)², over 1 − Σ (t³ − t) / (N³ − N) where ties share ranks.

    >>> result = rank_samples([np.array([1.0, 2.0]), np.array([3.0, 3.0])])
    >>> result.means.tolist(), round(result.raw, 4), round(result.h, 4), result.ways
    ([1.5, 3.5], 2.4, 2.6667, 6)
    """
    sizes = np.array([len(sample) for sample in samples])
    ranks = midranks(rounded(np.concatenate(list(samples))))
    parts = tuple(np.split(ranks, np.cumsum(sizes)[:-1]))
    n = len(ranks)
    means = np.array([part.mean() for part in parts])
    raw = 12 / (n * (n + 1)) * float(sizes @ (means - (n + 1) / 2) ** 2)
    _, ties = np.unique(ranks, return_counts=True)
    correction = 1 - float(np.sum(ties.astype(float) ** 3 - ties)) / (n**3 - n) if n > 1 else 0.0
    return RankedSamples(parts, sizes, means, raw / correction if correction > 0 else 0.0, raw)


def dealing_ways(sizes: NDArray[np.intp]) -> float:
    """In how many ways values can be dealt out to samples of these sizes; ∞ for more than 170 values."""
    n = int(sizes.sum())
    return factorial(n) // prod(factorial(int(size)) for size in sizes) if n <= 170 else float("inf")


def dealing_tail(ranks: Array, sizes: NDArray[np.intp]) -> float:
    """The share of all ways to deal the ranks out in which Σ R_i² / n_i is at least as large as here: the exact p of H.

    `ranks` may be any numbers that are whole when doubled. They are dealt one by one; what matters of the past is how
    many each sample has, and their sum. The last sample gets the rest.

    >>> dealing_tail(np.array([1.0, 2.0, 3.0, 4.0]), np.array([2, 2]))
    0.3333333333333333
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    first = len(sizes) - 1
    ways: dict[tuple[int, ...], int] = {(0,) * (2 * first): 1}
    dealt = 0
    for rank in doubled.tolist():
        grown: dict[tuple[int, ...], int] = {}
        for state, count in ways.items():
            for sample in range(first + 1):
                if sample < first and state[sample] < sizes[sample]:
                    new = list(state)
                    new[sample] += 1
                    new[first + sample] += rank
                    key = tuple(new)
                elif sample == first and dealt - sum(state[:first]) < sizes[first]:
                    key = state
                else:
                    continue
                grown[key] = grown.get(key, 0) + count
        ways, dealt = grown, dealt + 1
    sums = np.array([state[first:] for state in ways], dtype=float)
    sums = np.column_stack([sums, doubled.sum() - sums.sum(axis=1)])
    counts = np.array(list(ways.values()), dtype=float)
    statistic = np.square(sums) @ (1 / sizes)
    own = np.array([part.sum() for part in np.split(doubled, np.cumsum(sizes)[:-1])], dtype=float)
    observed = float(np.square(own) @ (1 / sizes))
    return float(counts[statistic >= observed * (1 - 1e-12)].sum() / counts.sum())


def between_samples(scores: Array, sizes: NDArray[np.intp]) -> Array:
    """Σ n_i x̄_i² of each row of scores, whose mean is zero, if they are dealt out in their order.

    >>> between_samples(np.array([[-1.0, -1.0, 2.0]]), np.array([2, 1])).tolist()
    [6.0]
    """
    sums = np.add.reduceat(scores, np.append(0, np.cumsum(sizes)[:-1]), axis=1)
    return np.asarray(np.square(sums) @ (1 / sizes))


def count_random_dealings(scores: Array, sizes: NDArray[np.intp], draws: int, seed: int) -> int:
    """In how many of so many random dealings Σ n_i x̄_i² is at least as large as in the order given.

    >>> count_random_dealings(np.array([-3.0, -1.0, 1.0, 3.0]), np.array([2, 2]), 9_999, 1)  # a third: 2 of 6 ways
    3408
    """
    rng, extreme, left = np.random.Generator(np.random.SFC64(seed)), 0, draws
    between = float(between_samples(scores[None], sizes)[0])
    while left:
        rows = min(left, max(1, CHUNK // len(scores)))
        drawn = between_samples(rng.permuted(np.tile(scores, (rows, 1)), axis=1), sizes)
        extreme, left = extreme + int(np.count_nonzero(drawn >= between * (1 - 1e-12))), left - rows
    return extreme


# ----------------------------------------------------------------------------------------------------------------------
# Complete tables, tasks × learners: Friedman, Quade, and aligned ranks.


def friedman_chi2(ranks: Array) -> tuple[float, float]:
    """Friedman's χ² of the ranks within tasks: raw, and corrected for ties.

    χ² = 12 N / (k (k+1)) Σ (R̄ − (k+1)/2)², and the same over its conditional variance where there are ties.

    >>> friedman_chi2(np.array([[1.0, 2.0, 3.0], [1.0, 2.5, 2.5]]))
    (3.25, 3.7142857142857144)
    """
    n, k = ranks.shape
    spread = float(np.sum((ranks.mean(axis=0) - (k + 1) / 2) ** 2))
    within = float(np.sum((ranks - (k + 1) / 2) ** 2)) / (n * (k - 1))
    return 12 * n / (k * (k + 1)) * spread, n * spread / within if within > 0 else 0.0


def chi2_from_mean_ranks(mean_ranks: ArrayLike, n: int) -> float:
    """The raw χ² from printed mean ranks of n tasks, 12 N / (k (k+1)) (Σ R̄² − k (k+1)² / 4).

    >>> round(chi2_from_mean_ranks([3.143, 2.000, 2.893, 1.964], 14), 2)
    9.28
    """
    ranks = number_column(mean_ranks, "mean ranks")
    k = len(ranks)
    return float(12 * n / (k * (k + 1)) * (np.sum(ranks**2) - k * (k + 1) ** 2 / 4))


@dataclass(frozen=True, slots=True, eq=False)
class QuadeRanks:
    """Weighted mean ranks and the variance of each over all orders; A and B of Quade's F; the tasks' weights."""

    means: Array
    variance: float
    total: float
    between: float
    weights: Array


def quade_ranks(values: Array) -> QuadeRanks:
    """Ranks within tasks, each task weighted by the rank of its range."""
    values = rounded(values)
    n, k = values.shape
    weight = midranks(rounded(np.ptp(values, axis=1)))  # Q_i, the rank of the task's range
    scores = weight[:, None] * (midranks(values) - (k + 1) / 2)  # S_ij
    total = float(np.sum(scores**2))  # A
    between = float(np.sum(scores.sum(axis=0) ** 2)) / n  # B
    # T_j = Σ_i Q_i R_ij / (N (N+1) / 2). Over all orders Var(T_i − T_j) = 2 A / (k−1) / (N (N+1) / 2)².
    sum_of_weights = n * (n + 1) / 2
    weighted = (k + 1) / 2 + scores.sum(axis=0) / sum_of_weights
    return QuadeRanks(weighted, total / (k - 1) / sum_of_weights**2, total, between, weight)


@dataclass(frozen=True, slots=True, eq=False)
class AlignedRanks:
    """Mean aligned ranks, the variance of each over all orders, and χ²."""

    means: Array
    variance: float
    chi2: float


def align_and_rank(values: Array) -> AlignedRanks:
    """The ranks of all values together, each less its task's mean."""
    n, k = values.shape
    unit = float(np.abs(values).max()) or 1.0
    scaled = rounded(values) / unit
    aligned = rounded(scaled - scaled.mean(axis=1, keepdims=True), 1.0)
    ranks = midranks(aligned.ravel()).reshape(n, k)
    means = ranks.mean(axis=0)
    # Within tasks all orders are equally likely: Var(R̄_i − R̄_j) = 2 Σ (R_ij − R̄_i.)² / (N² (k−1)).
    within = float(np.sum((ranks - ranks.mean(axis=1, keepdims=True)) ** 2))
    spread = float(np.sum((means - (k * n + 1) / 2) ** 2))
    # T = (k−1) N² Σ (R̄_j − (kN+1)/2)² / Σ (R_ij − R̄_i.)², which is the formula of the papers with ties allowed for.
    chi2 = (k - 1) * n**2 * spread / within if within > 0 else 0.0
    return AlignedRanks(means, within / (n**2 * (k - 1)), chi2)


# ----------------------------------------------------------------------------------------------------------------------
# Tables with holes: Skillings and Mack.


def table_with_holes(table: ArrayLike) -> Array:
    """A table of numbers, of which some may be missing (NaN)."""
    try:
        values = np.asarray(table, dtype=float)
    except (TypeError, ValueError):
        raise UsageError("'table' must be a table of numbers; found something else among them.") from None
    if values.ndim != 2 or values.shape[1] < 2 or len(values) < 1:
        raise UsageError(f"'table' must have at least 1 row and 2 columns; found the shape {values.shape}.")
    if np.isinf(values).any():
        raise UsageError("Every value of 'table' must be a finite number or missing; found an infinite one.")
    return values


@dataclass(frozen=True, slots=True, eq=False)
class SkillingsMackRanks:
    """Skillings and Mack's weighted rank sums, the mean ranks that they make, χ², and χ² as if there were no ties."""

    weighted: Array
    means: Array
    chi2: float
    raw: float


def skillings_mack_ranks(values: Array) -> SkillingsMackRanks:
    """Ranks within tasks among the learners present. Learners that no chain of shared tasks connects are refused."""
    k = values.shape[1]
    weighted, covariance, plain = np.zeros(k), np.zeros((k, k)), np.zeros((k, k))
    patterns, pattern_of = np.unique(~np.isnan(values), axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        there = np.flatnonzero(pattern)
        size = len(there)
        if size < 2:
            continue
        ranks = midranks(rounded(values[pattern_of.ravel() == number][:, there]))
        deviation = ranks - (size + 1) / 2
        # A_j = Σ_i √(12/(k_i+1)) (R_ij − (k_i+1)/2): the weight makes −Cov(A_i, A_j) the number of shared tasks.
        weight = 12 / (size + 1)
        weighted[there] += np.sqrt(weight) * deviation.sum(axis=0)
        shared = weight * float(np.sum(deviation**2)) / (size * (size - 1))
        laplacian = size * np.eye(size) - np.ones((size, size))
        covariance[np.ix_(there, there)] += shared * laplacian
        plain[np.ix_(there, there)] += len(ranks) * laplacian
    _refuse_unconnected(plain)
    # Mean ranks among all k learners, made up for the company that each had: Σ⁻A in the unit of ranks. Without holes
    # Σ = N(kI − 11'), and these are the mean ranks. With holes a plain mean would favour learners that were absent
    # where the good ones were present.
    effects = np.linalg.pinv(plain, rcond=1e-10, hermitian=True) @ weighted
    means = np.asarray((k + 1) / 2 + k * sqrt((k + 1) / 12) * effects)
    return SkillingsMackRanks(weighted, means, _quadratic(weighted, covariance), _quadratic(weighted, plain))


def _refuse_unconnected(plain: Array) -> None:
    """Learners that no chain of shared tasks connects cannot be compared."""
    k = len(plain)
    reached = {0}
    while grown := {j for i in reached for j in range(k) if plain[i, j] < 0} - reached:
        reached |= grown
    if len(reached) < k:
        lost = ", ".join(str(j + 1) for j in range(k) if j not in reached)
        raise DegenerateError(
            f"Learners that share no task, directly or through others, cannot be compared: column {lost} of the table "
            "is not connected to column 1."
        )


def _quadratic(weighted: Array, covariance: Array) -> float:
    """A' Σ⁻ A; zero if all ranks are tied."""
    if not covariance.any():
        return 0.0
    return float(weighted @ np.linalg.pinv(covariance, rcond=1e-10, hermitian=True) @ weighted)


def count_wins(values: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """On how many tasks the one (row) has the smaller value than the other (column), and how many have both.

    >>> wins, shared = count_wins(np.array([[1.0, 2.0, nan], [3.0, 3.0, 1.0]]))
    >>> wins.tolist(), shared.tolist()
    ([[0, 1, 0], [0, 0, 0], [1, 1, 0]], [[2, 2, 1], [2, 2, 1], [1, 1, 1]])
    """
    present = ~np.isnan(values)
    rounded_values = np.where(present, rounded(np.where(present, values, 0.0)), nan)
    better = np.zeros((values.shape[1],) * 2, dtype=np.int64)
    for row in rounded_values:
        better += row[:, None] < row[None, :]  # never so with a missing one
    return better, present.T.astype(np.int64) @ present.astype(np.int64)
