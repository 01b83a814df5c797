"""Files beyond memory: long tables of several tasks, read in portions and reduced on the way to a row for each learner
on each task. Comparisons over tasks rest on these means anyway; nothing else of such a table is ever held at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError, MisfitError
from bakeoff.measures import known_measure
from bakeoff.scores.reading.cells import plain_cells
from bakeoff.scores.reading.choices import Choices, apply_choices
from bakeoff.scores.reading.headers import CLUSTER, LONG_ROLES, matching, recognise
from bakeoff.scores.reading.parquet_file import MAGIC, parquet_column
from bakeoff.scores.reading.raw import RawTable, tidy
from bakeoff.scores.table import Labels, frozen
from bakeoff.text import count

MOST_ROWS = 20_000_000  # that are held at once
_PORTION = 1_000_000
_MOST_MEANS = 5_000_000  # learners × tasks × measures
_KEYS = ("learner", "task", "measure")


def read_in_portions(path: str | os.PathLike[str], choices: Choices, measures: Sequence[str]) -> RawTable | None:
    """The means of a table that is too large to be held; None if it is not, or not a table of that kind."""
    source = os.fspath(path)
    with open(path, "rb") as file:
        start = file.read(len(MAGIC))
    portions = _parquet(Path(path)) if start == MAGIC else _csv(Path(path))
    if portions is None:
        return None
    means: _Means | None = None
    for names, columns in portions:
        table = apply_choices(tidy(RawTable(source, names, columns)), replace(choices, transpose=False))
        if means is None:
            means = _Means.of(table, measures)
        means.add(plain_cells(table))
    if means is None:
        return None
    return means.table()


@dataclass
class _Means:
    """Sums and counts by learner, task and measure, and the numbers of labels as they have come so far."""

    source: str
    roles: dict[str, str]
    values: tuple[str, ...]
    notes: tuple[str, ...]
    numbers: dict[str, dict[str, int]] = field(default_factory=dict)
    cells: dict[tuple[int, ...], int] = field(default_factory=dict)
    sums: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    rows: int = 0

    @classmethod
    def of(cls, table: RawTable, measures: Sequence[str]) -> _Means:
        """What is what, by the headers of the first portion."""
        recognised = recognise(table, (*LONG_ROLES, CLUSTER))
        roles = {role: name for role in _KEYS if (name := recognised.get(role)) is not None}
        each = recognised.get("instance") or recognised.get(CLUSTER)
        if "learner" not in roles or "task" not in roles or each is not None:
            what = f"column {each!r} tells instances apart" if each else "it is no long table with learners and tasks"
            raise MisfitError(
                f"{table.source} has more than {count(MOST_ROWS)} rows, which are not held at once, and {what}. Such a "
                "file can be compared over tasks: a row a score, columns that name learner and task, and no instances. "
                "Otherwise give a part of it, or averages."
            )
        value = recognised.get("value")
        named = [matching(name, table.names)[0] for name in measures if matching(name, table.names)]
        others = [name for name in table.names if known_measure(name) is not None and name not in roles.values()]
        values = tuple([value] if value and "measure" in roles else named or ([value] if value else others))
        if not values:
            raise InputError(
                "No column holds scores: 'value', 'score', or one that is named after a measure was expected. Name it "
                "(--measure NAME).",
                source=table.source,
            )
        return cls(table.source, roles, values, (*table.notes, *recognised.notes))

    def add(self, table: RawTable) -> None:
        """One more portion."""
        codes = [self._codes(role, table.labels(name)) for role, name in self.roles.items()]
        sizes = [len(self.numbers[role]) for role in self.roles]
        number = np.ravel_multi_index(codes, sizes)
        portion, inverse = np.unique(number, return_inverse=True) if np.prod(sizes) > _PORTION else _present(number)
        keys = zip(*(part.tolist() for part in np.unravel_index(portion, sizes)), strict=True)
        places = np.array([self.cells.setdefault(key, len(self.cells)) for key in keys])
        if len(self.cells) > _MOST_MEANS:
            raise MisfitError(f"{self.source} has more than {count(_MOST_MEANS)} learners × tasks: not one score each?")
        grown = len(self.cells) - len(self.counts)
        if grown:
            self.counts = np.concatenate([self.counts, np.zeros(grown, dtype=np.int64)])
            sums = np.zeros((len(self.cells), len(self.values)))
            sums[: len(self.sums)] = self.sums if self.sums.size else 0.0
            self.sums = sums
        self.counts[places] += np.bincount(inverse, minlength=len(portion))
        for column, name in enumerate(self.values):
            numbers = table.numbers(name)
            lacking = int(np.isnan(numbers).sum())
            if lacking:
                raise InputError(
                    f"{count(lacking)} of {count(len(numbers))} rows from row {count(self.rows + 1)} on have no value. "
                    "In a file that is read in portions all must have one: leave those out (--where status=ok, or the "
                    "like).",
                    source=self.source,
                    column=name,
                )
            self.sums[places, column] += np.bincount(inverse, weights=numbers, minlength=len(portion))
        self.rows += table.n_rows

    def _codes(self, role: str, labels: Labels) -> NDArray[np.intp]:
        known = self.numbers.setdefault(role, {})
        numbers = np.array([known.setdefault(label, len(known)) for label in labels.labels], dtype=np.intp)
        if "" in known:
            raise InputError(f"The {role} is empty in some rows. Every row must name its {role}.", source=self.source)
        return numbers[labels.codes]

    def table(self) -> RawTable:
        """A row a mean, in the order in which they came."""
        if len(self.numbers["task"]) < 2:
            raise MisfitError(
                f"{self.source} has {count(self.rows)} rows of one task: more than are held at once. Give a part of "
                "them, or one file a task."
            )
        keys = np.array(list(self.cells))
        order = np.lexsort(keys.T[::-1])
        columns: list[Any] = []
        for column, role in enumerate(self.roles):
            columns.append(Labels(tuple(self.numbers[role]), frozen(keys[order, column].astype(np.intp))))
        columns += [self.sums[order, column] / self.counts[order] for column in range(len(self.values))]
        least, most = int(self.counts.min()), int(self.counts.max())
        each = count(most) if least == most else f"{count(least)} to {count(most)}"
        note = f"{count(self.rows)} rows, read in portions: a learner's score on a task is the mean of its {each} rows"
        return RawTable(self.source, (*self.roles, *self.values), tuple(columns), notes=(*self.notes, note), long=True)


def _present(number: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """As numpy's unique with its inverse, without sorting: there are few different numbers."""
    there = np.bincount(number) > 0
    return np.flatnonzero(there), (np.cumsum(there) - 1)[number]


def _cells_of(column: Any) -> Any:
    """A column of a portion. Texts come as numbers of a dictionary, in which one may stand twice, or not be used."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return parquet_column(pa.chunked_array([column]))
    texts = ["" if text is None else str(text) for text in column.dictionary.to_pylist()] + [""]
    codes = column.indices.fill_null(len(texts) - 1).to_numpy(zero_copy_only=False).astype(np.intp)
    used, inverse = _present(codes)
    distinct = Labels.of(texts[code] for code in used)
    return Labels(distinct.labels, frozen(distinct.codes[inverse]))


def _parquet(path: Path) -> Iterator[tuple[tuple[str, ...], tuple[Any, ...]]] | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path, memory_map=True)
    except (pa.ArrowException, OSError):
        return None  # the usual reader says what is wrong with it
    if file.metadata.num_rows <= MOST_ROWS:
        file.close()
        return None
    flat = [column.name for column in file.schema_arrow if not pa.types.is_nested(column.type)]
    texts = [name for name in flat if pa.types.is_string(file.schema_arrow.field(name).type)]
    file.close()

    def portions() -> Iterator[tuple[tuple[str, ...], tuple[Any, ...]]]:
        # Texts stay numbers of a dictionary: to make them texts again would take longer than all the rest.
        with pq.ParquetFile(path, read_dictionary=texts) as opened:
            for batch in opened.iter_batches(batch_size=_PORTION, columns=flat):
                yield tuple(flat), tuple(_cells_of(column) for column in batch.columns)

    return portions()


def _csv(path: Path) -> Iterator[tuple[tuple[str, ...], tuple[Any, ...]]] | None:
    import pyarrow as pa
    from pyarrow import csv

    with path.open("rb") as file:
        head = file.read(1_000_000)
    lines = head.splitlines()
    if len(lines) < 3 or path.stat().st_size / (len(head) / len(lines)) <= MOST_ROWS:
        return None
    delimiter = max(",;\t", key=lines[0].decode("utf-8", "replace").count)
    options = csv.ParseOptions(delimiter=delimiter)

    def portions() -> Iterator[tuple[tuple[str, ...], tuple[Any, ...]]]:
        reading = csv.ReadOptions(block_size=32_000_000)
        try:
            with csv.open_csv(path, read_options=reading, parse_options=options) as opened:
                for batch in opened:
                    names = tuple(name.strip() for name in batch.schema.names)
                    yield names, tuple(_cells_of(column) for column in batch.columns)
        except pa.ArrowException as error:
            reason = str(error).splitlines()[0][:200]
            raise InputError(f"CSV was expected, but it cannot be read as such ({reason}).", source=str(path)) from None

    return portions()
