"""Scores of single test rows, for tasks with one test sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import BakeoffError, InputError, MisfitError
from bakeoff.measures.response import Truth
from bakeoff.resampling.scheme import Sharing
from bakeoff.resampling.split import TEST
from bakeoff.results.grid import (
    CellFailure,
    MeasureRequest,
    StoredPrediction,
    StudyGrid,
    TaskCells,
    sharing_of,
    study_grid,
    task_predictions,
    truth,
)
from bakeoff.results.values import check_fit, task_values
from bakeoff.scores import Labels, Predictions, Scores
from bakeoff.scores.blocks import UNDEFINED
from bakeoff.scores.table import cell_numbers, first_rows, frozen, with_clusters
from bakeoff.store.reader import Reader


def instance_scores(
    store: Reader, grid: StudyGrid, requests: Sequence[MeasureRequest], *, named: bool, notes: tuple[str, ...]
) -> Scores:
    """A row for each learner, measure and test row. Test rows are labelled by their number in the task, from 1."""
    pointwise = _with_losses(requests, named)
    for task in grid.tasks:
        _refuse_many_splits(task)
    rows = _GrowingColumns()
    columns: list[Predictions | None] = []
    for task in grid.tasks:
        whole = truth(store, task.task_id)
        check_fit(task, [one.response for one in pointwise if one.response is not None], whole)
        failed = task_values(store, grid, task, []).failed
        by_cell = {(predicted.place, predicted.column): predicted for predicted in task_predictions(store, grid, task)}
        tests = [store.split_rows(int(split_id)).test for split_id in task.index.ids]
        for name in grid.names:
            columns_of = [column for column, its in enumerate(grid.learners) if its == name]
            for one in pointwise:
                for place, test in enumerate(tests):
                    cells = [(place, column) for column in columns_of]
                    if not all(cell in by_cell or cell in failed for cell in cells):
                        continue  # not run yet
                    losses = [_losses(one, whole, by_cell.get(cell), failed.get(cell), len(test)) for cell in cells]
                    why = next((reason for _, reason in losses if reason is not None), None)
                    rows.add(task, name, one.name, test, np.mean([each for each, _ in losses], axis=0), why, place)
        if len(tests) == 1 and len(grid.names) == len(grid.learners):
            by_column = {column: predicted for (_, column), predicted in by_cell.items()}
            columns.append(_columns(grid, task, whole, by_column, tests[0]))
    if not rows.value:
        raise InputError(
            "No cell of the study has been run to its end yet: there are no scores.", source=store.path.name
        )
    scores = rows.scores({one.name: one.measure for one in pointwise}, store.path.name, notes)
    ordered = _ROWS if all(in_windows(task) for task in grid.tasks) else ""
    joined = _joined([part for part in columns if part is not None], len(grid.tasks))
    return replace(scores, predictions=joined, ordered=ordered)


_ROWS, _TIMES = "row", "time"  # what the points of a series are called


def in_windows(task: TaskCells) -> bool:
    """Whether a task was split in the order of time, so that its test rows are successive points of one series."""
    return sharing_of(task) is Sharing.TIME and set(task.index.role) == {TEST}


class _GrowingColumns:
    """Columns as they grow, an array for each learner, measure and task."""

    def __init__(self) -> None:
        self.labels: dict[str, list[tuple[object, int]]] = {
            name: [] for name in ("task", "learner", "measure", "repeat", "fold", "status", "message")
        }
        self.instance: list[NDArray[Any]] = []
        self.value: list[NDArray[np.float64]] = []
        self.n_train: list[NDArray[np.float64]] = []

    def add(
        self,
        task: TaskCells,
        learner: str,
        measure: str,
        test: NDArray[np.int32],
        values: NDArray[np.float64],
        why: CellFailure | None,
        place: int,
    ) -> None:
        failure = why or CellFailure("ok", "")
        index = task.index
        row = {"task": task.name, "learner": learner, "measure": measure, "status": failure.status}
        row |= {"message": failure.message, "repeat": str(index.repeat[0]), "fold": str(index.fold[0])}
        for name, label in row.items():
            self.labels[name].append((label, len(test)))
        self.instance.append(test + 1)
        self.value.append(values)
        self.n_train.append(np.full(len(test), float(index.n_train[place])))

    def scores(self, measures: dict[str, Any], source: str, notes: tuple[str, ...]) -> Scores:
        factors: dict[str, Any] = {name: _repeated(pairs) for name, pairs in self.labels.items()}
        numbers, codes = np.unique(np.concatenate(self.instance), return_inverse=True)
        n_test = np.concatenate([np.full(len(part), float(len(part))) for part in self.value])
        return Scores.of(
            np.concatenate(self.value),
            measures=measures,
            instance=Labels(tuple(map(str, numbers.tolist())), frozen(codes.astype(np.intp))),
            n_train=np.concatenate(self.n_train),
            n_test=n_test,
            source=source,
            notes=notes,
            **factors,
        )


def _repeated(pairs: Sequence[tuple[object, int]]) -> Labels:
    short = Labels.of([label for label, _ in pairs])
    return Labels(short.labels, frozen(np.repeat(short.codes, [count for _, count in pairs])))


def _with_losses(requests: Sequence[MeasureRequest], named: bool) -> list[MeasureRequest]:
    """Measures that each test row has; others are left out, unless they were asked for by name."""
    kept = [one for one in requests if one.response is not None and one.response.pointwise is not None]
    without = [one.name for one in requests if one not in kept]
    if without and (named or not kept):
        raise MisfitError(
            f"{', '.join(without)} belong{'s' * (len(without) == 1)} to all test rows together: there is no score of "
            "a single one.",
            alternatives=["a measure that is a mean over test rows, such as error, log_loss or squared_error"],
        )
    return kept


def _refuse_many_splits(task: TaskCells) -> None:
    if not in_windows(task) and (len(task.index) != 1 or task.index.role[0] != TEST):
        raise MisfitError(
            f"Scores of single test rows are for tasks with one test sample; {task.name!r} was split "
            f"{len(task.index)} times, so that its rows were predicted by different fits.",
            alternatives=["the scheme 'hold-out' with one repeat, or 'given'", "scores of the splits"],
        )


def _losses(
    one: MeasureRequest, whole: Truth, predicted: StoredPrediction | None, failure: CellFailure | None, size: int
) -> tuple[NDArray[np.float64], CellFailure | None]:
    assert one.response is not None
    if predicted is None:
        return np.full(size, np.nan), failure
    try:
        return one.response.losses(whole.rows(predicted.rows), predicted.prediction), None
    except BakeoffError as error:
        return np.full(size, np.nan), CellFailure(UNDEFINED, str(error))


def _columns(
    grid: StudyGrid, task: TaskCells, whole: Truth, by_column: dict[int, StoredPrediction], test: NDArray[np.int32]
) -> Predictions | None:
    """What learners ordered the test rows by, if there are two classes and every learner gives it: ROC curves."""
    if whole.kind != "classification" or len(whole.classes) != 2:
        return None
    scores = [
        by_column[column].prediction.scores if column in by_column else None for column in range(len(grid.learners))
    ]
    given = [column for column in scores if column is not None]
    if len(given) < len(scores):
        return None
    values = np.column_stack(given)
    return Predictions(
        frozen(whole.values[test].astype(float)), frozen(values), grid.learners, frozen(np.full(len(test), task.name))
    )


def _joined(parts: Sequence[Predictions], tasks: int) -> Predictions | None:
    if len(parts) < tasks or not parts:
        return None
    return Predictions(
        frozen(np.concatenate([part.truth for part in parts])),
        frozen(np.concatenate([part.values for part in parts])),
        parts[0].learners,
        frozen(np.concatenate([part.task for part in parts])),
    )


# ----------------------------------------------------------------------------------------------------------------------
# Units: patients, or whatever several rows of a task may come from, are the clusters of the test rows.
#
# Rows of one unit resemble each other. A test that takes them for independent draws finds differences that are not
# there. They stay rows, so that answers stay right or wrong and a mean is the score that the study shows; that units
# were drawn, and not rows, is what the procedures for clusters take care of.


UNIT = "unit"


def units_of(store: Reader, study_key: str) -> dict[str, NDArray[Any]]:
    """For each task whose rows come in units, by its name in the study: the number of each row's unit."""
    units = {task.name: store.task(task.task_id).units for task in study_grid(store, study_key).tasks}
    return {name: numbers for name, numbers in units.items() if numbers is not None}


def in_units(scores: Scores, units: Mapping[str, NDArray[Any]]) -> Scores:
    """Scores of test rows, in clusters of the rows that come from one unit; rows of tasks without units are their own.

    Test samples of which all rows come from one unit, or each from its own, stay as they are. Where rows follow one
    another in time and units are the times, a unit resembles the one before, as a row would: each is a point of the
    series, and no draw of its own.
    """
    if not units:
        return scores
    row = np.array([int(label) for label in scores.instance.labels])[scores.instance.codes] - 1
    unit = row.copy()
    for name, numbers in units.items():
        here = scores.task.codes == scores.task.labels.index(name) if name in scores.task.labels else False
        unit = np.where(here, np.asarray(numbers)[np.where(here, row, 0)], unit)
    if scores.ordered and all((np.diff(numbers) >= 0).all() for numbers in units.values()):
        return _at_times(scores, unit)
    both = scores.task.codes * (int(unit.max()) + 1) + unit
    known, codes = np.unique(both, return_inverse=True)
    if len(known) == 1:
        return replace(scores, notes=(*scores.notes, "all test rows come from one unit"))
    labels = Labels(tuple(str(number + 1) for number in range(len(known))), frozen(codes.astype(np.intp)))
    return with_clusters(scores, UNIT, labels, fixed=False)


def _at_times(scores: Scores, times: NDArray[Any]) -> Scores:
    """Scores of a series with one value a time, the mean over the rows of that time; its number is the label."""
    known, codes = np.unique(times, return_inverse=True)
    labels = Labels(tuple(str(number + 1) for number in known.tolist()), frozen(codes.astype(np.intp)))
    timed = replace(scores, instance=labels)
    first, point = first_rows(cell_numbers(timed))
    kept = np.zeros(len(scores), dtype=bool)
    kept[first] = True
    means = np.bincount(point, weights=scores.value) / np.bincount(point)
    note = f"the test rows of a time are one point of the series, their mean: {len(known)} points"
    return replace(timed.where(kept), value=frozen(means), ordered=_TIMES, notes=(*scores.notes, note))
