"""From data files to a table: CSV, Parquet and ARFF."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from pathlib import Path

from bakeoff.errors import InputError
from bakeoff.scores.reading.csv_file import read_csv
from bakeoff.scores.reading.parquet_file import MAGIC, read_parquet
from bakeoff.scores.reading.raw import RawTable, tidy
from bakeoff.scores.reading.source import read_bytes, source_name
from bakeoff.tasks import large_csv
from bakeoff.tasks.arff_file import read_arff
from bakeoff.tasks.table import Table, appended, typed

# Data sets are held in memory by every worker.
MOST_BYTES = 2**30
CSV, PARQUET, ARFF = "csv", "parquet", "arff"
_ENDINGS = {".parquet": PARQUET, ".pq": PARQUET, ".arff": ARFF}


def format_of(path: str | os.PathLike[str]) -> str:
    """The format that the name of a file tells; CSV if it tells none.

    >>> format_of("mine.ARFF"), format_of("mine.txt")
    ('arff', 'csv')
    """
    return _ENDINGS.get(Path(path).suffix.lower(), CSV)


def file_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a data file of a reasonable size."""
    source = source_name(path)
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return read_bytes(path)  # which says what is wrong
    if not stat.S_ISREG(facts.st_mode) and not stat.S_ISDIR(facts.st_mode):
        raise InputError(
            "A file was expected that can be read more than once, but this is a device or pipe.", source=source
        )
    if facts.st_size > MOST_BYTES:
        raise InputError(
            f"The file has {facts.st_size / 2**30:.1f} GB, but data sets are held in memory, and at most "
            f"{MOST_BYTES / 2**30:.0f} GB are read. Take a sample of the rows, drop columns, or write it as Parquet.",
            source=source,
        )
    return read_bytes(path)


def read_table(
    data: bytes, source: str, form: str, *, test: tuple[bytes, str] | None = None, categorical: Collection[str] = ()
) -> Table:
    """The table in the bytes of a file, the rows of a test sample below it, every column decided.

    >>> read_table(b"a,b,class\\n1,x,yes\\n2,,no\\n", "t.csv", "csv").column("b").labels
    ('x',)
    """
    form = PARQUET if data.startswith(MAGIC) else form
    raw = _raw(data, source, form, texts=categorical if test is None else None)
    parts = [(source, raw.n_rows)]
    if test is not None:
        other = _raw(*test, form)
        parts.append((test[1], other.n_rows))
        raw = appended(raw, other)
    return typed(raw, tuple(parts), declared=form != CSV, names=categorical)


def _raw(data: bytes, source: str, form: str, texts: Collection[str] | None = None) -> RawTable:
    """What the file says. `texts` None keeps all cells of a CSV file as they are written."""
    if not data:
        raise InputError("The file is empty. A header and at least one row were expected.", source=source)
    reader = {PARQUET: read_parquet, ARFF: read_arff, CSV: read_csv}[form]
    large = form == CSV and texts is not None and len(data) >= large_csv.LARGE
    made = large_csv.read_large_csv(data, source, texts or ()) if large else None
    raw = tidy(reader(data, source) if made is None else made)
    if "" in raw.names:
        position = raw.names.index("") + 1
        raise raw.error(
            f"Column {position} has no name. Name it in the header; if it only numbers the rows, leave it out "
            "(pandas: to_csv(..., index=False))."
        )
    return raw
