"""A table of data whose columns are decided, numbers or categories; large CSV files, and ARFF."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError
from bakeoff.scores.reading.csv_file import read_csv
from bakeoff.scores.reading.raw import (
    Column,
    RawTable,
    factor_of_array,
    in_order,
    is_number,
    not_utf8,
    parse_numbers,
    shorten,
)
from bakeoff.scores.table import Labels

if TYPE_CHECKING:
    import pyarrow as pa

# What a cell of a text file says when it says nothing, without regard to case. "none", "-" and "null" are not among
# them: in data they are categories ("other debtors: none") more often than not.
MISSING = frozenset({"", "?", "na", "nan"})


@dataclass(frozen=True, slots=True, eq=False)
class NameColumn:
    """A column of names: each once, in order, and for each row the number of its name, -1 where it is missing."""

    labels: tuple[str, ...]
    codes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.codes)

    def where(self, rows: NDArray[np.bool_]) -> NameColumn:
        """These rows, with the names that are still used."""
        codes = self.codes[rows]
        used = np.unique(codes[codes >= 0])
        renumbered = np.full(len(self.labels) + 1, -1, dtype=np.int64)  # the last place is that of -1
        renumbered[used] = np.arange(len(used))
        return NameColumn(tuple(self.labels[code] for code in used), renumbered[codes])


TableColumn = NDArray[np.float64] | NameColumn


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of numbers (NaN where missing) or categories, and where each row stands, for messages.

    `parts` are the files that the rows come from, each with its number of rows; `lines` is None where a file has none.
    """

    parts: tuple[tuple[str, int], ...]
    names: tuple[str, ...]
    columns: tuple[TableColumn, ...]
    lines: NDArray[np.intp] | None = None
    notes: tuple[str, ...] = ()
    doubts: tuple[tuple[str, str], ...] = ()  # a column, and a note on it

    @property
    def n_rows(self) -> int:
        return sum(n for _, n in self.parts)

    @property
    def source(self) -> str:
        return self.parts[0][0]

    def column(self, name: str) -> TableColumn:
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
    columns: list[Column] = []
    for name in first.names:
        one, two = first.column(name), second.column(name)
        if isinstance(one, Labels) and isinstance(two, Labels):
            numbering = {label: code for code, label in enumerate(one.labels)}
            translated = [numbering.setdefault(label, len(numbering)) for label in two.labels]
            codes = np.concatenate([one.codes, np.array(translated, dtype=np.intp)[two.codes]])
            columns.append(Labels(tuple(numbering), codes))
        elif isinstance(one, Labels) or isinstance(two, Labels):
            raise InputError(
                f"The column holds {'text' if isinstance(two, Labels) else 'numbers'} here, but "
                f"{'text' if isinstance(one, Labels) else 'numbers'} in {first.source}. Write it alike in both files.",
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
    columns: list[TableColumn] = []
    doubts: list[tuple[str, str]] = []
    for name, column in zip(raw.names, raw.columns, strict=True):
        if not isinstance(column, Labels):
            is_category = name in names or column.dtype.kind == "b"
            columns.append(_categories(factor_of_array(column), {""}) if is_category else column.astype(np.float64))
            continue
        missing = {""} if declared else MISSING
        numbers = None if declared or name in names else _numbers(column, raw.decimal_comma)
        if numbers is None:
            categories = _categories(column, missing)
            columns.append(categories)
            if name not in names:
                words = [] if declared else _words(column, raw.decimal_comma)
                doubts += [(name, doubt) for doubt in _doubts(name, words, categories)]
        else:
            columns.append(numbers)
    return Table(parts, raw.names, tuple(columns), raw.lines, raw.notes, tuple(doubts))


def _numbers(column: Labels, decimal_comma: bool) -> NDArray[np.float64] | None:
    values, wrong = parse_numbers(column.labels, decimal_comma=decimal_comma)
    # The scores' reader knows more words for "missing" than data have: those that are none here make it no number.
    empty = [i for i in np.flatnonzero(np.isnan(values)).tolist() if column.labels[i].strip().lower() not in MISSING]
    return None if wrong or empty else np.asarray(values[column.codes])


def _categories(column: Labels, missing: Collection[str]) -> NameColumn:
    """Names without the blanks around them, sorted: as numbers if they are whole numbers, else as text."""
    stripped = [label.strip() for label in column.labels]
    named = sorted({label for label in stripped if label.lower() not in missing}, key=_order)
    numbering = {label: code for code, label in enumerate(named)}
    return NameColumn(tuple(named), np.array([numbering.get(label, -1) for label in stripped], np.int64)[column.codes])


def _order(label: str) -> tuple[bool, int, str]:
    digits = label.isascii() and label.isdigit() and len(label) < 19
    return not digits, int(label) if digits else 0, label


def _words(column: Labels, decimal_comma: bool) -> list[str]:
    """The labels that are neither numbers nor missing."""
    return [
        label
        for label in column.labels
        if label.strip().lower() not in MISSING and not is_number(label, decimal_comma=decimal_comma)
    ]


def _doubts(name: str, words: list[str], categories: NameColumn) -> list[str]:
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


# ----------------------------------------------------------------------------------------------------------------------
# Large CSV files through pyarrow: the same table as the reader for small ones, some twenty times as fast.
#
# It takes only files that are plain (commas, one line a row, no row without any cell) and gives up on anything else, so
# that the other reader reads it or says what is wrong with it.


LARGE = 1_000_000  # bytes; below that, importing pyarrow costs more than it saves
_HEAD = 20_000


def read_large_csv(data: bytes, source: str, texts: Collection[str]) -> RawTable | None:
    """The table in the bytes of a plain CSV file, columns of numbers as such; None if the file is not plain.

    Columns in `texts` are left as they are written, even if they are numbers.
    """
    names = _names(data, source)
    if names is None or b', "' in data:  # a quote after a blank is text to pyarrow
        return None
    import pyarrow as pa
    from pyarrow import csv

    try:
        table = csv.read_csv(
            pa.BufferReader(data),
            read_options=csv.ReadOptions(column_names=list(names), skip_rows=1),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                strings_can_be_null=False,
                quoted_strings_can_be_null=False,
            ),
        )
    except (pa.ArrowException, OSError):
        return None
    # A row on several lines, or an empty line, would make the numbers of lines wrong.
    if table.num_rows != data.count(b"\n") - data.endswith(b"\n") or not table.num_rows or _has_empty_row(table):
        return None
    columns = [_csv_column(table.column(i).combine_chunks(), name in texts) for i, name in enumerate(names)]
    return RawTable(source, names, tuple(columns), np.arange(2, table.num_rows + 2, dtype=np.intp))


def _names(data: bytes, source: str) -> tuple[str, ...] | None:
    """The header, if the beginning of the file is a plain table below a header on the first line."""
    head = data[:_HEAD].rpartition(b"\n")[0]
    try:
        table = read_csv(head, source)
    except InputError:
        return None
    plain = not table.notes and table.lines is not None and table.lines[0] == 2 and b"\r" not in head
    return table.names if plain and len(set(table.names)) == len(table.names) > 1 else None


def _has_empty_row(table: pa.Table) -> bool:
    import pyarrow.compute as pc

    empty = None
    for column in table.columns:
        here = pc.equal(column, "")
        empty = here if empty is None else pc.and_(empty, here)
        if not pc.any(empty).as_py():
            return False
    return True


def _csv_column(texts: pa.Array, keep: bool) -> Column:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not keep:
        missing = pc.is_in(texts, value_set=pa.array(_spellings()))
        try:
            numbers = pc.if_else(missing, pa.scalar(None, pa.string()), texts).cast(pa.float64())
            return np.array(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)
        except pa.ArrowInvalid:
            pass  # there is something that is no number
    encoded = texts.dictionary_encode()
    return in_order(encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.intp))


def _spellings() -> list[str]:
    """The words for missing in all their cases."""
    return sorted({"".join(letters) for word in MISSING for letters in product(*((c, c.upper()) for c in word))})


# ----------------------------------------------------------------------------------------------------------------------
# ARFF, the format of Weka and OpenML: a header that declares the columns, and rows below it.
#
# Numbers, nominal values, strings and dates are read, with quotes, escapes and '?' for missing; dates are names like
# strings. Sparse rows, weights of rows and relational attributes are refused.


_NUMERIC = frozenset({"numeric", "real", "integer"})
_TEXT = frozenset({"string", "date"})
# A value: in single or double quotes with backslash escapes, or anything up to the next separator.
_VALUE = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,\t'"]*))\s*(,|\t|$)""")
_ATTRIBUTE = re.compile(r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s'"{]+))\s*(.*)""", re.I | re.S)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True)
class _Attribute:
    name: str
    kind: str  # "numeric", "text" or "nominal"
    values: frozenset[str] = frozenset()


def read_arff(data: bytes, source: str) -> RawTable:
    """The table in the bytes of an ARFF file; an empty label stands for a missing name.

    >>> text = b"@relation r\\n@attribute 'a b' real\\n@attribute c {x, 'y z'}\\n@data\\n1.5,'y z'\\n?,x\\n"
    >>> table = read_arff(text, "r.arff")
    >>> table.names, table.columns[0].tolist(), table.columns[1].values()
    (('a b', 'c'), [1.5, nan], ['y z', 'x'])
    """
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise not_utf8(data, source) from None
    attributes, first = _header(lines, source)
    rows, numbers = [], []
    for number, line in enumerate(lines[first:], first + 1):
        if line.strip() and not line.lstrip().startswith("%"):
            rows.append(_row(line, len(attributes), source, number))
            numbers.append(number)
    if not rows:
        raise InputError("There are no rows below @data. At least one was expected.", source=source, line=first)
    columns = tuple(
        _arff_column(attribute, [row[i] for row in rows], source, numbers) for i, attribute in enumerate(attributes)
    )
    return RawTable(source, tuple(a.name for a in attributes), columns, np.array(numbers, dtype=np.intp))


def _header(lines: list[str], source: str) -> tuple[list[_Attribute], int]:
    """The attributes, and the number of lines up to and including @data."""
    attributes: list[_Attribute] = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        word = text.split(maxsplit=1)[0].lower() if text else ""
        if word == "@attribute":
            attributes.append(_attribute(text, source, number))
        elif word == "@data":
            if not attributes:
                raise InputError("There is no @attribute line above @data.", source=source, line=number)
            return attributes, number
        elif text and not text.startswith("%") and word != "@relation":
            raise InputError(
                f"@relation, @attribute, @data or a comment (%) was expected, but {shorten(text)!r} was found.",
                source=source,
                line=number,
            )
    raise InputError("There is no @data line, so this is no ARFF file.", source=source)


def _attribute(text: str, source: str, line: int) -> _Attribute:
    match = _ATTRIBUTE.fullmatch(text)
    if match is None:
        raise InputError(
            f"'@attribute NAME TYPE' was expected, but {shorten(text)!r} was found.", source=source, line=line
        )
    name, kind = _text(match[1], match[2], match[3]), match[4].strip()
    if kind.startswith("{"):
        if not kind.endswith("}"):
            raise InputError("The list of values has no closing brace.", source=source, line=line, column=name)
        values = [value for value in _values(kind[1:-1], source, line) if value is not None]
        return _Attribute(name, "nominal", frozenset(values))
    word = kind.split(maxsplit=1)[0].lower() if kind else ""
    if word in _NUMERIC:
        return _Attribute(name, "numeric")
    if word in _TEXT:
        return _Attribute(name, "text")
    raise InputError(
        f"The type of an attribute should be numeric, real, integer, string, date or a list in braces, but "
        f"{shorten(kind)!r} was found. Other types cannot be read: convert the file to CSV.",
        source=source,
        line=line,
        column=name,
    )


def _row(line: str, width: int, source: str, number: int) -> list[str | None]:
    text = line.strip()
    if text.startswith("{"):
        raise InputError(
            "This is a sparse row ({index value, …}), which cannot be read. Write the file in the dense form "
            "(Weka: filter SparseToNonSparse), or as CSV.",
            source=source,
            line=number,
        )
    if "'" in text or '"' in text or "\\" in text or "\t" in text:
        values = _values(text, source, number)
    else:
        values = [None if value == "?" else value for value in map(str.strip, text.split(","))]
    if len(values) != width:
        weight = " The last field looks like a weight of the row; remove it." if text.endswith("}") else ""
        raise InputError(
            f"{width} fields were expected, as declared above, but {len(values)} were found.{weight}",
            source=source,
            line=number,
        )
    return values


def _values(text: str, source: str, line: int) -> list[str | None]:
    """Separated values, quoted or not; a bare '?' is None."""
    values, position, text = [], 0, text.strip()
    while True:
        match = _VALUE.match(text, position)
        if match is None:
            raise InputError(
                f"A value cannot be read from {shorten(text[position:])!r}. Quotes go around a whole value, and a "
                "quote inside quotes is written with a backslash.",
                source=source,
                line=line,
            )
        bare = match[3]
        values.append(None if bare is not None and bare.strip() == "?" else _text(match[1], match[2], bare))
        if not match[4]:
            return values
        position = match.end()


def _text(single: str | None, double: str | None, bare: str | None) -> str:
    if bare is not None:
        return bare.strip()
    quoted = single if single is not None else double or ""
    return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), quoted)


def _arff_column(attribute: _Attribute, cells: list[str | None], source: str, lines: list[int]) -> Labels | np.ndarray:
    if attribute.kind == "numeric":
        values = np.full(len(cells), np.nan)
        for i, cell in enumerate(cells):
            if cell is not None:
                try:
                    values[i] = float(cell)
                except ValueError:
                    raise InputError(
                        f"A number was expected, as declared above, but {shorten(cell)!r} was found. "
                        "Write ? where a value is missing.",
                        source=source,
                        line=lines[i],
                        column=attribute.name,
                    ) from None
        return values
    if attribute.kind == "nominal":
        for i, cell in enumerate(cells):
            if cell is not None and cell not in attribute.values:
                raise InputError(
                    f"{shorten(cell)!r} is none of the values declared above "
                    f"({shorten(', '.join(sorted(attribute.values)))}).",
                    source=source,
                    line=lines[i],
                    column=attribute.name,
                )
    return Labels.of("" if cell is None else cell for cell in cells)
