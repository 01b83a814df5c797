"""Large CSV files through pyarrow: the same table as the reader for small ones, some twenty times as fast.

It takes only files that are plain (commas, one line a row, no row without any cell) and gives up on anything else, so
that the other reader reads it or says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from bakeoff.errors import InputError
from bakeoff.scores.reading.csv_file import read_csv
from bakeoff.scores.reading.raw import Column, RawTable, in_order
from bakeoff.tasks.table import MISSING

if TYPE_CHECKING:
    import pyarrow as pa

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
    columns = [_column(table.column(i).combine_chunks(), name in texts) for i, name in enumerate(names)]
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


def _column(texts: pa.Array, keep: bool) -> Column:
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
