"""What is dropped is held against what it unpacks to before anything unpacks it.

A few bytes may stand for any number of others: in archives, in gzip and zstd, in spreadsheets, in Parquet. What a file
says of itself at its end need not be true, so that a Parquet file is measured by its pages, whose headers are what a
reader goes by.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bakeoff.errors import InputError
from bakeoff.formats.sources import open_zip, unpacked_size

if TYPE_CHECKING:
    import zipfile

MOST_MEMBERS = 2000  # of an archive
UNPACKED = 8  # times the largest upload: more is not unpacked
MOST_CELLS = 50_000_000  # of a Parquet file, whose few bytes may stand for any number of them
_MOST_PAGES, _LONGEST_HEADER = 1_000_000, 1 << 20


def refuse_bomb(name: str, data: bytes, most_bytes: int) -> None:
    """Refuse what would unpack to much more than may be dropped."""
    most = UNPACKED * most_bytes
    too_much = InputError(
        f"It unpacks to more than {most >> 20} MB, or holds thousands of files or further archives, and is not "
        "read by this page. Put it into the folder that is served, or compare it on the command line.",
        source=name,
    )
    if data.startswith(b"PK\x03\x04"):
        archive = open_zip(data, name)
        members = archive.infolist()
        if sum(each.file_size for each in members) > most or len(members) > MOST_MEMBERS or _packed_again(archive):
            raise too_much
    elif data.startswith(b"PAR1"):
        cells, size = _parquet_size(data, name)
        if cells > MOST_CELLS or size > most:
            raise too_much
    elif unpacked_size(data, name, most) > most:
        raise too_much


def _packed_again(archive: zipfile.ZipFile) -> bool:
    """Whether an archive holds others: what they unpack to is not known."""
    return any(name.lower().endswith((".zip", ".gz", ".zst", ".eval")) for name in archive.namelist())


def _parquet_size(data: bytes, name: str) -> tuple[int, int]:
    """The cells of a Parquet file, and the bytes that its pages unpack to."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.read_metadata(pa.BufferReader(data))
        groups = [file.row_group(i) for i in range(file.num_row_groups)]
        size = sum(_pages(data, group.column(i)) for group in groups for i in range(group.num_columns))
    except (pa.ArrowException, OSError, ValueError, IndexError) as error:
        raise InputError(f"It begins as a Parquet file, but cannot be read ({error}).", source=name) from None
    return int(file.num_rows) * int(file.num_columns), size


def _pages(data: bytes, column: Any) -> int:
    """The bytes that the pages of a column unpack to, by the headers that stand before each of them."""
    starts = [column.data_page_offset]
    if column.has_dictionary_page and column.dictionary_page_offset:
        starts.append(column.dictionary_page_offset)
    place = min(starts)
    end, size, pages = place + column.total_compressed_size, 0, 0
    if place < 0 or end > len(data):
        raise ValueError("a column reaches beyond the file")
    while place < end:
        long, fields = _header(memoryview(data)[place : place + _LONGEST_HEADER])
        if min(fields.get(2, -1), fields.get(3, -1)) < 0:
            raise ValueError("a page has no size")
        size, place, pages = size + fields[2], place + long + fields[3], pages + 1
        if pages > _MOST_PAGES:
            raise ValueError("it has millions of pages")
    return size


def _header(data: memoryview) -> tuple[int, dict[int, int]]:
    """How long the header of a page is, and its whole numbers by the number of their field, of which 2 is the size of
    the page and 3 that of what is stored of it; Thrift's compact protocol."""
    fields: dict[int, int] = {}
    place = 0
    for number, kind, value, at in _fields(data, 0, 0):
        place = at
        if kind in (4, 5, 6):
            fields[number] = value
    return place, fields


def _fields(data: memoryview, place: int, depth: int) -> Iterator[tuple[int, int, int, int]]:
    """The fields of a record: number, kind, value if it is a whole number, and the place after it."""
    if depth > 8:
        raise ValueError("a header is nested too deeply")
    number = 0
    while kind := data[place] & 15:
        step = data[place] >> 4
        place += 1
        if step:
            number += step
        else:
            value, place = _varint(data, place)
            number = (value >> 1) ^ -(value & 1)
        value, place = _value(data, place, kind, depth)
        yield number, kind, value, place
    yield 0, 0, 0, place + 1  # the byte that ends a record


def _value(data: memoryview, place: int, kind: int, depth: int) -> tuple[int, int]:
    """A value, if it is a whole number, and the place after it."""
    if kind in (1, 2):  # true or false, which the kind tells
        return 0, place
    if kind == 3:
        return 0, place + 1
    if kind in (4, 5, 6):
        value, place = _varint(data, place)
        return (value >> 1) ^ -(value & 1), place
    if kind == 7:
        return 0, place + 8
    if kind == 8:
        length, place = _varint(data, place)
        return 0, place + length
    if kind in (9, 10):
        length, member = data[place] >> 4, data[place] & 15
        place += 1
        if length == 15:
            length, place = _varint(data, place)
        for _ in range(length):
            _, place = _value(data, place + (member in (1, 2)), member, depth + 1)
        return 0, place
    if kind == 12:
        for _, _, _, at in _fields(data, place, depth + 1):
            place = at
        return 0, place
    raise ValueError("the header of a page is no such header")


def _varint(data: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place
        if shift > 63:
            raise ValueError("a number is too long")
