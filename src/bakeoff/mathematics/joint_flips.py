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
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.mathematics.checks import Array, choice, midranks, number_table, rounded
from bakeoff.mathematics.laws import check_alpha, check_alternative, normal_sf
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
TINY = float(np.finfo(float).tiny)
BLUR = 1e-4  # statistics that differ by no more than this may count as equal where signs are drawn
CLOSE = 1e-9  # share of their spread to which shifts of differences are found
TIE_BREAK = 0.02  # share of the mean's scores that is added to signed ranks


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

    def drawn(self, sums: Array, order: NDArray[np.intp] | slice = slice(None)) -> Array:
        """z* of each contrast, in that order."""
        return sums[: self.size][order] if self.test is None else self.test[order] @ sums

    def about(self, sums: Array) -> Array:
        """The same of residuals."""
        return sums[self.size :] if self.residual is None else self.residual @ sums

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
    test = np.column_stack([_over(weights, length), np.zeros(len(weights))])
    residual = np.column_stack([_over(weights, spread), -_over(mean[:, None], spread)])
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


def _over(rows: Array, length: Array) -> Array:
    """Each row divided by its length; zero if that is."""
    return np.asarray(rows * np.where(length > 0, 1 / np.where(length > 0, length, 1.0), 0.0)[:, None])


def flip_statistics(values: ArrayLike, contrasts: ArrayLike | None = None, shift: float = 0.0) -> Array:
    """z of each contrast, were its difference `shift`; without any spread it is zero.

    >>> flip_statistics([[1.0], [2.0], [4.0], [5.0], [3.0]], shift=3.0).tolist()
    [0.0]
    """
    table = number_table(values, "values")
    weights = check_weights(contrasts, table.shape[1])
    z = np.zeros(len(weights))
    for part, d in contrast_values(table, weights):
        moved = d - shift
        z[part] = _over(moved.sum(axis=0)[:, None], np.sqrt(np.sum(moved * moved, axis=0)))[:, 0]
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


def joint_signed_ranks(
    values: ArrayLike,
    contrasts: ArrayLike | None = None,
    *,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    draws: int = 9_999,
    seed: int = 0,
    law: str = "auto",
) -> JointTest:
    """The same on signed ranks of each contrast's differences: for tasks, whose scales differ.

    Ranks of |d| keep the sign of d, and zeros count nothing but take ranks (Pratt's way). Signed ranks of few blocks
    tie, and ties cost power once contrasts are many, so that they are broken by the mean: to ranks scaled to Σ² = 1,
    0.02 times the differences scaled likewise are added. Without them, with K = 5 and 8 tasks, power falls from 27 to
    11 %.

    >>> joint_signed_ranks([[3.0], [1.0], [2.0], [-0.5], [4.0]]).p.tolist()
    [0.125]
    """
    return SignedRankContrasts(values, contrasts).test(alternative, alpha, draws, seed, law)


class SignedRankContrasts:
    """Differences of contrasts, a row each, rounded to the precision of the values, because ranks see ties."""

    def __init__(self, values: ArrayLike, contrasts: ArrayLike | None = None) -> None:
        self.d = _rounded_differences(values, contrasts)

    @cached_property
    def centre(self) -> Array:
        """The shift of each contrast at which z is zero: a Hodges–Lehmann estimate."""
        side = np.where(self.d.sum(axis=1) < 0, -1.0, 1.0)  # so that exchanged sides have exactly the opposite estimate
        turned = side[:, None] * self.d
        return np.where(self.d.any(axis=1), side * _at_jumps(turned, _shift_reaching(turned, 0.0)), 0.0)

    @one_thread()
    def test(self, alternative: str, alpha: float, draws: int, seed: int, law: str = "auto") -> JointTest:
        return _tested(self.problem, alternative, alpha, draws, seed, law)

    @property
    def problem(self) -> _Problem:
        # At its centre two differences of a contrast are often equal in size, and rank as such only if rounded.
        scale = np.abs(self.d).max(axis=1, keepdims=True) + np.abs(self.centre[:, None])
        about = rounded(self.d - self.centre[:, None], scale)
        scores = [_signed_ranks(d) for d in (self.d, about)]
        X = np.vstack([_over(s, np.sqrt(np.sum(s * s, axis=1))) for s in scores]).T
        return _Problem(np.ascontiguousarray(X))

    def statistics(self, shift: float = 0.0) -> Array:
        """z of each contrast, were its difference `shift`: large if the differences lie above that."""
        return _signed_rank_z(self.d - shift)

    def intervals(self, critical: float, alternative: str = "two-sided") -> Intervals:
        """The shifts of each contrast that z does not put beyond `critical`; none if all differences are zero."""
        check_alternative(alternative)
        zero = ~self.d.any(axis=1)
        lower = upper = np.full(len(self.d), inf)
        if critical < inf and alternative != "less":
            lower = -_shift_reaching(self.d, critical)
        if critical < inf and alternative != "greater":
            upper = -_shift_reaching(-self.d, critical)
        return Intervals(self.centre, np.where(zero, np.nan, -lower), np.where(zero, np.nan, upper))


def _rounded_differences(values: ArrayLike, contrasts: ArrayLike | None) -> Array:
    table = number_table(values, "values")
    weights = check_weights(contrasts, table.shape[1])
    scale = np.max(np.abs(weights) * np.abs(table).max(axis=0), axis=1)
    return rounded(weights @ table.T, scale[:, None])


def _signed_ranks(d: Array) -> Array:
    """Scores of differences that lie in rows: signed ranks of length one, and a little of the differences' own."""
    ranks = np.sign(d) * midranks(np.abs(d))
    size = np.max(np.abs(d), axis=1)
    scaled = _over(d, size)
    lengths = [np.sqrt(np.sum(s * s, axis=1)) for s in (ranks, scaled)]
    return _over(ranks, lengths[0]) + TIE_BREAK * _over(scaled, lengths[1])


def _signed_rank_z(d: Array) -> Array:
    """z of rows of differences: Σ s / √(Σ s²) of their scores s.

    Without ties, ranks are the places of the sorted sizes, and scores need not be made one by one.
    """
    order = np.argsort(np.abs(d), axis=1, kind="stable")
    ordered = np.take_along_axis(d, order, axis=1)
    size, rank = np.abs(ordered), np.arange(1.0, d.shape[1] + 1)
    tied = np.any(size[:, 1:] == size[:, :-1], axis=1)
    scale = np.where(size[:, -1:] > 0, size[:, -1:], 1.0)
    share = ordered / scale
    signs = np.sign(ordered)
    long, short = np.sqrt(np.abs(signs) @ rank**2), np.sqrt(np.sum(share * share, axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        total = signs @ rank / long + TIE_BREAK * share.sum(axis=1) / short
        z = total / np.sqrt(1 + TIE_BREAK**2 + 2 * TIE_BREAK * (np.abs(share) @ rank) / (long * short))
    z[~(long > 0)] = 0.0
    if tied.any():
        scores = _signed_ranks(d[tied])
        length = np.sqrt(np.sum(scores * scores, axis=1))
        z[tied] = scores.sum(axis=1) / np.where(length > 0, length, 1.0)
    return np.asarray(z)


def _shift_reaching(d: Array, level: float) -> Array:
    """For each row the shift θ at which z of d − θ, which falls in θ, comes down to the level; −∞ if it never is above.

    Zero is asked first, so that the answer is on the same side of zero as the test's. Then where a normal mean would
    be; because z falls by about one a standard error, that tells where the end is, nearly. z is smooth between jumps,
    which lie at means of two differences: each shift that is asked settles a whole piece, so that few suffice.
    """
    unit = np.abs(d).max(axis=1)  # a step towards numbers whose squares exist
    unit[unit == 0] = 1.0
    d = np.sort(d / unit[:, None], axis=1)
    spread = d[:, -1] - d[:, 0]
    # Equal differences have no spread: they are their own end, if all signs being the same is enough.
    lowest = np.where(spread > 0, d[:, 0] - spread, d[:, 0] - 1)
    never = _signed_rank_z(d - lowest[:, None]) <= level
    end = d[:, 0].copy()
    if len(rows := np.flatnonzero((spread > 0) & ~never)):
        centre = d[rows, d.shape[1] // 2]
        at_zero = _signed_rank_z(d[rows]) > level
        end[rows] = centre + _fall_to(level, d[rows] - centre[:, None], -centre, at_zero)
    return np.where(never, -inf, unit * end)


def _at_jumps(d: Array, shift: Array) -> Array:
    """Shifts of rows that lie at a jump of z, as far as they were found: the very mean of two differences there."""
    exact = shift.copy()
    for row, at in enumerate(shift):
        ordered = np.sort(d[row])
        upper = np.minimum(np.searchsorted(ordered, 2 * at - ordered), len(ordered) - 1)
        means = (ordered + ordered[np.stack([upper, np.maximum(upper - 1, 0)])]) / 2
        nearest = means.flat[np.abs(means - at).argmin()]
        if abs(nearest - at) <= 10 * CLOSE * (ordered[-1] - ordered[0]):
            exact[row] = nearest
    return exact


def _fall_to(level: float, d: Array, known: Array, above_there: NDArray[np.bool_]) -> Array:
    """The same of sorted rows that are not all equal; whether z is above the level is known at one shift."""
    spread = d[:, -1] - d[:, 0]
    low, high = d[:, 0] - spread, d[:, -1]
    around = (low < known) & (known < high)
    low, high = np.where(around & above_there, known, low), np.where(around & ~above_there, known, high)
    z_low, z_high = (np.full(len(d), np.nan) for _ in range(2))  # above the level, once an end has been asked
    pace = np.std(d, axis=1) / np.sqrt(d.shape[1])  # by how much θ rises while z falls by one, about
    theta, sums = d.mean(axis=1) - level * pace, _RowSums.of(d)
    end, rows = np.full(len(d), np.nan), np.arange(len(d))
    for step in range(60):
        least = CLOSE / 10 * spread[rows]
        at = np.clip(theta[rows], low[rows] + least, high[rows] - least)
        piece = _Piece.of(d[rows], at, sums.of_rows(rows))
        left, right = piece.z(-piece.down) - level, piece.z(piece.up) - level
        above, below = right > 0, left <= 0
        i, j = rows[above], rows[below]
        low[i], z_low[i] = np.maximum(low[i], (at + piece.up)[above]), right[above]
        high[j], z_high[j] = np.minimum(high[j], (at - piece.down)[below]), left[below]
        if len(within := np.flatnonzero(~(above | below))):
            end[rows[within]] = at[within] + piece.of_rows(within).crossing(level)
        again = (above | below) & (high[rows] - low[rows] > CLOSE * spread[rows])
        ahead = np.where(above, at + piece.up + right * pace[rows], at - piece.down + left * pace[rows])[again]
        rows = rows[again]
        if not len(rows):
            break
        both = np.isfinite(z_low[rows] - z_high[rows]) & (step > 0)
        straight = low[rows] + (high[rows] - low[rows]) * z_low[rows] / (z_low[rows] - z_high[rows])
        theta[rows] = np.where(both, straight if step % 4 < 3 else (low[rows] + high[rows]) / 2, ahead)
    middle = low / 2 + high / 2
    return np.where(np.isnan(end), middle, np.clip(end, low, high))


@dataclass(frozen=True, slots=True, eq=False)
class _RowSums:
    """Of sorted rows d their sum, the sum of their squares, and √Σ rank²: midranks of equal numbers are shorter."""

    total: Array
    squares: Array
    length: Array

    @classmethod
    def of(cls, d: Array) -> _RowSums:
        n = d.shape[1]
        length = np.full(len(d), n * (n + 1) * (2 * n + 1) / 6)
        same = d[:, 1:] == d[:, :-1]
        for row in np.flatnonzero(same.any(axis=1)):
            times = np.diff(np.flatnonzero(np.concatenate([[True], ~same[row], [True]]))).astype(float)
            length[row] -= np.sum(times**3 - times) / 12
        return cls(d.sum(axis=1), np.einsum("ij,ij->i", d, d), np.sqrt(length))

    def of_rows(self, rows: NDArray[np.intp]) -> _RowSums:
        return _RowSums(self.total[rows], self.squares[rows], self.length[rows])


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """z of d − θ in rows, and how far θ may go down and up until z jumps.

    Until then W = Σ sign·rank and the length of the ranks stay; with a step δ of θ, S = Σ(d − θ) becomes S − nδ,
    Q = Σ(d − θ)² becomes Q − 2Sδ + nδ², and C = Σ |d − θ|·rank becomes C − Wδ.
    """

    n: int
    W: Array
    S: Array
    Q: Array
    C: Array
    length: Array
    down: Array
    up: Array

    @classmethod
    def of(cls, d: Array, theta: Array, sums: _RowSums) -> _Piece:
        """Signs are kept in the last bit of the sizes while those are sorted: 1 is at or below θ."""
        n = d.shape[1]
        moved = d - theta[:, None]
        bits = np.abs(moved).view(np.int64)
        bits &= -2
        bits |= moved <= 0
        bits.sort(axis=1)
        below, size = (bits & 1).astype(float), bits.view(float)
        rank = np.arange(1.0, n + 1)
        # Two neighbours on different sides are equal in size at the mean of both; the one next to θ meets it there.
        turn = np.diff(below, axis=1) / (np.diff(size, axis=1) + TINY)
        rows, first = np.arange(len(d)), below.sum(axis=1).astype(int)
        beside = d[rows, np.minimum(first, n - 1)] - theta, theta - d[rows, np.maximum(first - 1, 0)]
        with np.errstate(divide="ignore"):
            up, down = (0.5 / np.maximum(end, 0.0) for end in (-turn.min(axis=1), turn.max(axis=1)))
        span = d[:, -1] - d[:, 0]
        up = np.minimum(up, np.where(first < n, beside[0], span))
        down = np.minimum(down, np.where(first > 0, beside[1], span))
        S = sums.total - n * theta
        Q = sums.squares - (sums.total + S) * theta
        return cls(n, rank.sum() - 2 * (below @ rank), S, Q, size @ rank, sums.length, down, up)

    def of_rows(self, rows: NDArray[np.intp]) -> _Piece:
        return _Piece(self.n, *(getattr(self, name)[rows] for name in ("W", "S", "Q", "C", "length", "down", "up")))

    def z(self, step: Array) -> Array:
        short = np.sqrt(np.maximum(self.Q - 2 * self.S * step + self.n * step * step, TINY))
        cosine = (self.C - self.W * step) / (self.length * short)
        total = self.W / self.length + TIE_BREAK * (self.S - self.n * step) / short
        return np.asarray(total / np.sqrt(1 + TIE_BREAK**2 + 2 * TIE_BREAK * cosine))

    def crossing(self, level: float) -> Array:
        """The step between down and up at which z comes down to the level: the rule of false position (Illinois)."""
        low, high = -self.down, self.up
        z_low, z_high = self.z(low) - level, self.z(high) - level
        for _ in range(60):
            step = low + (high - low) * z_low / (z_low - z_high)
            z = self.z(step) - level
            above = z > 0
            z_high = np.where(above, z_high / 2, z)
            z_low = np.where(above, z, z_low / 2)
            low, high = np.where(above, step, low), np.where(above, high, step)
            if np.all((high - low <= CLOSE * (self.down + self.up)) | (np.abs(z) < 1e-13)):
                break
        return np.asarray(step)


def signed_rank_intervals(
    values: ArrayLike, contrasts: ArrayLike | None = None, *, critical: float, alternative: str = "two-sided"
) -> Intervals:
    """The shifts of each contrast that its signed-rank z, ties broken by the mean, does not put beyond `critical`.

    The estimate is the shift with z = 0, a Hodges–Lehmann estimate. Differences that are all zero have no interval.

    >>> found = signed_rank_intervals([[3.0], [1.0], [2.0], [-0.5], [4.0], [2.5]], critical=2.0)
    >>> [round(float(end[0]), 3) for end in (found.lower, found.estimate, found.upper)]
    [-0.5, 2.0, 4.0]
    """
    return SignedRankContrasts(values, contrasts).intervals(critical, alternative)


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
    largest, done = [], 0
    for sums in blocks.sums(draws, two_sided=sided, seed=seed):
        done += sums.shape[1]
        drawn, about = problem.drawn(sums, counts.order), problem.about(sums)
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
        if len(X) > 4 * DISTINCT and (found := _few_rows(X)) is not None:
            return cls(*found, "counts")
        return cls(X, once, "normal" if law == "auto" and len(X) > MANY else "bits")

    def sums(self, draws: int, two_sided: bool, seed: int) -> Iterator[Array]:
        """e'X, a draw a column, in chunks. Two-sided, a vector of signs and its opposite are the same."""
        rng = np.random.Generator(np.random.SFC64(seed))
        n, q = self.X.shape
        if self.way == "all":
            yield self._all_sums(two_sided, rng)
            return
        root = _root(self.X.T @ self.X) if self.way == "normal" else np.empty(0)
        turned = np.ascontiguousarray(self.X.T)
        for size in in_chunks(draws, 8 * q if self.way == "normal" else n):
            if self.way == "normal":
                yield root @ rng.standard_normal((q, size))
            elif self.way == "counts":
                yield turned @ (2.0 * rng.binomial(self.times[:, None], 0.5, (n, size)) - self.times[:, None])
            else:
                yield turned @ _signs(n, size, rng, self.X.dtype)

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


def _signs(n: int, size: int, rng: np.random.Generator, kind: np.dtype[Any]) -> Array:
    """n × size fair coins, −1 or 1."""
    need = n * size
    bits = np.unpackbits(np.frombuffer(rng.bytes(-(-need // 8)), dtype=np.uint8), count=need)
    return np.take(np.array([-1, 1], dtype=kind), bits).reshape(n, size)


def _root(covariance: Array) -> Array:
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
