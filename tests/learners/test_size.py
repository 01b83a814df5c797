from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bakeoff.learners.size import free_parameters, model_size

RNG = np.random.default_rng(2)
X = RNG.normal(size=(40, 3))
TWO, THREE = np.repeat([0, 1], 20), np.repeat([0, 1, 2, 2], 10)


@pytest.mark.parametrize(
    ("model", "y", "count"),
    [
        (LogisticRegression(), TWO, 3 + 1),
        (LogisticRegression(), THREE, 3 * 3 + 3),
        (Ridge(), TWO, 3 + 1),
        (make_pipeline(StandardScaler(), Ridge()), TWO, 3 + 1),
        (GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [1, 2]}), TWO, 3 + 1),
        (MLPRegressor(hidden_layer_sizes=(4,), max_iter=1000, tol=1e9, n_iter_no_change=1), TWO, 3 * 4 + 4 + 4 + 1),
        (GaussianNB(), TWO, 2 * 3 + 2 * 3 + 2),
        (GaussianMixture(2), None, 2 + 2 * 3 + 2 * 9),
        (KNeighborsClassifier(), TWO, None),
    ],
)
def test_counts_that_can_be_told(model: Any, y: Any, count: int | None) -> None:
    assert free_parameters(model.fit(X, y)) == count


def test_trees_count_their_nodes() -> None:
    tree = DecisionTreeClassifier(max_depth=2, random_state=1).fit(X, TWO)
    assert free_parameters(tree) == tree.tree_.node_count
    forest = RandomForestClassifier(5, random_state=1).fit(X, TWO)
    assert free_parameters(forest) == sum(one.tree_.node_count for one in forest.estimators_)
    boosted = GradientBoostingClassifier(n_estimators=4, random_state=1).fit(X, THREE)
    assert free_parameters(boosted) == sum(one.tree_.node_count for one in boosted.estimators_.ravel())
    by_histogram = HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2).fit(X, TWO)
    assert free_parameters(by_histogram) == sum(len(one.nodes) for (one,) in by_histogram._predictors)


def test_support_vectors() -> None:
    machine = SVC().fit(X, TWO)
    n = len(machine.support_)
    assert free_parameters(machine) == n + 3 * n + 1


def test_bytes_grow_with_the_model() -> None:
    small = model_size(RandomForestClassifier(2, random_state=1).fit(X, TWO))
    large = model_size(RandomForestClassifier(20, random_state=1).fit(X, TWO))
    assert small is not None
    assert large is not None
    assert 0 < small < large


def test_bytes_are_those_of_the_chosen_model() -> None:
    search = GridSearchCV(Ridge(), {"alpha": [1, 2]}).fit(X, TWO)
    assert model_size(search) == model_size(search.best_estimator_)


def test_what_cannot_be_written_has_no_size() -> None:
    model = Ridge().fit(X, TWO)
    model.secret_ = lambda: 1
    assert model_size(model) is None
    assert model_size(None) is None
    assert free_parameters(None) is None


def test_large_arrays_are_counted_whole() -> None:
    model = Ridge()
    model.ballast_ = np.zeros(1_000_000)
    assert (model_size(model) or 0) > 8_000_000
