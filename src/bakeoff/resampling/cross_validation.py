"""Cross-validation: every row is tested on once a repeat, by what was learned from the other folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bakeoff.errors import UsageError
from bakeoff.resampling.dealing import deal
from bakeoff.resampling.randomness import generator
from bakeoff.resampling.scheme import Scheme, small_classes, split, true_or_false, uneven_groups, whole
from bakeoff.resampling.split import Sample, Split
from bakeoff.resampling.units import Units


@dataclass(frozen=True)
class CrossValidation(Scheme):
    """`folds` parts of equal size, dealt anew in each of the `repeats`; in proportion to the classes if there are any.

    The learning samples of K folds share all but two Kths of the rows, and those of repeats still more: scores are
    dependent, which is what the procedures for cross-validation are about.

    >>> made = CrossValidation(folds=3).splits(Sample(7), seed=1)
    >>> [(s.fold, len(s.train), s.test.tolist()) for s in made.splits]
    [(1, 4, [0, 4, 5]), (2, 5, [2, 6]), (3, 5, [1, 3])]
    """

    scheme: ClassVar[str] = "cross-validation"
    about: ClassVar[str] = "each of K folds is tested on by what was learned from the others; repeated r times"

    folds: int = 10
    repeats: int = 1
    stratify: bool = True

    def __post_init__(self) -> None:
        whole(self.folds, "folds", 2)
        whole(self.repeats, "repeats", 1)
        true_or_false(self.stratify, "stratify")

    def count(self, sample: Sample) -> int:
        return self.folds * self.repeats

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        if units.n < self.folds:
            raise UsageError(
                f"{self.folds} folds need at least {units.word(self.folds)}; found {units.word(units.n)}. "
                "Use fewer folds, or leave-one-out."
            )
        for repeat in range(1, self.repeats + 1):
            fold_of = deal(units, self.folds, generator(seed, repeat))
            for fold in range(self.folds):
                inside = fold_of == fold
                yield split(repeat, fold + 1, units.rows(~inside), units.rows(inside))

    def _notes(self, sample: Sample, units: Units, made: tuple[Split, ...]) -> Iterator[str]:
        yield from super()._notes(sample, units, made)
        yield from uneven_groups(units, made)
        yield from small_classes(units, self.folds, "some folds go without")


@dataclass(frozen=True)
class FiveByTwo(Scheme):
    """Five replications of two-fold cross-validation, for the 5×2 cv t and F tests.

    Dietterich (1998), doi:10.1162/089976698300017197. The two learning samples of a replication share no row.
    """

    scheme: ClassVar[str] = "5x2"
    about: ClassVar[str] = "five replications of two-fold cross-validation"

    stratify: bool = True

    def __post_init__(self) -> None:
        true_or_false(self.stratify, "stratify")

    @property
    def _as_cross_validation(self) -> CrossValidation:
        return CrossValidation(folds=2, repeats=5, stratify=self.stratify)

    def count(self, sample: Sample) -> int:
        return 10

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        return self._as_cross_validation._make(sample, units, seed)

    def _notes(self, sample: Sample, units: Units, made: tuple[Split, ...]) -> Iterator[str]:
        return self._as_cross_validation._notes(sample, units, made)


@dataclass(frozen=True)
class LeaveOneOut(Scheme):
    """Each row, or each group, is tested on by what was learned from all the others. No chance is involved.

    It cannot be stratified, and a measure that needs several rows, such as the AUC, has no value on a single one.

    >>> [s.test.tolist() for s in LeaveOneOut().splits(Sample(4, groups=np.array([1, 0, 1, 0])), seed=0).splits]
    [[1, 3], [0, 2]]
    """

    scheme: ClassVar[str] = "leave-one-out"
    about: ClassVar[str] = "each row, or group of rows, is tested on by what was learned from all the others"

    def count(self, sample: Sample) -> int:
        return sample.n if sample.groups is None else len(np.unique(sample.groups))

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        for unit in range(units.n):
            inside = np.arange(units.n) == unit
            yield split(1, unit + 1, units.rows(~inside), units.rows(inside))
