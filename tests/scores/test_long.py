"""The long form: one value for each learner on each resample of each task."""

from __future__ import annotations

from math import nan

from bakeoff.measures import known_measure
from bakeoff.scores import Scores, long_form

ACCURACY = {"accuracy": known_measure("accuracy")}


def test_instances_are_averaged_and_missing_values_left_out() -> None:
    made = Scores.of(
        [1, 0, 1, 1, nan, 0.5],
        learner=["a", "a", "b", "b", "a", "b"],
        task=["t", "t", "t", "t", "u", "u"],
        fold=["1", "1", "1", "1", "1", "1"],
        instance=["x", "y", "x", "y", "z", "z"],
        measures=ACCURACY,  # type: ignore[arg-type]
    )
    value, learner, task = long_form(made)
    assert value.tolist() == [0.5, 1.0, 0.5]
    assert learner.tolist() == ["a", "b", "b"]
    assert task.tolist() == ["t", "t", "u"]


def test_learners_may_have_folds_of_their_own() -> None:
    made = Scores.of(
        [0.1, 0.2, 0.3],
        learner=["a", "a", "b"],
        fold=["1", "2", "3"],
        measures=ACCURACY,  # type: ignore[arg-type]
    )
    assert long_form(made)[0].tolist() == [0.1, 0.2, 0.3]
