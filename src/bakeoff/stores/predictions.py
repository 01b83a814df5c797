"""Stored predictions, and the truth they are held against."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from bakeoff.measures.prediction import Prediction, Truth
from bakeoff.resampling.split import Split
from bakeoff.stores.blobs import unpacked
from bakeoff.stores.grid import StudyGrid, TaskCells, study_grid
from bakeoff.stores.reader import Reader, in_portions
from bakeoff.stores.schema import RESOURCES, attempt, cell, prediction

# Predictions of so many splits are held in memory at a time.
_SPLITS_AT_ONCE = 50


@dataclass(frozen=True, slots=True, eq=False)
class Predicted:
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
    return Truth(record.kind, record.truth, record.classes)


def predictions(store: Reader, study_key: str) -> Iterator[Predicted]:
    """All predictions of a study, task by task and split by split, a portion at a time."""
    grid = study_grid(store, study_key)
    for task in grid.tasks:
        yield from task_predictions(store, grid, task)


def task_predictions(store: Reader, grid: StudyGrid, task: TaskCells) -> Iterator[Predicted]:
    """The predictions for one task of a study, at every place of a split and under every name of a learner."""
    columns: dict[int, list[int]] = {}
    for column, learner_id in enumerate(grid.learner_ids):
        columns.setdefault(learner_id, []).append(column)
    for places in in_portions(range(len(task.index)), _SPLITS_AT_ONCE):
        ids = task.index.ids[list(places)]
        stored = _stored(store, task, ids)
        for place, split_id in zip(places, ids.tolist(), strict=True):
            said = stored.get(split_id, [])
            rows = store.split_rows(split_id) if said else None
            for learner_id, made, resources in said:
                assert rows is not None
                at = int(task.index.repeat[place]), int(task.index.fold[place])
                split = Split(*at, rows.train, rows.test, task.index.role[place])
                for column in columns[learner_id]:
                    yield Predicted(task.name, grid.learners[column], split, made, resources, place, column)


def _stored(
    store: Reader, task: TaskCells, ids: NDArray[np.int64]
) -> dict[int, list[tuple[int, Prediction, dict[str, float]]]]:
    """(learner, prediction, resources) by split."""
    said = (prediction.c.predicted, prediction.c.scores, prediction.c.columns, prediction.c.probabilistic)
    query = select(cell.c.split, cell.c.learner, *said, *(attempt.c[name] for name in RESOURCES))
    query = query.join_from(cell, prediction, prediction.c.cell == cell.c.id)
    query = query.join(attempt, (attempt.c.cell == cell.c.id) & (attempt.c.status == "ok"))
    query = query.where(cell.c.split.in_(np.unique(ids).tolist()), cell.c.learner.in_(task.learners.tolist()))
    found: dict[int, list[tuple[int, Prediction, dict[str, float]]]] = {}
    for row in store.rows(query.order_by(cell.c.split, cell.c.learner)):
        made = _prediction(row.predicted, row.scores, row.columns, row.probabilistic)
        found.setdefault(row.split, []).append((row.learner, made, _resources(row[-len(RESOURCES) :])))
    return found


def _prediction(values: bytes, scores: bytes | None, width: int | None, probabilistic: bool) -> Prediction:
    ordered = None if scores is None else unpacked(scores, width).astype(np.float64, copy=False)
    return Prediction(unpacked(values), ordered, probabilistic)


def _resources(used: Sequence[float | None]) -> dict[str, float]:
    return {name: value for name, value in zip(RESOURCES, used, strict=True) if value is not None}
