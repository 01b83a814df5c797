"""The values of measures for all cells of a study: as stored, or computed from stored predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from bakeoff.errors import UsageError
from bakeoff.measures.evaluating import evaluate
from bakeoff.measures.prediction import Truth
from bakeoff.measures.response import Response
from bakeoff.scores.missing import UNDEFINED as UNDEFINED
from bakeoff.stores.asked import Asked
from bakeoff.stores.grid import Failure, StudyGrid, TaskCells
from bakeoff.stores.predictions import task_predictions, truth
from bakeoff.stores.reader import Reader

Cell = tuple[int, int]  # place and learner, as they are numbered in a TaskValues


@dataclass(frozen=True, eq=False)
class TaskValues:
    """Values of one task: places × learners for each measure, NaN where there is none.

    `tried` tells the cells that were run and `failed` how those ended that failed. `trouble` says for each measure why
    a cell that was run has no value: because it failed, or because the measure is undefined there.
    """

    name: str
    repeat: NDArray[np.int64]
    fold: NDArray[np.int64]
    role: tuple[str, ...]
    n_train: NDArray[np.float64]
    n_test: NDArray[np.float64]
    tried: NDArray[np.bool_]
    failed: dict[Cell, Failure]
    values: dict[str, NDArray[np.float64]]
    trouble: dict[str, dict[Cell, Failure]]
    computed: frozenset[str] = field(default_factory=frozenset)  # after the run, from predictions


def task_values(store: Reader, grid: StudyGrid, task: TaskCells, asked: Sequence[Asked]) -> TaskValues:
    """The values of the measures asked for, for one task."""
    with store.snapshot() as connection:
        stored = task.stored(connection)
        tried = task.spread(stored, np.ones(len(stored), dtype=bool), False) & task.meant
        failed = _placed(task, task.failures(connection))
        values = {one.name: _stored_values(connection, task, stored, one) for one in asked}
        trouble = {one.name: _undefined(connection, task, one, values[one.name], failed) for one in asked}
    # Cells of an earlier study lack the measures that this one added.
    lacking = {
        one.name: tried & np.isnan(values[one.name]) & ~_marked(tried.shape, trouble[one.name], failed) for one in asked
    }
    wanted = [one for one in asked if lacking[one.name].any()]
    if wanted:
        _compute(store, grid, task, wanted, lacking, values, trouble)
    for one in asked:
        trouble[one.name] |= failed
        _without_infinities(values[one.name], trouble[one.name])
    index = task.index
    return TaskValues(
        task.name,
        index.repeat,
        index.fold,
        index.role,
        index.n_train.astype(float),
        index.n_test.astype(float),
        tried,
        failed,
        values,
        trouble,
        frozenset(one.name for one in wanted if one.computable),
    )


def _stored_values(
    connection: Connection, task: TaskCells, stored: NDArray[np.intp], one: Asked
) -> NDArray[np.float64]:
    if one.stored is None:
        return np.full(task.layout.shape, np.nan)
    return task.spread(stored, task.values(connection, one.stored), np.nan)


def _undefined(
    connection: Connection,
    task: TaskCells,
    one: Asked,
    values: NDArray[np.float64],
    failed: Mapping[Cell, Failure],
) -> dict[Cell, Failure]:
    if one.stored is None or int(np.isnan(values).sum()) == len(failed):
        return {}
    reasons = task.undefined(connection, one.stored)
    return _placed(task, {number: Failure(UNDEFINED, reason) for number, reason in reasons.items()})


def _placed(task: TaskCells, by_number: Mapping[int, Failure]) -> dict[Cell, Failure]:
    """From the numbers of cells to all places and columns at which they stand."""
    if not by_number:
        return {}
    where = np.argwhere(np.isin(task.layout, list(by_number)) & task.meant)
    return {(int(place), int(column)): by_number[int(task.layout[place, column])] for place, column in where}


def _marked(shape: tuple[int, ...], *cells: Mapping[Cell, Failure]) -> NDArray[np.bool_]:
    marked = np.zeros(shape, dtype=bool)
    for some in cells:
        for cell in some:
            marked[cell] = True
    return marked


def _compute(
    store: Reader,
    grid: StudyGrid,
    task: TaskCells,
    wanted: Sequence[Asked],
    lacking: Mapping[str, NDArray[np.bool_]],
    values: dict[str, NDArray[np.float64]],
    trouble: dict[str, dict[Cell, Failure]],
) -> None:
    """Fill in what is lacking from predictions, and give a reason where there is nothing to compute from."""
    whole = truth(store, task.task_id)
    responses = [one.response for one in wanted if one.computable and one.response is not None]
    check_fit(task, responses, whole)
    for predicted in task_predictions(store, grid, task) if responses else ():
        at = predicted.place, predicted.column
        here = [response for response in responses if lacking[response.name][at]]
        if not here:
            continue
        found = evaluate(here, whole.rows(predicted.rows), predicted.prediction, predicted.resources)
        for name, value in found.values.items():
            values[name][at] = value
        for name, reason in found.undefined.items():
            trouble[name][at] = Failure(UNDEFINED, reason)
    for one in wanted:
        for place, column in np.argwhere(lacking[one.name] & np.isnan(values[one.name])):
            trouble[one.name].setdefault(
                (int(place), int(column)),
                Failure(UNDEFINED, f"{one.name} was not asked for when this cell was run, and needs a rerun."),
            )


def check_fit(task: TaskCells, responses: Sequence[Response], whole: Truth) -> None:
    """Refuse a measure that does not exist for a task, rather than call it undefined in each of its cells."""
    for response in responses:
        if (reason := response.misfit(whole.kind, whole.classes)) is not None:
            raise UsageError(f"Task {task.name!r}: {reason}")


def _without_infinities(values: NDArray[np.float64], trouble: dict[Cell, Failure]) -> None:
    """No average can be taken of an infinite value: it counts as undefined."""
    for place, column in np.argwhere(np.isinf(values)):
        trouble[int(place), int(column)] = Failure(UNDEFINED, f"the value is {values[place, column]}")
    values[np.isinf(values)] = np.nan
