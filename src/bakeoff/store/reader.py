"""Reader: a store opened for looking. It locks nobody out and sees each batch as soon as it is committed.

Before it what goes into a store and comes out of it: values as bytes, with their checksums, and records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from math import nan
from operator import itemgetter
from struct import Struct
from struct import error as StructError  # noqa: N812  (a class, by a name that says so)
from sys import intern
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Column, ColumnElement, Connection, Row, Select, Table, bindparam, inspect, not_, null, select

from bakeoff.errors import InputError, UsageError, nearest
from bakeoff.measures.response import PackedPrediction, unpacked, unpacked_rows
from bakeoff.resampling.split import Split
from bakeoff.store.database import (
    Place,
    StoreFile,
    checked_version,
    database_at,
    has_checksums,
    place_of,
    read_json,
    rows_among,
)
from bakeoff.store.schema import (
    CHECKSUM,
    PLACES,
    RESOURCES,
    WITH_POSITIONS,
    attempt,
    cell,
    learner,
    place,
    prediction,
    record,
    score,
    split,
    splitting,
    study,
    task,
    weighting,
)
from bakeoff.text import shown_as_text

if TYPE_CHECKING:
    from bakeoff.store.postgresql import Server

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
    """For each value a number below 2³¹ that is another one if a single bit of the value is; −0 is 0, as a file has it.

    Not one of the usual sums: these are made of a million values at once when scores are read.
    """
    return _mixed(values + 0.0, measures)


def _mixed(values: NDArray[np.float64], measures: NDArray[np.int64] | int) -> NDArray[np.int64]:
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    with np.errstate(over="ignore"):
        mixed = (bits ^ (np.asarray(measures).astype(np.uint64) * np.uint64(_ANOTHER))) * np.uint64(_FACTOR)
    return np.asarray(mixed >> np.uint64(_BITS)).astype(np.int64)


def check_scores(
    values: NDArray[np.float64], stored: NDArray[np.float64], measure: NDArray[np.int64] | int, what: str
) -> None:
    """Compare values with their checksums; NaN is no value, or no checksum."""
    known = ~np.isnan(stored) & ~np.isnan(values)
    of, given, sums = measure if isinstance(measure, int) else measure[known], values[known], stored[known]
    differs = score_checksums(given, of) != sums
    if differs.any():  # by earlier versions that of −0 was made of its sign, too, which a file does not keep
        differs &= (given != 0) | (_mixed(np.full(len(given), -0.0), of) != sums)
    wrong = int(differs.sum())
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
        total = crc32(b"-", crc32(b"True", total)) if part is None else crc32(part, crc32(b"%d" % len(part), total))
    return total


_OF_TASK = ("kind", "features", "classes", "notes")


def task_checksum(row: Mapping[Any, Any]) -> int:
    """Of a task: its truth and units, and the texts that say what they mean."""
    return checksum(row["truth"], row["units"], *(row[name].encode() for name in _OF_TASK))


def check_task(row: Mapping[Any, Any]) -> None:
    """Compare a task with its checksum, if it has one; before version 4 that was of its truth and units alone."""
    try:
        whole = row[CHECKSUM] in (None, task_checksum(row), checksum(row["truth"], row["units"]))
    except (TypeError, AttributeError):
        whole = False
    if not whole:
        raise altered(f"the truth of task {row['name']!r}, or what it means,")


def check_parts(stored: int | None, what: str, *parts: bytes | None) -> None:
    """Compare bytes with their checksum, if they have one. Damage may also have made a text or a number of them."""
    if not all(part is None or isinstance(part, bytes) for part in parts):
        raise altered(what)
    if stored is not None and checksum(*parts) != stored:
        raise altered(what)


# Of an attempt what was said and measured, not whose it is: merged into another store it has other numbers there.
_ATTEMPT = ("status", "message", "detail", "written", "notes")
_texts, _used = itemgetter(*_ATTEMPT), itemgetter(*RESOURCES)
_numbers = Struct(f"<{len(RESOURCES)}d").pack


def attempt_checksum(row: Mapping[Any, Any]) -> int:
    """Of an attempt by its columns: texts, times and other resources."""
    numbers = _numbers(*[nan if value is None else value for value in _used(row)])
    return crc32("\0".join(_texts(row)).encode(), crc32(numbers))


def check_attempt(row: Mapping[Any, Any], what: str) -> None:
    """Compare an attempt with its checksum, if it has one. Damage may also have made a text of a number."""
    try:
        whole = row[CHECKSUM] is None or attempt_checksum(row) == row[CHECKSUM]
    except (TypeError, StructError):
        whole = False
    if not whole:
        raise altered(what)


def places_checksum(places: Sequence[tuple[bytes, int, int, str, int, int]]) -> int:
    """Of all places of a splitting together: the key of the split, repeat, fold, role, and the sizes of the samples."""
    if not places:
        return 0
    keys, repeat, fold, role, *sizes = zip(*places, strict=True)
    numbers = (np.array(column, dtype="<i8").tobytes() for column in (repeat, fold, *sizes))
    return checksum(b"".join(keys), "\0".join(role).encode(), *numbers)


def as_numbers(values: Sequence[Any], dtype: type) -> NDArray[Any]:
    """Values of columns of numbers; NULL becomes NaN. Damage may have made a text of one."""
    try:
        return np.array(values, dtype=dtype)
    except (TypeError, ValueError):
        raise altered("a number") from None


def altered(what: str) -> InputError:
    return InputError(_ALTERED.format(what=what))


def storable(text: str) -> str:
    r"""What a learner said, as a database takes it and a terminal bears it: without halves of characters, zero bytes
    and commands to a terminal.

    >>> storable("caf\udce9\0\x1b[2J")
    'caf\\udce9\\0\\x1b[2J'
    """
    if text.isascii() and text.isprintable():
        return text
    return shown_as_text(text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0"))


# ----------------------------------------------------------------------------------------------------------------------
# What goes into a store and comes out of it, as frozen records.


@dataclass(frozen=True, slots=True, eq=False)
class TaskRecord:
    """A data set as a store knows it: what was to be predicted, but not from what."""

    key: str
    name: str
    kind: str
    n: int
    features: tuple[str, ...]
    classes: tuple[Any, ...]
    truth: NDArray[Any]  # codes of classes, numbers; zeros for a density
    notes: tuple[str, ...] = ()
    units: NDArray[Any] | None = None  # numbers of the patients, or whatever several rows may come from
    weights: NDArray[np.float64] | None = None  # how much each row counts


@dataclass(frozen=True, slots=True)
class StudyRecord:
    """A study that was registered in a store."""

    id: int
    key: str
    name: str
    description: dict[str, Any]
    registered: str


@dataclass(frozen=True, slots=True)
class CellRecord:
    """One learner on one split: `key` is the hash of all that determines the result, `position` when it was handed out
    in its run, from 1; 0 if that is not known."""

    key: bytes
    learner_id: int
    split_id: int
    seed: int
    position: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class SplitsIndex:
    """The splits of a task without their rows: an entry a place, that is a repeat, fold and role.

    On few data the same split can be drawn twice. Its `ids` and `keys` then stand at both places, so that a learner is
    fitted to it once and counts twice.
    """

    ids: NDArray[np.int64]
    keys: tuple[bytes, ...]
    repeat: NDArray[np.int64]
    fold: NDArray[np.int64]
    role: tuple[str, ...]
    n_train: NDArray[np.int64]
    n_test: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)


class AttemptLike(Protocol):
    """What a store reads of an attempt: running's Outcome, which it does not import."""

    @property
    def status(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def detail(self) -> str: ...
    @property
    def scores(self) -> Mapping[str, float]: ...
    @property
    def undefined(self) -> Mapping[str, str]: ...
    @property
    def resources(self) -> Mapping[str, float]: ...
    @property
    def prediction(self) -> PackedPrediction | None: ...
    @property
    def notes(self) -> tuple[str | dict[str, dict[str, str]], ...]: ...


# ----------------------------------------------------------------------------------------------------------------------


T = TypeVar("T")

OK = "ok"  # of a cell that has its scores, and of the attempt that gave them
# Far below the number of parameters that any database takes in one statement.
_AT_ONCE = 500
_MANY = 10_000  # rows that are held at a time when all are looked at


class Reader:
    """Each question is answered from what was committed when it was asked."""

    schema: int  # the version of the tables
    _one_split: Select[Any] | None = None

    def __init__(self, place: str | Place) -> None:
        self.path = place_of(place)
        self._indexes: dict[tuple[int, str], SplitsIndex] = {}
        self._database: StoreFile | Server = database_at(self.path)
        self._database.check_is_store(writing=False)
        self._engine = self._database.engine(writing=False)
        with ExitStack() as undo:
            undo.callback(self.close)
            with self._database.errors(), self._engine.connect() as connection:
                self.schema = checked_version(self._database.check(connection), self.path)
                if not self.schema:
                    raise InputError("The store is empty: no study was run in it yet.", source=str(self.path))
                self._database.verify(connection)
            undo.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path}>"

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection on which all questions are answered from the same state."""
        with self._database.errors(), self._engine.connect() as connection, connection.begin():
            yield connection

    def patiently(self, action: Callable[[], T]) -> T:
        """Do what may be done twice: a writer does it again while a server is away."""
        return action()

    def rows(self, query: Select[Any], parameters: Mapping[str, Any] | None = None) -> Sequence[Row[Any]]:
        with self.snapshot() as connection:
            return connection.execute(query, parameters).all()

    def check(self) -> int:
        """Look at the whole store, however large: that its pages fit together, and every value its checksum. Returns
        how many values there are; an InputError tells of the first that was altered."""
        with self.snapshot() as connection:
            self._database.verify(connection, whole=True)
            self._check_statuses(connection)
            values = 0
            for row in connection.execute(select(*_without_checksum(task), self.checksum_of(task))):
                check_task(row._mapping)
                values += 1
            for table, names in ((split, "train test"), (prediction, "predicted scores")):
                parts = select(self.checksum_of(table), *(table.c[name] for name in names.split()))
                for row in connection.execute(parts.execution_options(yield_per=_MANY)):
                    check_parts(row[0], f"a value of the table {table.name}", *row[1:])
                    values += 1
            attempts = select(*self.attempt_columns()).execution_options(yield_per=_MANY)
            for row in connection.execute(attempts):
                check_attempt(row._mapping, "what is stored of an attempt at a cell")
                values += 1
            query = select(score.c.value, self.checksum_of(score), score.c.measure).where(score.c.value.is_not(None))
            for some in connection.execute(query.execution_options(yield_per=_MANY)).partitions():
                value, stored, measure = as_numbers([tuple(row) for row in some], np.float64).T
                check_scores(value, stored, measure.astype(np.int64), "a score")
                values += len(value)
        return values

    def _check_statuses(self, connection: Connection) -> None:
        """That each cell says of itself how its attempts ended: it has the status of one of them, and is done if and
        only if one of them is. The two are written together, and have no checksum."""
        ended = select(attempt.c.cell).where(attempt.c.cell == cell.c.id)
        as_it_says = ended.where(attempt.c.status == cell.c.status).exists()
        has_ok = ended.where(attempt.c.status == OK).exists()
        tried = select(cell.c.id).where(not_(as_it_says) | ((cell.c.status != OK) & has_ok))
        if connection.execute(tried.limit(1)).first() is not None:
            raise altered("the status of a cell")

    # Studies, tasks and learners

    def studies(self) -> list[StudyRecord]:
        """All studies, in the order in which they were registered."""
        query = select(study.c.id, study.c.key, study.c.name, study.c.description, study.c.registered)
        return [
            StudyRecord(row.id, row.key, row.name, read_json(row.description), row.registered)
            for row in self.rows(query.order_by(study.c.id))
        ]

    def study(self, key: str) -> StudyRecord:
        known = {record.key: record for record in self.studies()}
        if key not in known:
            raise UsageError(f"There is no study with the key {key!r} in {self.path}. {nearest(key, known)}")
        return known[key]

    def checksum_of(self, table: Table) -> ColumnElement[Any]:
        """The column of a table that holds checksums; older stores have none."""
        return table.c[CHECKSUM] if has_checksums(table, self.schema) else null().label(CHECKSUM)

    def attempt_columns(self) -> list[ColumnElement[Any]]:
        """Those by which an attempt is compared with its checksum, and the checksum."""
        return [*(attempt.c[name] for name in (*_ATTEMPT, *RESOURCES)), self.checksum_of(attempt)]

    def task(self, task_id: int) -> TaskRecord:
        query = select(*_without_checksum(task), self.checksum_of(task)).where(task.c.id == task_id)
        row = self._one(query, f"task {task_id}")
        check_task(row._mapping)
        return TaskRecord(
            row.key,
            row.name,
            row.kind,
            row.n,
            tuple(read_json(row.features)),
            tuple(read_json(row.classes)),
            in_columns(unpacked(row.truth), row.n),
            tuple(read_json(row.notes)),
            None if row.units is None else unpacked(row.units),
        )

    def weights(self, task_id: int) -> NDArray[np.float64] | None:
        """How much each row of a task counts; None if they count alike, or were stored before weights were."""
        with self.snapshot() as connection:
            if not inspect(connection).has_table(weighting.name):
                return None
            row = connection.execute(select(weighting).where(weighting.c.task == task_id)).first()
        if row is None:
            return None
        check_parts(row.checksum, f"the weights of task {task_id}", row.weights)
        return unpacked(row.weights)

    def task_id(self, key: str) -> int | None:
        """The id of the task whose data have that key; None if it is not stored."""
        rows = self.rows(select(task.c.id).where(task.c.key == key))
        return int(rows[0].id) if rows else None

    def task_of(self, scheme_key: str) -> tuple[int, str] | None:
        """Id and key of the task that a scheme was made for, if its splits are stored; `scheme_key` names the data."""
        query = select(task.c.id, task.c.key).join_from(splitting, task).where(splitting.c.key == scheme_key)
        rows = self.rows(query)
        return (int(rows[0].id), str(rows[0].key)) if rows else None

    def resolved(self, learner_id: int) -> dict[str, Any] | None:
        """What a learner's description came to when it was first made: all parameters, versions; None before that."""
        row = self._one(select(learner.c.resolved).where(learner.c.id == learner_id), f"learner {learner_id}")
        return None if row.resolved is None else dict(read_json(row.resolved))

    def _one(self, query: Select[Any], what: str) -> Row[Any]:
        rows = self.rows(query)
        if not rows:
            raise UsageError(f"There is no {what} in {self.path}.")
        return rows[0]

    # Splits

    def splits_index(self, task_id: int, scheme_key: str) -> SplitsIndex | None:
        """The splits of a task by a scheme, without their rows; None if they were not made yet.

        Once made they stay as they are, and one question asks for them several times: they are kept.
        """
        if (task_id, scheme_key) in self._indexes:
            return self._indexes[task_id, scheme_key]
        columns = (place.c.split, split.c.hash, place.c.repeat, place.c.fold, place.c.role, split.c.n_train)
        query = (
            select(*columns, split.c.n_test)
            .join_from(place, split)
            .join(splitting, place.c.splitting == splitting.c.id)
        )
        query = query.where(splitting.c.task == task_id, splitting.c.key == scheme_key).order_by(place.c.number)
        with self.snapshot() as connection:
            selection = connection.execute(query)
            assert selection.cursor is not None
            rows = selection.cursor.fetchall()  # the driver's own: there may be many thousands
            selection.close()
        if not rows:
            return None
        self._check_places(task_id, scheme_key, [row[1:] for row in rows])
        ids, keys, repeat, fold, role, n_train, n_test = zip(*rows, strict=True)
        index = SplitsIndex(
            ids=np.array(ids, dtype=np.int64),
            keys=keys,
            repeat=np.array(repeat, dtype=np.int64),
            fold=np.array(fold, dtype=np.int64),
            role=role,
            n_train=np.array(n_train, dtype=np.int64),
            n_test=np.array(n_test, dtype=np.int64),
        )
        self._indexes[task_id, scheme_key] = index
        return index

    def _check_places(self, task_id: int, scheme_key: str, places: Sequence[Any]) -> None:
        """That they are those that were made, which older stores cannot tell."""
        if self.schema < WITH_POSITIONS:
            return
        key = select(scheme_key + "/" + task.c.key).where(task.c.id == task_id).scalar_subquery()
        kept = self.rows(select(record.c.content).where(record.c.kind == PLACES, record.c.key == key))
        if kept and read_json(kept[0].content) != places_checksum(places):
            raise altered(f"the list of splits of task {task_id}")

    def split_ids(self, task_id: int, seed: int) -> dict[bytes, int]:
        """The ids of all splits of a task with that seed, by whatever scheme, by their keys."""
        query = select(split.c.hash, split.c.id).where(split.c.task == task_id, split.c.seed == seed)
        return {row.hash: row.id for row in self.rows(query)}

    def split_rows(self, split_id: int) -> Split:
        """One split with its rows, at the first of its places."""
        if self._one_split is None:  # asked for every split that is run: to put it together takes longer than to answer
            where = place.c.number, place.c.repeat, place.c.fold, place.c.role
            columns = (split.c.id, *where, split.c.train, split.c.test, self.checksum_of(split))
            query: Select[Any] = select(*columns).join_from(place, split)
            self._one_split = query.where(split.c.id == bindparam("split_id"))
        rows = self.rows(self._one_split, {"split_id": split_id})
        if not rows:
            raise UsageError(f"There is no split {split_id} in {self.path}.")
        row = min(rows, key=lambda row: row.number)
        check_parts(row.checksum, f"split {row.id}", row.train, row.test)
        return Split(row.repeat, row.fold, unpacked_rows(row.train), unpacked_rows(row.test), row.role)

    def rows_of_splits(self, split_ids: Sequence[int]) -> dict[int, tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Training and test rows of some splits."""
        rows = self.packed_rows(split_ids)
        return {number: (unpacked_rows(train), unpacked_rows(test)) for number, (train, test) in rows.items()}

    def packed_rows(self, split_ids: Sequence[int]) -> dict[int, tuple[bytes, bytes]]:
        """The same as they are stored (`measures.response`): so they are sent to workers."""
        columns = ("id", "train", "test", CHECKSUM if has_checksums(split, self.schema) else "NULL")
        rows: dict[int, tuple[bytes, bytes]] = {}
        for some in in_portions(list(split_ids)):
            for number, train, test, stored in self.patiently(partial(self._among, columns, split.c.id, some)):
                check_parts(stored, f"split {number}", train, test)
                rows[number] = train, test
        return rows

    def _among(self, columns: Sequence[str], among: Column[Any], values: Sequence[Any]) -> list[Any]:
        with self.snapshot() as connection:
            return rows_among(connection, columns, among, values)

    # Records

    def records(self, kind: str) -> dict[str, Any]:
        """What was kept of that kind, by its keys, the oldest first; older stores hold none."""
        if self.schema < WITH_POSITIONS:
            return {}
        query = select(record.c.key, record.c.content).where(record.c.kind == kind)
        return {row.key: read_json(row.content) for row in self.rows(query.order_by(record.c.written, record.c.key))}

    # Cells

    def states(self, learner_ids: Iterable[int], split_ids: Iterable[int]) -> dict[bytes, str]:
        """The status of the latest attempt of each cell of these learners and splits that was tried, by its key."""
        learners, splits = sorted(set(learner_ids)), np.unique(np.fromiter(split_ids, dtype=np.int64))
        states: dict[bytes, str] = {}
        if not learners or not len(splits):
            return states
        # The splits of a study were mostly made in one go: a range holds them, and few others.
        low, high = int(splits[0]), int(splits[-1])
        wanted = None if high - low + 1 == len(splits) else set(splits.tolist())
        query = select(cell.c.key, cell.c.status, cell.c.split).where(cell.c.split.between(low, high))
        with self.snapshot() as connection:
            for some in in_portions(learners):
                selection = connection.execute(query.where(cell.c.learner.in_(some)))
                # The driver's own rows: there can be a hundred thousand, and a study that is resumed waits for them.
                assert selection.cursor is not None
                rows = selection.cursor.fetchall()
                states.update((key, intern(status)) for key, status, its in rows if wanted is None or its in wanted)
                selection.close()
        return states


def _without_checksum(table: Table) -> list[ColumnElement[Any]]:
    return [column for column in table.c if column.name != CHECKSUM]


def in_columns(values: NDArray[Any], n: int) -> NDArray[Any]:
    """Values of n rows, as columns if there are several a row: targets that are predicted together."""
    return values if len(values) == n or not n else values.reshape(n, -1)


def in_portions(items: Sequence[T], size: int = _AT_ONCE) -> Iterator[Sequence[T]]:
    """
    >>> list(in_portions("abcde", 2))
    ['ab', 'cd', 'e']
    """
    return (items[start : start + size] for start in range(0, len(items), size))
