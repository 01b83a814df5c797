"""ARFF, the format of Weka and OpenML: a header that declares the columns, and rows below it.

Numbers, nominal values, strings and dates are read, with quotes, escapes and '?' for missing; dates are names like
strings. Sparse rows, weights of rows and relational attributes are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from bakeoff.errors import InputError
from bakeoff.scores.factor import Factor
from bakeoff.scores.reading.raw import RawTable, shorten

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
    except UnicodeDecodeError as error:
        wrong = data.count(b"\n", 0, error.start) + 1
        raise InputError("The text is not UTF-8. Save the file as UTF-8.", source=source, line=wrong) from None
    attributes, first = _header(lines, source)
    rows, numbers = [], []
    for number, line in enumerate(lines[first:], first + 1):
        if line.strip() and not line.lstrip().startswith("%"):
            rows.append(_row(line, len(attributes), source, number))
            numbers.append(number)
    if not rows:
        raise InputError("There are no rows below @data. At least one was expected.", source=source, line=first)
    columns = tuple(
        _column(attribute, [row[i] for row in rows], source, numbers) for i, attribute in enumerate(attributes)
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
    found = _ATTRIBUTE.fullmatch(text)
    if found is None:
        raise InputError(
            f"'@attribute NAME TYPE' was expected, but {shorten(text)!r} was found.", source=source, line=line
        )
    name, kind = _text(found[1], found[2], found[3]), found[4].strip()
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
    found, position, text = [], 0, text.strip()
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
        found.append(None if bare is not None and bare.strip() == "?" else _text(match[1], match[2], bare))
        if not match[4]:
            return found
        position = match.end()


def _text(single: str | None, double: str | None, bare: str | None) -> str:
    if bare is not None:
        return bare.strip()
    quoted = single if single is not None else double or ""
    return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), quoted)


def _column(attribute: _Attribute, cells: list[str | None], source: str, lines: list[int]) -> Factor | np.ndarray:
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
    return Factor.of("" if cell is None else cell for cell in cells)
