"""The largest of many statistics under the null hypothesis, drawn: adjusted p-values step by step, and a quantile.

Statistics of a family of contrasts are drawn together (by flipping signs, by resampling, or from a normal law), so that
what is common to them is kept. Ordered from the largest observed value downwards, the adjusted p of the r-th is the
share of draws in which the largest of the r-th and all smaller ones reaches it, and no smaller than those before it.

    Westfall and Young (1993), Resampling-based multiple testing, section 2.6
    Romano and Wolf (2005), J. Amer. Statist. Assoc. 100, 94–108, doi:10.1198/016214504000000539
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import floor, inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array, count, number_table
from bakeoff.records import Record

MEMORY = 2**17  # numbers that one chunk of draws may hold: 1 MB, which a processor keeps at hand
TIE = 1e-10  # statistics that differ by less than this share of themselves are equal but for rounding


@dataclass(frozen=True, slots=True, eq=False)
class JointTest(Record):
    """Tests of a family of contrasts by draws that are common to all of them.

    `statistic`   one a contrast, with its sign
    `p`           of each contrast by itself
    `p_adjusted`  step-down, over the family
    `critical`    what the largest statistic has to exceed for a claim; infinite if the level is out of reach
    `reach`       the same for simultaneous intervals, never less than `critical`
    `exact`       whether all equally likely outcomes were gone through; else `draws` were drawn
    `laws`        draws of the largest statistic, in order: whatever is beyond all of them is beyond chance

    A contrast without an answer (a difference that has no standard error) has p = NaN.
    """

    statistic: Array
    p: Array
    p_adjusted: Array
    critical: float
    reach: float
    exact: bool
    draws: int
    laws: tuple[Array, ...] = ()

    def tail(self, statistic: ArrayLike) -> Array:
        """The single-step p of statistics, of any sign: how often the largest of the family is as large in size."""
        size, one = np.abs(np.asarray(statistic, dtype=float)), 0 if self.exact else 1
        limit = size * (1 - TIE)
        shares = [(one + len(law) - np.searchsorted(law, limit)) / (one + len(law)) for law in self.laws]
        return np.asarray(np.max(shares, axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class Intervals(Record):
    """An estimate and the ends of an interval for each contrast; NaN where there is none, infinite where it is open."""

    estimate: Array
    lower: Array
    upper: Array


class StepDown:
    """Counts, chunk by chunk, how often drawn statistics reach the observed ones.

    `statistic` is larger the more it speaks against the null hypothesis; `slack` is what rounding may have taken off.

    >>> counts = StepDown(np.array([2.0, 1.0]))
    >>> counts.add(np.array([[0.5, 1.0, 0.2, 3.0], [0.0, 0.1, 2.0, 0.0]])[counts.order])
    >>> p, adjusted = counts.shares(exact=True)
    >>> p.tolist(), adjusted.tolist()
    ([0.25, 0.25], [0.5, 0.5])
    """

    def __init__(self, statistic: Array, slack: Array | float = 0.0) -> None:
        self.order = np.argsort(statistic, kind="stable")  # from the smallest, so that maxima run in one pass
        self._limit = (statistic - TIE * np.abs(statistic) - slack)[self.order, None]
        self._alone = np.zeros(len(statistic), dtype=np.int64)
        self._jointly = np.zeros(len(statistic), dtype=np.int64)
        self._largest: list[Array] = []

    def add(self, drawn: Array) -> None:
        """Draws, one a column, the contrasts in `order`. The array is overwritten."""
        limit = self._limit.astype(drawn.dtype)
        reached = np.empty(drawn.shape, dtype=bool)
        self._alone += np.greater_equal(drawn, limit, out=reached).sum(axis=1, dtype=np.int32)
        for before, row in pairwise(drawn):  # twice as fast as np.maximum.accumulate
            np.maximum(before, row, out=row)
        self._jointly += np.greater_equal(drawn, limit, out=reached).sum(axis=1, dtype=np.int32)
        self._largest.append(drawn[-1].copy())

    @property
    def largest(self) -> Array:
        """The largest statistic of each draw."""
        return np.concatenate(self._largest)

    def shares(self, exact: bool) -> tuple[Array, Array]:
        """p and adjusted p: of all outcomes, or (1 + count)/(1 + draws), which no choice of a seed can make too small.

        (Phipson and Smyth 2010, doi:10.2202/1544-6115.1585.)
        """
        one = 0 if exact else 1
        draws = sum(map(len, self._largest))
        alone, jointly = ((one + n) / (one + draws) for n in (self._alone, self._jointly))
        p, adjusted = np.empty(len(alone)), np.empty(len(alone))
        p[self.order] = alone
        adjusted[self.order] = np.maximum.accumulate(jointly[::-1])[::-1]
        return p, np.maximum(p, adjusted)


def upper_quantile(largest: Array, alpha: float, exact: bool) -> float:
    """The c that a statistic has to exceed so that its single-step p is at most α; infinite if none can be.

    >>> upper_quantile(np.arange(1.0, 101.0), 0.05, exact=True), upper_quantile(np.arange(1.0, 11.0), 0.05, exact=True)
    (95.0000000095, inf)
    """
    # p = count/N or (1 + count)/(1 + N), with count the draws that are as large: so many of them may be.
    n = len(largest)
    allowed = floor(alpha * n * (1 + 1e-12)) if exact else floor(alpha * (n + 1) * (1 + 1e-12)) - 1
    if allowed < (1 if exact else 0):  # what was observed is itself among all outcomes
        return inf
    c = float(np.partition(largest, n - 1 - allowed)[n - 1 - allowed])
    return c + TIE * abs(c)


def in_chunks(draws: int, numbers: int) -> Iterator[int]:
    """How many draws to take at a time, each of so many numbers.

    >>> list(in_chunks(10, 2**15))
    [4, 4, 2]
    """
    size = max(MEMORY // max(numbers, 1), 1)
    for start in range(0, draws, size):
        yield min(size, draws - start)


@contextmanager
def one_thread() -> Iterator[None]:
    """Matrix products in one thread while this lasts; also a decorator.

    Products of a chunk take microseconds, and threads waiting for one another take longer than they save: up to thirty
    times longer on a machine that has other work to do.
    """
    with _threads().limit(limits=1, user_api="blas"):
        yield


@lru_cache(maxsize=1)
def _threads() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def check_draws(draws: int, alpha: float) -> int:
    """A number of draws with which a claim at level α is possible.

    >>> check_draws(9, 0.05)
    Traceback (most recent call last):
    bakeoff.errors.UsageError: With 9 draws no p is below 1/10, so nothing could be claimed at α = 0.05: use 19 or more.
    """
    if (count(draws, "draws") + 1) * alpha * (1 + 1e-12) < 1:
        raise UsageError(
            f"With {draws} draws no p is below 1/{draws + 1}, so nothing could be claimed at α = {alpha:g}: "
            f"use {int(np.ceil(1 / alpha * (1 - 1e-12))) - 1} or more."
        )
    return int(draws)


def check_weights(contrasts: ArrayLike | None, columns: int) -> Array:
    """Contrasts as rows of weights on the columns of a table; without any, each column is a difference already.

    >>> check_weights(None, 2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> check_weights([[1, 1]], 2)
    Traceback (most recent call last):
    bakeoff.errors.UsageError: The weights of a contrast add up to zero and are not all zero; found 2 in contrast 1.
    """
    if contrasts is None:
        return np.eye(columns)
    weights = number_table(contrasts, "contrasts")
    if weights.shape[1] != columns:
        raise UsageError(f"Contrasts need a weight for each of {columns} columns; found {weights.shape[1]}.")
    total, size = weights.sum(axis=1), np.abs(weights).sum(axis=1)
    strange = np.flatnonzero((np.abs(total) > 1e-9 * size) | (size == 0))
    if len(strange):
        raise UsageError(
            "The weights of a contrast add up to zero and are not all zero; "
            f"found {total[strange[0]]:g} in contrast {strange[0] + 1}."
        )
    return weights
