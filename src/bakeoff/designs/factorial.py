"""Full factorial designs, and one factor at a time: what they cost.

Reference: Alpaydın (2014), Introduction to Machine Learning, 19.2–19.3; Montgomery (2013), Design and Analysis of
Experiments, chapters 5 and 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array

LARGEST = 1_000_000  # runs: a table that nobody means to run should not fill the memory


def full_factorial(levels: Sequence[int], coded: bool = False) -> Array:
    """Every combination of the factors' levels; the last factor changes fastest.

    `levels` says how many levels each factor has. They are numbered from 0, or coded from −1 to +1 in equal steps.

    >>> full_factorial([2, 3]).tolist()
    [[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]
    >>> full_factorial([2, 2], coded=True).tolist()
    [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    """
    counts = checked_levels(levels)
    if (runs := prod(counts)) > LARGEST:
        raise UsageError(f"A full factorial of these levels has {runs:,} runs; at most {LARGEST:,} are listed.")
    columns = [_coded(n) if coded else np.arange(float(n)) for n in counts]
    return np.array(list(product(*columns)), dtype=float)


def checked_levels(levels: Sequence[int]) -> list[int]:
    counts = list(levels)
    if not counts:
        raise UsageError("A design needs at least one factor; found none.")
    for n in counts:
        if n != int(n) or n < 1:
            raise UsageError(f"A factor has a whole number of levels, at least one; found {n!r}.")
    return [int(n) for n in counts]


def _coded(n: int) -> Array:
    return np.linspace(-1, 1, n) if n > 1 else np.zeros(1)


def full_factorial_runs(levels: Sequence[int]) -> int:
    """How many runs a full factorial takes: the product of the levels, L^F for F factors of L levels each.

    >>> full_factorial_runs([5, 5])
    25
    """
    return prod(checked_levels(levels))


def one_at_a_time(levels: Sequence[int], baseline: Sequence[int] | None = None) -> Array:
    """The baseline, and from there each factor through its other levels while the rest stay where they are.

    It cannot see interactions: if the best level of one factor depends on another, it finds neither. Levels are
    numbered from 0; the baseline is the lowest level of each unless given.

    >>> one_at_a_time([2, 3]).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 2.0]]
    """
    counts = checked_levels(levels)
    start = [0] * len(counts) if baseline is None else list(baseline)
    if len(start) != len(counts) or any(not 0 <= at < n for at, n in zip(start, counts, strict=False)):
        raise UsageError(f"The baseline must name one level of each factor, below {counts}; found {start}.")
    runs = [list(start)]
    for factor, n in enumerate(counts):
        for level in range(n):
            if level != start[factor]:
                runs.append([*start[:factor], level, *start[factor + 1 :]])
    return np.array(runs, dtype=float)


def one_at_a_time_runs(levels: Sequence[int], share_baseline: bool = True) -> int:
    """How many runs one factor at a time takes, with the baseline counted once or for each factor.

    L·F is what the textbook counts, O(LF) against the O(L^F) of the full factorial; since all factors share the
    baseline, 1 + F(L − 1) suffice.

    >>> one_at_a_time_runs([5, 5], share_baseline=False), one_at_a_time_runs([5, 5])
    (10, 9)
    """
    counts = checked_levels(levels)
    return sum(counts) - (len(counts) - 1 if share_baseline else 0)
