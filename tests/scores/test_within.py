from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import MisfitError
from bakeoff.measures import known_measure
from bakeoff.scores import Missing, Scores
from bakeoff.scores.within import within_tasks


def scores(values: list[float], **keys: list[str]) -> Scores:
    measure = known_measure("accuracy")
    assert measure is not None
    return Scores.of(values, measures={"accuracy": measure}, **keys)  # type: ignore[arg-type]


def two_learners(values: list[float]) -> Scores:
    return scores(
        values,
        learner=["a", "b"] * 6,
        task=["x"] * 6 + ["y"] * 6,
        fold=["1", "1", "2", "2", "3", "3"] * 2,
    )


def test_columns_are_cut_up_into_tasks() -> None:
    values = [0.1 * i for i in range(12)]
    found = within_tasks(two_learners(values))
    assert [part.tolist() for part in found.by_task(found.sheet.values[:, 1])] == [values[1:6:2], values[7:12:2]]


def test_rows_of_a_task_need_not_stand_together() -> None:
    found = within_tasks(scores([1, 2, 3, 4], learner=["a"] * 4, task=["x", "y", "x", "y"], fold=["1", "1", "2", "2"]))
    assert [part.tolist() for part in found.by_task(found.sheet.values[:, 0])] == [[1, 3], [2, 4]]


def test_repeats_are_folds_of_their_task_and_instances_are_averaged() -> None:
    found = within_tasks(
        scores([1, 3, 5, 7], learner=["a"] * 4, task=["x"] * 4, repeat=["1", "1", "2", "2"], instance=["i", "j"] * 2)
    )
    assert [part.tolist() for part in found.by_task(found.sheet.values[:, 0])] == [[2, 6]]


def test_missing_values_are_settled_as_ever() -> None:
    values = [0.1 * i for i in range(12)]
    values[3] = float("nan")
    with pytest.raises(MisfitError, match="no value"):
        within_tasks(two_learners(values))
    found = within_tasks(two_learners(values), missing=Missing.DROP_BLOCK)
    assert [len(part) for part in found.by_task(found.sheet.values[:, 0])] == [2, 3]
    worst = within_tasks(two_learners(values), missing=Missing.WORST)
    assert np.isfinite(worst.sheet.values).all()
