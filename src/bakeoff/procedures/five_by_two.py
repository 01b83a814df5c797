"""What the two tests of 5×2 cross-validation share: the splits they need, and the ten differences in their order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import number_column, paired
from bakeoff.procedures.card import Need, at_least_learners, at_level
from bakeoff.scores import Blocks, Layout, Level
from bakeoff.scores.layout import FIVE_BY_TWO

Array = NDArray[np.float64]


def ten_differences(
    a: ArrayLike, b: ArrayLike, repeat: ArrayLike | None, fold: ArrayLike | None, test: str
) -> tuple[Array, float]:
    """a − b as 5 replications × 2 folds, and the magnitude of the scores behind them.

    `repeat` and `fold` number the splits; without them they are in order, two a repeat. `test` is named in refusals.

    >>> ten_differences(range(10), [0] * 10, None, None, "t")[0].tolist()
    [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0], [8.0, 9.0]]
    """
    first, second = paired(number_column(a, "first"), number_column(b, "second"))
    if len(first) != 10:
        raise UsageError(f"The 5×2 cv {test} test needs ten paired scores; found {len(first)}.")
    repeats = np.repeat(np.arange(5), 2) if repeat is None else np.asarray(repeat)
    folds = np.tile(np.arange(2), 5) if fold is None else np.asarray(fold)
    order = np.lexsort((folds, repeats))
    if (np.unique(repeats, return_counts=True)[1] != 2).any():
        raise UsageError(
            f"The 5×2 cv {test} test needs five repeats of two folds; these splits are arranged otherwise."
        )
    size = float(max(np.abs(first).max(), np.abs(second).max()))
    return (first - second)[order].reshape(5, 2), size


def squared_in(unit: float, s2: Array) -> Array:
    """Variances of differences that were divided by `unit`, in the differences' own unit; infinite if out of range.

    >>> squared_in(2.0, np.array([1.0, 3.0])).tolist()
    [4.0, 12.0]
    """
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(s2 * np.square(np.float64(unit)))


def split_facts(blocks: Blocks, _layout: Layout) -> dict[str, Any]:
    """The numbers of the splits, read off the blocks."""
    return {"repeat": blocks.repeat, "fold": blocks.fold}


def _five_times_two(facts: Layout) -> str | None:
    if facts.resampling == FIVE_BY_TWO and facts.n_blocks == 10:
        return None
    if facts.resampling == FIVE_BY_TWO:
        return f"it needs all ten splits of 5×2 cross-validation, and there are {facts.n_blocks}"
    return f"it needs five repeats of two folds, and the splits here are: {facts.resampling}"


NEEDS = (at_level(Level.RESAMPLES), at_least_learners(2), Need("five repeats of two folds", _five_times_two))
