"""A store on a PostgreSQL server: the same tables, in a schema of their own, for several coordinators at once.

Writers take turns by a lock that ends with their transaction, so that whatever holds for the one writer of a file
(numbers are given out here, a cell is written once) holds for several. Which coordinator runs which cell is settled by
leases: a coordinator that no longer gives a sign of life loses its cells to the others.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Self

from sqlalchemy import (
    URL,
    Column,
    Connection,
    DateTime,
    Engine,
    Integer,
    LargeBinary,
    MetaData,
    NullPool,
    Table,
    create_engine,
    delete,
    event,
    func,
    insert,
    inspect,
    make_url,
    select,
    text,
    update,
)
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.schema import CreateSchema

from bakeoff.errors import InputError, UsageError
from bakeoff.store.database import ConnectionLostError
from bakeoff.store.schema import APPLICATION, ONLY_SOME, cell, meta, metadata

SCHEMA = "bakeoff"  # of the database: names such as `study` and `run` may well be taken by others
_TURNS = int.from_bytes(b"bakeoff!", "big") >> 1  # the number of the lock by which writers take turns
_SECONDS_TO_CONNECT = 10
# So that a server that is cut off is noticed after some two minutes, and not waited for forever.
_ALIVE = {"keepalives_idle": 60, "keepalives_interval": 10, "keepalives_count": 6, "tcp_user_timeout": 120_000}
_BEAT = 5.0  # seconds between signs of life
SILENCE = 30.0  # seconds without one after which a coordinator has lost its cells, and its turn if it has it
_SECONDS_TO_COPY = 300.0  # for the rows of one table in one batch; whoever stands still in the middle loses its turn


# ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Server:
    """The address of a store on a server; as a text it keeps the password to itself."""

    url: URL

    @classmethod
    def at(cls, address: str) -> Self:
        try:
            url = make_url(address)
        except ArgumentError:
            raise UsageError(
                "The address of the store cannot be read. It is written postgresql://USER@HOST/DATABASE; a password "
                "is best kept in ~/.pgpass or in the environment variable PGPASSWORD."
            ) from None
        if not url.database:
            raise UsageError(
                f"{url.render_as_string(hide_password=True)} names no database: postgresql://USER@HOST/DATABASE."
            )
        return cls(url.set(drivername="postgresql+psycopg"))

    def __str__(self) -> str:
        return self.url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)

    __repr__ = __str__

    @property
    def name(self) -> str:
        return str(self)

    def exists(self) -> bool:
        """Whether there is a store: a database without one is as good as none."""
        engine = self.engine(writing=False)
        with self.errors(), engine.connect() as connection:
            return bool(self.check(connection))

    # What a file does in its own way as well

    def check_is_store(self, *, writing: bool, create: bool = False) -> None:
        """That the server answers. What it holds is looked at when it is opened."""
        if writing and create:
            return
        if not self.exists():
            raise InputError(
                "There is no store here. `bakeoff run` makes one; see that the address is right.", source=str(self)
            )

    def engine(self, *, writing: bool, in_turn: bool = True) -> Engine:
        """Connections to the server; those of writers wait for their turn when a transaction begins."""
        settings = f"-c search_path={SCHEMA} " + (
            # All others wait for whoever has the turn, be it a program that was stopped or a machine that was cut off.
            f"-c idle_in_transaction_session_timeout={_milliseconds(SILENCE)}"
            if writing
            else "-c default_transaction_read_only=on"
        )
        options = {"connect_timeout": _SECONDS_TO_CONNECT, "application_name": "bakeoff", "options": settings}
        options |= _ALIVE
        isolation = "READ COMMITTED" if writing else "REPEATABLE READ"
        try:
            engine = create_engine(self.url, poolclass=NullPool, connect_args=options, isolation_level=isolation)
        except (ImportError, NoSuchModuleError):
            raise UsageError(
                "A store on a PostgreSQL server needs the package psycopg: pip install 'bakeoff[postgresql]'."
            ) from None

        if writing and in_turn:
            event.listen(engine, "begin", _wait_for_turn)
        return engine

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turns complaints of the server into an InputError; others are our mistakes."""
        try:
            yield
        except DBAPIError as error:
            sentence = _in_words(error)
            if sentence is None:
                raise
            lost = error.connection_invalidated or _is_away(error)
            raise (ConnectionLostError if lost else InputError)(sentence, source=str(self)) from error

    def lock(self) -> None:
        """Several may write: they take turns, and share out the cells."""

    def check(self, connection: Connection) -> dict[str, str]:
        """What the store says of itself; nothing if there is none yet."""
        if meta.name not in inspect(connection).get_table_names(schema=SCHEMA):
            return {}
        # With its name in full: otherwise a schema that the user may not look into would seem to be empty.
        rows = connection.exec_driver_sql(f"SELECT name, value FROM {SCHEMA}.{meta.name}")
        about = {row.name: row.value for row in rows}
        if about.get("application") != APPLICATION:
            raise InputError(
                f"The database has a schema {SCHEMA!r} of another program. Nothing in it was touched. Choose another "
                "database.",
                source=str(self),
            )
        return about

    def verify(self, connection: Connection, *, whole: bool = False) -> bool:
        """A server looks after its pages itself."""
        return True

    def prepare(self, connection: Connection) -> None:
        """The schema, and the tables that only a server has."""
        with connection.begin():
            if not inspect(connection).has_schema(SCHEMA):
                connection.execute(CreateSchema(SCHEMA))
            shared.create_all(connection)

    def make_tables(self, connection: Connection) -> None:
        """The tables, in a transaction that others wait for."""
        for index, condition in ONLY_SOME.items():
            # Named only here: to name it with the tables would load this dialect into every run of a file.
            index.dialect_options["postgresql"]["where"] = text(condition)
        metadata.create_all(connection)

    def insert(self, connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows that all have every column of the table, by the server's own way for many."""
        names = [column.name for column in table.c]
        columns = ", ".join(f'"{name}"' for name in names)
        statement = f'COPY "{table.name}" ({columns}) FROM STDIN'
        cursor, dbapi = connection.connection.cursor(), connection.dialect.dbapi
        assert dbapi is not None
        try:
            with cursor.copy(statement) as copy:
                for row in rows:
                    copy.write_row([row[name] for name in names])
        except dbapi.Error as error:  # SQLAlchemy has not seen it
            raise DBAPIError(statement, None, error) from error
        finally:
            cursor.close()

    def living_runs(self, connection: Connection) -> set[int]:
        """The runs of coordinators that are at work."""
        remove_silent(connection)
        return set(connection.execute(select(coordinator.c.run)).scalars())

    def forget(self) -> None:
        """Leave the empty tables where they are: others may be about to use them."""


def _wait_for_turn(connection: Connection) -> None:
    """Whoever has the turn and stands still while it sends rows is cut off: the server notices by itself only those
    who stand still between two statements."""
    while True:
        try:
            connection.exec_driver_sql(_TURN.format(_milliseconds(SILENCE)))
            return
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != _WAITED_LONG:
                raise
        driver = connection.connection
        driver.rollback()
        cursor = driver.cursor()
        cursor.execute(_CUT_OFF, (_TURNS, _SECONDS_TO_COPY))
        cursor.close()
        driver.commit()


_TURN = (
    "SELECT set_config('lock_timeout', '{}', true), "
    f"pg_advisory_xact_lock({_TURNS}), set_config('lock_timeout', '0', true)"
)
_WAITED_LONG = "55P03"
# Users who may not see what others do end nobody, and wait on.
_CUT_OFF = """
SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND (classid::bigint << 32) + objid::bigint = %s
AND datname = current_database() AND wait_event = 'ClientRead'
AND query_start < clock_timestamp() - make_interval(secs => %s)
"""
_CLASSES = {
    "28": "The server refuses the user or the password. Name the user in the address, and keep the password in "
    "~/.pgpass or in the environment variable PGPASSWORD.",
    "3D": "The server has no such database. Make it first (createdb NAME), or name another one.",
    "42501": "The user may not do this in the database: bakeoff needs the right to make and to write tables in the "
    "schema `bakeoff`. Ask for CREATE on the database, or name another user.",
    "25006": "The database may only be read. Name one that may be written to.",
    "53100": "The disk of the server is full. Nothing of the last batch of results was written; all batches before are "
    "kept. Make room, and run the study again: it goes on where it stopped.",
    "53300": "The server takes no more connections. Wait, or let fewer coordinators run at once.",
    "40": "The server gave up this transaction in favour of another. Run the study again: it goes on where it stopped.",
}
_AWAY = (
    "The server cannot be reached. What was committed is kept there. See that it is running and that host and port are "
    "right; a run that is started again goes on where it stopped."
)


def _in_words(error: DBAPIError) -> str | None:
    state = getattr(error.orig, "sqlstate", None) or ""
    for start, sentence in _CLASSES.items():
        if state.startswith(start):
            return sentence
    message = str(error.orig).lower()
    if not state and ("password authentication failed" in message or "no password supplied" in message):
        return _CLASSES["28"]
    if not state and "does not exist" in message and "database" in message:
        return _CLASSES["3D"]
    return _AWAY if error.connection_invalidated or _is_away(error) else None


def _is_away(error: DBAPIError) -> bool:
    """Whether the server is gone or going: no answer, shutting down, starting up, or a cut connection; or has cut
    us off because we stood still for too long in the middle of a transaction (25P03)."""
    state = getattr(error.orig, "sqlstate", None) or ""
    without = not state and type(error.orig).__name__ == "OperationalError"
    return without or state.startswith(("08", "57P", "25P03"))


def _milliseconds(seconds: float) -> int:
    return round(1000 * seconds)


# ----------------------------------------------------------------------------------------------------------------------
# Leases: which of several coordinators runs which cell.


shared = MetaData()
# One row for each run that is going on; the clock is the server's.
coordinator = Table(
    "coordinator",
    shared,
    Column("run", Integer, primary_key=True, autoincrement=False),
    Column("beat", DateTime(timezone=True), nullable=False),
)
lease = Table(
    "lease",
    shared,
    Column("key", LargeBinary, primary_key=True),
    Column("run", Integer, nullable=False, index=True),
)


class Leases:
    """The cells that one run has taken, and its signs of life, given by a thread with a connection of its own."""

    def __init__(self, server: Server, run_id: int, connection: Connection) -> None:
        self.server, self.run_id = server, run_id
        connection.execute(insert(coordinator).values(run=run_id, beat=func.now()))
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._live, name="bakeoff-heartbeat", daemon=True)
        self._thread.start()

    def _live(self) -> None:
        engine = self.server.engine(writing=True, in_turn=False)  # however long another's turn takes
        while not self._ended.wait(_BEAT):
            with suppress(DBAPIError), engine.connect() as connection:  # the server may be starting again
                self._beat(connection)
                connection.commit()

    def _beat(self, connection: Connection) -> bool:
        beat = update(coordinator).where(coordinator.c.run == self.run_id).values(beat=func.now())
        return connection.execute(beat).rowcount > 0

    def take(
        self, connection: Connection, keys: Sequence[bytes], retry: bool = False, again: frozenset[bytes] = frozenset()
    ) -> set[bytes]:
        """Those of the cells that nobody else is running, and that are not stored meanwhile; they are ours now."""
        remove_silent(connection)
        if not self._beat(connection):  # it was silent for too long, and others have taken its cells
            connection.execute(insert(coordinator).values(run=self.run_id, beat=func.now()))
        wanted = list(dict.fromkeys(keys))
        rows = connection.execute(select(lease.c.key, lease.c.run).where(lease.c.key.in_(wanted)))
        held = {row.key: row.run for row in rows}
        done = select(cell.c.key).where(cell.c.key.in_(wanted))
        stored = set(connection.execute(done.where(cell.c.status == "ok") if retry else done).scalars())
        ours = {key for key in wanted if key not in stored - again and held.get(key, self.run_id) == self.run_id}
        self.server.insert(connection, lease, [{"key": key, "run": self.run_id} for key in ours if key not in held])
        return ours

    def give_back(self, connection: Connection, keys: Sequence[bytes]) -> None:
        """What is stored need not be held any longer."""
        connection.execute(delete(lease).where(lease.c.key.in_(list(keys))))

    def end(self, connection: Connection) -> None:
        self.stop()
        connection.execute(delete(lease).where(lease.c.run == self.run_id))
        connection.execute(delete(coordinator).where(coordinator.c.run == self.run_id))

    def stop(self) -> None:
        """No further signs of life."""
        self._ended.set()
        if self._thread is not threading.current_thread():
            self._thread.join(_SECONDS_TO_CONNECT + _BEAT)


def remove_silent(connection: Connection) -> list[int]:
    """Take their cells from coordinators that have given no sign of life for long; returns their runs."""
    silent = coordinator.c.beat < func.now() - text(f"interval '{SILENCE:g} seconds'")
    gone = list(connection.execute(select(coordinator.c.run).where(silent)).scalars())
    if gone:
        connection.execute(delete(lease).where(lease.c.run.in_(gone)))
        connection.execute(delete(coordinator).where(coordinator.c.run.in_(gone)))
    return gone
