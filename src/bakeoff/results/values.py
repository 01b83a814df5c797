"""The values of measures for all cells of a study: as stored, or computed from stored predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from bakeoff.errors import BakeoffError, InputError, UsageError
from bakeoff.measures.response import Prediction, Response, Truth
from bakeoff.measures.responses import evaluate
from bakeoff.resampling import SCHEMES
from bakeoff.resampling.bootstrap import combine_632
from bakeoff.resampling.scheme import Combination
from bakeoff.resampling.split import APPARENT, TEST
from bakeoff.results.grid import CellFailure, MeasureRequest, StudyGrid, TaskCells, task_predictions, truth
from bakeoff.scores.blocks import UNDEFINED
from bakeoff.scores.table import FitVariance
from bakeoff.store.reader import Reader

Cell = tuple[int, int]  # place and learner, as they are numbered in a TaskValues


@dataclass(frozen=True, eq=False)
class TaskValues:
    """Values of one task: places × learners for each measure, NaN where there is none.

    `tried` tells the cells that were run and `failed` how those ended that failed. `missing_reasons` says for each
    measure why a cell that was run has no value: because it failed, or because the measure is undefined there.
    """

    name: str
    repeat: NDArray[np.int64]
    fold: NDArray[np.int64]
    role: tuple[str, ...]
    n_train: NDArray[np.float64]
    n_test: NDArray[np.float64]
    tried: NDArray[np.bool_]
    failed: dict[Cell, CellFailure]
    values: dict[str, NDArray[np.float64]]
    missing_reasons: dict[str, dict[Cell, CellFailure]]
    computed: frozenset[str] = field(default_factory=frozenset)  # after the run, from predictions


def task_values(store: Reader, grid: StudyGrid, task: TaskCells, requests: Sequence[MeasureRequest]) -> TaskValues:
    """The values of the measures asked for, for one task."""
    with store.snapshot() as connection:
        stored = task.stored(connection)
        tried = task.to_grid(stored, np.ones(len(stored), dtype=bool), False) & task.in_study
        failed = _placed(task, task.failures(connection))
        values = {one.name: _stored_values(connection, task, stored, one) for one in requests}
        missing_reasons = {one.name: _undefined(connection, task, one, values[one.name], failed) for one in requests}
    # Cells of an earlier study lack the measures that this one added.
    lacking = {
        one.name: tried & np.isnan(values[one.name]) & ~_marked(tried.shape, missing_reasons[one.name], failed)
        for one in requests
    }
    wanted = [one for one in requests if lacking[one.name].any()]
    if wanted:
        _compute(store, grid, task, wanted, lacking, values, missing_reasons)
    for one in requests:
        missing_reasons[one.name] |= failed
        _without_infinities(values[one.name], missing_reasons[one.name])
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
        missing_reasons,
        frozenset(one.name for one in wanted if one.computable),
    )


def _stored_values(
    connection: Connection, task: TaskCells, stored: NDArray[np.intp], one: MeasureRequest
) -> NDArray[np.float64]:
    if one.stored is None:
        return np.full(task.layout.shape, np.nan)
    return task.to_grid(stored, task.values(connection, one.stored), np.nan)


def _undefined(
    connection: Connection,
    task: TaskCells,
    one: MeasureRequest,
    values: NDArray[np.float64],
    failed: Mapping[Cell, CellFailure],
) -> dict[Cell, CellFailure]:
    if one.stored is None or int(np.isnan(values).sum()) == len(failed):
        return {}
    reasons = task.undefined(connection, one.stored)
    return _placed(task, {number: CellFailure(UNDEFINED, reason) for number, reason in reasons.items()})


def _placed(task: TaskCells, by_number: Mapping[int, CellFailure]) -> dict[Cell, CellFailure]:
    """From the numbers of cells to all places and columns at which they stand."""
    if not by_number:
        return {}
    where = np.argwhere(np.isin(task.layout, list(by_number)) & task.in_study)
    return {(int(place), int(column)): by_number[int(task.layout[place, column])] for place, column in where}


def _marked(shape: tuple[int, ...], *cells: Mapping[Cell, CellFailure]) -> NDArray[np.bool_]:
    marked = np.zeros(shape, dtype=bool)
    for some in cells:
        for cell in some:
            marked[cell] = True
    return marked


def _compute(
    store: Reader,
    grid: StudyGrid,
    task: TaskCells,
    wanted: Sequence[MeasureRequest],
    lacking: Mapping[str, NDArray[np.bool_]],
    values: dict[str, NDArray[np.float64]],
    missing_reasons: dict[str, dict[Cell, CellFailure]],
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
        computed = evaluate(here, whole.rows(predicted.rows), predicted.prediction, predicted.resources)
        for name, value in computed.values.items():
            values[name][at] = value
        for name, reason in computed.undefined.items():
            missing_reasons[name][at] = CellFailure(UNDEFINED, reason)
    for one in wanted:
        for place, column in np.argwhere(lacking[one.name] & np.isnan(values[one.name])):
            missing_reasons[one.name].setdefault(
                (int(place), int(column)),
                CellFailure(UNDEFINED, f"{one.name} was not asked for when this cell was run, and needs a rerun."),
            )


def check_fit(task: TaskCells, responses: Sequence[Response], whole: Truth) -> None:
    """Refuse a measure that does not exist for a task, rather than call it undefined in each of its cells."""
    for response in responses:
        if (reason := response.misfit(whole.kind, whole.classes, whole.weights is not None)) is not None:
            raise UsageError(f"Task {task.name!r}: {reason}")


def _without_infinities(values: NDArray[np.float64], missing_reasons: dict[Cell, CellFailure]) -> None:
    """No average can be taken of an infinite value: it counts as undefined."""
    for place, column in np.argwhere(np.isinf(values)):
        missing_reasons[int(place), int(column)] = CellFailure(UNDEFINED, f"the value is {values[place, column]}")
    values[np.isinf(values)] = np.nan


# ----------------------------------------------------------------------------------------------------------------------
# From the scores of splits to those that the scheme stands for: .632 and .632+, or averages over folds.


Array = NDArray[np.float64]
# The loss without information is a mean over all pairs of a truth with a prediction; of larger samples over so many
# predictions for each truth, evenly spread.
_MOST_PAIRS_A_ROW = 500


def combined(
    store: Reader, grid: StudyGrid, task: TaskCells, values: TaskValues, requests: Sequence[MeasureRequest]
) -> TaskValues:
    """What the scheme of a task makes of its splits' scores. Resources are those of the splits themselves."""
    kind = SCHEMES.get(str(task.scheme.get("scheme")))
    how = kind.combine if kind is not None else Combination.NONE
    if how is Combination.FOLDS:
        return _averaged_over_folds(values)
    if how in (Combination.WEIGHED, Combination.WEIGHED_PLUS):
        plus = how is Combination.WEIGHED_PLUS
        return _weighed(values, requests, _no_information(store, grid, task, requests) if plus else None)
    return _test_places(values)


def _test_places(grid_values: TaskValues) -> TaskValues:
    """Without the apparent scores, which are no answer to anything by themselves."""
    kept = np.flatnonzero([role == TEST for role in grid_values.role])
    return grid_values if len(kept) == len(grid_values.role) else at_places(grid_values, kept)


def at_places(values: TaskValues, places: NDArray[np.intp]) -> TaskValues:
    """The values at some places, in the order given."""
    number = {int(old): new for new, old in enumerate(places)}

    def renumbered(cells: Mapping[Cell, CellFailure]) -> dict[Cell, CellFailure]:
        return {(number[place], column): why for (place, column), why in cells.items() if place in number}

    return replace(
        values,
        repeat=values.repeat[places],
        fold=values.fold[places],
        role=tuple(values.role[place] for place in places),
        n_train=values.n_train[places],
        n_test=values.n_test[places],
        tried=values.tried[places],
        failed=renumbered(values.failed),
        values={name: column[places] for name, column in values.values.items()},
        missing_reasons={name: renumbered(cells) for name, cells in values.missing_reasons.items()},
    )


def _weighed(
    task_cells: TaskValues,
    requests: Sequence[MeasureRequest],
    no_information: Mapping[str, Mapping[int, float | str]] | None,
) -> TaskValues:
    apparent = task_cells.role.index(APPARENT)
    tested = _test_places(task_cells)
    values, missing_reasons = dict(tested.values), {name: dict(cells) for name, cells in tested.missing_reasons.items()}
    for one in requests:
        if one.is_resource:
            continue
        mixed = values[one.name].copy()
        for column in range(mixed.shape[1]):
            level = None if no_information is None else no_information[one.name].get(column)
            mixed[:, column], why = _weighed_column(task_cells, one, apparent, column, mixed[:, column], level)
            if why is not None:
                new = {(int(place), column): why for place in np.flatnonzero(tested.tried[:, column])}
                missing_reasons[one.name] = {**new, **missing_reasons[one.name]}
        values[one.name] = mixed
    return replace(tested, values=values, missing_reasons=missing_reasons)


def _weighed_column(
    cells: TaskValues, one: MeasureRequest, apparent: int, column: int, left_out: Array, level: float | str | None
) -> tuple[Array, CellFailure | None]:
    """The values of one learner, or the reason why it has none."""
    nothing = np.full(len(left_out), np.nan)
    own = cells.values[one.name][apparent, column]
    if np.isnan(own):
        why = cells.missing_reasons[one.name].get((apparent, column))
        if why is None:
            return nothing, CellFailure(UNDEFINED, "the fit to all rows, which the estimate needs, was not run yet")
        return nothing, CellFailure(why.status, f"in the fit to all rows, which the estimate needs: {why.message}")
    if isinstance(level, str):
        return nothing, CellFailure(UNDEFINED, level)
    if np.isnan(left_out).all():
        return nothing, None
    try:
        if level is None or not one.measure.larger_is_better:
            return combine_632(own, left_out, level, plus=level is not None), None
        # .632+ is about losses: of accuracy, about what it falls short of its best.
        best = one.measure.upper
        return best - combine_632(best - own, best - left_out, best - level, plus=True), None
    except BakeoffError as error:
        return nothing, CellFailure(UNDEFINED, str(error))


def _no_information(
    store: Reader, grid: StudyGrid, task: TaskCells, requests: Sequence[MeasureRequest]
) -> dict[str, dict[int, float | str]]:
    """For each measure and learner the loss without information, or why there is none."""
    whole = truth(store, task.task_id)
    levels: dict[str, dict[int, float | str]] = {
        one.name: dict.fromkeys(range(len(grid.learners)), "the predictions of the fit to all rows are not stored")
        for one in requests
    }
    for predicted in task_predictions(store, grid, task):
        if predicted.split.role != APPARENT:
            continue
        for one in requests:
            if not one.is_resource:
                rows = whole.rows(predicted.rows)
                levels[one.name][predicted.column] = _level(one, rows, predicted.prediction)
    return levels


def _level(one: MeasureRequest, rows: Truth, prediction: Prediction) -> float | str:
    response = one.response
    if response is None:
        return f"{one.name} is a scorer, and .632+ is for losses that each test row has; the scheme '632' takes any."
    if (why := response.why_not_632_plus) is not None:
        return why
    try:
        return loss_without_information(response, rows, prediction)
    except BakeoffError as error:
        return str(error)


def loss_without_information(response: Response, rows: Truth, prediction: Prediction) -> float:
    """γ: the mean loss if predictions had nothing to do with the truth, over pairs of a truth with any prediction.

    >>> from bakeoff.measures.responses import response_from
    >>> truth = Truth("classification", np.array([0, 0, 1, 1]), ("a", "b"))
    >>> loss_without_information(response_from("error"), truth, Prediction(np.array([0, 0, 0, 1])))
    0.5
    """
    n = len(rows.values)
    shifts = np.unique(np.linspace(0, n, min(n, _MOST_PAIRS_A_ROW), endpoint=False).astype(int))
    losses = []
    for shift in shifts:
        order = np.roll(np.arange(n), shift)
        scores = None if prediction.scores is None else prediction.scores[order]
        losses.append(response.of(rows, Prediction(prediction.values[order], scores, prediction.probabilistic)))
    return float(np.mean(losses))


def _averaged_over_folds(task_cells: TaskValues) -> TaskValues:
    """One score a repeat: the mean over its folds. It has none if a fold has none."""
    repeats, member, count = np.unique(task_cells.repeat, return_inverse=True, return_counts=True)

    def total(columns: NDArray[np.float64]) -> Array:
        sums = np.zeros((len(repeats), *columns.shape[1:]))
        np.add.at(sums, member, columns)
        return sums

    missing_reasons: dict[str, dict[Cell, CellFailure]] = {}
    for name, cells in task_cells.missing_reasons.items():
        missing_reasons[name] = {}
        for (place, column), why in sorted(cells.items(), key=lambda item: item[0]):
            failure = CellFailure(why.status, f"fold {task_cells.fold[place]}: {why.message}")
            missing_reasons[name].setdefault((int(member[place]), column), failure)
    return replace(
        task_cells,
        repeat=repeats,
        fold=np.ones(len(repeats), dtype=np.int64),
        role=(TEST,) * len(repeats),
        n_train=total(task_cells.n_train) / count,
        n_test=total(task_cells.n_test),
        # A repeat some of whose folds are still to be run is not there yet.
        tried=total(task_cells.tried.astype(float)) == count[:, None],
        values={name: total(values) / count[:, None] for name, values in task_cells.values.items()},
        missing_reasons=missing_reasons,
    )


def averaged_over_places(values: TaskValues) -> TaskValues:
    """One row for each learner: the mean over all places of a task, each of which must have a value."""
    lacking = ~values.tried | np.isnan(np.dstack(list(values.values.values()))).any(axis=2)
    if lacking.any():
        place = int(np.argwhere(lacking)[0][0])
        raise InputError(
            f"{int(lacking.sum())} of {lacking.size} cells have no value, the first in repeat {values.repeat[place]}, "
            f"fold {values.fold[place]}. In a study of so many scores that they are not held at once, all must have "
            "one: run what is left (bakeoff run), try again what failed (--retry failed), or name some learners or "
            "tasks.",
            source=f"task {values.name!r}",
        )
    one = np.ones(1, dtype=np.int64)
    return replace(
        values,
        repeat=one,
        fold=one,
        role=(TEST,),
        n_train=values.n_train.mean(keepdims=True),
        n_test=values.n_test.mean(keepdims=True),
        tried=np.ones((1, lacking.shape[1]), dtype=bool),
        failed={},
        values={name: column.mean(axis=0, keepdims=True) for name, column in values.values.items()},
        missing_reasons={name: {} for name in values.values},
    )


# ----------------------------------------------------------------------------------------------------------------------
# Several fits of a random learner to one learning sample: their mean is its score there, and how much they differ is a
# part of the variance of a single fit (the expectation over fits in equation 1 of Hothorn et al. 2005).


def averaged_over_fits(columns: Sequence[str], values: TaskValues) -> TaskValues:
    """One column a learner: the mean over its fits. It has no value where one of them has none."""
    names = list(dict.fromkeys(columns))
    if len(names) == len(columns):
        return values
    members = [np.flatnonzero([name == column for column in columns]) for name in names]
    owner = {int(column): number for number, own in enumerate(members) for column in own}

    def merged(cells: Mapping[Cell, CellFailure]) -> dict[Cell, CellFailure]:
        first: dict[Cell, CellFailure] = {}
        for (place, column), why in sorted(cells.items(), key=lambda item: item[0]):
            first.setdefault((place, owner[column]), why)
        return first

    return replace(
        values,
        tried=np.column_stack([values.tried[:, own].all(axis=1) for own in members]),
        failed=merged(values.failed),
        values={
            name: np.column_stack([column[:, own].mean(axis=1) for own in members])
            for name, column in values.values.items()
        },
        missing_reasons={name: merged(cells) for name, cells in values.missing_reasons.items()},
    )


def fit_variances(
    columns: Sequence[str], measure: str, tasks: Sequence[Mapping[str, tuple[float, float]]]
) -> tuple[FitVariance, ...]:
    """For each learner with several fits, how the variance of a single fit's score divides: the mean over tasks."""
    variances = []
    for name in dict.fromkeys(name for task in tasks for name in task):
        between, within = (_mean_of_known([task[name][which] for task in tasks if name in task]) for which in (0, 1))
        variances.append(FitVariance(name, list(columns).count(name), measure, between, within))
    return tuple(variances)


def fit_components(columns: Sequence[str], measure: str, task: TaskValues) -> dict[str, tuple[float, float]]:
    """Of each learner with several fits, the variances between learning samples and between fits on one task."""
    several = [name for name in dict.fromkeys(columns) if list(columns).count(name) > 1]
    own = {name: np.flatnonzero([name == column for column in columns]) for name in several}
    return {name: components(task.values[measure][:, own[name]]) for name in several}


def _mean_of_known(values: Sequence[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def components(table: Array) -> tuple[float, float]:
    """Variance between rows (learning samples) and within them (fits), by analysis of variance; never negative.

    >>> components(np.array([[1.0, 3.0], [5.0, 7.0]]))
    (7.0, 2.0)
    """
    complete = table[~np.isnan(table).any(axis=1)]
    if not len(complete):
        return np.nan, np.nan
    within = float(complete.var(axis=1, ddof=1).mean())
    if len(complete) < 2:
        return np.nan, within
    between = float(complete.mean(axis=1).var(ddof=1)) - within / complete.shape[1]
    return max(0.0, between), within
