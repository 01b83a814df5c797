"""Stabilised discriminant analysis: R's ipred, what it must not depend on, and samples at the edge."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.utils.estimator_checks import parametrize_with_checks

from bakeoff.errors import UsageError
from bakeoff.learners.slda import StabilisedLDA

IPRED = pd.read_csv(Path(__file__).parent / "data" / "ipred_slda.csv")
LOADERS = {"iris": load_iris, "wine": load_wine, "wdbc": load_breast_cancer, "wdbc-few": load_breast_cancer}
X, Y = load_wine(return_X_y=True)


@parametrize_with_checks([StabilisedLDA(), StabilisedLDA(n_scores=2)])
def test_it_is_an_estimator_of_scikit_learn(estimator, check) -> None:
    check(estimator)


@pytest.mark.parametrize(("name", "step"), [("iris", 2), ("wine", 2), ("wdbc", 2), ("wdbc-few", 28)])
def test_ipred_says_the_same(name: str, step: int) -> None:
    # ipred was given standardised inputs; ours are raw. "few" has 21 cases and 30 inputs.
    data = LOADERS[name]()
    labels = data.target_names[data.target]
    learner = StabilisedLDA().fit(data.data[::step], labels[::step])
    posterior, coordinates = learner.predict_proba(data.data), learner.transform(data.data)
    found = IPRED[IPRED.data == name]
    assert set(found.scores) == {learner.weights_.shape[1]}
    ours = {f"posterior {label}": posterior[:, k] for k, label in enumerate(learner.classes_)}
    ours |= {f"coordinate LD{k + 1}": coordinates[:, k] for k in range(coordinates.shape[1])}
    assert set(found.what) == set(ours)
    for what, rows in found.groupby("what"):
        mine = ours[what][rows.row - 1]
        theirs = rows.value.to_numpy()
        if what.startswith("coordinate"):  # whose sign is free
            mine = mine * np.sign(mine @ theirs)
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-11)  # the file has twelve digits


def test_units_and_order_do_not_matter() -> None:
    expected = StabilisedLDA().fit(X, Y).predict_proba(X)
    units = np.geomspace(1e-4, 1e4, X.shape[1])
    np.testing.assert_allclose(StabilisedLDA().fit(X * units + 3, Y).predict_proba(X * units + 3), expected, atol=1e-8)
    order = np.random.default_rng(1).permutation(len(X))
    np.testing.assert_allclose(StabilisedLDA().fit(X[order], Y[order]).predict_proba(X), expected, atol=1e-8)


def test_with_all_scores_it_is_the_classical_analysis() -> None:
    # Normal densities with the pooled covariance matrix of the inputs themselves. (scikit-learn's analysis divides that
    # matrix by n, R's and this one by n less the number of classes.)
    means = np.array([X[k == Y].mean(axis=0) for k in range(3)])
    pooled = (X - means[Y]).T @ (X - means[Y]) / (len(Y) - 3)
    weights = np.array([(k == Y).mean() * multivariate_normal(means[k], pooled).pdf(X) for k in range(3)]).T
    expected = weights / weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(StabilisedLDA(n_scores=13).fit(X, Y).predict_proba(X), expected, atol=1e-8)
    np.testing.assert_allclose(StabilisedLDA(n_scores=99).fit(X, Y).predict_proba(X), expected, atol=1e-8)


def test_scores_are_orthogonal_eigenvectors() -> None:
    learner = StabilisedLDA().fit(X, Y)
    centred = X - X.mean(axis=0)
    W = centred.T @ centred
    left, right = W @ learner.weights_, np.diag(np.diag(W)) @ learner.weights_ * learner.eigenvalues_[:3]
    np.testing.assert_allclose(left, right, rtol=1e-8, atol=1e-8 * np.abs(left).max())
    scores = centred @ learner.weights_
    np.testing.assert_allclose(scores.T @ scores, np.eye(3), atol=1e-10)
    assert learner.eigenvalues_[2] > 1 > learner.eigenvalues_[3]


def test_coordinates_have_variance_one_within_classes() -> None:
    coordinates = StabilisedLDA().fit(X, Y).transform(X)
    residuals = coordinates - np.array([coordinates[k == Y].mean(axis=0) for k in range(3)])[Y]
    np.testing.assert_allclose(residuals.T @ residuals / (len(Y) - 3), np.eye(2), atol=1e-9)


def test_uncorrelated_inputs_are_all_kept() -> None:
    grid = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 2, dtype=float)
    assert StabilisedLDA().fit(grid, np.arange(16) % 2).weights_.shape == (3, 3)


def test_constant_inputs_are_passed_over() -> None:
    padded = np.hstack([X, np.full((len(X), 2), 0.1)])
    np.testing.assert_allclose(
        StabilisedLDA().fit(padded, Y).predict_proba(padded), StabilisedLDA().fit(X, Y).predict_proba(X), atol=1e-10
    )


def test_nothing_but_constants_leaves_the_proportions() -> None:
    learner = StabilisedLDA().fit(np.ones((4, 2)), ["a", "a", "a", "b"])
    np.testing.assert_allclose(learner.predict_proba(np.ones((1, 2))), [[0.75, 0.25]])


def test_classes_that_are_points_are_told_apart() -> None:
    learner = StabilisedLDA().fit([[0.0], [0.0], [1.0], [1.0]], ["a", "a", "b", "b"])
    assert list(learner.predict([[0.0], [0.4], [0.6], [1.0]])) == ["a", "a", "b", "b"]


def test_priors_move_the_border() -> None:
    two, labels = X[Y < 2], Y[Y < 2]
    even, skew = (StabilisedLDA(priors=p).fit(two, labels) for p in ([0.5, 0.5], [0.1, 0.9]))
    # The log odds of the second class rise by log 9.
    np.testing.assert_allclose(skew.decision_function(two) - even.decision_function(two), np.log(9), atol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "labels", "words"),
    [
        ({"n_scores": 0}, Y, "n_scores is a whole number of at least 1, or None; found 0"),
        ({"n_scores": 1.5}, Y, "found 1.5"),
        ({"n_scores": True}, Y, "found True"),
        ({"priors": [0.5, 0.5]}, Y, "priors are 3 positive probabilities"),
        ({"priors": [0.5, 0.6, 0.1]}, Y, "add up to one"),
        ({"priors": [0, 0.5, 0.5]}, Y, "positive"),
        ({}, np.zeros(len(Y)), "needs at least two classes; found one class"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(parameters: dict, labels: np.ndarray, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        StabilisedLDA(**parameters).fit(X, labels)


def test_names_of_columns_are_kept() -> None:
    data = load_wine(as_frame=True)
    learner = StabilisedLDA().fit(data.data, data.target)
    assert list(learner.feature_names_in_) == list(data.data.columns)
    assert list(learner.get_feature_names_out()) == ["stabilisedlda0", "stabilisedlda1"]
