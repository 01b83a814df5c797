"""RawTable: what a file says, before anybody knows what it means."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError
from bakeoff.scores.design import NOT_KNOWN, RunDesign
from bakeoff.scores.provenance import Provenance
from bakeoff.scores.table import Labels, frozen
from bakeoff.text import CodedWarning

if TYPE_CHECKING:
    import pandas as pd


# ----------------------------------------------------------------------------------------------------------------------
# When is a cell a number, when is it missing, and when is it neither?


# Compared without case and without blanks around them.
MISSING = frozenset({"", "na", "nan", "n/a", "#n/a", "<na>", "null", "none", "-", "?"})


def is_missing(text: str) -> bool:
    """Whether a cell says that there is no value.

    >>> is_missing(" N/A "), is_missing("0")
    (True, False)
    """
    return text.strip().lower() in MISSING


def is_number(text: str, *, decimal_comma: bool = False) -> bool:
    """Whether a cell is a number. A missing cell is not one.

    >>> is_number("1e-3"), is_number("0,85"), is_number("0,85", decimal_comma=True), is_number("NaN")
    (True, False, True, False)
    """
    return not is_missing(text) and _number(text, decimal_comma) is not None


def parse_numbers(labels: Sequence[str], *, decimal_comma: bool = False) -> tuple[NDArray[np.float64], list[int]]:
    """The number behind each label (NaN if missing), and the positions of labels that are neither.

    >>> parse_numbers(["0.5", "NA", "high"])
    (array([0.5, nan, nan]), [2])
    """
    try:
        # A million cells are a million labels at worst: the plain case must not run Python code for each.
        values = np.fromiter(map(float, labels), dtype=np.float64, count=len(labels))
    except ValueError:
        values = np.full(len(labels), np.nan)
    else:
        if "_" not in "".join(labels):
            return values, []
    wrong = []
    for position, label in enumerate(labels):
        number = _number(label, decimal_comma)
        if number is not None:
            values[position] = number
        elif not is_missing(label):
            wrong.append(position)
    return values, wrong


def _number(text: str, decimal_comma: bool) -> float | None:
    if decimal_comma and text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    if "_" in text:  # Python reads 1_000 as a number; nobody else does, and run_1 must not come near it
        return None
    try:
        return float(text)
    except ValueError:
        return None


# ----------------------------------------------------------------------------------------------------------------------


# Text is kept as a Labels, each different cell once; numbers from Parquet and pandas stay the arrays they are.
Column = Labels | NDArray[np.generic]


@dataclass(frozen=True, eq=False)
class RawTable:
    """Named columns of cells, and where they stand in the source, so that a message can point at a cell.

    `lines` holds the line of each row in a text file and is None where there are no lines (Parquet, pandas);
    messages then count rows. `decimal_comma` says that "0,85" is a number here. `provenance` is what a file tells of
    the study whose scores it holds, if it can.

    What was settled before the headers are read: `roles` are columns by the role they play, `splitting` what is known
    of runs, `ordered` the column of times in whose order the rows stand. `strata` tells that the clusters are a fixed
    list, `cluster_is_taken` that nobody said that they are clusters, `of_scorers` that scores are scikit-learn's, which
    are better if larger, and `doubts` what the cells leave open. A tool's files tell whether larger is better
    (`directions`), which measure leads (`headline`), that learners share no runs (`unpaired`), that tasks have measures
    of their own (`scales_differ`), and that the table is `long`.

    >>> table = RawTable("scores.csv", ("model", "acc"), (Labels.of(["svm ", "knn"]), Labels.of(["0.9", "NA"])))
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
    roles: Mapping[str, str] = field(default_factory=dict)
    splitting: RunDesign = NOT_KNOWN
    ordered: str = ""
    strata: bool = False
    cluster_is_taken: bool = False
    of_scorers: bool = False
    doubts: tuple[CodedWarning, ...] = ()
    directions: Mapping[str, bool] = field(default_factory=dict)
    unpaired: bool = False
    scales_differ: bool = False
    headline: str = ""
    long: bool = False

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
                column.where(rows) if isinstance(column, Labels) else column[rows] for column in self.columns
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

    def labels(self, name: str) -> Labels:
        """A column as labels. Blanks around a label are dropped: nobody sees them, so they tell nothing apart."""
        column = self.column(name)
        if not isinstance(column, Labels):
            return factor_of_array(column)
        stripped = tuple(map(str.strip, column.labels))
        if stripped == column.labels:
            return column
        merged = Labels.of(stripped)
        return Labels(merged.labels, frozen(merged.codes[column.codes]))

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column as numbers, NaN where a cell is missing; text is an error that names line and column."""
        column = self.column(name)
        if not isinstance(column, Labels):
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
        if not isinstance(column, Labels):
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
    if isinstance(column, Labels):
        return all(map(is_missing, column.labels))
    return bool(np.isnan(column.astype(np.float64)).all())


def tidy(table: RawTable) -> RawTable:
    """Without columns that have neither a name nor a cell, as a trailing comma makes them; with no name used twice.

    >>> tidy(RawTable("t.csv", ("acc", ""), (Labels.of(["1"]), Labels.of([""])))).names
    ('acc',)
    """
    table = _with_one_header(table)
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


def _with_one_header(table: RawTable) -> RawTable:
    """Two lines of headers, as pandas writes columns of two levels, as one: ('mean', 'svm'), ('std', 'svm'), ….

    A third line may name the column in front, and nothing else.
    """
    of_several = [name for name in table.names if table.names.count(name) > 1 and name] if table.n_rows > 2 else []
    if not of_several or len(table.names) > _MOST_LEVELS:
        return table
    lines = [[_cell(column, row) for column in table.columns] for row in (0, 1)]
    below = [cell for name, cell in zip(table.names, lines[0], strict=True) if name in of_several]
    if any(not cell or is_number(cell, decimal_comma=table.decimal_comma) for cell in below):
        return table
    pairs = list(zip(table.names, lines[0], strict=True))
    names = [f"({name!r}, {cell!r})" if name in of_several else name or cell for name, cell in pairs]
    in_front = [cell for name, cell in zip(table.names, lines[1], strict=True) if name not in of_several]
    third = any(in_front) and not any(c for n, c in zip(table.names, lines[1], strict=True) if n in of_several)
    if third:
        names = [cell or name for name, cell in zip(names, lines[1], strict=True)]
    if len(set(names)) < len(names):
        return table
    rows = np.arange(table.n_rows) >= (2 if third else 1)
    return replace(table, names=tuple(names)).where(rows)


_MOST_LEVELS = 1_000


def _cell(column: Column, row: int) -> str:
    return column.labels[column.codes[row]].strip() if isinstance(column, Labels) else str(column[row])


def in_order(labels: Sequence[str], codes: NDArray[np.intp]) -> Labels:
    """A Labels from labels in any order, some of them perhaps unused: renumbered by first appearance.

    >>> in_order(["x", "a", "b"], np.array([2, 1, 2])).labels
    ('b', 'a')
    """
    used, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return Labels(tuple(labels[code] for code in used[order]), frozen(rank[inverse]))


def at_rows(column: Column, rows: NDArray[np.intp]) -> Column:
    """Some cells of a column, in the order of `rows`."""
    return in_order(column.labels, column.codes[rows]) if isinstance(column, Labels) else column[rows]


def factor_of_array(array: NDArray[np.generic]) -> Labels:
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


# ----------------------------------------------------------------------------------------------------------------------
# A pandas DataFrame that is already in memory.


def is_frame(source: object) -> TypeGuard[pd.DataFrame]:
    """Whether this is a DataFrame, without importing pandas: who has one has imported it."""
    frame = getattr(sys.modules.get("pandas"), "DataFrame", None)  # none yet while another thread imports it
    return frame is not None and isinstance(source, frame)


def read_frame(frame: pd.DataFrame, source: str = "the DataFrame") -> RawTable:
    """The table in a DataFrame; an index that is more than a row number becomes columns.

    >>> import pandas as pd
    >>> read_frame(pd.DataFrame({"svm": [0.9, 0.8]}, index=["iris", "wine"])).names
    ('', 'svm')
    """
    if frame.columns.nlevels > 1:
        raise InputError("The columns have several levels. Flatten them to one name each.", source=source)
    names = [str(name).strip() for name in frame.columns]
    columns = [_column(series, name, source) for name, (_, series) in zip(names, frame.items(), strict=True)]
    if not _is_row_number(frame):
        for level in reversed(range(frame.index.nlevels)):
            values = frame.index.get_level_values(level)
            names.insert(0, "" if values.name is None else str(values.name).strip())
            columns.insert(0, _column(values.to_series(), names[0], source))
    if not len(frame) or not columns:
        raise InputError(
            f"The table has {len(names)} columns and {len(frame)} rows. At least one row was expected.", source=source
        )
    return RawTable(source, tuple(names), tuple(columns))


def _is_row_number(frame: pd.DataFrame) -> bool:
    index = frame.index
    if index.nlevels > 1 or index.name is not None:
        return False
    # Rows that were filtered or sorted keep their old numbers: unnamed whole numbers are still row numbers.
    return index.dtype.kind in "iu"


def _column(series: pd.Series[Any], name: str, source: str) -> Column:
    kind = series.dtype.kind
    if kind in "iuf" or (kind == "b" and not series.hasnans):
        if kind == "f" or series.hasnans:
            return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.asarray(series.to_numpy(dtype=bool if kind == "b" else None))
    try:
        codes, values = series.factorize()  # missing cells get the code −1, which is the last label
    except TypeError:  # lists and the like cannot be told apart
        raise InputError(
            "The column holds nested values, but one number or text per cell was expected. Unnest it, or leave it out.",
            source=source,
            column=name,
        ) from None
    return in_order([*(str(value) for value in values), ""], np.asarray(codes, dtype=np.intp))


# ----------------------------------------------------------------------------------------------------------------------
# From a path to bytes, and every way in which that can go wrong, in prose.


EXPECTED = "A CSV or Parquet file was expected"


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """All bytes of a file. It is opened once and read once, so a pipe will do as well."""
    source = source_name(path)
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise InputError(
            "There is no such file. Check the spelling and the folder you are in.", source=source
        ) from None
    except IsADirectoryError:
        raise InputError(f"{EXPECTED}, but this is a directory. Name one file in it.", source=source) from None
    except PermissionError:
        raise InputError(
            "This file may not be read by you. Ask its owner for permission to read it, or copy it.", source=source
        ) from None
    except OSError as error:
        raise InputError(_reason(path, error), source=source) from None
    except ValueError:  # a path with a NUL character in it
        raise InputError("This is no path of a file: it contains a NUL character.", source=source) from None


def _reason(path: str | os.PathLike[str], error: OSError) -> str:
    if error.errno == errno.ENAMETOOLONG:
        length = len(os.fspath(path))
        return f"There is no such file: the path has {length} characters, more than this system allows."
    return f"This file cannot be read ({error.strerror}). {EXPECTED}."


def source_name(path: str | os.PathLike[str]) -> str:
    """The path as messages name it: as the user wrote it, cut in the middle if it is very long."""
    return shorten(os.fspath(path), most=160)


def not_utf8(data: bytes, source: str) -> InputError:
    """The refusal of bytes that are no text, with the line of the first that is wrong."""
    line = None
    try:
        data.decode("utf-8")  # all at once: a decoder that goes piece by piece counts from the piece
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
    return InputError("The text is not UTF-8. Save the file as UTF-8.", source=source, line=line)


def what_it_looks_like(data: bytes) -> str | None:
    """What a file that is not text seems to be, and what to do about it; None if it may well be text."""
    for magic, sentence in (
        (b"\x1f\x8b", "a gzip archive. Unpack it first (gunzip)"),
        (b"PK\x03\x04", "a zip archive or a spreadsheet. Unpack it, or save the sheet as CSV"),
        (b"\xd0\xcf\x11\xe0", "an old spreadsheet. Save the sheet as CSV"),
        (b"\x89HDF", "an HDF5 file. Export the table as CSV or Parquet"),
        (b"SQLite format 3", "an SQLite database. Export the table as CSV"),
        (b"\xff\xfe", "UTF-16 text. Save it as UTF-8 (in Excel: CSV UTF-8)"),
        (b"\xfe\xff", "UTF-16 text. Save it as UTF-8 (in Excel: CSV UTF-8)"),
    ):
        if data.startswith(magic):
            return f"{EXPECTED}, but this looks like {sentence}."
    if b"\0" in data:
        return (
            f"{EXPECTED}, but this is a binary file: it has a NUL byte at byte {data.index(0)}. "
            "Export the table as CSV (UTF-8) or Parquet."
        )
    return None
