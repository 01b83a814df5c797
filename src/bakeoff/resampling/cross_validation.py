"""Cross-validation: every row is tested on once a repeat, by what was learned from the other folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError, nearest
from bakeoff.resampling.scheme import (
    REAL_WORLD,
    Combination,
    Scheme,
    Sharing,
    check_int,
    small_classes,
    split,
    uneven_groups,
)
from bakeoff.resampling.split import Rows, Sample, Split
from bakeoff.resampling.units import Units, assign_folds, bootstrap_draw, generator


@dataclass(frozen=True)
class CrossValidation(Scheme):
    """`folds` parts of equal size, dealt anew in each of the `repeats`; in proportion to the classes if there are any.

    The learning samples of K folds share all but two Kths of the rows, and those of repeats still more: scores are
    dependent, which is what the procedures for cross-validation are about.

    >>> result = CrossValidation(folds=3).splits(Sample(7), seed=1)
    >>> [(s.fold, len(s.train), s.test.tolist()) for s in result.splits]
    [(1, 4, [0, 4, 5]), (2, 5, [2, 6]), (3, 5, [1, 3])]
    """

    scheme: ClassVar[str] = "cross-validation"
    about: ClassVar[str] = "each of K folds is tested on by what was learned from the others; repeated r times"
    synonyms: ClassVar[tuple[str, ...]] = (
        "cv", "crossvalidation", "kfold", "k-fold", "k-fold-cross-validation", "repeated-cross-validation",
        "repeated-cv", "stratified-cross-validation",
    )  # fmt: skip
    shares: ClassVar[Sharing] = Sharing.FOLDS
    partition: ClassVar[bool] = True

    folds: int = 10
    repeats: int = 1
    stratify: bool = True

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        if units.n < self.folds:
            raise UsageError(
                f"{self.folds} folds need at least {units.word(self.folds)}; found {units.word(units.n)}. "
                "Use fewer folds, or leave-one-out."
            )
        for repeat in range(1, self.repeats + 1):
            fold_of = assign_folds(units, self.folds, generator(seed, repeat))
            for fold in range(self.folds):
                inside = fold_of == fold
                yield split(repeat, fold + 1, units.rows(~inside), units.rows(inside))

    def _notes(self, sample: Sample, units: Units, splits: tuple[Split, ...]) -> Iterator[str]:
        yield from super()._notes(sample, units, splits)
        yield from uneven_groups(units, splits)
        yield from small_classes(units, self.folds, "some folds go without")


@dataclass(frozen=True)
class FiveByTwo(Scheme):
    """Five replications of two-fold cross-validation, for the 5×2 cv t and F tests.

    Dietterich (1998), doi:10.1162/089976698300017197. The two learning samples of a replication share no row.
    """

    scheme: ClassVar[str] = "5x2"
    about: ClassVar[str] = "five replications of two-fold cross-validation"
    synonyms: ClassVar[tuple[str, ...]] = ("5x2-cv", "5x2cv")
    shares: ClassVar[Sharing] = Sharing.FOLDS
    partition: ClassVar[bool] = True

    stratify: bool = True

    @property
    def _as_cross_validation(self) -> CrossValidation:
        return CrossValidation(folds=2, repeats=5, stratify=self.stratify)

    @property
    def n_repeats(self) -> int:
        return 5

    def count(self, sample: Sample) -> int:
        return 10

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        return self._as_cross_validation._make(sample, units, seed)

    def _notes(self, sample: Sample, units: Units, splits: tuple[Split, ...]) -> Iterator[str]:
        return self._as_cross_validation._notes(sample, units, splits)


@dataclass(frozen=True)
class LeaveOneOut(Scheme):
    """Each row, or each group, is tested on by what was learned from all the others. No chance is involved.

    It cannot be stratified, and a measure that needs several rows, such as the AUC, has no value on a single one.

    >>> [s.test.tolist() for s in LeaveOneOut().splits(Sample(4, groups=np.array([1, 0, 1, 0])), seed=0).splits]
    [[1, 3], [0, 2]]
    """

    scheme: ClassVar[str] = "leave-one-out"
    about: ClassVar[str] = "each row, or group of rows, is tested on by what was learned from all the others"
    synonyms: ClassVar[tuple[str, ...]] = ("loo", "loocv")
    shares: ClassVar[Sharing] = Sharing.FOLDS
    partition: ClassVar[bool] = True
    by_chance: ClassVar[bool] = False

    def count(self, sample: Sample) -> int:
        return sample.n if sample.groups is None else len(np.unique(sample.groups))

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        for unit in range(units.n):
            inside = np.arange(units.n) == unit
            yield split(1, unit + 1, units.rows(~inside), units.rows(inside))


@dataclass(frozen=True)
class LeaveOneGroupOut(LeaveOneOut):
    """Each group is tested on by what was learned from all others: how learners do on groups they have not seen.

    As leave-one-out of data with groups, but refused where there are none.

    >>> [s.test.tolist() for s in LeaveOneGroupOut().splits(Sample(4, groups=np.array([1, 0, 1, 0])), seed=0).splits]
    [[1, 3], [0, 2]]
    """

    scheme: ClassVar[str] = "leave-one-group-out"
    about: ClassVar[str] = "each group is tested on by what was learned from all others; for data with groups"
    synonyms: ClassVar[tuple[str, ...]] = ("logo", "leave-one-subject-out", "loso")
    needs_groups: ClassVar[bool] = True


# ----------------------------------------------------------------------------------------------------------------------
# Cross-validation of bootstrap samples, with what was learned from removed from the validation fold.


@dataclass(frozen=True)
class BootstrapCrossValidation(Scheme):
    """Each bootstrap sample (a repeat) is divided into folds; a repeat's score is the average over its folds.

    The folds divide the n positions of the bootstrap sample. A row that was drawn several times may stand in several
    folds: it is removed from the fold to validate on if a copy of it is learned from. Copies within the fold stay, and
    count as often as they were drawn. A fold of which nothing remains is skipped and noted.

    RW-CV of Hothorn, Leisch, Zeileis and Hornik (2005), doi:10.1198/106186005X59630. Without the removal their test of
    equal learners rejects in 21 % of cases instead of 5 %.

    >>> result = BootstrapCrossValidation(folds=2, repeats=1).splits(Sample(6), seed=1)
    >>> [(s.train.tolist(), s.test.tolist()) for s in result.splits]
    [([1, 1, 2], [3, 5]), ([2, 3, 5], [1, 1])]
    """

    scheme: ClassVar[str] = "bootstrap-cv"
    about: ClassVar[str] = "cross-validation of bootstrap samples, rows that are also learned from not tested on"
    synonyms: ClassVar[tuple[str, ...]] = ("bootstrap-cross-validation", "cv-on-bootstrap")
    shares: ClassVar[Sharing] = Sharing.NOTHING
    with_copies: ClassVar[bool] = True
    combine: ClassVar[Combination] = Combination.FOLDS
    problem: ClassVar[str] = REAL_WORLD

    folds: int = 5
    repeats: int = 100
    stratify: bool = False

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        if units.n < self.folds:
            raise UsageError(
                f"{self.folds} folds of a bootstrap sample need at least {units.word(self.folds)}; found "
                f"{units.word(units.n)}. Use fewer folds, or out-of-bootstrap."
            )
        for repeat in range(1, self.repeats + 1):
            rng = generator(seed, repeat)
            chosen = bootstrap_draw(units.n, units.n, rng)
            fold_of = assign_folds(units, self.folds, rng, chosen)
            for fold in range(self.folds):
                inside = fold_of == fold
                learned = np.bincount(chosen[~inside], minlength=units.n)
                tested = np.bincount(chosen[inside], minlength=units.n) * (learned == 0)
                if tested.any():
                    yield split(repeat, fold + 1, units.rows(learned), units.rows(tested))

    def _notes(self, sample: Sample, units: Units, splits: tuple[Split, ...]) -> Iterator[str]:
        yield from super()._notes(sample, units, splits)
        skipped = self.count(sample) - len(splits)
        if skipped:
            yield (
                f"Of {self.count(sample)} folds {skipped} had nothing left to validate on, once the rows that were "
                "also learned from had been removed, and had to be skipped."
            )


# ----------------------------------------------------------------------------------------------------------------------
# Windows in the order of time: learned from what came before, tested on what came after.


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
        if sample.groups is None and sample.times is None:
            return super()._units(sample)
        if sample.groups is None:
            return replace(super()._units(replace(sample, groups=sample.times)), noun="time")
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


# ----------------------------------------------------------------------------------------------------------------------
# Splits inside a learning sample, for tuning: nested, so that no test row has a say in the choice.


Labels = NDArray[np.integer[Any]]


def inner_splits(
    n: int, folds: int, strata: Labels | None = None, groups: Labels | None = None, seed: int = 0
) -> list[tuple[Rows, Rows]]:
    """Cross-validation of a learning sample of n rows, as pairs of positions in it: learn from, validate on.

    `groups` is what `inner_groups` says. A sample of fewer rows or groups than folds is divided into as many folds as
    it has of them, because a grid can be searched there too; of fewer than two it cannot.

    >>> [(train.tolist(), test.tolist()) for train, test in inner_splits(4, 2, groups=np.array([5, 8, 8, 9]))]
    [([0, 3], [1, 2]), ([1, 2], [0, 3])]
    """
    check_int(folds, "folds", 2)
    sample = Sample(n, _codes(strata), _codes(groups))
    units = Units.of(sample)
    if units.n < 2:
        raise UsageError(
            f"Tuning divides the learning sample, which needs two different rows or groups; found {units.word(units.n)}"
            f" among {n} row{'s' * (n != 1)}. Leave out the tuning, or use a resampling that learns from more rows."
        )
    scheme = CrossValidation(folds=min(folds, units.n))
    return [(one.train, one.test) for one in scheme.splits(sample, seed).splits]


def inner_groups(train: Labels, groups: Labels | None = None) -> NDArray[np.int64] | None:
    """What has to stay together inside a learning sample: the groups of its rows, or the copies of a row.

    `train` are the rows of the learning sample, `groups` the groups of all rows of the data. In a bootstrap sample a
    row occurs several times; validated on by what learned its copy, it would flatter whatever learns by heart.

    >>> inner_groups(np.array([0, 2, 2, 5])).tolist()
    [0, 2, 2, 5]
    >>> inner_groups(np.array([0, 2, 5])) is None
    True
    """
    if groups is not None:
        return np.asarray(groups[train], dtype=np.int64)
    return np.asarray(train, dtype=np.int64) if len(np.unique(train)) < len(train) else None


def _codes(labels: Labels | None) -> NDArray[np.int64] | None:
    return None if labels is None else np.unique(labels, return_inverse=True)[1].astype(np.int64).reshape(-1)
