"""Units: patients, or whatever several rows of a task may come from, as what learners are compared on.

Rows of one unit resemble each other. A test that takes them for independent draws finds differences that are not there,
so the losses of a unit's rows become their mean, and the units are what is counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.scores import Factor, Scores
from bakeoff.scores.factor import frozen
from bakeoff.scores.table import UNITS_COMPARED
from bakeoff.stores.grid import study_grid
from bakeoff.stores.reader import Reader

_FACTORS = ("task", "learner", "measure", "repeat", "fold", "status", "message")


def units_of(store: Reader, study_key: str) -> dict[str, NDArray[Any]]:
    """For each task whose rows come in units, by its name in the study: the number of each row's unit."""
    found = {task.name: store.task(task.task_id).units for task in study_grid(store, study_key).tasks}
    return {name: numbers for name, numbers in found.items() if numbers is not None}


def averaged_over_units(scores: Scores, units: Mapping[str, NDArray[Any]]) -> Scores:
    """Scores of test rows as scores of units: the mean over the rows that a unit has in the test sample.

    Curves over single rows (DeLong) are not offered then, because they would count rows.
    """
    if not units:
        return scores
    row = np.array([int(label) for label in scores.instance.labels])[scores.instance.codes] - 1
    unit = row.copy()
    for name, numbers in units.items():
        here = scores.task.codes == scores.task.labels.index(name) if name in scores.task.labels else False
        unit = np.where(here, np.asarray(numbers)[np.where(here, row, 0)], unit)
    places = np.column_stack([scores.task.codes, scores.learner.codes, scores.measure.codes, unit])
    _, first, member = np.unique(places, axis=0, return_index=True, return_inverse=True)
    sizes = np.bincount(member)
    means = np.bincount(member, weights=scores.value) / sizes
    order = np.argsort(first)  # as they came: by task, learner and measure
    first, means = first[order], means[order]
    names: dict[str, Any] = {name: _taken(getattr(scores, name), first) for name in _FACTORS}
    n_units = {name: len(np.unique(unit[scores.task.codes == code])) for code, name in enumerate(scores.tasks)}
    made = Scores.of(
        means,
        measures=scores.measures,
        instance=[str(number + 1) for number in unit[first].tolist()],
        n_train=scores.n_train[first],
        n_test=scores.n_test[first],
        source=scores.source,
        notes=(*scores.notes, *(_note(name, n_units[name], scores) for name in units if name in n_units)),
        **names,
    )
    return replace(made, provenance=scores.provenance)


def _note(task: str, count: int, scores: Scores) -> str:
    rows = int(scores.n_test[scores.task.codes == scores.tasks.index(task)][0])
    return f"The {rows} test rows of {task} come from {count} units (its cluster or group column), {UNITS_COMPARED}"


def _taken(factor: Factor, rows: NDArray[np.intp]) -> Factor:
    return Factor(factor.labels, frozen(factor.codes[rows]))
