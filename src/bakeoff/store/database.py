"""Where a store is: a SQLite file, whose ways are here, or a server, whose ways are in postgresql.py.

Both answer to the same methods. Beside them what both need: arrays as bytes, checksums, the version of the tables.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    Connection,
    Dialect,
    Engine,
    NullPool,
    Table,
    create_engine,
    event,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.exc import DBAPIError

from bakeoff import __version__
from bakeoff.errors import InputError, UsageError
from bakeoff.keys import KEY_VERSION
from bakeoff.store.schema import (
    APPLICATION,
    APPLICATION_ID,
    CHECKED,
    CHECKSUM,
    SCHEMA_VERSION,
    meta,
    metadata,
    position,
    record,
)

if TYPE_CHECKING:
    from bakeoff.store.postgresql import Server

Place: TypeAlias = "Path | Server"  # where a store is

# ----------------------------------------------------------------------------------------------------------------------
# One writer a store: a lock file beside it, which the kernel lets go of however the writer ends.


_BEYOND = 2**30  # a byte of the lock file that is never written


class WriterLock:
    """Held from making to `release`. Readers do not ask for it.

    The lock is on the open file, not in its content: that only tells who holds it. It does not pass to programs that
    are started meanwhile, so a worker that outlives its coordinator locks nobody out.
    """

    def __init__(self, store: Path) -> None:
        self.path = store.with_name(store.name + ".lock")
        self._descriptor = -1
        try:
            self._descriptor = _acquire(self.path, store)
            content = json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "started": _now()})
            os.ftruncate(self._descriptor, 0)
            os.write(self._descriptor, content.encode())
        except OSError as error:
            self.release()
            raise InputError(
                f"The store cannot be opened for writing: its lock file {self.path.name} cannot be written "
                f"({error.strerror}). Choose a folder that you may write to and that has room.",
                source=str(store),
            ) from error

    def release(self) -> None:
        if self._descriptor >= 0:
            # Removed while it is still held: whoever waits for this file finds that it is no longer the one beside the
            # store, and asks again. Windows removes no file that is open; there it stays, and is locked by nobody.
            with suppress(PermissionError):
                self.path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1


def _acquire(path: Path, store: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
        if not _lock(descriptor):
            os.lseek(descriptor, 0, os.SEEK_SET)
            holder = os.read(descriptor, 1000)
            os.close(descriptor)
            raise InputError(
                f"Another run is writing to this store: {_in_words(holder)}. Wait until it has ended, or stop it; "
                "what it has finished is kept.",
                source=str(store),
            ) from None
        if _is_still_at(descriptor, path):
            return descriptor
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Lock an open file for this process, as its system does it; False if another one has it.

    Not by a library of lock files: these empty the file before they ask for it, and it tells who holds the lock.
    """
    try:
        import fcntl
    except ImportError:
        import msvcrt

        lock, non_blocking = msvcrt.locking, msvcrt.LK_NBLCK  # type: ignore[attr-defined,unused-ignore]
        try:
            os.lseek(descriptor, _BEYOND, os.SEEK_SET)  # what is locked there cannot be read either
            lock(descriptor, non_blocking, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_still_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _in_words(holder: bytes) -> str:
    try:
        holder_record = json.loads(holder)
        where = "" if holder_record["host"] == socket.gethostname() else f" on {holder_record['host']}"
        return f"process {holder_record['pid']}{where}, started {holder_record['started']}"
    except (ValueError, KeyError, TypeError):  # it has taken the lock and not said yet who it is
        return "a process that has just started"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


# ----------------------------------------------------------------------------------------------------------------------
# What SQLite complains about, in sentences that say what is kept and what to do.


_NOT_A_DATABASE = (
    "This is not a store of bakeoff: the file is no SQLite database. Name the store of a study, or another file to "
    "make a new one."
)
_FULL = (
    "The disk is full. Nothing of the last batch of results was written; all batches before are kept. Make room, "
    "and run the study again: it goes on where it stopped."
)
_DAMAGED = (
    "The store is damaged: it is shorter than it says, or its pages contradict each other. Restore it from a backup; "
    "`sqlite3 STORE .recover` may save what is legible."
)
_ILLEGIBLE = (
    "The store is damaged: a text in it is not what was written there. A disk or a copy has altered it. Restore it "
    "from a backup; `sqlite3 STORE .recover` may save what is legible."
)
_READ_ONLY = (
    "The store may not be written to. Give yourself the right to write to the file and to its folder, or copy it to a "
    "folder of your own."
)
_SENTENCES = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_NOTADB: _NOT_A_DATABASE,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: "The store cannot be opened. See that its folder exists and that you may read the file "
    "and write to the folder, where SQLite keeps two more files while a store is in use.",
    sqlite3.SQLITE_PERM: "The store may not be opened: you have no right to.",
    sqlite3.SQLITE_BUSY: "The store is in use by another program for longer than half a minute. Close that program and "
    "run the study again: it goes on where it stopped.",
}
_READING_OR_WRITING = (
    "The disk failed while the store was read or written, or is full. What was finished before is kept. See to the "
    "disk, and run the study again: it goes on where it stopped."
)


@contextmanager
def sqlite_errors_as_input_errors(path: Path) -> Iterator[None]:
    """Turns complaints of the database about the file or the disk into an InputError; others are our mistakes."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise InputError(_ILLEGIBLE, source=str(path)) from error
    except (DBAPIError, sqlite3.Error) as error:
        original = error.orig if isinstance(error, DBAPIError) else error
        code = getattr(original, "sqlite_errorcode", 0) & 0xFF  # the upper bytes tell details of the same complaint
        sentence = _READING_OR_WRITING if code == sqlite3.SQLITE_IOERR else _SENTENCES.get(code)
        if "Could not decode to UTF-8" in str(original):  # which has no code of its own
            sentence = _ILLEGIBLE
        if sentence is None:
            raise
        raise InputError(sentence, source=str(path)) from error


def read_json(text: str) -> Any:
    """What a store keeps as JSON; an InputError if the text was altered so that it is none."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(_ILLEGIBLE) from error


def illegible(path: Any) -> InputError:
    """A text that is not the one whose hash stands beside it."""
    return InputError(_ILLEGIBLE, source=str(path))


def not_a_database(path: Path) -> InputError:
    return InputError(_NOT_A_DATABASE, source=str(path))


def read_only(path: Path) -> InputError:
    return InputError(_READ_ONLY, source=str(path))


# ----------------------------------------------------------------------------------------------------------------------


class ConnectionLostError(InputError):
    """A server went away in the middle of a question. Nothing of it was written, or all."""


_ADDRESS = re.compile(r"[a-z][a-z0-9+]+://")
_SECONDS_TO_WAIT = 30.0
_OLDEST = 1  # schema that is still read
_SQLITE_HEADER = b"SQLite format 3\0"


def check_is_store(path: Path, *, writing: bool, create: bool = False) -> None:
    """Look at the file before anything is made or locked beside it."""
    source = str(path)
    try:
        with path.open("rb") as file:
            start = file.read(len(_SQLITE_HEADER))
    except FileNotFoundError:
        if not create:
            raise InputError(
                "There is no store here. `bakeoff run` makes one; see that the path is right.", source=source
            ) from None
        if not path.parent.is_dir():
            raise InputError(
                f"The store cannot be made: there is no folder {path.parent}. Make it first, or choose another one.",
                source=source,
            ) from None
        return
    except OSError as error:
        raise InputError(f"The store cannot be read ({error.strerror}).", source=source) from error
    # An empty file is a store whose first writer was stopped before it wrote anything, or `touch`.
    if start and start != _SQLITE_HEADER:
        raise not_a_database(path)
    # SQLite would open it for reading instead, and complain when it is too late.
    if writing and not _may_write(path):
        raise read_only(path)


def engine_for(path: Path, *, writing: bool) -> Engine:
    """Connections that begin a transaction when told to and never by themselves.

    Each is a connection of its own: what a reader sees is what was committed when its transaction began.
    """
    address = path.absolute().as_uri() + "?" + _mode(path, writing)

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(
            address, uri=True, timeout=_SECONDS_TO_WAIT, isolation_level=None, check_same_thread=False
        )

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)
    begin = "BEGIN IMMEDIATE" if writing else "BEGIN"

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    @event.listens_for(engine, "connect")
    def _connected(raw: sqlite3.Connection, _record: object) -> None:
        raw.execute(f"PRAGMA {'foreign_keys' if writing else 'query_only'} = ON")

    return engine


def _mode(path: Path, writing: bool) -> str:
    if writing:
        return "mode=rwc"
    # To read a WAL database SQLite makes files beside it, which whoever comes last removes if it may.
    if _may_write(path) and _may_write(path.parent):
        return "mode=rw"
    # Where it may not, and no writer has left any, the file alone is the whole truth and can be read as it is.
    alone = not path.with_name(path.name + "-wal").exists()
    return "mode=ro&immutable=1" if alone and not _may_write(path.parent) else "mode=ro"


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def checked_version(metadata: Mapping[str, str], path: Place) -> int:
    """The version of the tables by what a store says of itself, 0 if it says nothing yet; an InputError if it is too
    new or too old."""
    if not metadata:
        return 0
    schema, keys = int(metadata["schema"]), int(metadata["keys"])
    if schema > SCHEMA_VERSION or keys > KEY_VERSION:
        raise InputError(
            f"The store was written by a newer bakeoff ({metadata['version']}): its schema is {schema} with keys "
            f"{keys}, this one ({__version__}) knows {SCHEMA_VERSION} with keys {KEY_VERSION}. Update bakeoff, or "
            "choose another file.",
            source=str(path),
        )
    if schema < _OLDEST or keys < KEY_VERSION:
        raise InputError(
            f"The store was written by an older bakeoff ({metadata['version']}): its schema is {schema} with keys "
            f"{keys}, this one ({__version__}) writes {SCHEMA_VERSION} with keys {KEY_VERSION}. Read it with that "
            "version, or choose another file.",
            source=str(path),
        )
    return schema


def migrate(connection: Connection) -> None:
    """Give an older store the columns and tables that it lacks: all of them, or none."""
    with connection.begin():
        for table in CHECKED:
            if CHECKSUM in {column["name"] for column in inspect(connection).get_columns(table.name)}:
                continue
            connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {CHECKSUM} BIGINT")
        metadata.create_all(connection, tables=[position, record])
        connection.execute(update(meta).where(meta.c.name == "schema").values(value=str(SCHEMA_VERSION)))


def rescue(connection: Connection, path: Path) -> Path | None:
    """Write a database whose file is gone, and which only this connection still knows, to another file; None if there
    is no place for it."""
    places = [path.parent, Path(), Path(tempfile.gettempdir())]
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    for place in places:
        target = place / f"{path.stem}-rescued-{os.getpid()}{path.suffix}"
        with suppress(OSError, sqlite3.Error), closing(sqlite3.connect(target)) as other:
            raw.backup(other)
            return target
    return None


def make_tables(connection: Connection, database: StoreFile | Server, registered: str) -> None:
    """All or nothing: a writer killed here leaves an empty database, which the next one fills."""
    with connection.begin():
        if database.check(connection):
            return  # another writer was faster
        database.make_tables(connection)
        meta_rows = {
            "application": APPLICATION,
            "schema": str(SCHEMA_VERSION),
            "keys": str(KEY_VERSION),
            "version": __version__,
            "made": registered,
        }
        connection.execute(insert(meta), [{"name": name, "value": value} for name, value in meta_rows.items()])


# ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StoreFile:
    """A store in a SQLite file."""

    path: Path

    def check_is_store(self, *, writing: bool, create: bool = False) -> None:
        check_is_store(self.path, writing=writing, create=create)

    def engine(self, *, writing: bool) -> Engine:
        return engine_for(self.path, writing=writing)

    def errors(self) -> AbstractContextManager[None]:
        return sqlite_errors_as_input_errors(self.path)

    def lock(self) -> WriterLock:
        return WriterLock(self.path)

    def check(self, connection: Connection) -> dict[str, str]:
        """What the store says of itself, nothing if it is empty; an InputError if the file is another program's."""
        with self.errors():
            tables = set(inspect(connection).get_table_names())
            number = connection.exec_driver_sql("PRAGMA application_id").scalar()
            if not tables and number in (0, APPLICATION_ID):
                return {}
            about: dict[str, str] = {}
            if meta.name in tables and number == APPLICATION_ID:
                about = {row.name: row.value for row in connection.execute(select(meta.c.name, meta.c.value))}
        if about.get("application") != APPLICATION:
            raise InputError(
                "This is a SQLite database of another program, not a store of bakeoff. Nothing in it was touched. "
                "Choose another file.",
                source=str(self.path),
            )
        return about

    def prepare(self, connection: Connection) -> None:
        """Write-ahead logging, so that readers never wait. A kill loses nothing committed; a power cut at most the
        end."""
        raw = connection.connection.cursor()
        raw.execute("PRAGMA journal_mode = WAL")
        raw.execute("PRAGMA synchronous = NORMAL")
        raw.close()

    def make_tables(self, connection: Connection) -> None:
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        metadata.create_all(connection)

    def insert(self, connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        insert_rows(connection, table, rows)

    def living_runs(self, connection: Connection) -> set[int]:
        """To a file nobody else is writing."""
        return set()

    def forget(self) -> None:
        """Remove the file, which holds nothing."""
        for ending in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + ending).unlink(missing_ok=True)


def database_at(place: str | Place) -> StoreFile | Server:
    """The database that a path or an address names.

    >>> database_at("study.sqlite")
    StoreFile(path=...Path('study.sqlite'))
    """
    found = place_of(place)
    return StoreFile(found) if isinstance(found, Path) else found


def place_of(place: str | Place) -> Place:
    """Where a store is, as users write it: a file, or postgresql://USER@HOST/DATABASE.

    >>> place_of("study.sqlite").name
    'study.sqlite'
    """
    if isinstance(place, Path) or (isinstance(place, str) and not _ADDRESS.match(place)):
        return Path(place)
    if not isinstance(place, str):
        return place
    if not place.startswith(("postgresql:", "postgres:", "postgresql+psycopg:")):
        raise UsageError(
            f"A store is a file, or a database postgresql://USER@HOST/DATABASE; found an address that begins with "
            f"{place.partition(':')[0]}:."
        )
    from bakeoff.store.postgresql import Server

    return Server.at("postgresql" + place[place.index(":") :])


# ----------------------------------------------------------------------------------------------------------------------
# Inserting many rows: the statement is compiled by SQLAlchemy once, and the rows go to the driver as they are.
#
# Core would look at every parameter of every row, which costs more than SQLite itself. The types stored here (whole and
# floating-point numbers, texts, bytes, booleans) need no conversion by any driver.


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that all have every column of the table."""
    if rows:
        statement, parameters = _compiled(table, connection.dialect)
        connection.exec_driver_sql(statement, [parameters(row) for row in rows])


@lru_cache(maxsize=64)
def _compiled(table: Table, dialect: Dialect) -> tuple[str, Callable[[Mapping[str, Any]], Any]]:
    compiled = insert(table).compile(dialect=dialect)
    order = compiled.positiontup
    # A driver with named parameters takes the rows themselves.
    return str(compiled), dict if order is None else itemgetter(*order)


# ----------------------------------------------------------------------------------------------------------------------
# Arrays as bytes and back: one byte for the type, then the numbers, little-endian. No pickle.


# The letters are struct's. Whole numbers are packed into the first type that holds them.
_TYPES: dict[bytes, np.dtype[Any]] = {
    b"B": np.dtype("<u1"),
    b"b": np.dtype("<i1"),
    b"H": np.dtype("<u2"),
    b"h": np.dtype("<i2"),
    b"I": np.dtype("<u4"),
    b"i": np.dtype("<i4"),
    b"q": np.dtype("<i8"),
    b"d": np.dtype("<f8"),
}
_WHOLE = tuple((letter, dtype, np.iinfo(dtype)) for letter, dtype in _TYPES.items() if dtype.kind in "iu")


def packed(array: NDArray[Any]) -> bytes:
    """The numbers of an array; its shape is not kept.

    >>> packed(np.array([0, 1, 2]))
    b'B\\x00\\x01\\x02'
    >>> len(packed(np.array([0.1, 0.2])))
    17
    """
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize <= 8:
        return b"d" + np.ascontiguousarray(array, dtype="<f8").tobytes()
    if kind not in "iub":
        raise TypeError(f"Numbers were expected to be stored; found an array of {array.dtype}.")
    least, most = (int(array.min()), int(array.max())) if array.size else (0, 0)
    for letter, dtype, limits in _WHOLE:
        if limits.min <= least and most <= limits.max:
            return letter + np.ascontiguousarray(array, dtype=dtype).tobytes()
    raise TypeError(f"Whole numbers of at most 64 bits were expected to be stored; found {most}.")


def unpacked(blob: bytes, columns: int | None = None) -> NDArray[Any]:
    """The array again: int64 or float64, in rows of so many columns if there are several.

    >>> unpacked(packed(np.array([3, -4], dtype=np.int8)))
    array([ 3, -4])
    """
    dtype = _TYPES.get(blob[:1])
    if dtype is None or (len(blob) - 1) % dtype.itemsize:
        raise ValueError(f"These {len(blob)} bytes hold no array that bakeoff has packed.")
    numbers = np.frombuffer(blob, dtype=dtype, offset=1).astype(np.float64 if dtype.kind == "f" else np.int64)
    return numbers if columns is None else numbers.reshape(-1, columns)


def unpacked_rows(blob: bytes) -> NDArray[np.int32]:
    """Row numbers of a sample, as splits hold them."""
    return unpacked(blob).astype(np.int32)


# ----------------------------------------------------------------------------------------------------------------------
# Checksums: a bit that a disk, a cable or memory has turned is found when the value is read, not believed.


_ALTERED = (
    "The store is damaged: {what} is not what was written there, since its checksum is another. A disk or a copy has "
    "altered it. Restore the store from a backup, or run what is damaged anew (bakeoff run STUDY --again LEARNER)."
)
# Odd, and such that it moves every single bit of a number into the part of the product that is kept.
_FACTOR = 0x9E3779B97F4A7C15
_ANOTHER = 0xD6E8FEB86659FD93
_BITS = 33


def score_checksums(values: NDArray[np.float64], measures: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """For each value a number below 2³¹ that is another one if a single bit of the value is.

    Not one of the usual sums: these are made of a million values at once when scores are read.
    """
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    with np.errstate(over="ignore"):
        mixed = (bits ^ (np.asarray(measures).astype(np.uint64) * np.uint64(_ANOTHER))) * np.uint64(_FACTOR)
    return np.asarray(mixed >> np.uint64(_BITS)).astype(np.int64)


def check_scores(values: NDArray[np.float64], stored: NDArray[np.float64], measure: int, what: str) -> None:
    """Compare values with their checksums; NaN is no value, or no checksum."""
    known = ~np.isnan(stored) & ~np.isnan(values)
    wrong = int((score_checksums(values[known], measure) != stored[known]).sum())
    # A value that was turned into no number at all still has its checksum.
    wrong += int((np.isnan(values) & ~np.isnan(stored)).sum())
    if wrong:
        raise altered(f"{what} ({wrong} of {len(values)})" if len(values) > 1 else what)


def checksum(*parts: bytes | None) -> int:
    """Of bytes, as they are stored.

    >>> checksum(b"ab", None) == checksum(b"a", b"b")
    False
    """
    total = 0
    for part in parts:
        total = crc32(b"-" if part is None else part, crc32(str(part is None or len(part)).encode(), total))
    return total


def check_parts(stored: int | None, what: str, *parts: bytes | None) -> None:
    """Compare bytes with their checksum, if they have one."""
    if stored is not None and checksum(*parts) != stored:
        raise altered(what)


def altered(what: str) -> InputError:
    return InputError(_ALTERED.format(what=what))
