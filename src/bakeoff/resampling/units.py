"""Units: what a scheme moves as a whole. Rows, or groups of rows where the sample has groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.resampling.randomness import Numbers
from bakeoff.resampling.split import Rows, Sample


@dataclass(frozen=True, eq=False)
class Units:
    """`of_row` is the unit of each row, from 0 to n − 1, and `class_of_row` its class, from 0 to n_classes − 1; there
    is a single class if none are to be kept in proportion."""

    n: int
    n_rows: int
    n_classes: int
    grouped: bool
    of_row: Numbers
    class_of_row: Numbers

    @classmethod
    def of(cls, sample: Sample, stratify: bool = False) -> Units:
        """The units of a sample.

        >>> found = Units.of(Sample(5, groups=np.array([7, 7, 3, 3, 3])))
        >>> found.n, found.classes.tolist(), found.rows([2, 0]).tolist()
        (2, [[3], [2]], [2, 2, 3, 3, 4, 4])
        """
        _check(sample)
        grouped, stratified = sample.groups is not None, stratify and sample.strata is not None
        of_row = _numbered(sample.groups) if grouped else np.arange(sample.n)
        class_of_row = _numbered(sample.strata) if stratified else np.zeros(sample.n, dtype=np.int64)
        n, n_classes = (int(numbers.max(initial=-1)) + 1 for numbers in (of_row, class_of_row))
        return cls(n, sample.n, n_classes, grouped, of_row, class_of_row)

    @cached_property
    def classes(self) -> Numbers:
        """The rows of each unit by class: a row a unit, a column a class. For groups; large if units are rows."""
        cell = self.of_row * self.n_classes + self.class_of_row
        return np.bincount(cell, minlength=self.n * self.n_classes).reshape(self.n, self.n_classes)

    @property
    def spread(self) -> Numbers:
        """The number of units that each class is found in."""
        if self.grouped:
            return np.asarray((self.classes > 0).sum(axis=0))
        return np.bincount(self.class_of_row, minlength=self.n_classes)

    def rows(self, copies: NDArray[np.bool_] | Numbers | list[int]) -> Rows:
        """The rows of the units, each as often as its unit is to be there; in order."""
        times = np.asarray(copies).astype(np.int64)[self.of_row]
        return np.repeat(np.arange(self.n_rows, dtype=np.int32), times)

    def word(self, number: int) -> str:
        """A number of units, in words."""
        return f"{number} {'group' if self.grouped else 'row'}{'s' * (number != 1)}"


def _numbered(labels: NDArray[np.int64] | None) -> Numbers:
    """Labels as numbers from 0, in the order of the labels."""
    return np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64).reshape(-1)


def _check(sample: Sample) -> None:
    for name, labels in (("strata", sample.strata), ("groups", sample.groups)):
        if labels is not None and np.shape(labels) != (sample.n,):
            raise UsageError(
                f"The {name} of a sample must be one for each of its {sample.n} rows; found {np.shape(labels)}."
            )
