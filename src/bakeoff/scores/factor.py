"""A column of labels, stored once each and referred to by number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound="NDArray[Any]")


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """Labels in order of first appearance, and for each row the number of its label.

    >>> column = Factor.of(["svm", "knn", "svm"])
    >>> column.labels, column.codes.tolist()
    (('svm', 'knn'), [0, 1, 0])
    """

    labels: tuple[str, ...]
    codes: NDArray[np.intp]

    @classmethod
    def of(cls, values: Iterable[object]) -> Factor:
        numbers: dict[str, int] = {}
        codes = [numbers.setdefault(str(value), len(numbers)) for value in values]
        return cls(tuple(numbers), frozen(np.array(codes, dtype=np.intp)))

    @classmethod
    def constant(cls, label: str, length: int) -> Factor:
        """The same label in every row."""
        return cls((label,) if length else (), frozen(np.zeros(length, dtype=np.intp)))

    def __len__(self) -> int:
        return len(self.codes)

    def where(self, rows: NDArray[np.bool_]) -> Factor:
        """These rows, with the labels that are still used."""
        codes = self.codes[rows]
        used = np.bincount(codes, minlength=len(self.labels)) > 0
        number = np.cumsum(used) - 1
        return Factor(tuple(self.labels[code] for code in np.flatnonzero(used)), frozen(number[codes]))

    def values(self) -> list[str]:
        return [self.labels[code] for code in self.codes]


def frozen(array: T) -> T:
    """The same array, made read-only."""
    array.flags.writeable = False
    return array
