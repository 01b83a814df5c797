"""Experiments row by row: what two learners said of each row, where a cross-validation tests on each row once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.lab.calibrating.experiments import Array, RowByRow, fits_memory, with_difference
from bakeoff.measures import Measure
from bakeoff.scores import Factor, Scores
from bakeoff.stores.asked import asked_for
from bakeoff.stores.grid import study_grid
from bakeoff.stores.predictions import Predicted, task_predictions, truth
from bakeoff.stores.reader import Reader

# Schemes whose folds make up the whole sample.
_ONCE = ("cross-validation", "leave-one-out")


def each_row_tested_once(scheme: Any) -> bool:
    """Whether a scheme tests on each row once; several repeats do so several times.

    >>> from bakeoff.resampling.schemes import resampling_from
    >>> [each_row_tested_once(resampling_from(each)) for each in ({"scheme": "cv"}, {"scheme": "5x2"})]
    [True, False]
    """
    said = scheme.describe()
    return said["scheme"] in _ONCE and said.get("repeats", 1) == 1


def answers_in(store: Path, study_key: str, measure: str, number: Callable[[int, Predicted], int]) -> list[Array]:
    """The score of each row by each of two learners, an array rows × 2 for each complete experiment of a study.

    `number` tells the experiment from the number of the task and the prediction. There are none if the measure is no
    mean over rows, or if it needs more of a prediction than was kept.
    """
    made: dict[int, Array] = {}
    with Reader(store) as reader:
        grid = study_grid(reader, study_key)
        response = asked_for(grid, [measure])[0].response
        if response is None or response.pointwise is None:
            return []
        for task in grid.tasks:
            whole = truth(reader, task.task_id)
            for said in task_predictions(reader, grid, task):
                table = made.setdefault(number(task.number, said), np.full((len(whole.values), 2), np.nan))
                try:
                    table[said.rows, said.column] = response.losses(whole.rows(said.rows), said.prediction)
                except BakeoffError:
                    return []
    return [table for _, table in sorted(made.items(), key=lambda each: each[0]) if np.isfinite(table).all()]


def as_answers(
    tables: Sequence[Array], learners: tuple[str, ...], measure: Measure, moved: tuple[float, float], seed: int
) -> RowByRow | None:
    """The experiments as they are, with the second learner made worse by so much in those without and with a
    difference; None if there are too few of them, too many values, or no room for the difference."""
    usual = np.bincount([len(table) for table in tables]).argmax() if tables else 0
    alike = [table for table in tables if len(table) == usual]
    if len(alike) < 2 or not fits_memory(len(alike), int(usual)):
        return None
    values = np.array(alike)
    try:
        null, different = (with_difference(values, by, measure, seed) if by else values for by in moved)
    except UsageError:
        return None  # more than there is to lose, row by row
    return RowByRow(_table(null[0], learners, measure), null, different)


def _table(values: Array, learners: tuple[str, ...], measure: Measure) -> Scores:
    n = len(values)
    row, column = np.divmod(np.arange(2 * n), 2)
    labels = tuple(str(i + 1) for i in range(n))
    return Scores.of(
        values.ravel(),
        learner=Factor(learners, column),
        instance=Factor(labels, row),
        measures={measure.name: measure},
        source="rows of an experiment",
    )
