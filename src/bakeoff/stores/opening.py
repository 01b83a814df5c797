"""Opening a SQLite file: what it must be, and how connections to it behave."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from sqlalchemy import Connection, Engine, NullPool, create_engine, event, insert, inspect, select

from bakeoff import __version__
from bakeoff.errors import InputError
from bakeoff.keys import KEY_VERSION
from bakeoff.stores.failing import explained, not_a_database, read_only
from bakeoff.stores.schema import APPLICATION, APPLICATION_ID, SCHEMA_VERSION, meta, metadata

_SECONDS_TO_WAIT = 30.0
_SQLITE_HEADER = b"SQLite format 3\0"


def refuse_other_files(path: Path, *, writing: bool, create: bool = False) -> None:
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


def check(connection: Connection, path: Path) -> bool:
    """Whether the tables are there; an InputError if the file belongs to another program or version."""
    with explained(path):
        tables = set(inspect(connection).get_table_names())
        number = connection.exec_driver_sql("PRAGMA application_id").scalar()
        if not tables and number in (0, APPLICATION_ID):
            return False
        told: dict[str, str] = {}
        if meta.name in tables and number == APPLICATION_ID:
            told = {row.name: row.value for row in connection.execute(select(meta.c.name, meta.c.value))}
    if told.get("application") != APPLICATION:
        raise InputError(
            "This is a SQLite database of another program, not a store of bakeoff. Nothing in it was touched. Choose "
            "another file.",
            source=str(path),
        )
    _check_version(told, path)
    return True


def _check_version(told: dict[str, str], path: Path) -> None:
    schema, keys = int(told["schema"]), int(told["keys"])
    if schema > SCHEMA_VERSION or keys > KEY_VERSION:
        raise InputError(
            f"The store was written by a newer bakeoff ({told['version']}): its schema is {schema} with keys "
            f"{keys}, this one ({__version__}) knows {SCHEMA_VERSION} with keys {KEY_VERSION}. Update bakeoff, or "
            "choose another file.",
            source=str(path),
        )
    if schema < SCHEMA_VERSION or keys < KEY_VERSION:
        raise InputError(
            f"The store was written by an older bakeoff ({told['version']}): its schema is {schema} with keys {keys}, "
            f"this one ({__version__}) writes {SCHEMA_VERSION} with keys {KEY_VERSION}. Read it with that version, or "
            "choose another file.",
            source=str(path),
        )


def make_tables(connection: Connection, registered: str) -> None:
    """All or nothing: a writer killed here leaves an empty database, which the next one fills."""
    with connection.begin():
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        metadata.create_all(connection)
        told = {
            "application": APPLICATION,
            "schema": str(SCHEMA_VERSION),
            "keys": str(KEY_VERSION),
            "version": __version__,
            "made": registered,
        }
        connection.execute(insert(meta), [{"name": name, "value": value} for name, value in told.items()])


def keep_a_journal(connection: Connection) -> None:
    """Write-ahead logging, so that readers never wait. A kill loses nothing committed; a power cut at most the end."""
    raw = connection.connection.cursor()
    raw.execute("PRAGMA journal_mode = WAL")
    raw.execute("PRAGMA synchronous = NORMAL")
    raw.close()
