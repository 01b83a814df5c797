"""Where a store is: a SQLite file, whose ways are here, or a server, whose ways are in postgresql.py.

Both answer to the same methods. Beside them what both need: the version of the tables, rows in bulk.
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

from sqlalchemy import (
    Column,
    Connection,
    Dialect,
    Engine,
    NullPool,
    QueuePool,
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
    WITH_CHECKED_ATTEMPTS,
    WITH_CHECKSUMS,
    WITH_POSITIONS,
    attempt,
    meta,
    metadata,
    position,
    record,
    weighting,
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


def writer_of(store: Path) -> int | None:
    """The number of the process on this machine that has said in the lock file that it writes to a store. It may have
    ended since: whoever does something about it looks whether it is still what it was."""
    try:
        holder = json.loads(store.with_name(store.name + ".lock").read_bytes())
        return int(holder["pid"]) if holder["host"] == socket.gethostname() else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


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
_OTHER_DEFINITIONS = (
    "The store is damaged: its tables are not defined as bakeoff makes them. A disk, a copy or another program has "
    "altered it. Restore it from a backup; `sqlite3 STORE .recover` may save what is legible."
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
        if code == sqlite3.SQLITE_ERROR and not _is_whole(path):
            sentence = _OTHER_DEFINITIONS
        if sentence is None:
            raise
        raise InputError(sentence, source=str(path)) from error


def _is_whole(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(path.absolute().as_uri() + "?" + _mode(path, False), uri=True)) as connection:
            return _defined_as_made(connection)
    except sqlite3.Error:
        return False


def _defined_as_made(connection: sqlite3.Connection) -> bool:
    """Whether each table has its columns; those that older stores lack need not be there."""
    try:
        schema = int(connection.execute("SELECT value FROM meta WHERE name = 'schema'").fetchone()[0])
    except (TypeError, ValueError):
        return False
    later = {weighting.name} | ({position.name, record.name} if schema < WITH_POSITIONS else set())
    for table in metadata.tables.values():
        columns = {row[1] for row in connection.execute(f"PRAGMA table_info({table.name})")}
        lacking = {column.name for column in table.c} - columns
        if not has_checksums(table, schema):
            lacking.discard(CHECKSUM)
        if lacking and (columns or table.name not in later):
            return False
    return True


def has_checksums(table: Table, schema: int) -> bool:
    """Whether a table has checksums in stores of that version."""
    return schema >= (WITH_CHECKED_ATTEMPTS if table is attempt else WITH_CHECKSUMS)


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
    """Connections that begin a transaction when told to and never by themselves: what a reader sees is what was
    committed when its transaction began.

    A reader keeps one connection until it is closed: to open the file anew for each question takes longer than to
    answer most of them.
    """
    address = path.absolute().as_uri() + "?" + _mode(path, writing)

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(
            address, uri=True, timeout=_SECONDS_TO_WAIT, isolation_level=None, check_same_thread=False
        )

    # Questions inside questions, and those of other threads, have connections of their own.
    kept: dict[str, Any] = {"poolclass": QueuePool, "pool_size": 1, "max_overflow": -1}
    engine = create_engine("sqlite://", creator=connect, **({"poolclass": NullPool} if writing else kept))
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
    try:
        schema, keys = int(metadata["schema"]), int(metadata["keys"])
        metadata["version"]
    except (KeyError, ValueError):
        raise illegible(path) from None
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


def files_of(path: Path) -> dict[Path, os.stat_result]:
    """The files of a store that is open, which SQLite keeps beside one another, as they are now."""
    places = [path.with_name(path.name + ending) for ending in ("", "-wal", "-shm")]
    return {place: os.stat(place) for place in places if place.exists()}


def rescue(connection: Connection, path: Path, files: Mapping[Path, os.stat_result]) -> Path | None:
    """Write a database whose file is gone, and which only this connection still knows, to another file; None if there
    is no place for it. What is left of its `files` is removed then: another database that was put in its place would
    be overwritten by the log of this one."""
    places = [path.parent, Path(), Path(tempfile.gettempdir())]
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    for place in places:
        target = place / f"{path.stem}-rescued-{os.getpid()}{path.suffix}"
        with suppress(OSError, sqlite3.Error), closing(sqlite3.connect(target)) as other:
            raw.backup(other)
            for file, status in files.items():
                with suppress(OSError):
                    if file != path and os.path.samestat(os.stat(file), status):
                        file.unlink()
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


_MOST_BYTES = 2**26  # of a store that is looked through whenever it is opened
_LOOKED_AT: dict[Path, tuple[int, int, int]] = {}  # files that were found whole, and in which state


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
            if number == APPLICATION_ID and tables & (metadata.tables.keys() - {meta.name}):
                raise InputError(_OTHER_DEFINITIONS, source=str(self.path))
            raise InputError(
                "This is a SQLite database of another program, not a store of bakeoff. Nothing in it was touched. "
                "Choose another file.",
                source=str(self.path),
            )
        return about

    def verify(self, connection: Connection, *, whole: bool = False) -> bool:
        """That pages, tables and indices fit together and are those of a store; False if nobody looked.

        A row that has no checksum of its own, or is lost with its page, is found in no other way. It takes a
        millisecond for every third of a megabyte, as long as reading the scores does: so each state of a file is looked
        at once, and one that is very large only if that is asked for (`whole`).
        """
        known = os.stat(self.path)
        state = (known.st_ino, known.st_size, known.st_mtime_ns)
        if not whole and (known.st_size > _MOST_BYTES or _LOOKED_AT.get(self.path) == state):
            return known.st_size <= _MOST_BYTES
        raw = connection.connection.driver_connection
        assert isinstance(raw, sqlite3.Connection)
        with self.errors():
            report = raw.execute("PRAGMA integrity_check(1)").fetchone()
            whole = _defined_as_made(raw)
        if report != ("ok",):
            raise InputError(_DAMAGED, source=str(self.path))
        if not whole:
            raise InputError(_OTHER_DEFINITIONS, source=str(self.path))
        _LOOKED_AT[self.path] = state
        return True

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
    address = place_of(place)
    return StoreFile(address) if isinstance(address, Path) else address


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


def rows_among(connection: Connection, columns: Sequence[str], among: Column[Any], values: Sequence[Any]) -> list[Any]:
    """Columns of the rows of a table in which one of them is among some hundred values.

    As with inserting, Core would look at every value several times, which costs more than to find the rows.
    """
    mark = "?" if connection.dialect.paramstyle == "qmark" else "%s"
    chosen, marks = ", ".join(columns), ", ".join([mark] * len(values))
    statement = f"SELECT {chosen} FROM {among.table.name} WHERE {among.name} IN ({marks})"
    return list(connection.exec_driver_sql(statement, tuple(values)))


@lru_cache(maxsize=64)
def _compiled(table: Table, dialect: Dialect) -> tuple[str, Callable[[Mapping[str, Any]], Any]]:
    compiled = insert(table).compile(dialect=dialect)
    order = compiled.positiontup
    # A driver with named parameters takes the rows themselves.
    return str(compiled), dict if order is None else itemgetter(*order)
