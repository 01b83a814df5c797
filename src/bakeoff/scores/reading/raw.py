"""RawTable: what a file says, before anybody knows what it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError
from bakeoff.scores.factor import Factor, frozen
from bakeoff.scores.provenance import Provenance
from bakeoff.scores.reading.numbers import is_missing, is_number, parse_numbers

# Text is kept as a Factor, each different cell once; numbers from Parquet and pandas stay the arrays they are.
Column = Factor | NDArray[np.generic]


@dataclass(frozen=True, eq=False)
class RawTable:
    """Named columns of cells, and where they stand in the source, so that a message can point at a cell.

    `lines` holds the line of each row in a text file and is None where there are no lines (Parquet, pandas);
    messages then count rows. `decimal_comma` says that "0,85" is a number here. `provenance` is what a file tells of
    the study whose scores it holds, if it can.

    >>> table = RawTable("scores.csv", ("model", "acc"), (Factor.of(["svm ", "knn"]), Factor.of(["0.9", "NA"])))
    >>> table.labels("model").values(), table.numbers("acc").tolist()
    (['svm', 'knn'], [0.9, nan])
    """

    source: str
    names: tuple[str, ...]
    columns: tuple[Column, ...]
    lines: NDArray[np.intp] | None = None
    notes: tuple[str, ...] = ()
    decimal_comma: bool = False
    provenance: Provenance | None = None

    @property
    def n_rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def column(self, name: str) -> Column:
        return self.columns[self.names.index(name)]

    def where(self, rows: NDArray[np.bool_]) -> RawTable:
        """Some of the rows."""
        return replace(
            self,
            columns=tuple(
                column.where(rows) if isinstance(column, Factor) else column[rows] for column in self.columns
            ),
            lines=None if self.lines is None else self.lines[rows],
        )

    def with_column(self, name: str, column: Column) -> RawTable:
        """The same table with other cells in one column."""
        columns = tuple(column if n == name else old for n, old in zip(self.names, self.columns, strict=True))
        return replace(self, columns=columns)

    def without(self, name: str) -> RawTable:
        """The same table without one column."""
        kept = [i for i, other in enumerate(self.names) if other != name]
        names, columns = tuple(self.names[i] for i in kept), tuple(self.columns[i] for i in kept)
        return replace(self, names=names, columns=columns)

    def labels(self, name: str) -> Factor:
        """A column as labels. Blanks around a label are dropped: nobody sees them, so they tell nothing apart."""
        column = self.column(name)
        if not isinstance(column, Factor):
            return factor_of_array(column)
        if all(label == label.strip() for label in column.labels):
            return column
        merged = Factor.of(label.strip() for label in column.labels)
        return Factor(merged.labels, frozen(merged.codes[column.codes]))

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column as numbers, NaN where a cell is missing; text is an error that names line and column."""
        column = self.column(name)
        if not isinstance(column, Factor):
            return column.astype(np.float64)
        values, wrong = parse_numbers(column.labels, decimal_comma=self.decimal_comma)
        if wrong:
            rows = np.flatnonzero(np.isin(column.codes, wrong))
            text = column.labels[column.codes[rows[0]]]
            more = f" ({len(rows) - 1} more cells of this column are no numbers)" if len(rows) > 1 else ""
            raise self.error(
                f"A number was expected, but {shorten(text)!r} was found{more}. "
                "Write a number, or leave the cell empty if there is no result.",
                row=int(rows[0]),
                column=name,
            )
        return np.asarray(values[column.codes])

    def holds_numbers(self, name: str) -> bool:
        """Whether at least one cell is a number; an empty column does not count as text."""
        column = self.column(name)
        if not isinstance(column, Factor):
            return True
        return any(is_number(label, decimal_comma=self.decimal_comma) for label in column.labels)

    def is_empty(self, name: str) -> bool:
        """Whether no cell of a column says anything."""
        return _says_nothing(self.column(name))

    def error(self, message: str, *, row: int | None = None, column: str | None = None) -> InputError:
        """An error about this table, or about one row or cell of it."""
        line = None if row is None or self.lines is None else int(self.lines[row])
        if row is not None and line is None:
            message = f"(row {row + 1}) {message}"
        return InputError(message, source=self.source, line=line, column=column)


def _says_nothing(column: Column) -> bool:
    if isinstance(column, Factor):
        return all(map(is_missing, column.labels))
    return bool(np.isnan(column.astype(np.float64)).all())


def tidy(table: RawTable) -> RawTable:
    """Without columns that have neither a name nor a cell, as a trailing comma makes them; with no name used twice.

    >>> tidy(RawTable("t.csv", ("acc", ""), (Factor.of(["1"]), Factor.of([""])))).names
    ('acc',)
    """
    kept = [i for i, name in enumerate(table.names) if name or not _says_nothing(table.columns[i])]
    seen: set[str] = set()
    for name in (table.names[i] for i in kept):
        if name in seen:
            whose = f"The name {shorten(name)!r} stands" if name else "Columns without a name stand"
            raise table.error(f"{whose} twice in the header. Give each column a name of its own.")
        seen.add(name)
    return replace(
        table,
        names=tuple(table.names[i] for i in kept),
        columns=tuple(table.columns[i] for i in kept),
    )


def in_order(labels: Sequence[str], codes: NDArray[np.intp]) -> Factor:
    """A Factor from labels in any order, some of them perhaps unused: renumbered by first appearance.

    >>> in_order(["x", "a", "b"], np.array([2, 1, 2])).labels
    ('b', 'a')
    """
    used, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return Factor(tuple(labels[code] for code in used[order]), frozen(rank[inverse]))


def factor_of_array(array: NDArray[np.generic]) -> Factor:
    """Labels for a column of numbers; whole numbers without a decimal point, NaN as the empty label.

    >>> factor_of_array(np.array([2.0, 1.0, 2.0])).labels
    ('2', '1')
    """
    values, codes = np.unique(array, return_inverse=True)
    return in_order([_text(value) for value in values.tolist()], codes.astype(np.intp))


def _text(value: object) -> str:
    if isinstance(value, float):
        if np.isnan(value):
            return ""
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value)


def shorten(text: str, most: int = 60) -> str:
    """A cell or path as a message can show it: hostile files have cells of a megabyte.

    >>> shorten("a" * 100, most=20)
    'aaaaaaaaa … aaaaaaaa'
    """
    if len(text) <= most:
        return text
    head = (most - 3 + 1) // 2
    return f"{text[:head]} … {text[-(most - 3 - head) :]}"
