"""How often a random relabelling of the columns within each block spreads the column sums as far as the data do.

A table has B blocks (rows) and K columns. Under the null hypothesis the K labels of a block can be permuted, each block
by itself, and statistics such as Hothorn's t* grow with the spread of the column sums S_k about their mean,

    r = √ Σ_k (S_k − S̄)²,

so that a resample is as extreme as the data if its r is at least that of the data. Only the column sums are needed:

1. Values are rounded to integers. K − 1 columns of integers are packed side by side into the bits of a 64-bit word
   (*lanes*, wide enough that a sum over all blocks never runs over), so that one addition adds all columns. The last
   column follows from the total, which no permutation changes.
2. Blocks are taken in groups, for which all joint permutations are tabulated: for K = 4 and three blocks, 24³ = 13,824
   sums. A random resample is one look-up a group.
3. Rounding moves r by no more than D = Σ_b ‖rounding error of block b‖ (triangle inequality, because a permutation
   keeps the length of a vector). Where the rounded r is farther than D from that of the data, the answer is certain;
   the few resamples in between are computed again without rounding, and what differs by no more than the
   floating-point error of a sum counts as a tie.

The result is therefore that of the plain algorithm, in bounded memory, at a few nanoseconds a look-up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations
from math import factorial, inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array, number_table
from bakeoff.mathematics.checks import count as whole_number
from bakeoff.mathematics.laws import chi2_sf

Words = NDArray[np.uint64]

EPS = float(np.finfo(float).eps)
LARGEST_TABLE = 2**14  # entries: 128 kB, so that a table stays in the processor's cache while it is used
LARGEST_ENUMERATION = 2**21
CHUNK = 2**16  # resamples at a time
MEMORY = 2**26  # bytes for tables, and for the random numbers of a chunk
MOST_COLUMNS = 7  # 8! permutations of one block are too many to tabulate


@dataclass(frozen=True, eq=False)
class CentredBlocks:
    """The blocks that are not constant, centred and scaled to at most 1; the spread of their column sums, and the
    difference of spreads below which two are tied."""

    blocks: Array
    spread: float
    tie: float

    @classmethod
    def of(cls, table: ArrayLike) -> CentredBlocks:
        values = number_table(table, "table", columns=2)
        size = np.abs(values).max(axis=1)
        active = np.ptp(values, axis=1) > 100 * EPS * size
        centred = values[active] - values[active].mean(axis=1, keepdims=True)
        unit = float(np.abs(centred).max(initial=0.0)) or 1.0
        blocks = centred / unit
        # Values come with half a unit in the last place, and a sum of B of them collects at most B more.
        sums_of = float(np.abs(blocks).max(axis=1, initial=0.0).sum())
        tie = 2 * EPS * (float((size[active] / unit).sum()) + len(blocks) * sums_of)
        return cls(blocks, float(spread(blocks.sum(axis=0))), tie * float(np.sqrt(values.shape[1])))

    def at_least(self, sums: Array) -> int:
        """How many of these rows of column sums are spread as far as the data, ties included."""
        return int(np.count_nonzero(spread(sums) >= self.spread - self.tie))


def spread(sums: Array) -> Array:
    """√ Σ_k (S_k − S̄)² of each row."""
    return np.asarray(np.linalg.norm(sums - sums.mean(axis=-1, keepdims=True), axis=-1))


# --- the statistic of Hothorn et al. ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TStar:
    """t* of a table of B blocks and K learners, and the two statistics it is another form of."""

    value: float
    n_blocks: int
    n_learners: int

    @property
    def f(self) -> float:
        """F of the repeated-measures analysis of variance, B (B−1) t*."""
        return self.n_blocks * (self.n_blocks - 1) * self.value

    @property
    def chi2(self) -> float:
        """The quadratic form whose law is χ² in the limit, (K−1) B² t* / (1 + B t*)."""
        b, k = self.n_blocks, self.n_learners
        return float((k - 1) * b) if self.value == inf else (k - 1) * b**2 * self.value / (1 + b * self.value)

    @property
    def df(self) -> float:
        return float(self.n_learners - 1)

    @property
    def p_asymptotic(self) -> float:
        return float(chi2_sf(self.chi2, self.df))


def t_star(table: ArrayLike) -> TStar:
    """Hothorn et al., eq. (3): the spread of the learners' means over the residual sum of squares.

    It is infinite if the learners differ by the same amounts in every block, and 0 if they are all alike.

    >>> t = t_star([[3, 2, 8], [1, 6, 9], [4, 5, 7], [1, 3, 9], [5, 5, 3]])
    >>> round(t.value, 6), round(t.f, 4), round(t.chi2, 4), round(t.p_asymptotic, 4)
    (0.225595, 4.5119, 5.3007, 0.0706)
    """
    p = number_table(table, "table", rows=2, columns=2)
    noise = 100 * np.finfo(float).eps * float(np.abs(p).max())
    within = p - p.mean(axis=1, keepdims=True)
    unit = float(np.abs(within).max())
    if unit <= noise:
        return TStar(0.0, *p.shape)
    means = within.mean(axis=0)
    residual = within - means
    if np.abs(residual).max() <= noise:
        return TStar(inf, *p.shape)
    return TStar(float(np.sum((means / unit) ** 2) / np.sum((residual / unit) ** 2)), *p.shape)


def mean_differences(table: Array) -> Array:
    """Mean differences of all pairs of columns, row − column; rounding error counts as zero.

    >>> mean_differences(np.array([[1.0, 3.0], [3.0, 4.0]])).tolist()
    [[0.0, -1.5], [1.5, 0.0]]
    """
    unit = float(np.abs(table).max()) or 1.0
    means = (table / unit).mean(axis=0)
    difference = means[:, None] - means[None, :]
    return np.where(np.abs(difference) < 1e-13, 0.0, difference) * unit


# --- all relabellings ------------------------------------------------------------------------------------------------


def enumeration_size(n_blocks: int, n_columns: int) -> int:
    """Relabellings that can differ: all K!^B, up to a relabelling of all blocks alike.

    >>> enumeration_size(3, 4)
    576
    """
    return int(factorial(n_columns) ** max(n_blocks - 1, 0))


def enumerate_all(table: ArrayLike) -> tuple[int, int]:
    """How many relabellings are as extreme as the data, of how many. The first block keeps its labels, by symmetry.

    >>> enumerate_all([[1, 2], [3, 5], [2, 6]])
    (1, 4)
    """
    observed = CentredBlocks.of(table)
    if not len(observed.blocks):
        return 1, 1
    n_blocks, n_columns = observed.blocks.shape
    size = enumeration_size(n_blocks, n_columns)
    if size > LARGEST_ENUMERATION:
        raise UsageError(
            f"There are {size:.3g} relabellings, too many to enumerate (at most {LARGEST_ENUMERATION:,}). "
            "Use method 'monte-carlo', which draws from them."
        )
    orders = _orders(n_columns)
    *others, last = observed.blocks
    sums = np.zeros((1, n_columns)) if not others else others[0][None, :]
    for block in others[1:]:
        sums = _with_block(sums, block[orders])
    relabelled = last[orders] if others else last[None, :]
    # The last block, which makes the most of them, goes part by part: none of it is kept.
    parts = np.array_split(sums, 1 + sums.nbytes * len(relabelled) * 4 // MEMORY)
    return sum(observed.at_least(_with_block(part, relabelled)) for part in parts), size


def _with_block(sums: Array, relabelled: Array) -> Array:
    """Every row of column sums with every relabelling of one more block."""
    return (sums[:, None, :] + relabelled).reshape(-1, sums.shape[1])


# --- random relabellings ---------------------------------------------------------------------------------------------


def count_random(table: ArrayLike, resamples: int, seed: int) -> int:
    """How many of `resamples` random relabellings are as extreme as the data. The same seed gives the same number.

    >>> 0.24 < count_random([[1, 2], [3, 5], [2, 6]], 100_000, seed=1) / 100_000 < 0.26  # 1 of 4 is as extreme
    True
    """
    observed = CentredBlocks.of(table)
    resamples = whole_number(resamples, "resamples")
    if not len(observed.blocks):
        return resamples  # every block is constant: all relabellings are ties
    rng = np.random.Generator(np.random.SFC64(whole_number(seed, "seed")))
    if observed.blocks.shape[1] > MOST_COLUMNS:
        return _count_by_shuffling(observed, resamples, rng)
    return BlockLanes(observed).count(resamples, rng)


def _count_by_shuffling(observed: CentredBlocks, resamples: int, rng: np.random.Generator) -> int:
    chunk = max(1, MEMORY // 4 // observed.blocks.nbytes)
    hits = 0
    for start in range(0, resamples, chunk):
        shape = (min(chunk, resamples - start), *observed.blocks.shape)
        shuffled = rng.permuted(np.broadcast_to(observed.blocks, shape), axis=2)
        hits += observed.at_least(shuffled.sum(axis=1))
    return hits


@lru_cache(maxsize=8)
def _orders(n_columns: int) -> NDArray[np.intp]:
    """All permutations of the columns, one a row."""
    return np.array(list(permutations(range(n_columns))), dtype=np.intp)


@dataclass(frozen=True, eq=False)
class BlockLanes:
    """Blocks as integers, their columns packed into lanes, and look-up tables of groups of blocks."""

    observed: CentredBlocks

    @property
    def n_blocks(self) -> int:
        return len(self.observed.blocks)

    @property
    def n_columns(self) -> int:
        return int(self.observed.blocks.shape[1])

    @cached_property
    def lanes_a_word(self) -> int:
        """As many lanes as leave few resamples to compute again: 3 of 21 bits, 2 of 32, or 1."""
        needed = 64 * self.n_blocks**1.5
        return next((n for n in range(min(3, self.n_columns - 1), 1, -1) if 2.0 ** (64 // n) >= needed), 1)

    @cached_property
    def bits(self) -> int:
        return min(64 // self.lanes_a_word, 52)  # integers of up to 52 bits are exact as floats

    @cached_property
    def unit(self) -> float:
        """What one integer step stands for: as small as the lanes allow."""
        steps = float(2**self.bits - 1 - self.n_blocks)
        return float(np.ptp(self.observed.blocks, axis=1).sum()) / steps

    @cached_property
    def integers(self) -> Array:
        steps = (self.observed.blocks - self.observed.blocks.min(axis=1, keepdims=True)) / self.unit
        return np.asarray(np.rint(steps))

    @cached_property
    def bound(self) -> float:
        """D: by how many steps the rounded spread of any resample can be wrong, with what floats add to it."""
        error = self.observed.blocks / self.unit - self.integers
        error -= error.mean(axis=1, keepdims=True)
        return float(np.linalg.norm(error, axis=1).sum()) + 16 * EPS * float(self.integers.sum())

    @cached_property
    def group(self) -> int:
        """Blocks in a group: as many as their joint permutations fit into a table."""
        k, g = factorial(self.n_columns), 1
        while k ** (g + 1) <= LARGEST_TABLE and g < self.n_blocks:
            g += 1
        return g

    @cached_property
    def table_size(self) -> int:
        return int(factorial(self.n_columns) ** self.group)

    @cached_property
    def digits(self) -> int:
        """Look-ups that one random 64-bit number is enough for: it is read as so many digits to the base table_size."""
        d = 1
        while self.table_size ** (d + 1) < 2**63 and d < -(-self.n_blocks // self.group):
            d += 1
        return d

    @property
    def n_groups(self) -> int:
        return -(-self.n_blocks // self.group)

    def table(self, group: int) -> Words:
        """Packed column sums of all joint permutations of a group, a row a word; the first block varies fastest."""
        orders = _orders(self.n_columns)
        n_words = -(-(self.n_columns - 1) // self.lanes_a_word)
        total = np.zeros((n_words, 1), dtype=np.uint64)
        for block in range(group * self.group, (group + 1) * self.group):
            own = np.zeros((n_words, len(orders)), dtype=np.uint64)
            if block < self.n_blocks:
                values = self.integers[block].astype(np.uint64)
                for column in range(self.n_columns - 1):
                    word, lane = divmod(column, self.lanes_a_word)
                    own[word] |= values[orders[:, column]] << np.uint64(lane * self.bits)
            total = (own[:, :, None] + total[:, None, :]).reshape(n_words, -1)
        return total

    def count(self, resamples: int, rng: np.random.Generator) -> int:
        """How many of so many random relabellings are as extreme as the data."""
        n_numbers = -(-self.n_groups // self.digits)
        chunk = max(1, min(CHUNK, MEMORY // (8 * n_numbers)))
        tables = lru_cache(maxsize=max(1, MEMORY // self.table(0).nbytes))(self.table)
        exact = self.observed.spread / self.unit
        surely, perhaps = (exact + self.bound) ** 2, max(exact - self.bound, 0.0) ** 2
        hits = 0
        for start in range(0, resamples, chunk):
            shape = (n_numbers, min(chunk, resamples - start))
            numbers = rng.integers(0, self.table_size**self.digits, size=shape, dtype=np.uint64)
            squared = self.squared_spread(self.packed_sums(numbers, tables))
            hits += int(np.count_nonzero(squared >= surely))
            unsure = np.flatnonzero((squared >= perhaps) & (squared < surely))
            for part in np.array_split(unsure, 1 + len(unsure) * self.observed.blocks.size * 32 // MEMORY):
                hits += self.observed.at_least(self.exact_sums(numbers[:, part]))
        return hits

    def packed_sums(self, numbers: Words, tables: Callable[[int], Words]) -> Words:
        """Column sums of each resample, still packed: one look-up a group, the digits of `numbers` saying where."""
        size = np.uint64(self.table_size)
        n_words, n = len(tables(0)), numbers.shape[1]
        sums, words, place = np.zeros((n_words, n), dtype=np.uint64), np.empty(n, np.uint64), np.empty(n, np.uint64)
        spare = np.empty((2, n), dtype=np.uint64)
        rest = numbers[0]
        for group in range(self.n_groups):
            if group % self.digits == 0:
                rest = numbers[group // self.digits]
            quotient = np.floor_divide(rest, size, out=spare[group % 2])
            np.subtract(rest, np.multiply(quotient, size, out=place), out=place)
            rest = quotient
            for total, row in zip(sums, tables(group), strict=True):
                row.take(place.view(np.intp), out=words, mode="clip")  # "clip" spares the check of each index
                np.add(total, words, out=total)
        return sums

    def squared_spread(self, sums: Words) -> Array:
        """Σ_k (S_k − S̄)² in steps, from packed sums."""
        mask, mean = np.uint64(2**self.bits - 1), float(self.integers.sum()) / self.n_columns
        last, squared = np.zeros(sums.shape[1]), np.zeros(sums.shape[1])
        for column in range(self.n_columns - 1):
            word, lane = divmod(column, self.lanes_a_word)
            deviation = ((sums[word] >> np.uint64(lane * self.bits)) & mask) - mean
            last -= deviation
            squared += deviation * deviation
        return squared + last * last

    def exact_sums(self, numbers: Words) -> Array:
        """Column sums without rounding: a number has one digit a block, to the base K!, that names its permutation."""
        base = np.uint64(factorial(self.n_columns))
        per_number, (rows, n) = self.group * self.digits, numbers.shape
        rest, which = numbers, np.empty((rows, per_number, n), dtype=np.intp)
        for digit in range(per_number):
            rest, which[:, digit] = rest // base, rest % base
        order = _orders(self.n_columns)[which.reshape(rows * per_number, n)[: self.n_blocks]]
        permuted = np.take_along_axis(self.observed.blocks[:, None, :], order, axis=2)
        return np.asarray(permuted.sum(axis=0))
