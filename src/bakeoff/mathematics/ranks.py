"""Laws of ranks and signs: of a signed-rank sum, of the spread of rank sums, and of a number of wins.

For Wilcoxon's test the law of a signed-rank sum gives the p-value, the order statistics of the Walsh averages
(di + dj)/2, i ≤ j, the estimate and its interval, because the sum of the positive ranks is the number of positive Walsh
averages. The spread of rank sums is Friedman's statistic, the number of wins that of the sign test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import factorial, floor, inf, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array, choice, count, midranks, number_table, rounded
from bakeoff.mathematics.laws import (
    binomial_cdf,
    binomial_sf,
    check_alpha,
    check_alternative,
    end_tail,
    normal_quantile,
    one_sided,
    p_from_t,
)
from bakeoff.records import Record

# Up to so many values all Walsh averages are held at once: two million of them.
FEW = 2000


def sum_law(ranks: Array) -> Array:
    """P(W = w/2) for w = 0, 1, 2, …: W sums the ranks whose sign, a fair coin, comes up positive.

    Ranks may be halves (ties share mean ranks), so twice their value is a whole number. The shift algorithm of
    Streitberg and Röhmel: each rank moves half of the probability up by its value.

    >>> sum_law(np.array([1.0, 2.5])).tolist()
    [0.25, 0.0, 0.25, 0.0, 0.0, 0.25, 0.0, 0.25]
    """
    doubled = np.rint(2 * np.sort(ranks)).astype(np.intp)
    law = np.zeros(int(doubled.sum()) + 1)
    unit = max(int(np.gcd.reduce(doubled)), 1)
    law[::unit] = _whole_sum_law((doubled // unit).tolist())
    return law


def _whole_sum_law(steps: Sequence[int]) -> Array:
    law = np.zeros(sum(steps) + 1)
    law[0], reach = 1.0, 0
    for step in steps:
        law[: reach + 1] /= 2
        law[step : reach + step + 1] += law[: reach + 1].copy()
        reach += step
    return law


def tails(law: Array, w: float) -> tuple[float, float]:
    """P(W ≥ w) and P(W ≤ w), the outcome w counted in both."""
    at = round(2 * w)
    return min(1.0, float(law[at:].sum())), min(1.0, float(law[: at + 1].sum()))


def lower_index(law: Array, tail: float) -> int:
    """The largest number k of Walsh averages that may be cut off: P(W < k) ≤ tail, in the law of whole ranks 1 … n."""
    below = np.cumsum(law[::2])
    return int(np.searchsorted(below, tail * (1 + 1e-12), side="right"))


def walsh_order_statistics(values: Array, positions: Sequence[int]) -> list[float]:
    """The Walsh averages at these positions, counted from 1, in order of size; −∞ and ∞ beyond both ends.

    >>> walsh_order_statistics(np.array([0.0, 2.0, 6.0]), [0, 1, 3, 7])
    [-inf, 0.0, 2.0, inf]
    """
    n = len(values)
    total = n * (n + 1) // 2
    inside = sorted({k for k in positions if 1 <= k <= total})
    if n <= FEW:
        rows, columns = np.triu_indices(n)
        ordered = np.sort((values[rows] + values[columns]) / 2)
        statistics = {k: float(ordered[k - 1]) for k in inside}
    else:
        ordered = np.sort(values)
        statistics = {k: _walsh_by_counting(ordered, k) for k in inside}
    return [-inf if k < 1 else inf if k > total else statistics[k] for k in positions]


def _walsh_by_counting(ordered: Array, k: int) -> float:
    """The k-th smallest Walsh average without making them all: halve the range, counting those on one side."""
    own = np.arange(len(ordered))

    def enough(theta: float) -> bool:
        """Whether k Walsh averages are at most θ: for each i, count the partners j ≥ i with dj ≤ 2θ − di."""
        partners = np.searchsorted(ordered, 2 * theta - ordered, side="right") - own
        return int(np.maximum(partners, 0).sum()) >= k

    low, high = float(ordered[0]), float(ordered[-1])
    for _ in range(60):
        middle = low + (high - low) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return _nearest_walsh(ordered, high)


def _nearest_walsh(ordered: Array, theta: float) -> float:
    """The Walsh average nearest to θ, which frees the answer from the rounding of 2θ − di."""
    right = np.minimum(np.searchsorted(ordered, 2 * theta - ordered), len(ordered) - 1)
    averages = (ordered[:, None] + ordered[np.column_stack([np.maximum(right - 1, 0), right])]).ravel() / 2
    return float(averages[np.argmin(np.abs(averages - theta))])


# ----------------------------------------------------------------------------------------------------------------------
# Wilcoxon's signed ranks: zeros dealt with, both sums, their law, and the shifts that the test does not reject.


ZEROS: Mapping[str, str] = {
    "split": "split between the sides, an odd one dropped",
    "wilcox": "dropped",
    "pratt": "ranked, then dropped",
    "zsplit": "split between the sides, an odd one as well",
}
RANK_METHODS: Mapping[str, str] = {
    "auto": "exact or normal, by the number of differences",
    "exact": "exact",
    "normal": "normal approximation, tie-corrected",
    "normal-untied": "plain normal formula",
}
FEW_RANKS = 50  # differences that have a sign, up to which "auto" is exact
MANY_RANKS = 1000  # beyond, there is no exact law


def rank_method(method: str, n: int) -> str:
    """The method asked for, with "auto" settled by the number of differences that have a sign."""
    choice(method, RANK_METHODS, "method of the signed-rank test")
    if method == "auto":
        return "exact" if n <= FEW_RANKS else "normal"
    if method == "exact" and n > MANY_RANKS:
        raise UsageError(
            f"The exact law is meant for at most {MANY_RANKS} differences; found {n}: use the method normal."
        )
    return method


@dataclass(frozen=True, slots=True, eq=False)
class SignedRanks:
    """Signed ranks: the differences kept, the ranks that have a sign, their sums, the variance of W+ under the null.

    `untied` is the variance by the plain formula, n(n+1)(2n+1)/24, as if nothing were tied.
    """

    n_zero: int
    kept: Array
    signed: Array
    w_plus: float
    w_minus: float
    variance: float
    untied: float

    @classmethod
    def of(cls, d: Array, zeros: str = "split") -> SignedRanks:
        """Ranks of the sizes, after the zeros were dealt with.

        >>> ranked = SignedRanks.of(np.array([2.0, -1.0, 0.0, 3.0, 0.0]))
        >>> ranked.signed.tolist(), ranked.w_plus, ranked.w_minus
        ([4.0, 3.0, 5.0], 10.5, 4.5)
        """
        n_zero = int(np.sum(d == 0))
        if zeros == "wilcox":
            d = d[d != 0]
        elif zeros == "split":
            d = without_odd_tie(d, d)
        ranks = midranks(np.abs(d)) if len(d) else np.empty(0)
        signed = ranks[d != 0]
        half = float(ranks[d == 0].sum()) / 2 if zeros in ("split", "zsplit") else 0.0
        in_variance = ranks if zeros == "zsplit" else signed
        whole = _plain_variance(len(d))
        return cls(
            n_zero=n_zero,
            kept=d,
            signed=signed,
            w_plus=float(ranks[d > 0].sum()) + half,
            w_minus=float(ranks[d < 0].sum()) + half,
            variance=float(np.sum(in_variance**2)) / 4,
            untied=whole - _plain_variance(n_zero) if zeros == "pratt" else whole,
        )

    def z(self, alternative: str, correction: bool = False, untied: bool = False) -> float:
        """z = (W+ − (W+ + W−)/2) / σ; the correction takes half a rank towards the alternative's null, as R does."""
        variance = self.untied if untied else self.variance
        if variance == 0 or len(self.signed) == 0:
            return 0.0
        distance = (self.w_plus - self.w_minus) / 2
        if correction:
            distance -= 0.5 * {"greater": 1.0, "less": -1.0}.get(alternative, float(np.sign(distance)))
        return distance / sqrt(variance)

    def exact_p(self, alternative: str) -> float:
        """Tails of the law of the signed ranks' sum. It is symmetric, so two-sided is twice the smaller tail."""
        constant = (self.w_plus + self.w_minus - float(self.signed.sum())) / 2
        above, below = tails(sum_law(self.signed), self.w_plus - constant)
        return {"greater": above, "less": below, "two-sided": min(1.0, 2 * min(above, below))}[alternative]

    def pseudo_median(
        self, confidence: float, alternative: str, exact: bool, correction: bool = False
    ) -> tuple[float, float, float]:
        """The median of the Walsh averages, and the two of them that cut off what the test would reject.

        A shift θ is rejected if fewer than c Walsh averages lie on one side of it, so the interval runs from the c-th
        smallest to the c-th largest. With c = 0 the level is out of reach, and the interval has no ends.
        """
        values = self.kept if len(self.kept) else np.zeros(1)
        n = len(values)
        total = n * (n + 1) // 2
        tail = end_tail(confidence, alternative)
        if exact and n <= MANY_RANKS:
            c = lower_index(sum_law(np.arange(1.0, n + 1)), tail)
        else:  # rejected are the w with w + ½ [corrected] ≤ total/2 − z σ
            limit = total / 2 - normal_quantile(1 - tail) * sqrt(_plain_variance(n)) - (0.5 if correction else 0.0)
            c = min(max(floor(limit) + 1, 0), total)
        positions = [(total + 1) // 2, total // 2 + 1, c, total + 1 - c]
        middle, next_one, lower, upper = walsh_order_statistics(values, positions)
        return (middle + next_one) / 2, *one_sided(lower, upper, alternative)


def _plain_variance(n: int) -> float:
    return n * (n + 1) * (2 * n + 1) / 24


# ----------------------------------------------------------------------------------------------------------------------
# Signed ranks whose ties the mean breaks: their z in rows of differences, and the shifts at which it reaches a level.
#
# Scores are signed ranks scaled to Σ² = 1 plus TIE_BREAK times the differences scaled likewise, and z = Σs / √Σs². Were
# the differences shifted by θ, z would fall in θ: smoothly between jumps, which lie at means of two differences. Where
# it comes down to zero is a Hodges–Lehmann estimate; where to a quantile, the end of an interval.


TINY = float(np.finfo(float).tiny)
CLOSE = 1e-9  # share of their spread to which shifts of differences are found
TIE_BREAK = 0.02  # share of the mean's scores that is added to signed ranks


def over_length(rows: Array, length: Array) -> Array:
    """Each row divided by its length; zero if that is."""
    return np.asarray(rows * np.where(length > 0, 1 / np.where(length > 0, length, 1.0), 0.0)[:, None])


def lengths(rows: Array) -> Array:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))


def signed_rank_scores(d: Array) -> Array:
    """Scores of differences that lie in rows: signed ranks of length one, and a little of the differences' own."""
    ranks = np.sign(d) * midranks(np.abs(d))
    size = np.max(np.abs(d), axis=1)
    scaled = over_length(d, size)
    return over_length(ranks, lengths(ranks)) + TIE_BREAK * over_length(scaled, lengths(scaled))


def z_of_scores(scores: Array) -> Array:
    """Σs / √Σs² of each row; zero if all its scores are.

    >>> z_of_scores(np.array([[3.0, 4.0], [0.0, 0.0]])).round(12).tolist()
    [1.4, 0.0]
    """
    return over_length(scores.sum(axis=1)[:, None], lengths(scores))[:, 0]


def shifts_reaching(d: Array, level: float, z: Array) -> Array:
    """For each row the shift θ at which z of d − θ, which falls in θ, comes down to the level; −∞ if it never is above.

    z at zero is known, so that the answer is on the same side of zero as the test's. Asked is where a normal mean would
    be; because z falls by about one a standard error, that tells where the end is, nearly. z is smooth between jumps,
    which lie at means of two differences: each shift that is asked settles a whole piece, so that few suffice.
    """
    unit = np.abs(d).max(axis=1)  # a step towards numbers whose squares exist
    unit[unit == 0] = 1.0
    d = np.sort(d / unit[:, None], axis=1)
    spread = d[:, -1] - d[:, 0]
    # Equal differences have no spread: they are their own end, if all signs being the same is enough.
    lowest = np.where(spread > 0, d[:, 0] - spread, d[:, 0] - 1)
    never = _Piece.below_all(d - lowest[:, None]).z(np.zeros(1)) <= level
    end = d[:, 0].copy()
    if len(rows := np.flatnonzero((spread > 0) & ~never)):
        centre = d[rows, d.shape[1] // 2]
        end[rows] = centre + _fall_to(level, d[rows] - centre[:, None], -centre, z[rows] > level)
    return np.where(never, -inf, unit * end)


def shifts_at_jumps(d: Array, shift: Array) -> Array:
    """Shifts of rows that lie at a jump of z, as far as they were found: the very mean of two differences there."""
    at = shift[:, None]
    order = np.argsort(np.abs(d - at), axis=1)
    ordered = np.take_along_axis(d, order, axis=1)
    # Of all means of two on different sides, the nearest is that of neighbours in size; or the smallest is one itself.
    above = ordered > at
    means = (ordered[:, 1:] + ordered[:, :-1]) / 2
    means = np.hstack([ordered[:, :1], np.where(above[:, 1:] != above[:, :-1], means, inf)])
    distance = np.abs(means - at)
    least = distance.min(axis=1, keepdims=True)
    nearest = np.where(distance == least, means, -inf).max(axis=1)
    return np.where(least[:, 0] <= 10 * CLOSE * np.ptp(d, axis=1), nearest, shift)


def _fall_to(level: float, d: Array, known: Array, above_there: NDArray[np.bool_]) -> Array:
    """The same of sorted rows that are not all equal; whether z is above the level is known at one shift."""
    spread = d[:, -1] - d[:, 0]
    low, high = d[:, 0] - spread, d[:, -1]
    around = (low < known) & (known < high)
    low, high = np.where(around & above_there, known, low), np.where(around & ~above_there, known, high)
    z_low, z_high = (np.full(len(d), np.nan) for _ in range(2))  # above the level, once an end has been asked
    pace = np.std(d, axis=1) / np.sqrt(d.shape[1])  # by how much θ rises while z falls by one, about
    theta, sums = d.mean(axis=1) - level * pace, _RowSums.of(d)
    end, rows, memory = np.full(len(d), np.nan), np.arange(len(d)), np.empty((4, *d.shape))
    for step in range(60):
        least = CLOSE / 10 * spread[rows]
        at = np.clip(theta[rows], low[rows] + least, high[rows] - least)
        piece = _Piece.of(d, at, sums.of_rows(rows), memory[:, : len(d)])
        left, right = piece.z(-piece.down) - level, piece.z(piece.up) - level
        above, below = right > 0, left <= 0
        i, j = rows[above], rows[below]
        low[i], z_low[i] = np.maximum(low[i], (at + piece.up)[above]), right[above]
        high[j], z_high[j] = np.minimum(high[j], (at - piece.down)[below]), left[below]
        if len(within := np.flatnonzero(~(above | below))):
            end[rows[within]] = at[within] + piece.of_rows(within).crossing(level)
        again = (above | below) & (high[rows] - low[rows] > CLOSE * spread[rows])
        ahead = np.where(above, at + piece.up + right * pace[rows], at - piece.down + left * pace[rows])[again]
        if not again.all():
            d, rows = d[again], rows[again]
        if not len(rows):
            break
        both = np.isfinite(z_low[rows] - z_high[rows]) & (step > 0)
        straight = low[rows] + (high[rows] - low[rows]) * z_low[rows] / (z_low[rows] - z_high[rows])
        theta[rows] = np.where(both, straight if step % 4 < 3 else (low[rows] + high[rows]) / 2, ahead)
    return np.where(np.isnan(end), low / 2 + high / 2, np.clip(end, low, high))


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
        if len(tied := np.flatnonzero(same.any(axis=1))):
            # t equal numbers take (t³ − t)/12 off: the second of them 1/2, the j-th j(j − 1)/4.
            place = np.arange(1, n)
            j = 1 + place - np.maximum.accumulate(np.where(same[tied], 0, place), axis=1)
            length[tied] -= np.sum(j * (j - 1), axis=1) / 4
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
    def of(cls, d: Array, theta: Array, sums: _RowSums, memory: Array) -> _Piece:
        """Signs are kept in the last bit of the sizes while those are sorted: 1 is at or below θ.

        Everything large is made in `memory`: four arrays like d.
        """
        n, rank = d.shape[1], np.arange(1.0, d.shape[1] + 1)
        size, below, turn, gap = memory
        under = np.subtract(d, theta[:, None], out=size) <= 0
        bits = np.abs(size, out=size).view(np.int64)
        bits &= -2
        bits |= under
        bits.sort(axis=1)
        below[:] = np.bitwise_and(bits, 1, out=turn.view(np.int64))
        # Two neighbours on different sides are equal in size at the mean of both; the one next to θ meets it there.
        # All rows are gone through as one: the last of each is no neighbour of the next row's first.
        np.subtract(size.ravel()[1:], size.ravel()[:-1], out=gap.ravel()[:-1])
        np.subtract(below.ravel()[1:], below.ravel()[:-1], out=turn.ravel()[:-1])
        gap += TINY
        turn[:, -1], gap[:, -1] = 0.0, 1.0
        turn /= gap
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

    @classmethod
    def below_all(cls, d: Array) -> _Piece:
        """Of sorted rows that are positive."""
        n, sums, none = d.shape[1], _RowSums.of(d), np.zeros(len(d))
        rank = np.arange(1.0, n + 1)
        return cls(n, none + rank.sum(), sums.total, sums.squares, d @ rank, sums.length, none, none)

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
        before = np.full(len(low), 2)  # neither
        for _ in range(60):
            step = low + (high - low) * z_low / (z_low - z_high)
            z = self.z(step) - level
            above = z > 0
            weight = np.where(above == before, 0.5, 1.0)  # an end that stayed twice counts half
            z_low, z_high = np.where(above, z, weight * z_low), np.where(above, weight * z_high, z)
            low, high, before = np.where(above, step, low), np.where(above, high, step), above
            if np.all((high - low <= CLOSE * (self.down + self.up)) | (np.abs(z) < 1e-13)):
                break
        return np.asarray(step)


# ----------------------------------------------------------------------------------------------------------------------
# The exact law of Friedman's statistic: every order of the ranks within each task is equally likely.
#
# Only the rank sums of the learners matter, and by symmetry only their sorted values. Task by task, the sums reached so
# far are combined with all orders of the task's own ranks (ties included), and equal outcomes are put together.


Whole = NDArray[np.int64]

SMALL = 2**14  # combinations of a step that cost a few milliseconds
LARGE = 2**22


def spread_law(ranks: ArrayLike, most: int = LARGE) -> tuple[Whole, Array] | None:
    """The values of the spread of k rank sums and their probabilities; None if there are too many combinations.

    `ranks` has a row a task; mean ranks of ties are halves.

    >>> values, p = spread_law([[1, 2, 3], [1, 2, 3]])
    >>> (values / 12).tolist(), (36 * p).round().tolist()  # Σ (R − R̄)², and how many of 36 orders
    ([0.0, 2.0, 6.0, 8.0], [6.0, 12.0, 12.0, 6.0])
    """
    doubled = np.rint(2 * np.atleast_2d(np.asarray(ranks, dtype=float))).astype(np.int64)
    k = doubled.shape[1]
    base = int(doubled.max(axis=1).sum()) + 1
    if factorial(k) > most or base**k >= 2**62:
        return None
    places = base ** np.arange(k, dtype=np.int64)
    sums, p = np.sort(doubled[:1], axis=1), np.ones(1)
    for task in doubled[1:]:
        orders = np.array(sorted(set(permutations(task.tolist()))), dtype=np.int64)
        if len(sums) * len(orders) > most:
            return None
        reached = np.sort((sums[:, None, :] + orders[None, :, :]).reshape(-1, k), axis=1)
        _, first, which = np.unique(reached @ places, return_index=True, return_inverse=True)
        p = _gathered(which, np.repeat(p, len(orders)) / len(orders))
        sums = reached[first]
    values, which = np.unique(spread(sums), return_inverse=True)
    return values, _gathered(which, p)


def _gathered(which: NDArray[np.intp], p: Array) -> Array:
    """The sum of p for each number in `which`."""
    return np.asarray(np.bincount(which, weights=p), dtype=float)


def spread(doubled_sums: Whole) -> Whole:
    """4k Σ (R_j − R̄)², a whole number, of rows of rank sums that were doubled: k Σ (2R)² − (Σ 2R)²."""
    k = doubled_sums.shape[-1]
    return np.asarray(k * np.sum(doubled_sums * doubled_sums, axis=-1) - np.sum(doubled_sums, axis=-1) ** 2)


def spread_tail(ranks: ArrayLike, most: int = LARGE) -> float | None:
    """P(spread ≥ that of these ranks); None if there are too many combinations.

    >>> spread_tail([[1, 2, 3], [1, 2, 3]])
    0.16666666666666666
    """
    table = np.atleast_2d(np.asarray(ranks, dtype=float))
    law = spread_law(table, most)
    if law is None:
        return None
    values, p = law
    observed = int(spread(np.rint(2 * table).astype(np.int64).sum(axis=0)))
    return min(1.0, float(p[values >= observed].sum()))


# ----------------------------------------------------------------------------------------------------------------------
# The mathematics of the sign test: counts of wins, losses and ties, their binomial law, and order statistics.


TIES: Mapping[str, str] = {"split": "split evenly, an odd one dropped", "dropped": "dropped"}
METHODS: Mapping[str, str] = {"exact": "exact", "normal": "normal approximation"}


@dataclass(frozen=True, slots=True)
class WinCounts:
    """Wins of n tasks after the ties were dealt with, and what follows from them."""

    wins: float
    n: int
    z: float
    p: float


def sign_test(
    wins: float,
    losses: float,
    n_ties: float = 0,
    *,
    alternative: str = "two-sided",
    ties: str = "split",
    method: str = "exact",
    correction: bool = False,
) -> WinCounts:
    """Test whether wins and losses are equally likely: X ~ Bin(n, ½).

    Ties are split evenly between wins and losses, an odd one dropped (Alpaydın, Demšar), or all are dropped (the
    classical way). "greater" is that wins are more likely. With nothing left to count, p is 1. The normal
    approximation is z = (e − n/2) / √(n/4), corrected by half a win towards 0 if asked, as R does.

    >>> result = sign_test(7, 2, 3)
    >>> result.wins, result.n, round(result.p, 4)
    (8, 11, 0.2266)
    >>> round(sign_test(7, 2, 3, ties="dropped").p, 4)
    0.1797
    """
    check_alternative(alternative)
    choice(method, METHODS, "method of the sign test")
    choice(ties, TIES, "treatment of ties")
    w, lost, tied = count(wins, "wins"), count(losses, "losses"), count(n_ties, "ties")
    shared = tied // 2 if ties == "split" else 0
    w, n = w + shared, w + lost + 2 * shared
    if n == 0:
        return WinCounts(0, 0, 0.0, 1.0)
    distance = w - n / 2
    if correction:
        distance -= min(0.5, abs(distance)) * (1 if distance > 0 else -1)
    z = distance / sqrt(n / 4)
    p = p_from_t(z, inf, alternative) if method == "normal" else exact_p(w, n, alternative)
    return WinCounts(w, n, z, p)


def exact_p(wins: int, n: int, alternative: str) -> float:
    """P(X ≥ e), P(X ≤ e), or twice the smaller of them, for X ~ Bin(n, ½).

    >>> [round(exact_p(8, 10, side), 4) for side in ("greater", "less", "two-sided")]
    [0.0547, 0.9893, 0.1094]
    """
    above, below = binomial_sf(wins, n, 0.5), binomial_cdf(wins, n, 0.5)
    return {"greater": above, "less": below, "two-sided": min(1.0, 2 * min(above, below))}[alternative]


@dataclass(frozen=True, slots=True, eq=False)
class Winners(Record):
    """Over tasks: how often each learner alone is the best, how often it is among the best, and how many tasks tie."""

    alone: NDArray[np.int64]
    among: NDArray[np.int64]
    ties: int


def count_winners(table: ArrayLike, *, larger_is_better: bool = True) -> Winners:
    """On how many tasks (rows) each learner (column) is the overall winner.

    Values that agree to twelve digits tie. A count to look at, not a test: it says nothing about the second best, and
    which learners share the wins depends on who else is in the table.

    >>> result = count_winners([[0.9, 0.8, 0.7], [0.6, 0.6, 0.5], [0.7, 0.8, 0.9]])
    >>> result.alone.tolist(), result.among.tolist(), result.ties
    ([1, 0, 1], [2, 1, 1], 1)
    """
    values = rounded(number_table(table, columns=2))
    best = values == (values.max if larger_is_better else values.min)(axis=1, keepdims=True)
    single = best.sum(axis=1) == 1
    return Winners(best[single].sum(axis=0), best.sum(axis=0), int((~single).sum()))


def critical_wins(n: int, alpha: float = 0.05, alternative: str = "two-sided") -> float:
    """The smallest number of wins out of n that is significant; infinite if even n wins are not.

    >>> critical_wins(10), critical_wins(10, alternative="greater"), critical_wins(5)
    (9, 9, inf)
    """
    check_alpha(alpha)
    if alternative not in ("two-sided", "greater"):
        raise UsageError(f"Wins are counted for the alternatives two-sided and greater; found {alternative!r}.")
    tail = alpha / 2 if alternative == "two-sided" else alpha
    n = count(n, "n")
    enough = (wins for wins in range(n // 2 + 1, n + 1) if binomial_sf(wins, n, 0.5) <= tail)
    return next(enough, inf)


def without_odd_tie(values: Array, away: Array) -> Array:
    """The values, one tie less if their number is odd; `away` tells how far each is from a tie.

    >>> without_odd_tie(np.array([3.0, 2.0, 5.0]), np.array([1.0, 0.0, 3.0])).tolist()
    [3.0, 5.0]
    """
    ties = np.flatnonzero(away == 0)
    return np.delete(values, ties[0]) if len(ties) % 2 else values


def median_interval(values: Array, confidence: float, alternative: str) -> tuple[float, float]:
    """The order statistics [x(c), x(n+1−c)] that the sign test would not reject as medians; c from P(X < c) ≤ tail.

    With c = 0 the level is out of reach for so few values, and the interval has no ends.

    >>> median_interval(np.arange(1.0, 11.0), 0.95, "two-sided")
    (2.0, 9.0)
    >>> median_interval(np.arange(1.0, 4.0), 0.95, "greater")
    (-inf, inf)
    """
    n, ordered = len(values), np.sort(values)
    c = _cut_off(n, end_tail(confidence, alternative))
    if c < 1:
        return -inf, inf
    return one_sided(float(ordered[c - 1]), float(ordered[n - c]), alternative)


@lru_cache(maxsize=64)  # asked for each learner
def _cut_off(n: int, tail: float) -> int:
    """The largest c with P(X < c) ≤ tail, by halving."""
    low, high = 0, n // 2 + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if binomial_cdf(middle - 1, n, 0.5) <= tail * (1 + 1e-12) else (low, middle)
    return low
