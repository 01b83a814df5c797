"""Parquet through pyarrow, which is imported when there is something to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bakeoff.errors import InputError
from bakeoff.scores.provenance import METADATA, VALUES, Provenance, fingerprint, told_of_study
from bakeoff.scores.reading.raw import Column, RawTable, in_order
from bakeoff.scores.table import Labels

if TYPE_CHECKING:
    import pyarrow as pa

MAGIC = b"PAR1"
_PANDAS_INDEX = "__index_level_"


def read_parquet(data: bytes, source: str) -> RawTable:
    """The table in the bytes of a Parquet file.

    >>> import io
    >>> import pandas as pd
    >>> file = io.BytesIO()
    >>> pd.DataFrame({"model": ["svm", "knn"], "acc": [0.9, None]}).to_parquet(file)
    >>> read_parquet(file.getvalue(), "scores.parquet").numbers("acc").tolist()
    [0.9, nan]
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # Text is kept as the file has it, each different cell once: a few bytes may stand for any number of long cells.
        schema = pq.read_schema(pa.BufferReader(data))
        texts = [
            field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        ]
        table = pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts).read()
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise InputError(
            f"A Parquet file was expected, but it cannot be read as one ({reason}). Write it again, or as CSV.",
            source=source,
        ) from None
    if not table.num_rows or not table.num_columns:
        raise InputError(
            f"The table has {table.num_columns} columns and {table.num_rows} rows. At least one row was expected.",
            source=source,
        )
    names = tuple("" if name.startswith(_PANDAS_INDEX) else name.strip() for name in table.column_names)
    columns = []
    for name, chunked in zip(names, table.columns, strict=True):
        try:
            columns.append(parquet_column(chunked))
        except (pa.ArrowException, ValueError):
            raise InputError(
                f"The column has the type {chunked.type}, but one number or text per cell was expected. "
                "Unnest the column, or leave it out.",
                source=source,
                column=name,
            ) from None
    return RawTable(source, names, tuple(columns), provenance=_provenance(table, names, columns))


def _provenance(table: pa.Table, names: tuple[str, ...], columns: list[Column]) -> Provenance | None:
    """What the file tells of the study whose scores it holds. Other programs may keep that and change the rows."""
    record = told_of_study((table.schema.metadata or {}).get(METADATA.encode()))
    if record is None or VALUES not in names:
        return None
    provenance, values = record
    now = columns[names.index(VALUES)]
    same = not isinstance(now, Labels) and fingerprint(now.astype(np.float64)) == values
    return provenance if same else provenance.changed("rows changed since they were exported")


def parquet_column(chunked: pa.ChunkedArray) -> Column:
    """Numbers as they are, all else as labels."""
    import pyarrow as pa

    kind = chunked.type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise ValueError("not one value per cell")
    numeric = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_null)
    if not chunked.null_count and (pa.types.is_boolean(kind) or pa.types.is_integer(kind)):
        return np.asarray(chunked.to_numpy())
    if any(is_kind(kind) for is_kind in numeric):
        return np.asarray(chunked.cast(pa.float64(), safe=False).to_numpy())
    return _text(chunked)


def _text(chunked: pa.ChunkedArray) -> Labels:
    """Text, dates, categories: as labels, an empty one where there is null."""
    import pyarrow as pa

    if pa.types.is_dictionary(chunked.type):
        # Each chunk has a dictionary of its own, and that of a hostile file may repeat itself.
        whole = chunked.unify_dictionaries().combine_chunks()
        whole = whole if isinstance(whole, pa.Array) else pa.concat_arrays(whole.chunks)
        once = whole.dictionary.cast(pa.large_string()).dictionary_encode()
        place = once.indices.fill_null(len(once.dictionary)).to_numpy()
        codes = np.append(place, len(once.dictionary))[whole.indices.fill_null(len(place)).to_numpy()]
        return in_order([*once.dictionary.to_pylist(), ""], codes.astype(np.intp))
    encoded = chunked.cast(pa.large_string()).combine_chunks().dictionary_encode()
    codes = encoded.indices.fill_null(len(encoded.dictionary)).to_numpy().astype(np.intp)
    return in_order([*encoded.dictionary.to_pylist(), ""], codes)
