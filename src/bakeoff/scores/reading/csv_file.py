"""CSV with the standard library: no pandas, which would cost half a second before the first line is read."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from io import BytesIO, TextIOWrapper
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError
from bakeoff.measures import known_measure
from bakeoff.scores.reading.headers import role_of
from bakeoff.scores.reading.raw import Column, RawTable, is_number, not_utf8, shorten, what_it_looks_like
from bakeoff.scores.table import Labels, frozen

if TYPE_CHECKING:
    from _csv import Reader

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
_CHUNK = 1_000  # small, so that a chunk stays in the processor's cache: a third faster than 50,000


def read_csv(data: bytes, source: str) -> RawTable:
    """The table in the bytes of a CSV file.

    >>> read_csv(b"model;acc\\nsvm;0,9\\n", "scores.csv").notes
    ('fields are separated by semicolons', 'decimal commas are read as decimal points')
    """
    problem = what_it_looks_like(data)
    if problem:
        raise InputError(problem, source=source)
    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        raise InputError("The file is empty. A header line and at least one row were expected.", source=source)
    try:
        delimiter = _delimiter(_text(data))
        reader = _reader(data, delimiter)
        names, header_line = _header(reader, source)
        read = (header_line == 1 and _large(data, delimiter, names)) or _columns(reader, names, source)
        columns, lines = read
    except csv.Error as error:
        raise _broken(data, delimiter, error, source) from None
    except UnicodeDecodeError:
        raise not_utf8(data, source) from None
    if not len(lines):
        raise InputError(
            f"There is a header ({_some(names)}) but no rows below it. At least one row was expected.",
            source=source,
            line=header_line,
        )
    notes, decimal_comma = [], False
    if delimiter != ",":
        notes.append(f"fields are separated by {_DELIMITERS[delimiter]}s")
        decimal_comma = any(_has_decimal_comma(column) for column in columns)
        if decimal_comma:
            notes.append("decimal commas are read as decimal points")
    return RawTable(source, names, columns, lines, tuple(notes), decimal_comma)


def _text(data: bytes) -> TextIOWrapper:
    return TextIOWrapper(BytesIO(data), encoding="utf-8-sig", newline="")


def _reader(data: bytes, delimiter: str) -> Reader:
    # Strict, because a quote that is never closed would swallow the rest of the file without a word.
    return csv.reader(_text(data), delimiter=delimiter, skipinitialspace=True, strict=True)


def _delimiter(text: Iterable[str]) -> str:
    """The delimiter that the header has most of, outside quotes; a comma if it has none."""
    counts, quoted = dict.fromkeys(_DELIMITERS, 0), False
    for line in text:
        if _is_remark(line, any(character in line for character in counts)):
            continue
        for character in line:
            if character == '"':
                quoted = not quoted
            elif character in counts and not quoted:
                counts[character] += 1
        if line.strip() and not quoted:
            break
    return max(counts, key=lambda delimiter: counts[delimiter])


def _is_remark(text: str, has_fields: bool) -> bool:
    """Whether a line above the header is a remark; "#,Team,Score" is a header.

    >>> _is_remark("# made by hand, in May", True), _is_remark("#seeds", False), _is_remark("#", True)
    (True, True, False)
    """
    return text.startswith("# ") or (text.startswith("#") and not has_fields)


def _header(reader: Reader, source: str) -> tuple[tuple[str, ...], int]:
    for row in reader:
        if any(cell.strip() for cell in row) and not _is_remark(row[0], len(row) > 1):
            break
    line = reader.line_num
    names = tuple(name.strip() for name in row)
    if len(names) > MOST_COLUMNS:
        raise InputError(
            f"There are {len(names):,} columns, and at most {MOST_COLUMNS:,} are read: a table of scores has one for "
            "each learner or measure. If it lies on its side, turn it round.",
            source=source,
            line=line,
        )
    if all(is_number(name) for name in names):
        raise InputError(
            f"The first line should name the columns, but it holds numbers only ({_some(names)}). Add a header line.",
            source=source,
            line=line,
        )
    return names, line


MOST_COLUMNS = 20_000
LARGE = 2_000_000  # bytes from which on importing Arrow pays


def _large(data: bytes, delimiter: str, names: tuple[str, ...]) -> tuple[tuple[Column, ...], NDArray[np.intp]] | None:
    """The same as `_columns` by Arrow, for large files in which every line is a plain row; None for all others."""
    ends, separator = data.count(b"\n") + (not data.endswith(b"\n")), delimiter.encode()
    odd = (b'"', b"\0", separator + b" ", b"\n ", separator + b"\t" if delimiter != "\t" else b"\0")
    if len(data) < LARGE or data.startswith(b"\xef\xbb\xbf") or any(text in data for text in odd):
        return None
    if data.count(b"\r") != data.count(b"\r\n") or len(names) < 2:
        return None
    import pyarrow as pa
    from pyarrow import csv as arrow

    numbered = [f"c{i}" for i in range(len(names))]
    try:
        table = arrow.read_csv(
            pa.BufferReader(data),
            read_options=arrow.ReadOptions(
                use_threads=False,
                block_size=1 << 24,
                skip_rows=1,
                column_names=numbered,
                autogenerate_column_names=False,
            ),
            parse_options=arrow.ParseOptions(delimiter=delimiter, quote_char=False, ignore_empty_lines=False),
            convert_options=arrow.ConvertOptions(
                column_types=dict.fromkeys(numbered, pa.string()),
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowException:  # ragged rows, text that is not UTF-8: the slow way says what is wrong where
        return None
    if table.num_rows != ends - 1:
        return None
    columns = tuple(_cells(name, column) for name, column in zip(names, table.columns, strict=True))
    if all(isinstance(column, Labels) and "" in column.labels for column in columns):  # rows without a cell
        return None
    return columns, frozen(np.arange(2, table.num_rows + 2, dtype=np.intp))


def _cells(name: str, column: Any) -> Column:
    """A column of texts as numbers, if its name says that they are scores and all of them are; else as labels."""
    import pyarrow as pa
    from pyarrow import compute

    parts = column.combine_chunks()
    text = parts.chunk(0) if hasattr(parts, "chunk") else parts
    if known_measure(name) is not None or role_of(name) == "value" or (role_of(name) is None and _has_point(text)):
        try:
            numbers = compute.cast(text, pa.float64())
            values = np.frombuffer(numbers.buffers()[1], dtype=np.float64)[: len(text)]
            if np.isfinite(values).all():
                return frozen(values.copy())
        except pa.ArrowException:  # words, or an empty cell: the reader of numbers says which
            pass
    coded = text.dictionary_encode()
    codes = np.frombuffer(coded.indices.buffers()[1], dtype=np.int32)[: len(text)].astype(np.intp)
    return Labels(tuple(coded.dictionary.to_pylist()), frozen(codes))


def _has_point(text: Any) -> bool:
    """Whether the first cells are numbers with a fraction, which no name is."""
    return all("." in cell and is_number(cell) for cell in text[:20].to_pylist())


def _columns(reader: Reader, names: tuple[str, ...], source: str) -> tuple[tuple[Labels, ...], NDArray[np.intp]]:
    """Every column as a Labels, and the line on which each row begins."""
    numbering: list[dict[str, int]] = [{} for _ in names]
    parts: list[list[NDArray[np.intp]]] = [[] for _ in names]
    lines: list[NDArray[np.intp]] = []
    for rows, starts in _chunks(reader, len(names), source):
        lines.append(starts)
        for codes, part, cells in zip(numbering, parts, zip(*rows, strict=True), strict=True):
            new = [cell for cell in dict.fromkeys(cells) if cell not in codes]
            codes.update(zip(new, range(len(codes), len(codes) + len(new)), strict=True))
            part.append(np.fromiter(map(codes.__getitem__, cells), dtype=np.intp, count=len(cells)))
    nothing = np.empty(0, dtype=np.intp)
    columns = tuple(
        Labels(tuple(codes), frozen(np.concatenate([nothing, *part])))
        for codes, part in zip(numbering, parts, strict=True)
    )
    return columns, frozen(np.concatenate([nothing, *lines]))


def _chunks(reader: Reader, width: int, source: str) -> Iterator[tuple[list[list[str]], NDArray[np.intp]]]:
    """Rows by the thousand, all of the width of the header, with the lines on which they begin."""
    before = reader.line_num
    while chunk := list(islice(reader, _CHUNK)):
        if reader.line_num - before == len(chunk):
            starts = np.arange(before + 1, reader.line_num + 1)
        else:  # some cells go over several lines
            starts = before + 1 + np.cumsum([0, *map(_breaks, chunk[:-1])]) + np.arange(len(chunk))
        before = reader.line_num
        if not all(map(any, chunk)) or set(map(len, chunk)) != {width}:
            filled = [i for i, row in enumerate(chunk) if any(row) and not (len(row) == 1 < width and row[0].isspace())]
            chunk, starts = [chunk[i] for i in filled], starts[filled]
            _refuse_ragged(chunk, starts, width, source)
        if chunk:
            yield chunk, starts.astype(np.intp)


def _breaks(row: list[str]) -> int:
    return sum(cell.count("\n") + cell.count("\r") - cell.count("\r\n") for cell in row)


def _refuse_ragged(rows: list[list[str]], starts: NDArray[np.intp], width: int, source: str) -> None:
    for row, line in zip(rows, starts.tolist(), strict=True):
        if len(row) != width:
            raise InputError(
                f"{width} fields were expected, as in the header, but {len(row)} were found. "
                "Put quotes around text that holds the separator, and write one row per line.",
                source=source,
                line=line,
            )


def _has_decimal_comma(column: Column) -> bool:
    return isinstance(column, Labels) and any(
        "," in label and _DECIMAL_COMMA.fullmatch(label) for label in column.labels
    )


def _broken(data: bytes, delimiter: str, error: csv.Error, source: str) -> InputError:
    """Find the row that the csv module could not read: it names only the line where it gave up."""
    reader, start = _reader(data, delimiter), 1
    try:
        for _ in reader:
            start = reader.line_num + 1
    except csv.Error:
        pass
    return InputError(
        f"The row that begins here cannot be read ({error}). Quotes go around a whole field, and a quote inside "
        'quotes is written twice ("").',
        source=source,
        line=start,
    )


def _some(names: tuple[str, ...]) -> str:
    shown = ", ".join(shorten(name, 20) for name in names[:5])
    return f"{shown}, …" if len(names) > 5 else shown
