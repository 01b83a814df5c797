"""Sources: from what the user names (paths, folders, globs, name=path, -) to files, and to what they look like.

Archives are looked into, with limits: a file of a few bytes may unpack to more than a machine can hold. Nothing of a
file is executed, and nothing is unpickled.
"""

from __future__ import annotations

import glob
import io
import json
import os
import re
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from bakeoff.errors import InputError, UsageError
from bakeoff.formats.format import FOLDER, JSON, RECORDS, SQLITE, TABLE, TEXT, ZIP
from bakeoff.scores.reading.csv_file import read_csv
from bakeoff.scores.reading.parquet_file import MAGIC as PARQUET
from bakeoff.scores.reading.parquet_file import read_parquet
from bakeoff.scores.reading.raw import RawTable, not_utf8, read_bytes, shorten, source_name

if TYPE_CHECKING:
    import zipfile

MOST_BYTES = 2 << 30  # of one file, unpacked
MOST_FILES = 20_000  # of one folder or archive
MOST_DEPTH = 12
MOST_RATIO, LARGE = 1000, 64 << 20  # unpacked over packed size of what is large
HEAD = 4096
STDIN = "-"
_ZSTD_METHOD = 93
_GZIP, _ZSTD, _ZIPPED, _SQLITE = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"SQLite format 3\0"
_PACKED = (".gz", ".zst")
_ENDINGS = tuple(
    f".{end}"
    for end in (
        *("json", "jsonl", "ndjson", "csv", "tsv", "txt", "parquet", "pq", "eval", "zip", "xlsx"),
        *("db", "sqlite", "sqlite3", "arff", "md", "tex", "gz", "zst"),
    )
)


# ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Content:
    """What a file looks like: its kind, the names in it (keys, headers, members, tables) and its first characters."""

    kind: str
    names: frozenset[str] = frozenset()
    head: str = ""
    document: Any = None


@dataclass(eq=False)
class ScoreFile:
    """A file that is to be read. `label` is the name that the user gave it, `origin` the word in which it was named."""

    name: str
    load: Callable[[], bytes]
    path: Path | None = None
    label: str = ""
    origin: str = ""
    of_many: bool = False  # found in a folder or archive, not named
    neighbours: Callable[[], dict[str, Callable[[], bytes]]] = field(default=dict, repr=False)
    _data: bytes | None = field(default=None, repr=False)
    _content: Content | None = field(default=None, repr=False)

    @property
    def file(self) -> str:
        """The name of the file alone, unpacked."""
        name = PurePosixPath(self.name.replace(os.sep, "/")).name
        return next((name[: -len(end)] for end in _PACKED if name.lower().endswith(end)), name)

    @property
    def parts(self) -> tuple[str, ...]:
        """The folders that lead to it, and its name."""
        return PurePosixPath(self.name.replace(os.sep, "/")).parts

    @property
    def data(self) -> bytes:
        if self._data is None:
            self._data = unpacked(self.load(), self.name)
        return self._data

    def text(self) -> str:
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise not_utf8(self.data, self.name) from None

    @property
    def content(self) -> Content:
        if self._content is None:
            self._content = _content_of(self)
        return self._content

    @property
    def document(self) -> Any:
        """The JSON that it holds."""
        if self.content.kind == JSON:
            return self.content.document
        return list(self.records())

    def records(self) -> Iterator[dict[str, Any]]:
        """The records of a JSON list or of JSONL, one by one."""
        content = self.content
        if content.document is not None:
            records = content.document if isinstance(content.document, list) else [content.document]
            yield from (record for record in records if isinstance(record, dict))
            return
        for number, line in enumerate(self.data.split(b"\n"), start=1):
            if not line.strip():
                continue
            record = parse_json(line, self.name, number)
            if not isinstance(record, dict):
                raise InputError(
                    f"A JSON object was expected on each line, but {shorten(str(record), 40)!r} was found.",
                    source=self.name,
                    line=number,
                )
            yield record

    def table(self) -> RawTable:
        """The table in a CSV or Parquet file."""
        if not self.data:
            raise InputError("The file is empty. A header line and at least one row were expected.", source=self.name)
        if self.data.startswith(PARQUET) or self.file.lower().endswith((".parquet", ".pq")):
            return read_parquet(self.data, self.name)
        return read_csv(self.data, self.name)

    def is_table(self) -> bool:
        """Whether it is a table by its ending too: any text could be read as one of a single column."""
        plain = self.file.lower().endswith((".csv", ".tsv", ".parquet", ".pq"))
        return plain and self.content.kind == TABLE

    def beside(self, pattern: str) -> dict[str, ScoreFile]:
        """The files in the same folder or archive whose names match a regular expression, by name."""
        return {
            name: ScoreFile(f"{self.name.rpartition('/')[0]}/{name}".lstrip("/"), load)
            for name, load in sorted(self.neighbours().items())
            if re.fullmatch(pattern, name)
        }

    def member(self, name: str) -> bytes:
        """A member of the archive that this is."""
        return zip_member(self.data, name, self.name)

    def forget(self) -> None:
        """Let go of the bytes: many files are read one after the other."""
        self._data = self._content = None


# ----------------------------------------------------------------------------------------------------------------------
# From what the user says to sources.


def sources_of(words: Sequence[str | os.PathLike[str]]) -> list[ScoreFile]:
    """The files that are named, those of folders and archives too, in the order of the words."""
    sources = [source for word in words for source in _sources_of(os.fspath(word))]
    if not sources:
        raise UsageError("No file was named. Name a file, a folder, or - for standard input.")
    return sources


def _sources_of(word: str) -> list[ScoreFile]:
    label, path = _label_and_path(word)
    if path == STDIN:
        return [ScoreFile("standard input", _stdin, label=label, origin=word)]
    if os.path.isdir(path):
        return _of_folder(Path(path), label, word)
    if not os.path.exists(path) and glob.has_magic(path):
        paths = sorted(glob.glob(path, recursive=True))
        if not paths:
            raise InputError("No file has a name of that form. Check the folder you are in.", source=source_name(path))
        return [source for name in paths for source in _named(name, label, name)]
    return _named(path, label, word)


def _named(path: str, label: str, word: str) -> list[ScoreFile]:
    if os.path.isdir(path):
        return _of_folder(Path(path), label, word)
    folder = Path(path).parent
    source = ScoreFile(source_name(path), lambda: _bytes_of(path), Path(path), label, word)
    source.neighbours = lambda: _files_in(folder)
    return _unzipped(source)


def _label_and_path(word: str) -> tuple[str, str]:
    """name=path, unless there is a file of that whole name: folders of HELM have = in their names.

    >>> _label_and_path("new=scores.csv"), _label_and_path("scores.csv")
    (('new', 'scores.csv'), ('', 'scores.csv'))
    """
    label, equals, path = word.partition("=")
    if not equals or not label or not path or os.path.exists(word) or "/" in label:
        return "", word
    return label.strip(), path


def _bytes_of(path: str) -> bytes:
    try:
        size = os.stat(path).st_size
    except (OSError, ValueError):
        size = 0
    if size > MOST_BYTES:
        raise _too_large(source_name(path), size)
    return read_bytes(path)


def _stdin() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("- reads scores from standard input, but nothing is piped in: cat scores.csv | bakeoff …")
    return sys.stdin.buffer.read(MOST_BYTES)


def _files_in(folder: Path) -> dict[str, Callable[[], bytes]]:
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.is_file()]
    except OSError:
        return {}
    return {name: partial(_bytes_of, str(folder / name)) for name in names}


def _of_folder(folder: Path, label: str, word: str) -> list[ScoreFile]:
    """All files below a folder that may hold scores; and the folder itself, which some tools use as a store."""
    paths = list(_walk(folder))
    own = ScoreFile(source_name(folder), lambda: b"", folder, label, word)
    own._content = Content(FOLDER, frozenset(path.relative_to(folder).as_posix() for path in paths[:2000]))
    sources = [own]
    beside: dict[Path, dict[str, Callable[[], bytes]]] = {}
    for path in paths:
        if not path.name.lower().endswith(_ENDINGS):
            continue
        source = ScoreFile(source_name(path), partial(_bytes_of, str(path)), path, label, word, of_many=True)
        source.neighbours = partial(_once, beside, path.parent)
        sources.append(source)
    return sources


def _once(known: dict[Path, dict[str, Callable[[], bytes]]], folder: Path) -> dict[str, Callable[[], bytes]]:
    if folder not in known:
        known[folder] = _files_in(folder)
    return known[folder]


def _walk(folder: Path) -> Iterator[Path]:
    count, depth = 0, len(folder.parts)
    for parent, folders, files in os.walk(folder):
        here = Path(parent)
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        if len(here.parts) - depth >= MOST_DEPTH:
            folders[:] = []
        for name in sorted(files):
            if name.startswith("."):
                continue
            count += 1
            if count > MOST_FILES:
                raise InputError(
                    f"The folder holds more than {MOST_FILES:,} files. Name the folder that holds the results.",
                    source=source_name(folder),
                )
            yield here / name


def _too_large(name: str, size: float) -> InputError:
    return InputError(
        f"The file holds {size / (1 << 30):.1f} GB, more than the {MOST_BYTES >> 30} GB that are read at once. Take "
        "out what is no score (prompts, answers), or split it.",
        source=name,
    )


# ----------------------------------------------------------------------------------------------------------------------
# Packed files.


def unpacked(data: bytes, name: str) -> bytes:
    """The bytes of a gzip or zstd file, unpacked; others as they are."""
    packing = _packed(data)
    return data if packing is None else _limited(*packing, len(data), name)


def unpacked_size(data: bytes, name: str, most: int) -> int:
    """How many bytes a gzip or zstd file unpacks to, counted without keeping them, and no further than `most`."""
    packing = _packed(data)
    if packing is None:
        return len(data)
    size = 0
    for chunk in _chunks(*packing, name):
        size += len(chunk)
        if size > most:
            break
    return size


def _packed(data: bytes) -> tuple[Any, str] | None:
    """What unpacks a gzip or zstd file, and how it is packed; None for others."""
    if data.startswith(_GZIP):
        import gzip

        return gzip.GzipFile(fileobj=io.BytesIO(data)), "gzip"
    if data.startswith(_ZSTD):
        import pyarrow as pa

        return pa.CompressedInputStream(pa.BufferReader(data), "zstd"), "zstd"
    return None


def _limited(stream: Any, kind: str, packed: int, name: str) -> bytes:
    chunks, size = [], 0
    for chunk in _chunks(stream, kind, name):
        size += len(chunk)
        _refuse_bomb(name, size, packed)
        chunks.append(chunk)
    return b"".join(chunks)


def _chunks(stream: Any, kind: str, name: str) -> Iterator[bytes]:
    try:
        while chunk := stream.read(1 << 20):
            yield bytes(chunk)
    except (OSError, EOFError, ValueError, zlib_error()) as error:
        raise InputError(f"It begins as a {kind} file, but cannot be unpacked ({error}).", source=name) from None


def zlib_error() -> type[Exception]:
    import zlib

    return zlib.error


def _refuse_bomb(name: str, size: int, packed: int) -> None:
    if size > MOST_BYTES:
        raise _too_large(name, size)
    if size > LARGE and size > MOST_RATIO * max(packed, 1):
        raise InputError(
            f"It unpacks to more than {MOST_RATIO:,} times its size, as files do that are made to fill a machine. It "
            "is not read.",
            source=name,
        )


def open_zip(data: bytes, name: str) -> zipfile.ZipFile:
    import zipfile

    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, struct.error, NotImplementedError) as error:
        raise InputError(f"It begins as a zip archive, but cannot be opened ({error}).", source=name) from None
    if len(members) > MOST_FILES and not any(member.filename.startswith("samples/") for member in members):
        raise InputError(f"The archive holds more than {MOST_FILES:,} files.", source=name)
    return archive


def zip_member(data: bytes, wanted: str, name: str) -> bytes:
    """One member of an archive. Those that zstd has packed, as Inspect's are, are unpacked by Arrow."""
    import zipfile

    archive = open_zip(data, name)
    try:
        info = archive.getinfo(wanted)
    except KeyError:
        raise InputError(f"The archive has no member {wanted!r}.", source=name) from None
    _refuse_bomb(f"{name}/{wanted}", info.file_size, info.compress_size)
    if info.compress_type == _ZSTD_METHOD:
        start = info.header_offset
        header = data[start : start + 30]
        if len(header) < 30:
            raise InputError(f"The member {wanted!r} is cut off.", source=name)
        extra = sum(struct.unpack("<HH", header[26:30]))
        packed = data[start + 30 + extra : start + 30 + extra + info.compress_size]
        import pyarrow as pa

        stream = pa.CompressedInputStream(pa.BufferReader(packed), "zstd")
        return _limited(stream, "zstd", info.compress_size, f"{name}/{wanted}")
    try:
        with archive.open(info) as file:
            return _limited(file, "zip", info.compress_size, f"{name}/{wanted}")
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise InputError(f"The member {wanted!r} cannot be unpacked ({error}).", source=name) from None


def _members(data: bytes, members: Sequence[str], name: str) -> dict[str, Callable[[], bytes]]:
    return {each.rsplit("/", 1)[-1]: partial(zip_member, data, each, name) for each in members}


def _unzipped(source: ScoreFile) -> list[ScoreFile]:
    """The files in a plain archive, or the source as it is: Inspect's logs and spreadsheets are archives too."""
    if not source.name.lower().endswith(".zip"):
        return [source]
    data = source.data
    if not data.startswith(_ZIPPED):
        return [source]
    names = [info.filename for info in open_zip(data, source.name).infolist() if not info.is_dir()]
    if "header.json" in names or "xl/workbook.xml" in names or "_journal/start.json" in names:
        return [source]
    members = []
    for name in sorted(names):
        if name.rsplit("/", 1)[-1].startswith((".", "__")) or not name.lower().endswith(_ENDINGS):
            continue
        member = ScoreFile(
            f"{source.name}/{name}",
            partial(zip_member, data, name, source.name),
            None,
            source.label,
            source.origin,
            of_many=True,
        )
        folder = name.rpartition("/")[0]
        near = [other for other in names if other.rpartition("/")[0] == folder]
        member.neighbours = partial(_members, data, near, source.name)
        members.append(member)
    if not members:
        raise InputError("The archive holds no file that could hold scores.", source=source.name)
    return members


# ----------------------------------------------------------------------------------------------------------------------
# What a file looks like.


def parse_json(data: bytes | str, name: str, line: int | None = None) -> Any:
    """The JSON in some bytes; a sentence where there is none."""
    try:
        return json.loads(data)
    except RecursionError:
        raise InputError("The JSON is nested too deeply to be scores.", source=name, line=line) from None
    except UnicodeDecodeError:
        raise InputError("The text is not UTF-8. Save the file as UTF-8.", source=name, line=line) from None
    except ValueError as error:
        at = getattr(error, "lineno", None)
        what = getattr(error, "msg", None) or str(error)
        raise InputError(
            f"This cannot be read as JSON ({what}). If the file was cut off, leave out what is broken.",
            source=name,
            line=line if line is not None else at,
        ) from None


def _content_of(source: ScoreFile) -> Content:
    data = source.data
    if data.startswith(_ZIPPED):
        names = frozenset(open_zip(data, source.name).namelist())
        return Content(ZIP, names)
    if data.startswith(_SQLITE):
        return Content(SQLITE, _tables_of(source))
    if data.startswith(PARQUET):
        return Content(TABLE, _parquet_names(data))
    head = data[:HEAD].decode("utf-8", errors="replace").lstrip("\ufeff")
    start = head.lstrip()[:1]
    if start in ("{", "[") and not _is_latex_or_text(head):
        return _json_content(source, head)
    if start == "<":
        raise InputError(
            "This is XML or HTML, which is not read. Tools that write it have results as JSON or CSV, too: "
            "`bakeoff formats` lists what is read.",
            source=source.name,
        )
    return Content(TABLE, _csv_names(data), head) if data else Content(TEXT)


def _is_latex_or_text(head: str) -> bool:
    """A line such as [alpha] What is … begins as a list does, and is none."""
    return bool(re.match(r"\s*\[[A-Za-z]", head)) and not re.match(r"\s*\[(true|false|null|NaN)\b", head)


def _json_content(source: ScoreFile, head: str) -> Content:
    data = source.data.lstrip(b"\xef\xbb\xbf")
    first, _, rest = data.lstrip().partition(b"\n")
    if rest.strip():
        try:
            record = json.loads(first)
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, dict):
            source._data = data
            return Content(RECORDS, _names_in(record), head)
    document = parse_json(data, source.name)
    if isinstance(document, list):
        record = next((each for each in document if isinstance(each, dict)), None)
        return Content(RECORDS, _names_in(record or {}), head, document)
    if isinstance(document, dict) and source.file.lower().endswith((".jsonl", ".ndjson")):
        return Content(RECORDS, _names_in(document), head, [document])
    if not isinstance(document, dict):
        raise InputError("Scores were expected, but the file holds a single value.", source=source.name)
    return Content(JSON, _names_in(document), head, document)


def _names_in(record: dict[str, Any]) -> frozenset[str]:
    """The keys of a record and those one level below, dotted; of a list those of its first record."""
    names = set(record)
    for key, value in record.items():
        if isinstance(value, list):
            value = next((each for each in value[:5] if isinstance(each, dict)), None)
        if isinstance(value, dict):
            names |= {f"{key}.{inner}" for inner in list(value)[:200]}
    return frozenset(names)


def _csv_names(data: bytes) -> frozenset[str]:
    """The cells of the first line that is not empty."""
    import csv

    text = data[: 1 << 16].decode("utf-8", errors="replace").lstrip("\ufeff")
    line = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(",;\t", key=line.count)
    try:
        cells = next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return frozenset()
    return frozenset(cell.strip() for cell in cells)


def _parquet_names(data: bytes) -> frozenset[str]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.ParquetFile(pa.BufferReader(data)).schema_arrow
    except (pa.ArrowException, OSError):
        return frozenset()
    names = set()
    for each in schema:
        names.add(each.name)
        if pa.types.is_struct(each.type):
            names |= {f"{each.name}.{inner.name}" for inner in each.type}
    return frozenset(names)


def _tables_of(source: ScoreFile) -> frozenset[str]:
    rows = query(source, "select name from sqlite_master where type = 'table'")
    return frozenset(str(name) for (name,) in rows)


def query(source: ScoreFile, statement: str) -> list[tuple[Any, ...]]:
    """The rows that an SQLite file answers with; it is opened to be read only."""
    import sqlite3
    from contextlib import closing

    if source.path is None:
        raise InputError("A database can be read as a file only. Unpack it, and name the file.", source=source.name)
    try:
        with closing(sqlite3.connect(f"{source.path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            database.execute("pragma trusted_schema = off")
            return list(database.execute(statement))
    except sqlite3.Error as error:
        raise InputError(f"The database cannot be read ({error}).", source=source.name) from None
