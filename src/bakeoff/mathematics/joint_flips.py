"""Joint sign flips: matched differences of many contrasts, each block's sign flipped once for all of them.

Blocks are rows (items, tasks, matched runs, sums over clusters), d_ip the value of contrast p in block i, and

    z_p = Σ_i d_ip / √(Σ_i d_ip²),        z*_p = Σ_i e_i d_ip / √(Σ_i d_ip²),        e_i = ±1, fair coins.

If every difference is symmetric about zero, all e are equally likely, whatever the learners' variances and however they
depend on one another. The largest z* gives step-down p-values (module step_down). For answers that are 0 or 1, z is
McNemar's (b − c)/√(b + c). The smallest p is 2^(1−n) for n blocks, however many contrasts there are.

1. Only sums e'X of a few columns are needed (the learners', not the contrasts'): contrasts are weights on them.
2. Up to FEW blocks that are not all zero, all signs are gone through. Rows that occur many times, as those of 0/1
   answers do, need one binomial number each. Else bits are drawn, and chunks of them are multiplied with X.
3. For very many different rows e'X is drawn from the normal law with its covariance, which is X'X.

*Intervals.* Step-down p-values have none, so they use one quantile for all contrasts. Under large differences the flips
of d themselves move together (all signs of d being equal), and their largest is too small for an interval: simultaneous
coverage of "95 %" falls to 84 %. Flips of d − d̄ keep it, so that `reach` is the larger of both quantiles: 94.5–95.1 %
(12 to 200 blocks, 5 and 10 learners, 1,500 simulations), and 93–96 % for signed ranks (500). An interval without zero
therefore implies a claim; a claim may have an interval that touches zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.mathematics.checks import Array, choice, number_table, rounded
from bakeoff.mathematics.laws import check_alpha, check_alternative, normal_sf
from bakeoff.mathematics.ranks import (
    lengths,
    over_length,
    shifts_at_jumps,
    shifts_reaching,
    signed_rank_scores,
    z_of_scores,
)
from bakeoff.mathematics.step_down import (
    Intervals,
    JointTest,
    StepDown,
    check_draws,
    check_weights,
    in_chunks,
    one_thread,
    upper_quantile,
)

LAWS = ("auto", "flips", "normal")
FEW = 14  # blocks of which all signs are gone through
MANY = 2000  # blocks beyond which "auto" takes the normal law, unless they repeat one another
DISTINCT = 64  # different rows that a binomial number each is worth
EPS = float(np.finfo(float).eps)
NOISE = 100 * EPS  # differences below this share of what they are differences of are rounding error
BLUR = 1e-4  # statistics that differ by no more than this may count as equal where signs are drawn


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """Columns X, blocks as rows, and what contrasts make of sums e'X: z*, and the same of residuals, row by row.

    Without weights the first half of the columns are the contrasts, of length one, and the second their residuals.
    """

    X: NDArray[Any]
    test: NDArray[Any] | None = None
    residual: NDArray[Any] | None = None

    @property
    def size(self) -> int:
        """The number of contrasts."""
        return self.X.shape[1] // 2 if self.test is None else len(self.test)

    @property
    def moved(self) -> NDArray[np.bool_]:
        """The columns that some contrast looks at."""
        if self.test is None:
            return np.arange(self.X.shape[1]) < self.size
        return np.asarray(np.any(self.test != 0, axis=0))

    def drawn(self, sums: Array) -> Array:
        """z* of each contrast."""
        return sums[: self.size] if self.test is None else self.test @ sums

    def about(self, sums: Array) -> Array:
        """The same of residuals."""
        return sums[self.size :] if self.residual is None else self.residual @ sums

    def in_order(self, order: NDArray[np.intp]) -> tuple[_Problem, NDArray[np.intp]]:
        """The contrasts in that order, and the columns that it takes: so no draw need be put into order."""
        columns = np.arange(self.X.shape[1])
        if self.test is not None:
            return replace(self, test=self.test[order]), columns
        columns[: self.size] = order
        return replace(self, X=self.X[:, columns]), columns

    def slack(self) -> Array:
        """What rounding may do to a sum of n numbers is no more than this, in the precision of X."""
        sizes = np.abs(self.X).sum(axis=0, dtype=float)
        eps = float(np.finfo(self.X.dtype).eps)
        return np.asarray(4 * eps * (self.drawn(sizes) if self.test is None else np.abs(self.test) @ sizes))

    def in_single_precision(self) -> _Problem:
        """The same in half the bits, which makes sums at twice the speed; or itself, if ties would be blurred by it."""
        test, residual = (None if w is None else w.astype(np.float32) for w in (self.test, self.residual))
        single = _Problem(self.X.astype(np.float32), test, residual)
        return single if single.slack().max(initial=0.0) <= BLUR else self


# ----------------------------------------------------------------------------------------------------------------------
# Means.


@one_thread()
def joint_flips(
    values: ArrayLike,
    contrasts: ArrayLike | None = None,
    *,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    draws: int = 9_999,
    seed: int = 0,
    law: str = "auto",
) -> JointTest:
    """Test contrasts of matched values by flipping the sign of each block for all of them at once, step-down.

    `values` has a row a block and a column a learner, `contrasts` a row of weights each; without, the columns are
    differences already. A contrast that is zero in every block has z = 0 and p = 1. `law` "normal" draws from the
    normal law with the flips' covariance, "auto" does so beyond 2,000 blocks that do not repeat one another.

    >>> rows = [[62, 60, 55], [71, 66, 69], [80, 78, 70], [55, 56, 50], [90, 84, 83], [77, 70, 72], [66, 63, 60]]
    >>> found = joint_flips([*rows, [58, 51, 57]], [[1, -1, 0], [1, 0, -1], [0, 1, -1]])
    >>> found.statistic.round(4).tolist(), found.p_adjusted.tolist()
    ([2.3301, 2.5294, 0.8847], [0.03125, 0.0078125, 0.4453125])
    """
    table = number_table(values, "values")
    return _tested(_means(table, check_weights(contrasts, table.shape[1])), alternative, alpha, draws, seed, law)


def _means(table: Array, weights: Array) -> _Problem:
    base, weights = columns_of(table, weights)
    n = len(base)
    length, mean, spread = np.empty(len(weights)), np.empty(len(weights)), np.empty(len(weights))
    for part, d in contrast_values(base, weights):
        mean[part] = d.mean(axis=0)
        length[part] = np.sqrt(np.sum(d * d, axis=0))
        spread[part] = np.sqrt(np.sum((d - mean[part]) ** 2, axis=0))
    spread[spread <= NOISE * length] = 0.0
    test = np.column_stack([over_length(weights, length), np.zeros(len(weights))])
    residual = np.column_stack([over_length(weights, spread), -over_length(mean[:, None], spread)])
    return _Problem(np.column_stack([base, np.ones(n)]), test, residual)


def columns_of(table: Array, weights: Array) -> tuple[Array, Array]:
    """As few columns as possible of which all contrasts are weighted sums, at most 1 in size, and those weights.

    Learners are taken relative to the first, which makes equal ones exactly zero. Differences that are rounding error
    become zero.
    """
    columns = table.shape[1]
    unit = float(np.abs(table).max()) or 1.0
    table, noise = table / unit, NOISE
    if np.abs(weights.sum(axis=1)).max() <= 1e-9 * np.abs(weights).sum(axis=1).max():
        table, weights = table[:, 1:] - table[:, :1], weights[:, 1:]
        columns -= 1
    if len(weights) <= columns:
        noise = NOISE * float(np.abs(weights).sum(axis=1).max())
        table, weights = table @ weights.T, np.eye(len(weights))
    table = np.where(np.abs(table) <= noise, 0.0, table)
    size = float(np.abs(table).max(initial=0.0)) or 1.0
    return table / size, weights


def contrast_values(base: Array, weights: Array) -> Iterator[tuple[slice, Array]]:
    """The values of some contrasts at a time, a column each; where they are rounding error in all blocks, zero."""
    size = max(2**22 // len(base), 1)
    for start in range(0, len(weights), size):
        part = slice(start, start + size)
        d = base @ weights[part].T
        scale = np.abs(weights[part]).sum(axis=1)
        yield part, d * (np.abs(d).max(axis=0) > NOISE * scale)


def flip_statistics(values: ArrayLike, contrasts: ArrayLike | None = None, shift: float = 0.0) -> Array:
    """z of each contrast, were its difference `shift`; without any spread it is zero.

    >>> flip_statistics([[1.0], [2.0], [4.0], [5.0], [3.0]], shift=3.0).tolist()
    [0.0]
    """
    table = number_table(values, "values")
    weights = check_weights(contrasts, table.shape[1])
    z = np.zeros(len(weights))
    for part, d in contrast_values(table, weights):
        z[part] = z_of_scores((d - shift).T)
    return z


def flip_intervals(
    values: ArrayLike, contrasts: ArrayLike | None = None, *, critical: float, alternative: str = "two-sided"
) -> Intervals:
    """The shifts of each contrast whose |z| is at most `critical`: d̄ ± t_c s/√n with t_c = c √((n − 1)/(n − c²)).

    With c² ≥ n no shift is excluded. Differences that are the same in every block are their own interval; if they are
    all zero, there is none.

    >>> found = flip_intervals([[1.0], [2.0], [4.0], [5.0], [3.0]], critical=1.9)
    >>> found.lower.round(4).tolist(), found.upper.round(4).tolist()
    ([0.7209], [5.2791])
    """
    check_alternative(alternative)
    table = number_table(values, "values")
    weights = check_weights(contrasts, table.shape[1])
    unit, n = float(np.abs(table).max()) or 1.0, len(table)
    estimate, half, zero = (np.zeros(len(weights)) for _ in range(3))
    for part, d in contrast_values(table / unit, weights):
        estimate[part] = d.mean(axis=0)
        squares = np.sum((d - estimate[part]) ** 2, axis=0)
        squares[np.ptp(d, axis=0) <= NOISE] = 0.0  # the same in every block
        # z(θ)² = c² is solved by (d̄ − θ)² = c² Σ(d − d̄)² / (n (n − c²)).
        half[part] = np.sqrt(critical**2 * squares / (n * (n - critical**2))) if n > critical**2 else inf
        zero[part] = ~d.any(axis=0)
    lower = np.where(zero, np.nan, estimate - half) if alternative != "less" else np.full(len(half), -inf)
    upper = np.where(zero, np.nan, estimate + half) if alternative != "greater" else np.full(len(half), inf)
    return Intervals(estimate * unit, lower * unit, upper * unit)


@one_thread()
def flip_levels(
    values: ArrayLike,
    contrasts: ArrayLike | None = None,
    *,
    critical: float,
    alternative: str = "two-sided",
    draws: int = 9_999,
    seed: int = 0,
) -> Array:
    """How often flips put each contrast by itself beyond a quantile that is common to all: its own part of the level.

    Intervals of another kind than flips have are simultaneous at these levels, each contrast having its own.

    >>> rows = [[62, 60, 55], [71, 66, 69], [80, 78, 70], [55, 56, 50], [90, 84, 83], [77, 70, 72], [66, 63, 60]]
    >>> flip_levels(rows, [[1, -1, 0], [1, 0, -1]], critical=2.2).tolist()
    [0.015625, 0.03125]
    """
    check_alternative(alternative)
    table = number_table(values, "values")
    problem = _means(table, check_weights(contrasts, table.shape[1]))
    beyond, done = np.zeros(problem.size), 0
    for sums in _Blocks.of(problem.X, moved=problem.moved, law="auto").sums(draws, alternative == "two-sided", seed):
        drawn = problem.drawn(sums)
        towards = np.abs(drawn) if alternative == "two-sided" else -drawn if alternative == "less" else drawn
        beyond += np.count_nonzero(towards >= critical * (1 - 1e-9), axis=1)
        done += sums.shape[1]
    return beyond / done


# ----------------------------------------------------------------------------------------------------------------------
# Signed ranks.


class SignedRankContrasts:
    """The same on signed ranks of each contrast's differences: for tasks, whose scales differ.

    Differences are rounded to the precision of the values, because ranks see ties. Ranks of |d| keep the sign of d, and
    zeros count nothing but take ranks (Pratt's way). Signed ranks of few blocks tie, and ties cost power once contrasts
    are many, so that they are broken by the mean: to ranks scaled to Σ² = 1, 0.02 times the differences scaled likewise
    are added. Without them, with K = 5 and 8 tasks, power falls from 27 to 11 %.

    >>> ranked = SignedRankContrasts([[3.0], [1.0], [2.0], [-0.5], [4.0], [2.5]])
    >>> ranked.test("two-sided", 0.05, draws=9_999, seed=0).p.tolist()
    [0.0625]
    >>> [round(float(end[0]), 3) for end in (ranked.intervals(2.0).lower, ranked.centre, ranked.intervals(2.0).upper)]
    [-0.5, 2.0, 4.0]
    """

    @one_thread()
    def __init__(self, values: ArrayLike, contrasts: ArrayLike | None = None) -> None:
        self.d = _rounded_differences(values, contrasts)

    @cached_property
    def scores(self) -> Array:
        return signed_rank_scores(self.d)

    @cached_property
    def z(self) -> Array:
        return z_of_scores(self.scores)

    @cached_property
    def centre(self) -> Array:
        """The shift of each contrast at which z is zero: a Hodges–Lehmann estimate."""
        side = np.where(self.d.sum(axis=1) < 0, -1.0, 1.0)  # so that exchanged sides have exactly the opposite estimate
        turned = side[:, None] * self.d
        shift = shifts_reaching(turned, 0.0, side * self.z)
        return np.where(self.d.any(axis=1), side * shifts_at_jumps(turned, shift), 0.0)

    @one_thread()
    def test(self, alternative: str, alpha: float, draws: int, seed: int, law: str = "auto") -> JointTest:
        return _tested(self.problem, alternative, alpha, draws, seed, law)

    @property
    def problem(self) -> _Problem:
        # At its centre two differences of a contrast are often equal in size, and rank as such only if rounded.
        scale = np.abs(self.d).max(axis=1, keepdims=True) + np.abs(self.centre[:, None])
        about = rounded(self.d - self.centre[:, None], scale)
        X = np.vstack([over_length(scores, lengths(scores)) for scores in (self.scores, signed_rank_scores(about))]).T
        return _Problem(np.ascontiguousarray(X))

    def statistics(self, shift: float = 0.0) -> Array:
        """z of each contrast, were its difference `shift`: large if the differences lie above that."""
        return z_of_scores(signed_rank_scores(self.d - shift))

    def intervals(self, critical: float, alternative: str = "two-sided") -> Intervals:
        """The shifts of each contrast that z does not put beyond `critical`; none if all differences are zero."""
        check_alternative(alternative)
        zero, m = ~self.d.any(axis=1), len(self.d)
        both = np.full((2, m), -inf)  # lower ends, and those of the opposite contrasts
        if critical < inf:
            ends = {"greater": slice(m), "less": slice(m, None)}.get(alternative, slice(None))
            d, z = np.vstack([self.d, -self.d])[ends], np.concatenate([self.z, -self.z])[ends]
            both.ravel()[ends] = shifts_reaching(d, critical, z)
        lower, upper = np.where(zero, np.nan, both)
        return Intervals(self.centre, lower, -upper)


def _rounded_differences(values: ArrayLike, contrasts: ArrayLike | None) -> Array:
    table = number_table(values, "values")
    weights = check_weights(contrasts, table.shape[1])
    scale = np.max(np.abs(weights) * np.abs(table).max(axis=0), axis=1)
    return rounded(weights @ table.T, scale[:, None])


# ----------------------------------------------------------------------------------------------------------------------
# Drawing e'X.


def _tested(problem: _Problem, alternative: str, alpha: float, draws: int, seed: int, law: str) -> JointTest:
    check_alternative(alternative)
    draws = check_draws(draws, check_alpha(alpha))
    sided = alternative == "two-sided"
    z = problem.drawn(problem.X.sum(axis=0))
    towards = np.abs(z) if sided else -z if alternative == "less" else z
    blocks = _Blocks.of(problem.X, moved=problem.moved, law=law)
    if blocks.way == "bits":
        problem = problem.in_single_precision()
        blocks = replace(blocks, X=problem.X)
    slack = problem.slack()
    counts = StepDown(towards, slack=slack)
    problem, columns = problem.in_order(counts.order)
    blocks = replace(blocks, X=blocks.X[:, columns])
    largest, done = [], 0
    for sums in blocks.sums(draws, two_sided=sided, seed=seed):
        done += sums.shape[1]
        drawn, about = problem.drawn(sums), problem.about(sums)
        if sided:
            drawn, about = np.abs(drawn, out=drawn), np.abs(about, out=about)
        elif alternative == "less":
            drawn, about = -drawn, -about
        counts.add(drawn)
        largest.append(about.max(axis=0))
    exact = blocks.way == "all"
    p, adjusted = counts.shares(exact)
    if blocks.way == "normal":  # of one contrast the law is known
        alone = np.minimum(1.0, (2 if sided else 1) * normal_sf(towards))
        p = np.where(slack > 0, alone, 1.0)
        adjusted = np.maximum(p, adjusted)
    critical = upper_quantile(counts.largest, alpha, exact)
    residual_law = np.concatenate(largest)
    reach = max(critical, upper_quantile(residual_law, alpha, exact))
    return JointTest(z, p, adjusted, critical, reach, exact, done, (np.sort(counts.largest), np.sort(residual_law)))


@one_thread()
def best_by_flips(
    values: ArrayLike, *, ranks: bool = False, draws: int = 9_999, seed: int = 0, law: str = "auto"
) -> JointTest:
    """Of each column whether it may be the best, larger values being better: a test for each, step-down over columns.

    H_i, "no column is better than i", is tested by T_i = max_j z_ji, the strongest evidence that some j beats i. If it
    is true, each z_ji is about as large as its flips, or smaller; `p` is the share of flips with as large a T_i. The
    best column is rejected with a chance of at most α: it is among those that are not, a subset as Gupta's (1965).
    `p_adjusted` steps down over the columns (Westfall and Young): those that it does not reject hold all the best ones
    at once, as a model confidence set does (Hansen, Lunde and Nason 2011), for which no column has to be far behind.

    `ranks` takes z from signed ranks of the differences, each pair by itself, instead of means.

    >>> rows = [[62, 60, 55], [71, 66, 69], [80, 78, 70], [55, 56, 50], [90, 84, 83], [77, 70, 72], [66, 63, 60]]
    >>> best_by_flips([*rows, [58, 51, 57]]).p_adjusted.tolist()
    [1.0, 0.02734375, 0.0078125]
    """
    table = number_table(values, "values", columns=2)
    k = table.shape[1]
    first, second = np.triu_indices(k, 1)
    weights = np.zeros((len(first), k))
    weights[np.arange(len(first)), first], weights[np.arange(len(first)), second] = 1.0, -1.0
    problem = SignedRankContrasts(table, weights).problem if ranks else _means(table, weights)

    def strongest(z: Array) -> Array:
        """The largest z against each column, from those of all pairs; nothing speaks against the one that leads."""
        against = np.zeros((k, z.shape[1]))
        for i in range(k):
            for side, sign in ((second == i, 1.0), (first == i, -1.0)):
                if side.any():
                    np.maximum(against[i], (sign * z[side]).max(axis=0), out=against[i])
        return against

    statistic = strongest(problem.drawn(problem.X.sum(axis=0))[:, None])[:, 0]
    counts = StepDown(statistic, slack=float(problem.slack().max(initial=0.0)))
    blocks, done = _Blocks.of(problem.X, moved=problem.moved, law=law), 0
    for sums in blocks.sums(check_draws(draws, 0.05), two_sided=False, seed=seed):
        done += sums.shape[1]
        counts.add(strongest(problem.drawn(sums))[counts.order])
    exact = blocks.way == "all"
    p, adjusted = counts.shares(exact)
    return JointTest(statistic, p, adjusted, upper_quantile(counts.largest, 0.05, exact), inf, exact, done)


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks:
    """Rows of X, how often each occurs, and the way in which the sums of their flips are made.

    Ways: "all" signs, "counts" of equal rows, "bits", or "normal".
    """

    X: Array
    times: NDArray[np.int64]
    way: str

    @classmethod
    def of(cls, X: Array, moved: NDArray[np.bool_], law: str) -> _Blocks:
        choice(law, LAWS, "law")
        once = np.ones(len(X), dtype=np.int64)
        still = ~X[:, moved].any(axis=1)  # zero in all contrasts: only residuals see these blocks
        if law == "normal":
            return cls(X, once, "normal")
        if len(X) - int(still.sum()) <= FEW:
            last = X[still][:1] if still.any() else np.zeros((1, X.shape[1]))
            return cls(np.vstack([X[~still], last]), np.append(once[~still], int(still.sum())), "all")
        if len(X) > 4 * DISTINCT and (rows := _few_rows(X)) is not None:
            return cls(*rows, "counts")
        return cls(X, once, "normal" if law == "auto" and len(X) > MANY else "bits")

    def sums(self, draws: int, two_sided: bool, seed: int) -> Iterator[Array]:
        """e'X, a draw a column, in chunks. Two-sided, a vector of signs and its opposite are the same.

        Each chunk is written over the one before: asking the system for new memory takes half as long as the sums.
        """
        rng = np.random.Generator(np.random.SFC64(seed))
        n, q = self.X.shape
        if self.way == "all":
            yield self._all_sums(two_sided, rng)
            return
        turned = np.ascontiguousarray(_root(self.X.T @ self.X) if self.way == "normal" else self.X.T)
        memory = signs = np.empty(0, dtype=self.X.dtype)
        for size in in_chunks(draws, 8 * q if self.way == "normal" else n):
            if len(memory) < q * size:
                memory = np.empty(q * size, dtype=self.X.dtype)
                signs = np.empty((n * size // 8 + 1 if self.way == "bits" else 0, 8), dtype=self.X.dtype)
            yield np.matmul(turned, self._drawn(size, rng, signs), out=memory[: q * size].reshape(q, size))

    def _drawn(self, size: int, rng: np.random.Generator, signs: NDArray[Any]) -> NDArray[Any]:
        """What the columns are summed with: signs, sums of as many as a row occurs, or normal numbers."""
        if self.way == "normal":
            return rng.standard_normal((self.X.shape[1], size))
        if self.way == "counts":
            return 2.0 * rng.binomial(self.times[:, None], 0.5, (len(self.X), size)) - self.times[:, None]
        return _signs(len(self.X), size, rng, signs)

    def _all_sums(self, two_sided: bool, rng: np.random.Generator) -> Array:
        """All signs of the blocks; those of the blocks that are zero, in the last row, are drawn."""
        n = len(self.X) - 1
        number = np.arange(2 ** max(n - two_sided, 0))
        signs = 1.0 - 2.0 * ((number >> np.arange(n)[:, None]) & 1)
        rest = 2.0 * rng.binomial(int(self.times[-1]), 0.5, (1, len(number))) - self.times[-1]
        return np.asarray(self.X.T @ np.vstack([signs, rest]))


def _few_rows(X: Array) -> tuple[Array, NDArray[np.int64]] | None:
    """The different rows and how often each occurs, if they are few. Rows are told apart by a number made of them."""
    if len(X) > 4 * DISTINCT and _few_rows(X[: 4 * DISTINCT]) is None:
        return None
    key = np.zeros(len(X))
    for column, weight in zip(X.T, np.sin(np.arange(1.0, X.shape[1] + 1)), strict=True):
        key += weight * column
    _, first, which, times = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    same = len(first) <= DISTINCT and np.array_equal(X[first][which], X)
    return (X[first], times) if same else None


def _signs(n: int, size: int, rng: np.random.Generator, out: NDArray[Any]) -> NDArray[Any]:
    """n × size fair coins, −1 or 1, in the memory of `out`: rows of the eight that a byte holds."""
    need = n * size
    drawn = np.frombuffer(rng.bytes(-(-need // 8)), dtype=np.uint8)
    return (
        _eight_signs(out.dtype).take(drawn, axis=0, out=out[: len(drawn)], mode="clip").ravel()[:need].reshape(n, size)
    )


@lru_cache(maxsize=2)
def _eight_signs(kind: np.dtype[Any]) -> NDArray[Any]:
    """The eight signs of each byte, the highest bit first."""
    return 2 * np.unpackbits(np.arange(256, dtype=np.uint8)).reshape(256, 8).astype(kind) - 1


def _root(covariance: Array) -> Array:
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
