"""Answers: a truth and predictions beside it, seen as labels or as numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from bakeoff.scores.factor import Factor
from bakeoff.scores.reading.numbers import is_missing, is_number, parse_numbers
from bakeoff.scores.reading.raw import RawTable

_BOOLEAN = {"true": "1", "false": "0"}
_MAY_BE_A_CLASS = frozenset({"none", "-", "?"})  # they mean "missing" among numbers only


def spelled_once(label: str) -> str:
    """A label in one spelling for equal numbers, and as it is otherwise.

    >>> spelled_once("1.0"), spelled_once("+1"), spelled_once("2.50"), spelled_once("cat")
    ('1', '1', '2.5', 'cat')
    """
    try:
        number = float(label)
    except ValueError:
        return label
    if not isfinite(number) or "_" in label:
        return label
    return str(int(number)) if number.is_integer() else repr(number)


@dataclass(frozen=True, eq=False)
class Answers:
    """The column of the truth and those of the learners. Labels compare as text, and numbers by what they are worth."""

    table: RawTable
    truth: str
    learners: tuple[str, ...]
    _numbers: dict[str, NDArray[np.float64] | None] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The labels of the truth; empty if it holds numbers that are not whole, which are no classes."""
        if not _whole(self.table, self.truth):
            return frozenset()
        return frozenset(map(self.canonical, self.table.labels(self.truth).labels))

    @cached_property
    def two_valued(self) -> bool:
        """Whether the truth is 0 or 1, or true or false."""
        if not _whole(self.table, self.truth):
            return False
        found = {spelled_once(label).lower() for label in self.table.labels(self.truth).labels}
        return found <= {"0", "1"} or found <= set(_BOOLEAN)

    def canonical(self, label: str) -> str:
        label = spelled_once(label)
        return _BOOLEAN.get(label.lower(), label) if self.two_valued else label

    def are_labels(self, learner: str) -> bool:
        """Whether every prediction of a learner is one of the labels of the truth."""
        if not self.labels or not _whole(self.table, learner):
            return False
        labels = self.table.labels(learner).labels
        return all(self.canonical(label) in self.labels or is_missing(label) for label in labels)

    def numbers(self, name: str) -> NDArray[np.float64] | None:
        """A column as numbers; None if it holds text."""
        if name not in self._numbers:
            self._numbers[name] = self._parse(name)
        return self._numbers[name]

    def _parse(self, name: str) -> NDArray[np.float64] | None:
        column = self.table.column(name)
        if not isinstance(column, Factor):
            return column.astype(np.float64)
        values, wrong = parse_numbers(column.labels, decimal_comma=self.table.decimal_comma)
        for position in wrong:
            label = self.canonical(column.labels[position].strip())
            if label not in _BOOLEAN.values():
                return None
            values[position] = float(label)
        return np.asarray(values[column.codes])

    def codes(self, name: str, numbering: dict[str, int]) -> NDArray[np.float64]:
        """The numbers of a column's labels, NaN where a prediction is missing. New labels are added to `numbering`."""
        column = self.table.labels(name)
        truths = frozenset(map(self.canonical, self.table.labels(self.truth).labels))
        numbers = np.empty(len(column.labels))
        for position, label in enumerate(column.labels):
            label = self.canonical(label)
            lost = is_missing(label) and label not in truths
            numbers[position] = np.nan if lost else numbering.setdefault(label, len(numbering))
        return np.asarray(numbers[column.codes])


def refuse_missing_truth(table: RawTable, name: str) -> None:
    """Nothing can be said about a prediction whose truth is not known."""
    column = table.column(name)
    if isinstance(column, Factor):
        numeric = any(is_number(label, decimal_comma=table.decimal_comma) for label in column.labels)
        lost = [
            code
            for code, label in enumerate(column.labels)
            if is_missing(label) and (numeric or label.strip().lower() not in _MAY_BE_A_CLASS)
        ]
        rows = np.flatnonzero(np.isin(column.codes, lost))
    else:
        rows = np.flatnonzero(np.isnan(column.astype(np.float64)))
    if len(rows):
        more = f" ({len(rows) - 1} more rows like it)" if len(rows) > 1 else ""
        raise table.error(
            f"The truth is missing in this row{more}, so no prediction can be scored. Fill it in or leave the row out.",
            row=int(rows[0]),
            column=name,
        )


def _whole(table: RawTable, name: str) -> bool:
    """Whether no number in a column has a fraction."""
    column = table.column(name)
    if not isinstance(column, Factor):
        if column.dtype.kind != "f":
            return True
        values = column.astype(np.float64)
        values = values[~np.isnan(values)]
        return bool((values == np.floor(values)).all())
    return all(not is_number(label, decimal_comma=table.decimal_comma) or _is_whole(label) for label in column.labels)


def _is_whole(label: str) -> bool:
    try:
        return float(label).is_integer()
    except ValueError:  # a decimal comma
        return False
