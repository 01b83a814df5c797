"""Splits in the order of time: learned from what came before, tested on what came after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from bakeoff.errors import UsageError, nearest
from bakeoff.resampling.scheme import Scheme, Sharing, check_int, split
from bakeoff.resampling.split import Sample, Split
from bakeoff.resampling.units import Units

EXPANDING, SLIDING = "expanding", "sliding"


@dataclass(frozen=True)
class TimeOrdered(Scheme):
    """Each of `folds` windows of successive rows is tested on by what was learned from rows before it.

    An expanding window learns from all rows before; a sliding one from the last `train_size` of them, by default as
    many as the first window has. `gap` rows between learning and testing are left out, as long as a forecast looks
    ahead. Sizes are counted in rows, or in times where the task names a column of times, whose rows stay on one side;
    or in groups, where it has groups: only groups that ended before the window begins are learned from.

    >>> made = TimeOrdered(folds=3, gap=1).splits(Sample(8), seed=1)
    >>> [(s.train.tolist(), s.test.tolist()) for s in made.splits]
    [([0], [2, 3]), ([0, 1, 2], [4, 5]), ([0, 1, 2, 3, 4], [6, 7])]
    >>> made = TimeOrdered(folds=3, window="sliding").splits(Sample(8), seed=1)
    >>> [(s.train.tolist(), s.test.tolist()) for s in made.splits]
    [([0, 1], [2, 3]), ([2, 3], [4, 5]), ([4, 5], [6, 7])]
    """

    scheme: ClassVar[str] = "time-ordered"
    about: ClassVar[str] = "windows in the order of time, each tested on by what was learned from rows before it"
    synonyms: ClassVar[tuple[str, ...]] = (
        "time-series", "time-series-split", "rolling", "rolling-origin", "forward-chaining", "walk-forward",
    )  # fmt: skip
    shares: ClassVar[Sharing] = Sharing.TIME
    by_chance: ClassVar[bool] = False

    folds: int = 5
    window: str = EXPANDING
    gap: int = 0
    train_size: int | None = None
    test_size: int | None = None

    def __post_init__(self) -> None:
        check_int(self.folds, "folds", 1)
        check_int(self.gap, "gap", 0)
        if self.window not in (EXPANDING, SLIDING):
            raise UsageError(f"'window' cannot be {self.window!r}. {nearest(str(self.window), (EXPANDING, SLIDING))}")
        for name in ("train_size", "test_size"):
            if getattr(self, name) is not None:
                check_int(getattr(self, name), name, 1)
        if self.train_size is not None and self.window == EXPANDING:
            raise UsageError(
                "'train_size' is the size of a sliding window, and an expanding one has all rows before it: say "
                "window = 'sliding', or leave train_size out."
            )

    def count(self, sample: Sample) -> int:
        return self.folds

    def _units(self, sample: Sample) -> Units:
        """Rows, times or groups, numbered in the order of time: of groups that of their last row."""
        if sample.groups is None:
            return super()._units(sample if sample.times is None else replace(sample, groups=sample.times))
        units = super()._units(sample)
        last = np.zeros(units.n, dtype=np.int64)
        np.maximum.at(last, units.of_row, _times(sample))
        place = np.argsort(np.argsort(last, kind="stable"), kind="stable")
        return replace(units, of_row=place[units.of_row])

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        size = self.test_size or units.n // (self.folds + 1)
        first = units.n - self.folds * size
        longest = self.train_size if self.train_size is not None else first - self.gap
        if not size or first - self.gap < 1:
            raise UsageError(
                f"{self.folds} windows of {max(size, 1)}, a gap of {self.gap} and something to learn from before them "
                f"need at least {units.word(self.folds * max(size, 1) + self.gap + 1)}; found {units.word(units.n)}. "
                "Use fewer folds, smaller windows or a smaller gap."
            )
        times, numbers = _times(sample), np.arange(units.n)
        for fold in range(self.folds):
            start = first + fold * size
            inside = (numbers >= start) & (numbers < start + size)
            oldest = start - self.gap - longest if self.window == SLIDING else 0
            learned = (numbers >= oldest) & (numbers < start - self.gap)
            test = units.rows(inside)
            if sample.groups is not None:
                began = times[test].min()
                ended = np.zeros(units.n, dtype=np.int64)
                np.maximum.at(ended, units.of_row, times)
                learned &= ended < began
            if not learned.any():
                raise UsageError(
                    f"Nothing is left to learn from before window {fold + 1}: groups must have ended before it begins, "
                    f"and of the earlier ones none has; found {units.word(units.n)}. Leave the group out of the task, "
                    "use fewer folds, or a scheme for groups, such as leave-one-group-out."
                )
            yield split(1, fold + 1, units.rows(learned), test)


def _times(sample: Sample) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.arange(sample.n) if sample.times is None else np.asarray(sample.times, dtype=np.int64)
