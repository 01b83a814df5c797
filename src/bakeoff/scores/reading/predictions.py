"""Predictions: the truth, and beside it a column of predictions or probabilities per learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bakeoff.measures import Loss
from bakeoff.scores.factor import Factor, frozen
from bakeoff.scores.predictions import Predictions
from bakeoff.scores.reading.answers import Answers, refuse_missing_truth
from bakeoff.scores.reading.choose_loss import choose_loss
from bakeoff.scores.reading.direction import directed, one_measure
from bakeoff.scores.reading.headers import PREDICTION_ROLES, Roles, key_columns, recognise, weak_role_of
from bakeoff.scores.reading.matrix import combinations, numbered, scores_of_matrix
from bakeoff.scores.reading.raw import RawTable
from bakeoff.scores.reading.shape import IN_WORDS, PREDICTIONS
from bakeoff.scores.table import Scores


def read_predictions(
    table: RawTable, *, measures: Sequence[str] = (), larger_is_better: bool | None = None, said: bool = False
) -> Scores:
    """The losses of predictions, one for each learner and instance; `said` if the user calls them so.

    >>> cells = {"truth": ["cat", "dog"], "svm": ["cat", "cat"], "knn": ["dog", "dog"]}
    >>> table = RawTable("t.csv", tuple(cells), tuple(Factor.of(column) for column in cells.values()))
    >>> read_predictions(table).value.tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    roles = _with_truth(table, recognise(table, PREDICTION_ROLES))
    truth = roles.column["truth"]
    refuse_missing_truth(table, truth)
    keys = key_columns(table, roles)
    keys, label, instance_notes = _with_instances(table, roles, keys)
    learners = tuple(name for name in roles.others(table) if name != label)
    if not learners:
        raise table.error(
            f"Beside the truth ({truth!r}) a column of predictions for each learner was expected, but there is none."
        )
    answers = Answers(table, truth, learners)
    if len(measures) > 1:
        raise one_measure(measures, "predictions are scored by one loss at a time")
    measure = measures[0] if measures else None
    loss, reason = choose_loss(answers, measure, said=said)
    name = measure or loss.name
    scores = scores_of_matrix(
        table,
        _losses(answers, loss),
        learners,
        keys,
        measure=Factor.constant(name, table.n_rows),
        measures=directed([name], larger_is_better),
        notes=(
            *table.notes,
            f"read as {IN_WORDS[PREDICTIONS]}",
            *roles.notes,
            *instance_notes,
            f"predictions are scored by {loss.name}: {reason}",
        ),
    )
    return replace(scores, predictions=_kept(answers, keys))


def _kept(answers: Answers, keys: dict[str, Factor]) -> Predictions | None:
    """The predictions themselves, where truth and predictions are numbers and none is missing."""
    columns = [answers.numbers(name) for name in (answers.truth, *answers.learners)]
    known = [column for column in columns if column is not None and not np.isnan(column).any()]
    if len(known) < len(columns):
        return None
    task = keys["task"].values() if "task" in keys else [""] * answers.table.n_rows
    return Predictions(frozen(known[0]), frozen(np.column_stack(known[1:])), answers.learners, np.array(task))


def _with_truth(table: RawTable, roles: Roles) -> Roles:
    if roles.get("truth"):
        return roles
    name = next((name for name in table.names if weak_role_of(name) == "truth"), None)
    if name is None:
        raise table.error("Predictions need a column 'truth' ('y_true', 'label', 'target') beside them; there is none.")
    return replace(roles, column=roles.column | {"truth": name}, notes=(*roles.notes, f"column {name!r} read as truth"))


def _with_instances(
    table: RawTable, roles: Roles, keys: dict[str, Factor]
) -> tuple[dict[str, Factor], str | None, tuple[str, ...]]:
    """The keys with the instance, from a column "id" or the like if it tells the rows apart, or by counting."""
    label = next((name for name in roles.others(table) if not name or weak_role_of(name) == "row"), None)
    if "instance" in keys:
        return keys, label, ()
    if label is not None:
        named = table.labels(label)
        if "" not in named.labels and combinations([*keys.values(), named], table.n_rows) == table.n_rows:
            return {**keys, "instance": named}, label, (f"column {label!r} read as instance",) if label else ()
    return {**keys, "instance": numbered(table.n_rows)}, label, ("instances are numbered from 1",)


def _losses(answers: Answers, loss: Loss) -> NDArray[np.float64]:
    """A column of losses per learner, NaN where a prediction is missing."""
    values = np.empty((answers.table.n_rows, len(answers.learners)))
    if loss.predicts == "label":
        numbering: dict[str, int] = {}
        truth = answers.codes(answers.truth, numbering)
        for j, learner in enumerate(answers.learners):
            prediction = answers.codes(learner, numbering)
            values[:, j] = np.where(np.isnan(prediction), np.nan, loss.of(truth, prediction))
        return values
    truth = _numbers(answers, answers.truth)
    for j, learner in enumerate(answers.learners):
        prediction = _numbers(answers, learner)
        with np.errstate(over="ignore", invalid="ignore"):
            values[:, j] = loss.of(truth, prediction)
        _refuse_overflow(answers.table, learner, loss, (truth, prediction, values[:, j]))
    return values


def _refuse_overflow(
    table: RawTable,
    learner: str,
    loss: Loss,
    columns: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
) -> None:
    """A loss that is larger than any number, although truth and prediction are numbers."""
    truth, prediction, value = columns
    beyond = np.flatnonzero(np.isfinite(truth) & np.isfinite(prediction) & ~np.isfinite(value))
    if len(beyond):
        row = int(beyond[0])
        raise table.error(
            f"The {loss.name} of {prediction[row]:g} where the truth is {truth[row]:g} leaves the range of numbers. "
            "Write truth and predictions in a larger unit, or leave the prediction empty if the learner failed there.",
            row=row,
            column=learner,
        )


def _numbers(answers: Answers, name: str) -> NDArray[np.float64]:
    """A column as numbers, or the error that names the cell which is none."""
    values = answers.numbers(name)
    return answers.table.numbers(name) if values is None else values
