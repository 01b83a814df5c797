"""What would unpack to far more than it is gets refused before it is unpacked, whatever it says of itself."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bakeoff.errors import InputError
from bakeoff.formats.unpacking import refuse_bomb

MEGABYTE = 1 << 20


def parquet(rows: int = 1000, **how: Any) -> bytes:
    table = pa.table({"task": [f"t{i}" for i in range(rows)], "value": [i / rows for i in range(rows)]})
    file = io.BytesIO()
    pq.write_table(table, file, **how)
    return file.getvalue()


def varint(value: int, length: int) -> bytes:
    """A whole number as Thrift writes it, in so many bytes: zeros after its end say nothing."""
    zigzag = value << 1
    return bytes((zigzag >> 7 * place & 127) | (128 if place < length - 1 else 0) for place in range(length))


def length_of(value: int) -> int:
    return next(length for length in range(1, 10) if value << 1 < 1 << 7 * length)


def with_a_lie(data: bytes) -> bytes:
    """The file with an end that says that each column unpacks to ten bytes."""
    file = pq.read_metadata(pa.BufferReader(data))
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    pages, footer = data[:end], data[end:]
    for i in range(file.num_columns):
        size = file.row_group(0).column(i).total_uncompressed_size
        told = varint(size, length_of(size))
        assert told in footer
        footer = footer.replace(told, varint(10, len(told)))
    return pages + footer


def test_an_end_that_lies_about_the_sizes_of_columns() -> None:
    size = 40 * MEGABYTE
    file = io.BytesIO()
    pq.write_table(pa.table({"text": ["0" * size]}), file, compression="zstd", use_dictionary=False)
    lying = with_a_lie(file.getvalue())
    claimed = pq.read_metadata(pa.BufferReader(lying)).row_group(0).column(0).total_uncompressed_size
    assert claimed == 10
    assert len(lying) < MEGABYTE
    with pytest.raises(InputError, match="unpacks to more than 8 MB"):
        refuse_bomb("lying.parquet", lying, MEGABYTE)
    refuse_bomb("lying.parquet", lying, 16 * MEGABYTE)  # which may be as large as that


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"compression": "zstd"},
        {"compression": "none", "use_dictionary": False},
        {"data_page_version": "2.0"},
        {"data_page_size": 100, "write_page_index": True},
        {"row_group_size": 7},
        {"write_page_checksum": True},
        {"use_byte_stream_split": ["value"], "use_dictionary": ["task"]},
    ],
)
def test_pages_of_every_kind_are_gone_through(how: dict[str, Any]) -> None:
    data = parquet(**how)
    refuse_bomb("fine.parquet", data, MEGABYTE)
    told = pq.read_metadata(pa.BufferReader(data))
    groups = [told.row_group(i) for i in range(told.num_row_groups)]
    size = sum(group.column(i).total_uncompressed_size for group in groups for i in range(group.num_columns))
    with pytest.raises(InputError, match="unpacks to more"):
        refuse_bomb("fine.parquet", data, size // 16)


@pytest.mark.parametrize("place", [4, 6])  # the fields in the header of the first page
def test_a_page_without_a_header_gets_a_sentence(place: int) -> None:
    spoiled = bytearray(parquet(compression="zstd"))
    spoiled[place] = 0x0F
    with pytest.raises(InputError, match=r"x.parquet: It begins as a Parquet file, but cannot be read"):
        refuse_bomb("x.parquet", bytes(spoiled), MEGABYTE)
