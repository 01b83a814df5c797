"""A format: how the files of a tool are recognised, what is read from them, and what is left out.

A format is a file of this folder with a `Format` in it. Its signs are data, so that a file is recognised without
running any of its code; `read` is called for files that it claims, and gives parts of one long table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.scores.design import Runs
from bakeoff.scores.reading.raw import RawTable
from bakeoff.scores.table import Labels, frozen
from bakeoff.text import CodedWarning, listing

if TYPE_CHECKING:
    from bakeoff.formats.sources import Content, ScoreFile

Cells = Sequence[object] | Labels

# What a file can be, before anybody knows whose it is.
JSON, RECORDS, TABLE, ZIP, SQLITE, FOLDER, TEXT = "json", "records", "table", "zip", "sqlite", "folder", "text"
_IN_WORDS = {
    JSON: "a JSON object",
    RECORDS: "JSON records",
    TABLE: "a table",
    ZIP: "a zip archive",
    SQLITE: "an SQLite file",
    FOLDER: "a folder",
    TEXT: "text",
}


@dataclass(frozen=True)
class Sign:
    """What a file looks like: its kind, and names that it has: keys, headers, members, tables.

    A name may hold a star. `pattern` is looked for in the first lines, `file` in the file's name. Of several formats
    that claim a file the most certain reads it.

    >>> Sign(TABLE, ("split*_test_*",)).words
    'a table with split*_test_*'
    """

    kind: str
    has: tuple[str, ...] = ()
    pattern: str = ""
    file: str = ""
    certainty: int = 2

    def matches(self, content: Content, name: str) -> bool:
        """Whether a file looks like this."""
        if self.kind not in (content.kind, TEXT):
            return False
        if self.kind == TEXT and not (self.pattern and content.head):
            return False
        if self.file and not re.search(self.file, name):
            return False
        if self.pattern and not re.search(self.pattern, content.head):
            return False
        return all(_has(content.names, wanted) for wanted in self.has)

    @property
    def words(self) -> str:
        parts = [_IN_WORDS[self.kind]]
        if self.has:
            parts.append(f"with {listing(list(self.has))}")
        elif self.pattern:
            parts.append("of that form")
        return " ".join(parts)


def _has(names: frozenset[str], wanted: str) -> bool:
    if "*" not in wanted:
        return wanted in names
    return any(fnmatchcase(name, wanted) for name in names)


@dataclass(frozen=True)
class Format:
    """All that is said of a format. `maps` tells what becomes of its fields, `drops` what is not read and why.

    `generic` formats say nothing of who made a file: in a folder they count only where no tool's own file lies.
    """

    name: str
    title: str
    signs: tuple[Sign, ...]
    maps: str
    drops: str
    read: Callable[[ScoreFile], Iterable[ScorePart]]
    generic: bool = False

    @property
    def recognised_by(self) -> str:
        return "; or ".join(dict.fromkeys(sign.words for sign in self.signs))

    def certainty(self, content: Content, name: str) -> int:
        """How sure it is that a file is one of its own; 0 if it is not."""
        return max((sign.certainty for sign in self.signs if sign.matches(content, name)), default=0)

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "recognised_by": self.recognised_by,
            "maps": self.maps,
            "drops": self.drops,
        }


@dataclass(frozen=True, eq=False)
class ScorePart:
    """Some rows of the long table, from one file.

    `columns` are cells by header. Those called learner, task, repeat, fold, instance, cluster, measure, value, n_train,
    n_test, status, message and hash are what they say; a hash tells the content of an item. Without a column learner
    all rows are those of `model`, or else of the name that the user gave the file.

    `directions` tells of measures whether larger is better, `settings` how the model was asked (few-shot, limit,
    template, version), by task: settings that differ are told. `stamp` orders several runs of one model, of which the
    newest counts; `run` says that files named apart are runs of one thing. `cluster` is the header of clusters that the
    file declares, `headline` the measure that it leads with. `unpaired` says that learners share no runs, `runs` what
    these are, and `scales_differ` that values of different tasks are on different scales. A table that names no
    learners is asked about if `long`, and is taken to be wide otherwise.
    """

    columns: Mapping[str, Cells]
    model: str = ""
    tool: str = ""
    directions: Mapping[str, bool] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    stamp: str = ""
    run: str = ""
    cluster: str = ""
    headline: str = ""
    unpaired: bool = False
    runs: Runs | None = None
    scales_differ: bool = False
    long: bool = False
    notes: tuple[str, ...] = ()
    doubts: tuple[CodedWarning, ...] = ()
    table: RawTable | None = None  # a plain table as it was read, with its lines


# ----------------------------------------------------------------------------------------------------------------------
# What several formats do.

_LONGEST = 200  # characters of a field that may tell something of an item; what is longer is its text


def flat(record: Mapping[str, Any], prefix: str = "", depth: int = 3) -> dict[str, object]:
    """The single values of a record, under dotted names; texts that are too long for a label and lists are left out.

    >>> flat({"model": "a", "scores": {"em": 1, "tags": ["x"]}})
    {'model': 'a', 'scores.em': 1}
    """
    cells: dict[str, object] = {}
    for key, value in record.items():
        if isinstance(value, Mapping):
            if depth > 1:
                cells |= flat(value, f"{prefix}{key}.", depth - 1)
        elif value is None or (isinstance(value, bool | int | float | str) and len(str(value)) <= _LONGEST):
            cells[f"{prefix}{key}"] = value
    return cells


def columns_of(rows: Iterable[Mapping[str, object]]) -> dict[str, list[object]]:
    """Rows as columns; a cell that a row does not have is None.

    >>> columns_of([{"a": 1}, {"a": 2, "b": "x"}])
    {'a': [1, 2], 'b': [None, 'x']}
    """
    columns: dict[str, list[object]] = {}
    for length, row in enumerate(rows):
        for key, value in row.items():
            column = columns.get(key)
            if column is None:
                columns[key] = column = [None] * length
            column.append(value)
        if len(row) < len(columns):
            for column in columns.values():
                if len(column) <= length:
                    column.append(None)
    return columns


_GRADES = {"c": 1.0, "i": 0.0, "p": 0.5, "n": 0.0, "yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}


def graded(value: object) -> float | None:
    """A number, or a grade as eval tools write them: C and I, yes and no; None if it is neither.

    >>> graded("C"), graded("P"), graded(True), graded(0.25), graded([1])
    (1.0, 0.5, 1.0, 0.25, None)
    """
    if isinstance(value, bool | int | float):
        return float(value)
    if isinstance(value, str):
        grade = _GRADES.get(value.strip().lower())
        if grade is not None:
            return grade
        try:
            return float(value)
        except ValueError:
            return None
    return None


def text_of(value: object) -> str:
    """A setting as it is compared and shown: nothing for None.

    >>> text_of(None), text_of(5), text_of({"b": 1})
    ('', '5', '{"b": 1}')
    """
    if value is None:
        return ""
    if isinstance(value, str | int | float):
        return str(value)
    import json

    return json.dumps(value, sort_keys=True, default=str)[:_LONGEST]


def digest(*values: object) -> str:
    """A short mark of a content, the same on every machine.

    >>> digest("a", 1) == digest("a", 1), len(digest("a"))
    (True, 16)
    """
    import json
    from hashlib import blake2b

    text = json.dumps(values, sort_keys=True, default=str)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def occurrences(keys: Iterable[object]) -> list[str]:
    """The how many-th time each key occurs: tools that repeat an item do not always number the repeats.

    >>> occurrences(["a", "b", "a"])
    ['1', '1', '2']
    """
    seen: dict[object, int] = {}
    numbers = []
    for key in keys:
        seen[key] = seen.get(key, 0) + 1
        numbers.append(str(seen[key]))
    return numbers


# ----------------------------------------------------------------------------------------------------------------------
# Columns of cells as the reader of tables takes them.


def column_of(pieces: Sequence[Cells]) -> Labels | NDArray[np.float64]:
    """Pieces of a column under each other: numbers if all are, and labels otherwise."""
    numbers = [_as_numbers(piece) for piece in pieces]
    if all(number is not None for number in numbers):
        return np.concatenate([number for number in numbers if number is not None])
    known: dict[str, int] = {}
    codes = []
    for piece in pieces:
        labels = piece if isinstance(piece, Labels) else Labels.of(map(_text, piece))
        numbering = np.array([known.setdefault(label, len(known)) for label in labels.labels], dtype=np.intp)
        codes.append(numbering[labels.codes] if len(labels.labels) else np.empty(0, dtype=np.intp))
    return Labels(tuple(known), frozen(np.concatenate(codes)))


def _as_numbers(piece: Cells) -> NDArray[np.float64] | None:
    """The numbers of a list that holds floats only, with None for those that are missing."""
    if isinstance(piece, Labels) or not all(isinstance(cell, float) or cell is None for cell in piece):
        return None
    return np.array([np.nan if cell is None else cell for cell in piece], dtype=np.float64)


def _text(cell: object) -> str:
    return "" if cell is None else repr(cell) if isinstance(cell, float) else str(cell)


def plain_part(table: RawTable, **about: Any) -> ScorePart:
    """A plain table as a part of a larger one."""
    columns: dict[str, Cells] = {}
    for name, column in zip(table.names, table.columns, strict=True):
        columns[name] = column if isinstance(column, Labels) else column.tolist()
    return ScorePart(columns, table=table, **{"notes": table.notes, **about})


def table_part(source: str, columns: Mapping[str, Cells], notes: Sequence[str] = (), **about: Any) -> ScorePart:
    """Columns that nobody has given a meaning yet, as a plain table."""
    cells = tuple(column_of([column]) for column in columns.values())
    return plain_part(RawTable(source, tuple(columns), cells, notes=tuple(notes)), **about)
