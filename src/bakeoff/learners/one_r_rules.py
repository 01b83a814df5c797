"""The rules that 1R chooses from: an input cut into branches, and what each branch says of the class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Intervals:
    """Branches of numbers: below the first cut, from there to below the next, …; then the missing ones."""

    cuts: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.cuts) + 2

    def find(self, column: NDArray[Any]) -> Codes:
        try:
            numbers = column.astype(np.float64)
        except (TypeError, ValueError):
            raise UsageError(
                "The rule was learned from numbers, and the input that it looks at now holds something else."
            ) from None
        found = np.searchsorted(np.array(self.cuts), numbers, side="right")
        return np.where(np.isnan(numbers), len(self) - 1, found)

    def tests(self, name: str) -> list[str]:
        above = [f"{name} < {cut:.6g}" for cut in self.cuts]
        return [*above, "otherwise" if above else "always", f"{name} missing"]


@dataclass(frozen=True)
class Categories:
    """Branches of categories, which are told apart as texts; then the missing ones, then those never seen."""

    values: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.values) + 2

    def find(self, column: NDArray[Any]) -> Codes:
        texts, missing = as_texts(column)
        places = {value: place for place, value in enumerate(self.values)}
        found = np.array([places.get(text, len(self) - 1) for text in texts], dtype=np.intp)
        return np.where(missing, len(self) - 2, found)

    def tests(self, name: str) -> list[str]:
        return [*(f"{name} = {value}" for value in self.values), f"{name} missing", "otherwise"]


@dataclass(frozen=True)
class Rule:
    """Branches and, for each, how many cases of each class the learning sample has there."""

    branches: Intervals | Categories
    counts: NDArray[np.int64]

    @property
    def errors(self) -> int:
        """Cases of the learning sample that are not of the most frequent class of their branch."""
        return int(self.counts.sum() - self.counts.max(axis=1).sum())

    def probabilities(self) -> Floats:
        """A row a branch; a branch without a case has the proportions of the whole learning sample."""
        totals = self.counts.sum(axis=1, keepdims=True)
        overall = self.counts.sum(axis=0) / self.counts.sum()
        return np.asarray(np.where(totals > 0, self.counts / np.maximum(totals, 1), overall))

    def classes(self) -> Codes:
        """The class of each branch."""
        overall = self.counts.sum(axis=0)
        return majorities(self.counts, overall)  # an empty branch: the most frequent class of all


def make_rule(column: NDArray[Any], categorical: bool, codes: Codes, n_classes: int, min_bucket_size: int) -> Rule:
    """The rule on one input. Numbers are a float array with NaN for missing; categories are any array."""
    branches: Intervals | Categories
    if categorical:
        texts, missing = as_texts(column)
        branches = Categories(tuple(sorted({text for text, out in zip(texts, missing, strict=True) if not out})))
    else:
        known = ~np.isnan(column)
        overall = np.bincount(codes, minlength=n_classes)
        branches = Intervals(intervals(column[known], codes[known], overall, min_bucket_size))
    counts = np.zeros((len(branches), n_classes), dtype=np.int64)
    np.add.at(counts, (branches.find(column), codes), 1)
    return Rule(branches, counts)


def intervals(
    values: Floats, codes: Codes, overall: NDArray[np.integer[Any]], min_bucket_size: int
) -> tuple[float, ...]:
    """Holte's way to cut numbers, from the lowest up.

    An interval is closed as soon as one class has `min_bucket_size` cases in it, except that it still takes the values
    that follow whose most frequent class is that of the interval. Equal values are never parted. Of the last interval
    nothing is asked. Then neighbours that predict the same class become one. A cut lies half-way between two values.

    Temperatures on which to play, or not (Witten and Frank's weather), with three cases an interval:

    >>> degrees = np.array([64, 65, 68, 69, 70, 71, 72, 72, 75, 75, 80, 81, 83, 85.0])
    >>> play = np.array([1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 0])
    >>> intervals(degrees, play, np.array([9, 5]), 3)  # if "no" is preferred where both are equally frequent
    (77.5,)
    """
    if len(values) == 0:
        return ()
    distinct, place = np.unique(values, return_inverse=True)
    counts = np.zeros((len(distinct), len(overall)), dtype=np.int64)
    np.add.at(counts, (place, codes), 1)
    cumulated = np.vstack([np.zeros((1, len(overall)), dtype=np.int64), counts.cumsum(axis=0)])
    leaders = majorities(counts, overall).tolist()

    cuts: list[float] = []
    last_class = -1
    start = 0
    while start < len(distinct):
        # The first value at which some class has enough cases, found at once for each class.
        enough = [
            int(np.searchsorted(cumulated[:, k], cumulated[start, k] + min_bucket_size)) for k in range(len(overall))
        ]
        end = min(*enough, len(distinct))
        class_here = int(majorities(cumulated[[end]] - cumulated[start], overall)[0])
        while end < len(distinct) and leaders[end] == class_here:
            end += 1
        if start and class_here != last_class:
            cuts.append(float(distinct[start - 1] + (distinct[start] - distinct[start - 1]) / 2))
        start, last_class = end, class_here
    return tuple(cuts)


def majorities(counts: NDArray[Any], overall: NDArray[Any]) -> Codes:
    """For each row the most frequent class; of equals the one that is more frequent overall, then the first.

    >>> majorities(np.array([[2, 3, 3], [5, 0, 0]]), np.array([10, 20, 30]))
    array([2, 0])
    """
    # A rank below one, so that it decides only between equal counts; lexsort's last key counts most.
    preference = np.empty(len(overall))
    preference[np.lexsort((-np.arange(len(overall)), overall))] = np.arange(len(overall)) / len(overall)
    return np.asarray((counts + preference).argmax(axis=1))


def as_texts(column: NDArray[Any]) -> tuple[list[str], NDArray[np.bool_]]:
    """Categories as texts, and which are missing. A whole number reads alike whether it is stored as 1 or as 1.0.

    >>> as_texts(np.array(["red", None, 1.0, 1], dtype=object))
    (['red', 'None', '1', '1'], array([False,  True, False, False]))
    """
    import pandas as pd

    def text(value: Any) -> str:
        return str(int(value)) if isinstance(value, float | np.floating) and float(value).is_integer() else str(value)

    cells = column.astype(object)
    return [text(value) for value in cells], np.asarray(pd.isna(cells))
