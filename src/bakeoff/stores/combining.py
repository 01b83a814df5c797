"""From the scores of splits to those that the scheme stands for: .632 and .632+, or averages over folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import BakeoffError
from bakeoff.measures.prediction import Prediction, Truth
from bakeoff.measures.response import Response
from bakeoff.resampling.bootstrap import combine_632
from bakeoff.resampling.schemes import SCHEMES
from bakeoff.resampling.split import APPARENT, TEST
from bakeoff.stores.asked import Asked
from bakeoff.stores.grid import Failure, StudyGrid, TaskCells
from bakeoff.stores.predictions import task_predictions, truth
from bakeoff.stores.reader import Reader
from bakeoff.stores.values import UNDEFINED, Cell, TaskValues

Array = NDArray[np.float64]
# The loss without information is a mean over all pairs of a truth with a prediction; of larger samples over so many
# predictions for each truth, evenly spread.
_MOST_PAIRS_A_ROW = 500


def combined(store: Reader, grid: StudyGrid, task: TaskCells, found: TaskValues, asked: Sequence[Asked]) -> TaskValues:
    """What the scheme of a task makes of its splits' scores. Resources are those of the splits themselves."""
    kind = SCHEMES.get(str(task.scheme.get("scheme")))
    how = kind.combine if kind is not None else "none"
    if how == "folds":
        return _averaged_over_folds(found)
    if how in ("632", "632+"):
        no_information = _no_information(store, grid, task, asked) if how == "632+" else None
        return _weighed(found, asked, no_information)
    return _test_places(found)


def _test_places(found: TaskValues) -> TaskValues:
    """Without the apparent scores, which are no answer to anything by themselves."""
    kept = np.flatnonzero([role == TEST for role in found.role])
    if len(kept) == len(found.role):
        return found
    number = {int(old): new for new, old in enumerate(kept)}
    return replace(
        found,
        repeat=found.repeat[kept],
        fold=found.fold[kept],
        role=(TEST,) * len(kept),
        n_train=found.n_train[kept],
        n_test=found.n_test[kept],
        tried=found.tried[kept],
        values={name: values[kept] for name, values in found.values.items()},
        trouble={
            name: {(number[place], column): why for (place, column), why in cells.items() if place in number}
            for name, cells in found.trouble.items()
        },
    )


def _weighed(
    found: TaskValues, asked: Sequence[Asked], no_information: Mapping[str, Mapping[int, float | str]] | None
) -> TaskValues:
    apparent = found.role.index(APPARENT)
    tested = _test_places(found)
    values, trouble = dict(tested.values), {name: dict(cells) for name, cells in tested.trouble.items()}
    for one in asked:
        if one.is_resource:
            continue
        mixed = values[one.name].copy()
        for column in range(mixed.shape[1]):
            level = None if no_information is None else no_information[one.name].get(column)
            mixed[:, column], why = _weighed_column(found, one, apparent, column, mixed[:, column], level)
            if why is not None:
                new = {(int(place), column): why for place in np.flatnonzero(tested.tried[:, column])}
                trouble[one.name] = {**new, **trouble[one.name]}
        values[one.name] = mixed
    return replace(tested, values=values, trouble=trouble)


def _weighed_column(
    found: TaskValues, one: Asked, apparent: int, column: int, left_out: Array, level: float | str | None
) -> tuple[Array, Failure | None]:
    """The values of one learner, or the reason why it has none."""
    nothing = np.full(len(left_out), np.nan)
    own = found.values[one.name][apparent, column]
    if np.isnan(own):
        why = found.trouble[one.name].get((apparent, column))
        if why is None:
            return nothing, Failure(UNDEFINED, "the fit to all rows, which the estimate needs, was not run yet")
        return nothing, Failure(why.status, f"in the fit to all rows, which the estimate needs: {why.message}")
    if isinstance(level, str):
        return nothing, Failure(UNDEFINED, level)
    if np.isnan(left_out).all():
        return nothing, None
    try:
        if level is None or not one.measure.larger_is_better:
            return combine_632(own, left_out, level, plus=level is not None), None
        # .632+ is about losses: of accuracy, about what it falls short of its best.
        best = one.measure.upper
        return best - combine_632(best - own, best - left_out, best - level, plus=True), None
    except BakeoffError as error:
        return nothing, Failure(UNDEFINED, str(error))


def _no_information(
    store: Reader, grid: StudyGrid, task: TaskCells, asked: Sequence[Asked]
) -> dict[str, dict[int, float | str]]:
    """For each measure and learner the loss without information, or why there is none."""
    whole = truth(store, task.task_id)
    levels: dict[str, dict[int, float | str]] = {
        one.name: dict.fromkeys(range(len(grid.learners)), "the predictions of the fit to all rows are not stored")
        for one in asked
    }
    for predicted in task_predictions(store, grid, task):
        if predicted.split.role != APPARENT:
            continue
        for one in asked:
            if not one.is_resource:
                rows = whole.rows(predicted.rows)
                levels[one.name][predicted.column] = _level(one, rows, predicted.prediction)
    return levels


def _level(one: Asked, rows: Truth, prediction: Prediction) -> float | str:
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


def _averaged_over_folds(found: TaskValues) -> TaskValues:
    """One score a repeat: the mean over its folds. It has none if a fold has none."""
    repeats, member, count = np.unique(found.repeat, return_inverse=True, return_counts=True)

    def total(columns: NDArray[np.float64]) -> Array:
        sums = np.zeros((len(repeats), *columns.shape[1:]))
        np.add.at(sums, member, columns)
        return sums

    trouble: dict[str, dict[Cell, Failure]] = {}
    for name, cells in found.trouble.items():
        trouble[name] = {}
        for (place, column), why in sorted(cells.items(), key=lambda item: item[0]):
            told = Failure(why.status, f"fold {found.fold[place]}: {why.message}")
            trouble[name].setdefault((int(member[place]), column), told)
    return replace(
        found,
        repeat=repeats,
        fold=np.ones(len(repeats), dtype=np.int64),
        role=(TEST,) * len(repeats),
        n_train=total(found.n_train) / count,
        n_test=total(found.n_test),
        # A repeat some of whose folds are still to be run is not there yet.
        tried=total(found.tried.astype(float)) == count[:, None],
        values={name: total(values) / count[:, None] for name, values in found.values.items()},
        trouble=trouble,
    )
