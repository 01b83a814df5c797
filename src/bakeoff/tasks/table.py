"""A table of data whose columns are decided: numbers or categories."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError
from bakeoff.scores.factor import Factor
from bakeoff.scores.reading.numbers import is_number, parse_numbers
from bakeoff.scores.reading.raw import Column as RawColumn
from bakeoff.scores.reading.raw import RawTable, factor_of_array, shorten

# What a cell of a text file says when it says nothing, without regard to case. "none", "-" and "null" are not among
# them: in data they are categories ("other debtors: none") more often than not.
MISSING = frozenset({"", "?", "na", "nan"})


@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """A column of names: each once, in order, and for each row the number of its name, -1 where it is missing."""

    labels: tuple[str, ...]
    codes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.codes)

    def where(self, rows: NDArray[np.bool_]) -> Categories:
        """These rows, with the names that are still used."""
        codes = self.codes[rows]
        used = np.unique(codes[codes >= 0])
        renumbered = np.full(len(self.labels) + 1, -1, dtype=np.int64)  # the last place is that of -1
        renumbered[used] = np.arange(len(used))
        return Categories(tuple(self.labels[code] for code in used), renumbered[codes])


Column = NDArray[np.float64] | Categories


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of numbers (NaN where missing) or categories, and where each row stands, for messages.

    `parts` are the files that the rows come from, each with its number of rows; `lines` is None where a file has none.
    """

    parts: tuple[tuple[str, int], ...]
    names: tuple[str, ...]
    columns: tuple[Column, ...]
    lines: NDArray[np.intp] | None = None
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        return sum(n for _, n in self.parts)

    @property
    def source(self) -> str:
        return self.parts[0][0]

    def column(self, name: str) -> Column:
        return self.columns[self.names.index(name)]

    def error(self, message: str, *, row: int | None = None, column: str | None = None) -> InputError:
        """An error about the table, or about one row or cell of it."""
        if row is None:
            return InputError(message, source=self.source, column=column)
        ends = np.cumsum([n for _, n in self.parts])
        part = int(np.searchsorted(ends, row, side="right"))
        source, before = self.parts[part][0], 0 if part == 0 else int(ends[part - 1])
        if self.lines is not None:
            return InputError(message, source=source, line=int(self.lines[row]), column=column)
        return InputError(f"(row {row - before + 1}) {message}", source=source, column=column)


def appended(first: RawTable, second: RawTable) -> RawTable:
    """The rows of both, by the names of the columns, which must be the same in any order."""
    missing = [name for name in first.names if name not in second.names]
    more = [name for name in second.names if name not in first.names]
    if missing or more:
        lacks = f"it lacks {missing[0]!r}" if missing else f"it has {more[0]!r} besides"
        raise InputError(
            f"The test sample should have the columns of {first.source}, but {lacks}. Give both files the same header.",
            source=second.source,
        )
    columns: list[RawColumn] = []
    for name in first.names:
        one, two = first.column(name), second.column(name)
        if isinstance(one, Factor) and isinstance(two, Factor):
            numbering = {label: code for code, label in enumerate(one.labels)}
            translated = [numbering.setdefault(label, len(numbering)) for label in two.labels]
            codes = np.concatenate([one.codes, np.array(translated, dtype=np.intp)[two.codes]])
            columns.append(Factor(tuple(numbering), codes))
        elif isinstance(one, Factor) or isinstance(two, Factor):
            raise InputError(
                f"The column holds {'text' if isinstance(two, Factor) else 'numbers'} here, but "
                f"{'text' if isinstance(one, Factor) else 'numbers'} in {first.source}. Write it alike in both files.",
                source=second.source,
                column=name,
            )
        else:
            columns.append(np.concatenate([one, two]))
    lines = None if first.lines is None or second.lines is None else np.concatenate([first.lines, second.lines])
    return RawTable(first.source, first.names, tuple(columns), lines, first.notes, first.decimal_comma)


def typed(raw: RawTable, parts: tuple[tuple[str, int], ...], *, declared: bool, names: Collection[str]) -> Table:
    """Decide each column: numbers, or categories.

    `declared` says that the format itself tells text from numbers (Parquet, ARFF); otherwise (CSV) a column is one of
    numbers if every cell that is not missing is a number. Columns in `names` are categories whatever they hold.
    """
    columns: list[Column] = []
    notes = list(raw.notes)
    for name, column in zip(raw.names, raw.columns, strict=True):
        if not isinstance(column, Factor):
            is_category = name in names or column.dtype.kind == "b"
            columns.append(_categories(factor_of_array(column), {""}) if is_category else column.astype(np.float64))
            continue
        missing = {""} if declared else MISSING
        numbers = None if declared or name in names else _numbers(column, raw.decimal_comma)
        if numbers is None:
            categories = _categories(column, missing)
            columns.append(categories)
            if name not in names:
                notes += _doubts(name, [] if declared else _words(column, raw.decimal_comma), categories)
        else:
            columns.append(numbers)
    return Table(parts, raw.names, tuple(columns), raw.lines, tuple(notes))


def _numbers(column: Factor, decimal_comma: bool) -> NDArray[np.float64] | None:
    values, wrong = parse_numbers(column.labels, decimal_comma=decimal_comma)
    # The scores' reader knows more words for "missing" than data have: those that are none here make it no number.
    empty = [i for i in np.flatnonzero(np.isnan(values)).tolist() if column.labels[i].strip().lower() not in MISSING]
    return None if wrong or empty else np.asarray(values[column.codes])


def _categories(column: Factor, missing: Collection[str]) -> Categories:
    """Names without the blanks around them, sorted: as numbers if they are whole numbers, else as text."""
    stripped = [label.strip() for label in column.labels]
    named = sorted({label for label in stripped if label.lower() not in missing}, key=_order)
    numbering = {label: code for code, label in enumerate(named)}
    return Categories(tuple(named), np.array([numbering.get(label, -1) for label in stripped], np.int64)[column.codes])


def _order(label: str) -> tuple[bool, int, str]:
    digits = label.isascii() and label.isdigit() and len(label) < 19
    return not digits, int(label) if digits else 0, label


def _words(column: Factor, decimal_comma: bool) -> list[str]:
    """The labels that are neither numbers nor missing."""
    return [
        label
        for label in column.labels
        if label.strip().lower() not in MISSING and not is_number(label, decimal_comma=decimal_comma)
    ]


def _doubts(name: str, words: list[str], categories: Categories) -> list[str]:
    """What a reader should look at: numbers with a stray word among them, and texts that are no categories."""
    if words and len(words) <= 3 and len(categories.labels) > 10 * len(words):
        return [
            f"column {name!r} is read as categories because of {shorten(words[0], 30)!r} among its numbers; "
            "leave such cells empty if they are missing"
        ]
    if len(categories.labels) > 20 and len(categories.labels) > 0.5 * len(categories):
        return [
            f"column {name!r} has {len(categories.labels)} different texts in {len(categories)} rows; "
            "drop it if it is a name or free text"
        ]
    return []
