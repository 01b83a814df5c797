"""Cross-validation: every row is tested on once a repeat, by what was learned from the other folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.resampling.scheme import (
    REAL_WORLD,
    Combination,
    Scheme,
    Sharing,
    check_bool,
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

    def __post_init__(self) -> None:
        check_int(self.folds, "folds", 2)
        check_int(self.repeats, "repeats", 1)
        check_bool(self.stratify, "stratify")

    def count(self, sample: Sample) -> int:
        return self.folds * self.repeats

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

    def __post_init__(self) -> None:
        check_bool(self.stratify, "stratify")

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

    def __post_init__(self) -> None:
        check_int(self.folds, "folds", 2)
        check_int(self.repeats, "repeats", 1)
        check_bool(self.stratify, "stratify")

    def count(self, sample: Sample) -> int:
        return self.folds * self.repeats

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
