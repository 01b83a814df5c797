"""Tables as files, CSV or Parquet, written a portion at a time and put in place when they are whole."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import Any, Protocol

from bakeoff.errors import InputError, UsageError, nearest
from bakeoff.whole_files import whole

FORMATS = ("csv", "parquet")
_ROWS_AT_ONCE = 50_000
Columns = Mapping[str, Sequence[Any]]


class _Rows(Protocol):
    def add(self, columns: Columns) -> None: ...


class TableFile:
    """A table that grows. Rows are gathered until they are worth writing: Parquet keeps them in groups."""

    def __init__(self, rows: _Rows, names: Sequence[str]) -> None:
        self._rows, self._names = rows, names
        self._waiting: dict[str, list[Any]] = {name: [] for name in names}

    def add(self, columns: Columns) -> None:
        """Some more rows: every column, all equally long."""
        for name in self._names:
            self._waiting[name].extend(columns[name])
        if len(self._waiting[self._names[0]]) >= _ROWS_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        self._rows.add(self._waiting)
        self._waiting = {name: [] for name in self._names}


def format_of(path: Path) -> str | None:
    """The format that the ending of a file name stands for.

    >>> format_of(Path("scores.CSV")), format_of(Path("folder"))
    ('csv', None)
    """
    ending = path.suffix.lower().removeprefix(".")
    return ending if ending in FORMATS else None


def known_format(name: str) -> str:
    if name not in FORMATS:
        raise UsageError(f"There is no format {name!r} to export to. {nearest(name, FORMATS)}")
    return name


@contextmanager
def table_file(path: Path, types: Mapping[str, str], metadata: Mapping[str, str] | None = None) -> Iterator[TableFile]:
    """A file to add rows to. `types` are int, float, text or floats (a list of them) by column.

    A Parquet file keeps `metadata` beside its columns; a CSV file has no place for them.
    The file appears under its name when all is written; if anything goes wrong, what was there before stays.
    """
    made = _csv if format_of(path) == "csv" else _parquet
    try:
        with whole(path) as passing, made(passing, types, metadata or {}) as rows:
            file = TableFile(rows, tuple(types))
            yield file
            file.flush()
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"The file cannot be written ({reason}).", source=str(path)) from error


@contextmanager
def _csv(path: Path, types: Mapping[str, str], _: Mapping[str, str]) -> Iterator[_Rows]:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(types)

        class Rows:
            def add(self, columns: Columns) -> None:
                shown = [[_as_text(value) for value in columns[name]] for name in types]
                writer.writerows(zip(*shown, strict=True))

        yield Rows()


def _as_text(value: Any) -> Any:
    """Numbers with all their digits; nothing for what is not there."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, (list, tuple)):
        return " ".join(str(_as_text(item)) for item in value)
    return value


@contextmanager
def _parquet(path: Path, types: Mapping[str, str], metadata: Mapping[str, str]) -> Iterator[_Rows]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrow = {"int": pa.int64(), "float": pa.float64(), "text": pa.string(), "floats": pa.list_(pa.float64())}
    schema = pa.schema([(name, arrow[kind]) for name, kind in types.items()], metadata=dict(metadata) or None)
    with pq.ParquetWriter(path, schema) as writer:

        class Rows:
            def add(self, columns: Columns) -> None:
                arrays = [pa.array(columns[name], type=schema.field(name).type, from_pandas=True) for name in types]
                writer.write_table(pa.Table.from_arrays(arrays, schema=schema))

        yield Rows()
