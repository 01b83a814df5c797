"""The cells of a study as a grid: for each task, a row for each place of a split and a column for each learner.

A million cells are to be read in a second or two, and most of that goes into making Python objects. So the cells are
read in the order of an index, one column at a time; where they are all there, that order alone tells which is which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, literal_column, select

from bakeoff.errors import UsageError, nearest
from bakeoff.measures.measure import Measure
from bakeoff.measures.response import Needs, Prediction, Response, Truth, unpacked
from bakeoff.measures.responses import response_from
from bakeoff.resampling import SCHEMES
from bakeoff.resampling.scheme import Sharing
from bakeoff.resampling.simulation import owners_of, ranked
from bakeoff.resampling.split import Split
from bakeoff.store.database import read_json
from bakeoff.store.reader import (
    Reader,
    SplitsIndex,
    StudyRecord,
    altered,
    as_numbers,
    check_attempt,
    check_parts,
    check_scores,
    in_columns,
    in_portions,
)
from bakeoff.store.schema import (
    RESOURCES,
    attempt,
    cell,
    measure,
    place,
    prediction,
    score,
    splitting,
    study_learner,
    study_measure,
    study_task,
)

Positions = NDArray[np.intp]
_AT_ONCE = 2000
# Written out, not as a parameter: SQLite uses an index of failed cells only if it can see that they are what is meant.
FAILED = cell.c.status != literal_column("'ok'")
_tries = attempt.alias("tries")
LATEST = attempt.c.number == (
    select(func.max(_tries.c.number)).where(_tries.c.cell == cell.c.id).correlate(cell).scalar_subquery()
)


@dataclass(frozen=True, slots=True)
class CellFailure:
    """How the latest attempt of a cell ended, and what was said."""

    status: str
    message: str


@dataclass(frozen=True, eq=False)
class TaskCells:
    """The cells of one task of a study. `scheme` describes how it was split, and `notes` what came up."""

    number: int
    name: str
    task_id: int
    scheme: dict[str, Any]
    notes: tuple[str, ...]
    index: SplitsIndex
    learner_ids: NDArray[np.int64]
    splitting_id: int
    checksums: ColumnElement[Any] = score.c.checksum  # older stores have none
    attempts: Sequence[ColumnElement[Any]] = ()  # the columns that tell of a failure, with its checksum
    owners: tuple[str, ...] = ()  # the keys of the learners, by which samples of an independent design go round
    fits: tuple[int, ...] = ()  # how many columns each learner has: one for each fit to a learning sample

    @cached_property
    def splits(self) -> NDArray[np.int64]:
        """The ids of the distinct splits: mostly given out in one go, but not if a scheme was extended."""
        return np.unique(self.index.ids)

    @cached_property
    def learners(self) -> NDArray[np.int64]:
        return np.unique(self.learner_ids)

    @property
    def condition(self) -> ColumnElement[bool]:
        first, last = int(self.splits[0]), int(self.splits[-1])
        its: ColumnElement[bool] = cell.c.split.between(first, last)
        if last - first + 1 > len(self.splits):
            its = cell.c.split.in_(select(place.c.split).where(place.c.splitting == self.splitting_id))
        return and_(its, cell.c.learner.in_(self.learners.tolist()))

    def position(self, split: Any, learner: Any) -> Any:
        """The numbers of cells in the order of the index: split by split, learner by learner."""
        return np.searchsorted(self.splits, split) * len(self.learners) + np.searchsorted(self.learners, learner)

    def stored(self, connection: Connection) -> Positions:
        """The numbers of the cells that were tried."""
        size = len(self.splits) * len(self.learners)
        count = int(connection.execute(select(func.count()).select_from(cell).where(self.condition)).scalar_one())
        if count == size:
            return np.arange(size)
        split, learner = (self.column(connection, column) for column in (cell.c.split, cell.c.learner))
        return np.asarray(self.position(split, learner))

    def column(self, connection: Connection, column: ColumnElement[Any]) -> NDArray[Any]:
        """One column of the cells that were tried, whole numbers in the order of `stored`."""
        return fetched(connection, self._ordered(select(column)), np.int64)

    def values(self, connection: Connection, measure_id: int) -> NDArray[np.float64]:
        """The values of a measure, likewise; NaN where there is none."""
        its = and_(score.c.cell == cell.c.id, score.c.measure == measure_id)
        query = select(score.c.value, self.checksums).select_from(cell.outerjoin(score, its))
        both = fetched(connection, self._ordered(query), np.float64).reshape(-1, 2)
        values = np.ascontiguousarray(both[:, 0])
        check_scores(values, both[:, 1], measure_id, f"a score of task {self.name!r}")
        return values

    def _ordered(self, query: Select[Any]) -> Select[Any]:
        return query.where(self.condition).order_by(cell.c.split, cell.c.learner)

    def undefined(self, connection: Connection, measure_id: int) -> dict[int, str]:
        """Why a measure has no value in a cell, by the number of the cell."""
        query = select(cell.c.split, cell.c.learner, score.c.reason).join_from(cell, score, score.c.cell == cell.c.id)
        query = query.where(self.condition, score.c.measure == measure_id, score.c.value.is_(None))
        return {int(self.position(s, k)): reason or "" for s, k, reason in connection.execute(query)}

    def failures(self, connection: Connection) -> dict[int, CellFailure]:
        """The cells whose latest attempt failed, by their number."""
        query = select(cell.c.split, cell.c.learner, *self.attempts)
        query = query.join_from(cell, attempt, attempt.c.cell == cell.c.id)
        query = query.where(self.condition, FAILED, LATEST)
        failed: dict[int, CellFailure] = {}
        for row in connection.execute(query.order_by(cell.c.split, cell.c.learner)):
            check_attempt(row._mapping, f"what is stored of a failure on task {self.name!r}")
            failed[int(self.position(row.split, row.learner))] = CellFailure(row.status, row.message)
        return failed

    @cached_property
    def layout(self) -> NDArray[np.intp]:
        """Places × learners of the study: the number of the cell that stands there."""
        return np.asarray(self.position(self.index.ids[:, None], self.learner_ids[None, :]))

    @cached_property
    def in_study(self) -> NDArray[np.bool_]:
        """Places × learners: whether the cell is part of the study. In an independent design samples go round among the
        learners, in the order of their keys; in files of version 0.1 in the order of the study."""
        learners = len(self.learner_ids)
        if not self.scheme.get("independent"):
            return np.ones((len(self.index), learners), dtype=bool)
        owners = len(self.fits) or learners
        ranks = np.array(ranked(self.owners) if "owners" in self.scheme else range(owners))
        ranks = np.repeat(ranks, self.fits) if self.fits else ranks
        return np.asarray((self.index.repeat[:, None] - 1) % owners == ranks)

    def forget(self) -> None:
        """Let go of what was computed and has the size of the task."""
        for name in ("layout", "in_study", "splits"):
            self.__dict__.pop(name, None)

    def to_grid(self, stored: Positions, column: NDArray[Any], empty: Any) -> NDArray[Any]:
        """A column of stored cells as places × learners of the study."""
        full = np.full(len(self.splits) * len(self.learners), empty, dtype=column.dtype)
        full[stored] = column
        return np.asarray(full[self.layout])


def sharing_of(task: TaskCells) -> Sharing | None:
    """What the splits of a task share: as its scheme says, or as was read off them when they were made."""
    kind = SCHEMES.get(str(task.scheme.get("scheme")))
    read_off = task.scheme.get("sharing")
    return Sharing(read_off) if read_off else None if kind is None else kind.shares


@dataclass(frozen=True, eq=False)
class StudyGrid:
    """What a study consists of, under its names and in its order."""

    record: StudyRecord
    learners: tuple[str, ...]
    learner_ids: tuple[int, ...]
    tasks: tuple[TaskCells, ...]
    measures: dict[str, tuple[int, dict[str, Any]]]  # name: id, definition

    @property
    def names(self) -> tuple[str, ...]:
        """The learners, each once: one that is fitted several times has several columns of its name."""
        return tuple(dict.fromkeys(self.learners))


def study_grid(store: Reader, study_key: str) -> StudyGrid:
    """The grid of a study, without its cells."""
    record = store.study(study_key)
    query = select(study_learner.c.learner, study_learner.c.name).where(study_learner.c.study == record.id)
    learners = store.rows(query.order_by(study_learner.c.number))
    ids = tuple(row.learner for row in learners)
    named = select(study_measure.c.name, measure.c.id, measure.c.description).join_from(study_measure, measure)
    measures = store.rows(named.where(study_measure.c.study == record.id).order_by(study_measure.c.number))
    _check_links(record, "learners", learners)
    _check_links(record, "measures", measures)
    columns = (study_task.c.task, study_task.c.name, splitting.c.key, splitting.c.scheme, splitting.c.notes)
    split = select(*columns, splitting.c.id).join_from(study_task, splitting, study_task.c.splitting == splitting.c.id)
    fits = tuple(int(each.get("fits", 1)) for each in record.description.get("learners", []))
    fits = fits if sum(fits) == len(ids) else ()
    tasks, splits = [], store.rows(split.where(study_task.c.study == record.id).order_by("number"))
    _check_links(record, "tasks", splits)
    for number, row in enumerate(splits):
        index = store.splits_index(row.task, row.key)
        if index is None:
            continue  # a scheme that left nothing to test on
        scheme, notes = read_json(row.scheme), tuple(read_json(row.notes))
        owners = tuple(owners_of(record.description.get("learners", []))) if "owners" in scheme else ()
        learner_ids = np.array(ids, dtype=np.int64)
        its = (number, row.name, row.task, scheme, notes, index, learner_ids, row.id)
        columns_of = (store.checksum_of(score), store.attempt_columns())
        tasks.append(TaskCells(*its, *columns_of, owners, fits))
    return StudyGrid(
        record,
        tuple(row.name for row in learners),
        ids,
        tuple(tasks),
        {row.name: (row.id, read_json(row.description)) for row in measures},
    )


def _check_links(record: StudyRecord, what: str, rows: Sequence[Row[Any]]) -> None:
    """That what belongs to a study is what its description names, which is known by its hash: nothing is lost. Of a
    run that was killed in its first moments there is no row yet."""
    described = {each["name"] for each in record.description.get(what, [])}
    if rows and described and described != {row.name for row in rows}:
        raise altered(f"which {what} belong to study {record.name!r}")


def fetched(connection: Connection, query: Select[Any], dtype: type) -> NDArray[Any]:
    """A query of one column as an array, of several one row after the other; NULL becomes NaN."""
    result = connection.execute(query)
    # The driver's own rows, in portions: SQLAlchemy's would take twice the time, and a million at once memory.
    cursor = result.cursor
    parts: list[NDArray[Any]] = []
    assert cursor is not None
    while rows := cursor.fetchmany(_AT_ONCE):
        parts.append(as_numbers(list(chain.from_iterable(rows)), dtype))
    result.close()
    return np.concatenate(parts) if parts else np.empty(0, dtype=dtype)


# ----------------------------------------------------------------------------------------------------------------------
# Which measures are asked for: those of the study, which were stored, or others, which predictions are enough for.


Spec = str | Mapping[str, Any]


@dataclass(frozen=True)
class MeasureRequest:
    """A measure, under which id it is stored if it is one of the study, and how it is computed if predictions do."""

    measure: Measure
    stored: int | None
    response: Response | None

    @property
    def name(self) -> str:
        return self.measure.name

    @property
    def computable(self) -> bool:
        """Whether it can be had for a cell that was stored without it."""
        return self.response is not None and self.response.needs is not Needs.ESTIMATOR

    @property
    def is_resource(self) -> bool:
        return self.response is not None and self.response.needs is Needs.RESOURCES


def resolve_measures(grid: StudyGrid, measures: Sequence[Spec] | None) -> list[MeasureRequest]:
    """The measures asked for, in that order; all of the study if none are named."""
    if measures is None:
        return [_of_study(name, number, definition) for name, (number, definition) in grid.measures.items()]
    if isinstance(measures, (str, Mapping)):
        raise UsageError(f"A list of measures was expected; found {measures!r}. Write [{measures!r}].")
    requests = [_one(grid, spec) for spec in measures]
    names = [request.name for request in requests]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"The measure {name!r} is asked for twice.")
    return requests


def _one(grid: StudyGrid, spec: Spec) -> MeasureRequest:
    name = spec if isinstance(spec, str) else spec.get("name")
    if isinstance(name, str) and name in grid.measures:
        number, definition = grid.measures[name]
        if isinstance(spec, str) or response_from(spec).describe() == _without_code(definition):
            return _of_study(name, number, definition)
    response = response_from(spec)
    if response.needs is Needs.ESTIMATOR:
        raise UsageError(
            f"The measure {response.name!r} needs the fitted estimator, which is not stored. Name it in the study "
            "before it is run, or ask for a measure that predictions are enough for."
        )
    return MeasureRequest(response.measure, None, response)


def _of_study(name: str, number: int, definition: Mapping[str, Any]) -> MeasureRequest:
    """A measure by its definition, which is `Response.describe`; a bare name if it was linked without one."""
    if "scorer" in definition:
        # A scorer is not imported to be read.
        larger = bool(definition.get("larger_is_better", True))
        return MeasureRequest(Measure(name, larger, origin="scorer of the study"), number, None)
    response = response_from(_without_code(definition) or name)
    return MeasureRequest(response.measure, number, response)


def _without_code(definition: Mapping[str, Any]) -> dict[str, Any]:
    """What a user writes of a measure: not the hashes of the code that is the user's own."""
    return {part: value for part, value in definition.items() if part != "code"}


# ----------------------------------------------------------------------------------------------------------------------
# Names of tasks and learners, as a user gives them.


def check_names(grid: StudyGrid, tasks: Sequence[str] | None, learners: Sequence[str] | None) -> None:
    """Refuse a name that the study does not know."""
    known = {"task": [task.name for task in grid.tasks], "learner": list(grid.names)}
    for noun, names in (("task", tasks), ("learner", learners)):
        for name in names or ():
            if name not in known[noun]:
                raise UsageError(f"The study has no {noun} {name!r}. {nearest(name, known[noun])}")


# ----------------------------------------------------------------------------------------------------------------------
# Stored predictions, and the truth they are held against.


# Predictions of so many splits are held in memory at a time.
_SPLITS_AT_ONCE = 200


@dataclass(frozen=True, slots=True, eq=False)
class StoredPrediction:
    """What a learner said of the test rows of a split. `place` and `column` number the split and the learner."""

    task: str
    learner: str
    split: Split
    prediction: Prediction
    resources: dict[str, float]
    place: int
    column: int

    @property
    def rows(self) -> NDArray[np.int32]:
        """The test rows, as row numbers of the task."""
        return self.split.test


def truth(store: Reader, task_id: int) -> Truth:
    """What was to be predicted, for all rows of a task."""
    record = store.task(task_id)
    return Truth(record.kind, record.truth, record.classes, store.weights(task_id))


def predictions(store: Reader, study_key: str) -> Iterator[StoredPrediction]:
    """All predictions of a study, task by task and split by split, a portion at a time."""
    grid = study_grid(store, study_key)
    for task in grid.tasks:
        yield from task_predictions(store, grid, task)


def task_predictions(store: Reader, grid: StudyGrid, task: TaskCells) -> Iterator[StoredPrediction]:
    """The predictions for one task of a study, at every place of a split and under every name of a learner."""
    columns: dict[int, list[int]] = {}
    for column, learner_id in enumerate(grid.learner_ids):
        columns.setdefault(learner_id, []).append(column)
    for places in in_portions(range(len(task.index)), _SPLITS_AT_ONCE):
        ids = task.index.ids[list(places)]
        stored = _stored(store, task, ids)
        rows = store.rows_of_splits(list(stored))
        for position, split_id in zip(places, ids.tolist(), strict=True):
            predictions_of_split = stored.get(split_id, [])
            for learner_id, flat, resources in predictions_of_split:
                answer = replace(flat, values=in_columns(flat.values, len(rows[split_id][1])))
                at = int(task.index.repeat[position]), int(task.index.fold[position])
                split = Split(*at, *rows[split_id], task.index.role[position])
                for column in columns[learner_id]:
                    yield StoredPrediction(task.name, grid.learners[column], split, answer, resources, position, column)


def _stored(
    store: Reader, task: TaskCells, ids: NDArray[np.int64]
) -> dict[int, list[tuple[int, Prediction, dict[str, float]]]]:
    """(learner, prediction, resources) by split."""
    columns = (prediction.c.predicted, prediction.c.scores, prediction.c.columns, prediction.c.probabilistic)
    query = select(cell.c.split, cell.c.learner, *columns, store.checksum_of(prediction).label("sum"))
    query = query.add_columns(*store.attempt_columns())
    query = query.join_from(cell, prediction, prediction.c.cell == cell.c.id)
    query = query.join(attempt, (attempt.c.cell == cell.c.id) & (attempt.c.status == "ok"))
    query = query.where(cell.c.split.in_(np.unique(ids).tolist()), cell.c.learner.in_(task.learners.tolist()))
    by_split: dict[int, list[tuple[int, Prediction, dict[str, float]]]] = {}
    for row in store.rows(query.order_by(cell.c.split, cell.c.learner)):
        check_parts(row.sum, f"a prediction for task {task.name!r}", row.predicted, row.scores)
        stored_prediction = _prediction(row.predicted, row.scores, row.columns, row.probabilistic)
        check_attempt(row._mapping, f"what was measured on task {task.name!r}")
        used = {name: value for name in RESOURCES if (value := row._mapping[name]) is not None}
        by_split.setdefault(row.split, []).append((row.learner, stored_prediction, used))
    return by_split


def _prediction(values: bytes, scores: bytes | None, width: int | None, probabilistic: bool) -> Prediction:
    ordered = None if scores is None else unpacked(scores, width).astype(np.float64, copy=False)
    return Prediction(unpacked(values), ordered, probabilistic)
