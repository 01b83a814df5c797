"""Store: the one writer. A batch of results is one transaction; what was acknowledged is never lost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import count
from math import isnan
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, Select, Table, delete, func, insert, select, update

from bakeoff.errors import InputError
from bakeoff.keys import canonical_value, digest, key_of
from bakeoff.measures.response import packed, unpacked
from bakeoff.resampling.split import Splits
from bakeoff.store.database import (
    ConnectionLostError,
    Place,
    StoreFile,
    checked_version,
    database_at,
    files_of,
    make_tables,
    migrate,
    place_of,
    rescue,
    rows_among,
)
from bakeoff.store.reader import (
    OK,
    AttemptLike,
    CellRecord,
    Reader,
    TaskRecord,
    attempt_checksum,
    checksum,
    in_portions,
    places_checksum,
    score_checksums,
    storable,
    task_checksum,
)
from bakeoff.store.schema import (
    CHECKSUM,
    PLACES,
    RESOURCES,
    SCHEMA_VERSION,
    attempt,
    cell,
    learner,
    measure,
    place,
    position,
    prediction,
    record,
    run,
    score,
    split,
    splitting,
    study,
    study_learner,
    study_measure,
    study_task,
    task,
    weighting,
)

if TYPE_CHECKING:
    from bakeoff.store.postgresql import Leases

# ----------------------------------------------------------------------------------------------------------------------
# A batch of results as rows of tables.


_NO_NUMBER = "the value is not a number"
_ANOTHER_FIT = (
    "The cell was run again for the sake of this scorer, and its predictions were others than those that are stored: "
    "the learner is not the same each time. Run it anew with --again."
)
_NO_RESOURCES: dict[str, float | None] = dict.fromkeys(RESOURCES)


class KnownCell(NamedTuple):
    """A cell that was tried before. Of one that went well also the measures that it has scores of, and what it
    predicted: it may be run again for the sake of a further measure."""

    id: int
    status: str
    tries: int
    scored: frozenset[int] | None = None
    predicted: bytes | None = None


@dataclass
class Batch:
    """Rows to be inserted, table by table; `changed` are cells that were there and have a new status."""

    run_id: int
    now: str
    next_cell: int
    measures: Mapping[str, int]
    cells_before: dict[bytes, KnownCell]
    cells: list[dict[str, Any]] = field(default_factory=list)
    attempts: list[dict[str, Any]] = field(default_factory=list)
    scores: list[dict[str, Any]] = field(default_factory=list)
    predictions: list[dict[str, Any]] = field(default_factory=list)
    positions: list[dict[str, Any]] = field(default_factory=list)
    changed: dict[int, str] = field(default_factory=dict)

    def add(self, record: CellRecord, attempted: AttemptLike) -> None:
        status = str(attempted.status)
        before = self.cells_before.get(record.key)
        if before is None:
            cell_id, number = self.next_cell, 1
            self.next_cell += 1
            where = {"key": record.key, "learner": record.learner_id, "split": record.split_id, "seed": record.seed}
            self.cells.append({"id": cell_id, **where, "status": status})
        elif before.status == OK:
            if status == OK:
                self._add_scores(record.key, before, attempted)
            return
        else:
            cell_id, number = before.id, before.tries + 1
            self.changed[cell_id] = status
        self.cells_before[record.key] = KnownCell(cell_id, status, number)
        self._attempt(cell_id, number, status, attempted)
        if record.position:
            self.positions.append({"cell": cell_id, "number": number, "position": record.position})
        if status == OK:
            self._scores(cell_id, attempted)
            self._prediction(cell_id, attempted)

    def _add_scores(self, key: bytes, before: KnownCell, attempted: AttemptLike) -> None:
        """The scores that a cell lacks: it was run again for the sake of a scorer, and all else stays as it was."""
        if before.scored is None:
            return
        given = {**dict.fromkeys(attempted.undefined), **attempted.scores}
        lacking = [name for name in given if self.measures[name] not in before.scored]
        same = attempted.prediction is None or attempted.prediction.predicted == before.predicted
        for name in lacking:
            value = given[name] if same else None
            if value is not None and not isnan(value):
                self._score(before.id, name, float(value), None)
            else:
                reason = attempted.undefined.get(name, _NO_NUMBER) if same else _ANOTHER_FIT
                self._score(before.id, name, None, storable(reason))
        self.cells_before[key] = before._replace(scored=before.scored.union(self.measures[name] for name in lacking))

    def _attempt(self, cell_id: int, number: int, status: str, attempted: AttemptLike) -> None:
        if not attempted.resources.keys() <= _NO_RESOURCES.keys():
            odd = attempted.resources.keys() - _NO_RESOURCES.keys()
            raise ValueError(f"There is no column for {', '.join(sorted(odd))}; known are {', '.join(RESOURCES)}.")
        row: dict[str, Any] = {
            "cell": cell_id,
            "number": number,
            "run": self.run_id,
            "status": status,
            "message": storable(attempted.message),
            "detail": storable(attempted.detail),
            "written": self.now,
            **_NO_RESOURCES,
            **attempted.resources,
            "notes": storable(json.dumps(attempted.notes)) if attempted.notes else "[]",
        }
        row[CHECKSUM] = attempt_checksum(row)
        self.attempts.append(row)

    def _scores(self, cell_id: int, attempted: AttemptLike) -> None:
        for name, value in attempted.scores.items():
            value = float(value)
            if isnan(value):
                self._score(cell_id, name, None, _NO_NUMBER)
            else:
                self._score(cell_id, name, value, None)
        for name, reason in attempted.undefined.items():
            if name not in attempted.scores:
                self._score(cell_id, name, None, storable(reason))

    def _score(self, cell_id: int, name: str, value: float | None, reason: str | None) -> None:
        row = {"cell": cell_id, "measure": self.measures[name], "value": value, "reason": reason, CHECKSUM: None}
        self.scores.append(row)

    def add_checksums(self) -> None:
        """To the scores, when all are there: together it takes a hundredth of the time."""
        rows = [row for row in self.scores if row["value"] is not None]
        values, measures = np.array([row["value"] for row in rows]), np.array([row["measure"] for row in rows])
        for row, number in zip(rows, score_checksums(values, measures).tolist() if rows else (), strict=True):
            row[CHECKSUM] = number

    def _prediction(self, cell_id: int, attempted: AttemptLike) -> None:
        prediction = attempted.prediction
        if prediction is not None:
            row = {"cell": cell_id, **prediction._asdict()}
            row[CHECKSUM] = checksum(prediction.predicted, prediction.scores)
            self.predictions.append(row)


# ----------------------------------------------------------------------------------------------------------------------


T = TypeVar("T")
Results = Sequence[tuple[CellRecord, AttemptLike]]
RUNNING, FINISHED, INTERRUPTED = "running", "finished", "interrupted"
_PATIENCE = 600.0  # seconds that a run waits for a server that went away
_AT_ONCE = 100


class Store(Reader):
    """A store opened for writing. Ids are given out here and not by the database: nobody else writes in the meantime,
    to a file as long as this is open, on a server as long as a transaction lasts."""

    def __init__(self, place: str | Place, *, create: bool) -> None:
        self.path = place_of(place)
        self._indexes = {}
        self._database = database_at(self.path)
        self._database.check_is_store(writing=True, create=create)
        self._inside = False
        self._leases: Leases | None = None
        self._lock = self._database.lock()
        with ExitStack() as undo:
            undo.callback(self._release)
            self._engine = self._database.engine(writing=True)
            with self._database.errors():
                self._connection = undo.enter_context(self._engine.connect())
                self._prepare()
            undo.pop_all()
        self._measures: dict[int, dict[str, int]] = {}
        self._files = files_of(self.path) if isinstance(self.path, Path) else {}

    @classmethod
    def open(cls, place: str | Place, *, create: bool = True) -> Self:
        """Open for writing. `create` makes a store where there is none."""
        return cls(place, create=create)

    @staticmethod
    def read(place: str | Place) -> Reader:
        """Open for reading, beside writers and other readers."""
        return Reader(place)

    def _prepare(self) -> None:
        self.schema = checked_version(self._database.check(self._connection), self.path)
        if self.schema:
            self._database.verify(self._connection)
        self._connection.rollback()
        self._database.prepare(self._connection)
        self._connection.rollback()
        if not self.schema:
            make_tables(self._connection, self._database, _now())
        elif self.schema < SCHEMA_VERSION:
            migrate(self._connection)
        self.schema = SCHEMA_VERSION

    def close(self) -> None:
        """Let go of the file. Called twice, it does nothing the second time."""
        try:
            if self._leases is not None and not self._connection.closed:
                with suppress(ConnectionLostError), self.snapshot() as connection:
                    self._leases.end(connection)
            with self._database.errors():
                self._connection.close()
                self._engine.dispose()
        finally:
            self._release()

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def delete_if_empty(self) -> None:
        """Remove the file, unless something was run in it. To be called by whoever made it, and closed all the same."""
        with self.snapshot() as connection:
            if connection.execute(select(run.c.id).limit(1)).first() is not None:
                return
        # While the lock is held: nobody else can have begun to write.
        self._connection.close()
        self._engine.dispose()
        self._database.forget()

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """The connection in a transaction, which is undone if anything goes wrong."""
        with self._database.errors():
            if self._connection.in_transaction() and not self._inside:
                self._connection.rollback()  # Ctrl-C came in the moment in which it began
            with self._connection.begin():
                self._inside = True
                try:
                    yield self._connection
                finally:
                    self._inside = False

    # What a study is made of. Each is added once: the second time, its id is returned.

    def add_study(self, key: str, name: str, description: Mapping[str, Any]) -> int:
        values = {"name": name, "description": _json(description), "registered": _now()}
        with self.snapshot() as connection:
            return _added(connection, study, key, values)

    def add_task(self, record: TaskRecord) -> int:
        """A task; if it is there with fewer rows, the new ones are added: samples that were drawn later."""
        values: dict[str, Any] = {
            "name": record.name,
            "kind": str(record.kind),
            "n": record.n,
            "features": _json(record.features),
            "classes": _json(record.classes),
            "truth": packed(record.truth),
            "units": None if record.units is None else packed(record.units),
            "notes": _json(record.notes),
        }
        values[CHECKSUM] = task_checksum(values)
        with self.snapshot() as connection:
            number = _added(connection, task, record.key, values)
            stored = connection.execute(select(task.c.n, task.c.truth).where(task.c.id == number)).one()
            if stored.n != record.n or stored.truth != values["truth"]:
                _extend(connection, number, record, unpacked(stored.truth))
            if record.weights is not None:
                _add_weights(connection, number, packed(record.weights))
        return number

    def add_learner(self, key: str, description: Mapping[str, Any]) -> int:
        with self.snapshot() as connection:
            return _added(connection, learner, key, {"description": _json(description)})

    def set_resolved(self, learner_id: int, resolved: Mapping[str, Any]) -> None:
        with self.snapshot() as connection:
            connection.execute(update(learner).where(learner.c.id == learner_id).values(resolved=_json(resolved)))

    def set_aside(self, learner_id: int, split_ids: Sequence[int]) -> int:
        """Keep the cells of a learner on these splits under a key of their own, so that they count as not run yet.

        Returns how many there were. All or nothing, so that no table ever holds some of the old and some of the new.
        """
        with self.snapshot() as connection:
            stored = connection.execute(select(learner).where(learner.c.id == learner_id)).one()
            cells: list[tuple[int, bytes]] = []
            for some in in_portions(split_ids):
                query = select(cell.c.id, cell.c.key).where(cell.c.learner == learner_id, cell.c.split.in_(some))
                cells += [(row.id, row.key) for row in connection.execute(query)]
            if not cells:
                return 0
            number, moment = _next_id(connection, learner), _now()
            description = {**json.loads(stored.description), "set_aside": moment}
            values = {"key": key_of(description | {"number": number}), "description": _json(description)}
            connection.execute(insert(learner).values(id=number, resolved=stored.resolved, **values))
            for cell_id, key in cells:
                aside = digest("set aside", str(number), key)
                connection.execute(update(cell).where(cell.c.id == cell_id).values(learner=number, key=aside))
            connection.execute(update(learner).where(learner.c.id == learner_id).values(resolved=None))
        return len(cells)

    def put_splits(self, task_id: int, scheme_key: str, scheme: Mapping[str, Any], seed: int, splits: Splits) -> None:
        """The splits of a task. `scheme_key` stands for the scheme and the seed together.

        Where they are there already, the new ones are forgotten: every learner, whenever it is added, is tested on the
        splits of the first.
        """
        with self.snapshot() as connection:
            query = select(splitting.c.id).where(splitting.c.task == task_id, splitting.c.key == scheme_key)
            if connection.execute(query).first() is None:
                self._add_splits(connection, task_id, scheme_key, _json(scheme), seed, splits)

    def link(
        self,
        study_id: int,
        tasks: Sequence[tuple[int, str, str]],
        learners: Sequence[tuple[int, str]],
        measures: Sequence[tuple[str, Mapping[str, Any]]] = (),
    ) -> None:
        """What belongs to a study, in its order and under its names.

        Tasks are (id, name, scheme key), learners (id, name), measures (name, definition): the definition tells two
        measures of one name apart, such as losses by different matrices.
        """
        with self.snapshot() as connection:
            numbered = []
            for number, (task_id, name, scheme_key) in enumerate(tasks):
                query = select(splitting.c.id).where(splitting.c.task == task_id, splitting.c.key == scheme_key)
                chosen = connection.execute(query).scalar_one()
                numbered.append(
                    {"study": study_id, "number": number, "task": task_id, "name": name, "splitting": chosen}
                )
            self._replace(connection, study_task, study_id, numbered)
            named = [
                {"study": study_id, "number": number, "learner": learner_id, "name": name}
                for number, (learner_id, name) in enumerate(learners)
            ]
            self._replace(connection, study_learner, study_id, named)
            measured = [
                {"study": study_id, "number": number, "measure": _measure(connection, name, definition), "name": name}
                for number, (name, definition) in enumerate(measures)
            ]
            self._replace(connection, study_measure, study_id, measured)
        self._measures.clear()

    def keep(self, kind: str, key: str, content: Any) -> None:
        """A record of that kind under that key, in place of one that is there."""
        with self.snapshot() as connection:
            _keep(connection, kind, key, content)

    def _add_splits(
        self, connection: Connection, task_id: int, scheme_key: str, scheme: str, seed: int, splits: Splits
    ) -> None:
        owner, next_split = _next_id(connection, splitting), _next_id(connection, split)
        there = select(split.c.hash, split.c.id).where(split.c.task == task_id, split.c.seed == seed)
        ids: dict[bytes, int] = {row.hash: row.id for row in connection.execute(there)}
        contents: list[dict[str, Any]] = []
        places, described = [], []
        for number, one in enumerate(splits.splits):
            key, sizes = one.key, (len(one.train), len(one.test))
            if key not in ids:
                ids[key] = next_split + len(contents)
                train, test = packed(one.train), packed(one.test)
                rows = {"n_train": sizes[0], "n_test": sizes[1], "train": train, "test": test}
                owned = {"id": ids[key], "task": task_id, "seed": seed, "hash": key}
                contents.append({**owned, **rows, CHECKSUM: checksum(train, test)})
            where = {"repeat": one.repeat, "fold": one.fold, "role": one.role}
            places.append({"splitting": owner, "number": number, **where, "split": ids[key]})
            described.append((key, one.repeat, one.fold, one.role, *sizes))
        values = {"task": task_id, "key": scheme_key, "scheme": scheme, "seed": seed, "notes": _json(splits.notes)}
        connection.execute(insert(splitting).values(id=owner, **values))
        self.insert(connection, split, contents)
        self.insert(connection, place, places)
        of_task = connection.execute(select(task.c.key).where(task.c.id == task_id)).scalar_one()
        _keep(connection, PLACES, f"{scheme_key}/{of_task}", places_checksum(described))

    def _replace(self, connection: Connection, table: Table, study_id: int, rows: list[dict[str, Any]]) -> None:
        connection.execute(delete(table).where(table.c.study == study_id))
        self.insert(connection, table, rows)

    # Running

    def start_run(self, study_id: int, environment: Mapping[str, Any], workers: int, threads: int) -> int:
        with self.snapshot() as connection:
            # A run that is still said to be running, and of which there is no sign of life, was killed.
            lost = update(run).where(run.c.state == RUNNING, run.c.id.not_in(self._database.living_runs(connection)))
            connection.execute(lost.values(state=INTERRUPTED))
            number = _next_id(connection, run)
            values = {"started": _now(), "state": RUNNING, "environment": _json(environment)}
            connection.execute(
                insert(run).values(id=number, study=study_id, workers=workers, threads=threads, **values)
            )
            if not isinstance(self._database, StoreFile):
                from bakeoff.store.postgresql import Leases

                if self._leases is not None:
                    self._leases.stop()
                self._leases = Leases(self._database, number, connection)
        return number

    def finish_run(self, run_id: int, state: str = FINISHED) -> None:
        self.patiently(lambda: self._finish_run(run_id, state))
        self.check_is_there()

    def _finish_run(self, run_id: int, state: str) -> None:
        with self.snapshot() as connection:
            connection.execute(update(run).where(run.c.id == run_id).values(state=state, finished=_now()))
            if self._leases is not None:
                self._leases.end(connection)

    def take(self, keys: Sequence[bytes], *, retry: bool = False, again: frozenset[bytes] = frozenset()) -> set[bytes]:
        """Those of the cells that are to be run here: not those that another coordinator runs, or has finished since;
        with `retry` those that failed are not finished, and those of `again` are run although they are. Of a file
        there is one writer, to whom all belong."""
        leases = self._leases
        if leases is None:
            return set(keys)

        def take() -> set[bytes]:
            with self.snapshot() as connection:
                return {key for some in in_portions(keys) for key in leases.take(connection, some, retry, again)}

        return self.patiently(take)

    @property
    def is_shared(self) -> bool:
        """Whether others may be running cells of this store meanwhile."""
        return self._leases is not None

    def rows(self, query: Select[Any], parameters: Mapping[str, Any] | None = None) -> Sequence[Row[Any]]:
        read = partial(super().rows, query, parameters)
        return read() if self._inside else self.patiently(read)

    def patiently(self, action: Callable[[], T]) -> T:
        """Do what may be done twice, and again while the server is away: it may be starting anew."""
        pause, until = 0.2, monotonic() + _PATIENCE
        while True:
            try:
                return action()
            except ConnectionLostError:
                if monotonic() > until:
                    raise
                sleep(pause)
                pause = min(2 * pause, 5.0)

    def check_is_there(self) -> None:
        """That the file is still the one beside the lock: what is written to one that was removed nobody finds again.

        If it is not, what it holds is written to another file, and the run is over.
        """
        files = self._files
        if not files or not isinstance(self.path, Path):
            return
        with suppress(OSError):
            if os.path.samestat(os.stat(self.path), files[self.path]):
                return
        self._files = {}  # once is enough
        target = rescue(self._connection, self.path, files)
        kept = f"All that is finished was saved as {target}" if target else "What was finished could not be saved"
        raise InputError(
            f"The store was removed, moved or replaced while it was written to. {kept}. Put the store back"
            f"{', or that file in its place' if target else ''}, and run the study again: it goes on from there.",
            source=str(self.path),
        )

    def write(self, run_id: int, results: Iterable[tuple[CellRecord, AttemptLike]]) -> int:
        """Write a batch in one transaction; returns how many attempts were new.

        A cell that is "ok" already is left as it is, so writing a batch again changes nothing in them. A failed
        attempt is kept beside those before it.
        """
        batch, moment, tries = list(results), _now(), count()

        def write() -> int:
            unheard = next(tries) > 0 and self._is_written(run_id, batch, moment)
            return 0 if unheard else self._write(run_id, batch, moment)

        written = self.patiently(write)
        self.check_is_there()
        return written

    def _is_written(self, run_id: int, batch: Results, moment: str) -> bool:
        """Whether a batch was committed although nobody could tell: all of it is in one transaction."""
        keys = [record.key for record, _ in batch[:_AT_ONCE]]
        query = select(attempt.c.cell).join(cell, cell.c.id == attempt.c.cell).where(cell.c.key.in_(keys))
        return bool(self.rows(query.where(attempt.c.run == run_id, attempt.c.written == moment)))

    def _write(self, run_id: int, batch: Results, moment: str) -> int:
        with self.snapshot() as connection:
            new_batch = Batch(
                run_id,
                moment,
                next_cell=_next_id(connection, cell),
                measures=self._measures_of(connection, run_id, batch),
                cells_before=_known_cells(connection, [record.key for record, _ in batch]),
            )
            for record, attempted in batch:
                new_batch.add(record, attempted)
            new_batch.add_checksums()
            for table, rows in (
                (cell, new_batch.cells),
                (attempt, new_batch.attempts),
                (score, new_batch.scores),
                (prediction, new_batch.predictions),
                (position, new_batch.positions),
            ):
                self.insert(connection, table, rows)
            for cell_id, status in new_batch.changed.items():
                connection.execute(update(cell).where(cell.c.id == cell_id).values(status=status))
            if self._leases is not None:
                for some in in_portions([record.key for record, _ in batch]):
                    self._leases.give_back(connection, some)
        return len(new_batch.attempts)

    def unscored(
        self, study_id: int, names: Sequence[str], learner_ids: Iterable[int], split_ids: Iterable[int]
    ) -> set[bytes]:
        """The keys of cells of these learners and splits that went well and lack a score of one of these measures of a
        study, be it only the reason why there is none."""
        its = select(study_measure.c.measure).where(study_measure.c.study == study_id, study_measure.c.name.in_(names))
        splits = set(split_ids)
        keys: set[bytes] = set()
        with self.snapshot() as connection:
            numbers = connection.execute(its).scalars().all()
            count = select(func.count()).where(score.c.cell == cell.c.id, score.c.measure.in_(numbers))
            query = select(cell.c.key, cell.c.split).where(cell.c.status == OK, count.scalar_subquery() < len(numbers))
            for some in in_portions(sorted(set(learner_ids))):
                rows = connection.execute(query.where(cell.c.learner.in_(some)))
                keys.update(row.key for row in rows if row.split in splits)
        return keys

    def insert(self, connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        """Rows that have every column of the table, by the way that its database has for many."""
        if rows:
            self._database.insert(connection, table, rows)

    def _measures_of(self, connection: Connection, run_id: int, batch: Results) -> Mapping[str, int]:
        """The ids of the study's measures by name; a name that the study did not link is its own definition."""
        if run_id not in self._measures:
            query = select(study_measure.c.name, study_measure.c.measure).join(
                run, run.c.study == study_measure.c.study
            )
            rows = connection.execute(query.where(run.c.id == run_id))
            self._measures[run_id] = {row.name: row.measure for row in rows}
        ids = dict(self._measures[run_id])
        for _, attempted in batch:
            for name in (*attempted.scores, *attempted.undefined):
                if name not in ids:
                    ids[name] = _measure(connection, name, {})
        return ids


def _keep(connection: Connection, kind: str, key: str, content: Any) -> None:
    connection.execute(delete(record).where(record.c.kind == kind, record.c.key == key))
    connection.execute(insert(record).values(kind=kind, key=key, content=_json(content), written=_now()))


def _add_weights(connection: Connection, task_id: int, weights: bytes) -> None:
    weighting.create(connection, checkfirst=True)  # stores of before have no such table
    connection.execute(delete(weighting).where(weighting.c.task == task_id))
    connection.execute(insert(weighting).values(task=task_id, weights=weights, checksum=checksum(weights)))


def _extend(connection: Connection, number: int, record: TaskRecord, stored: NDArray[Any]) -> None:
    """Let a task have more rows. Those that both know must be the same."""
    both = min(record.n, len(stored))
    if not np.array_equal(record.truth[:both], stored[:both]):
        raise InputError(
            "Its first sample is the one that is stored, and others are not, although seed and law are the same: the "
            "function that draws them must take all its chances from the rng it is given, and keep nothing from one "
            "call to the next. If its code was changed, use another store (--store).",
            source=f"task {record.name!r}",
        )
    if record.n > len(stored):
        values: dict[str, Any] = {"n": record.n, "truth": packed(record.truth), "notes": _json(record.notes)}
        before = connection.execute(select(task).where(task.c.id == number)).one()._mapping
        values[CHECKSUM] = task_checksum({**before, **values})
        connection.execute(update(task).where(task.c.id == number).values(**values))


def _known_cells(connection: Connection, keys: Sequence[bytes]) -> dict[bytes, KnownCell]:
    """Those of the cells that were tried before: id, status, number of attempts."""
    known: dict[bytes, KnownCell] = {}
    for some in in_portions(keys):
        cells = {row[0]: row[1:] for row in rows_among(connection, ("id", "key", "status"), cell.c.key, some)}
        query = select(attempt.c.cell, func.max(attempt.c.number)).where(attempt.c.cell.in_(list(cells)))
        for cell_id, tries in connection.execute(query.group_by(attempt.c.cell)) if cells else ():
            key, status = cells[cell_id]
            known[bytes(key)] = KnownCell(cell_id, status, tries)
    for key, one in known.items():  # few: only what is run again for a scorer is written where it went well before
        if one.status == OK:
            scored = connection.execute(select(score.c.measure).where(score.c.cell == one.id)).scalars()
            predicted = connection.execute(select(prediction.c.predicted).where(prediction.c.cell == one.id)).scalar()
            known[key] = one._replace(scored=frozenset(scored), predicted=predicted)
    return known


def _added(connection: Connection, table: Table, key: str, values: Mapping[str, Any]) -> int:
    row_id = connection.execute(select(table.c.id).where(table.c.key == key)).scalar()
    if row_id is not None:
        return int(row_id)
    number = _next_id(connection, table)
    connection.execute(insert(table).values(id=number, key=key, **values))
    return number


def _measure(connection: Connection, name: str, definition: Mapping[str, Any]) -> int:
    key = key_of({"name": name, "definition": definition})
    return _added(connection, measure, key, {"name": name, "description": _json(definition)})


def _next_id(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.coalesce(func.max(table.c.id), 0))).scalar_one()) + 1


def _json(value: Any) -> str:
    return storable(json.dumps(canonical_value(value), ensure_ascii=False, allow_nan=False))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
