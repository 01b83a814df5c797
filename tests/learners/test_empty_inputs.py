"""Inputs without any value, before learners that take missing numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from bakeoff.learners.empty_inputs import EmptyInputs
from bakeoff.learners.facts import Facts
from bakeoff.learners.learner import Learner, Step
from bakeoff.learners.making import make

X = np.array([[1.0, np.nan, np.nan], [np.nan, np.nan, 2.0]])


def test_only_empty_inputs_are_filled_and_the_data_stay() -> None:
    before = X.copy()
    made = EmptyInputs().fit(X).transform(X)
    np.testing.assert_array_equal(made, [[1.0, 0.0, np.nan], [np.nan, 0.0, 2.0]])
    np.testing.assert_array_equal(X, before)


def test_what_the_learning_sample_lacked_is_nothing_in_the_test_sample_too() -> None:
    made = EmptyInputs().fit(X).transform(np.array([[5.0, 7.0, np.nan]]))
    np.testing.assert_array_equal(made, [[5.0, 0.0, np.nan]])


def test_a_table_stays_a_table() -> None:
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    made = EmptyInputs().fit(table).transform(table)
    assert list(made.columns) == ["a", "b", "c"]
    assert made["b"].tolist() == [0.0, 0.0]
    assert table["b"].isna().all()


@pytest.mark.parametrize("categories", [(), ("c",)])
@pytest.mark.parametrize("frame", [True, False])
def test_boosting_learns_beside_an_empty_input(categories: tuple[str, ...], frame: bool) -> None:
    path = f"{HistGradientBoostingClassifier.__module__}.HistGradientBoostingClassifier"
    learner = Learner("boosting", steps=(Step(path, {"max_iter": 2, "min_samples_leaf": 1}),))
    facts = Facts("t", "classification", 40, ("a", "b", "c"), categories, ("a", "b"), frame=frame)
    values = np.column_stack([np.arange(40.0), np.full(40, np.nan), np.arange(40) % 2])
    values[3, 0] = np.nan
    data = pd.DataFrame(values, columns=list("abc")) if frame else values
    fitted = make(learner, facts, 1).fit(data, (np.arange(40) >= 20).astype(int))
    assert fitted.predict(data).shape == (40,)
