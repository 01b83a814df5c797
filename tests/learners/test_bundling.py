"""Bundling: R's ipred exactly and on average, reproducibility, what auxiliaries may be, the smallest samples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from bakeoff.errors import UsageError
from bakeoff.learners import bundling
from bakeoff.learners.bundling import AGGREGATIONS, Bundling, grow

DATA = Path(__file__).parent / "data"
CANCER = load_breast_cancer()
X, Y = CANCER.data, CANCER.target_names[CANCER.target]
IRIS, SPECIES = load_iris(return_X_y=True)


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    # As in bakeoff's workers: for fits as small as these, threads of linear algebra only get in each other's way.
    with threadpool_limits(1):
        yield


@parametrize_with_checks([Bundling(n_estimators=2)])
def test_it_is_an_estimator_of_scikit_learn(estimator, check) -> None:
    check(estimator)


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_ipred_says_the_same_with_the_same_bootstrap_samples(aggregation: str, monkeypatch) -> None:
    inputs = [1, 3, 4, 8, 9]  # no two splits on these are equally good, so that chance has nothing to decide
    samples = pd.read_csv(DATA / "ipred_bootstrap_samples.csv").to_numpy().T - 1
    monkeypatch.setattr(bundling, "bootstrap_samples", lambda n, number, random: list(samples))
    learner = Bundling(
        auxiliary=[LinearDiscriminantAnalysis()],
        n_estimators=7,
        max_depth=2,
        min_samples_leaf=5,
        aggregation=aggregation,
        random_state=1,
    ).fit(X[::2, inputs], Y[::2])
    theirs = pd.read_csv(DATA / "ipred_double_bagging.csv")
    mine = learner.predict_proba(X[theirs.row - 1][:, inputs])[:, 1]
    np.testing.assert_allclose(mine, theirs[aggregation], rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    ("name", "auxiliary"),
    [("lda", [LinearDiscriminantAnalysis()]), ("slda_neighbours", ["slda", "nearest_neighbours"])],
)
def test_errors_are_those_of_ipred(name: str, auxiliary: list) -> None:
    # The same five halvings of the data, trees of full size. All twenty are compared in data/README.md.
    theirs = pd.read_csv(DATA / "ipred_errors.csv")
    theirs = theirs[(theirs.learner == name) & (theirs.half <= 5)]
    row = np.arange(1, len(X) + 1)
    differences = []
    for half, n_test, error in zip(theirs.half, theirs.n_test, theirs.error, strict=True):
        learn = row * 7919 * half % 1009 % 2 == 0
        assert (~learn).sum() == n_test
        learner = Bundling(auxiliary=auxiliary, n_estimators=15, random_state=half).fit(X[learn], Y[learn])
        differences.append(1 - learner.score(X[~learn], Y[~learn]) - error)
    # The difference of one halving has a standard deviation of .008 (seen in all twenty, for each of the two), the
    # mean of five .0036; fewer trees than R's 50, for speed, add some .003 to the error.
    assert abs(np.mean(differences)) < 0.003 + 3 * 0.0036


def test_auxiliaries_help_where_a_line_parts_the_classes() -> None:
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(400, 6))
    labels = inputs.sum(axis=1) > 0
    learners = [Bundling(auxiliary=a, n_estimators=10, random_state=1) for a in ((), bundling.AUXILIARIES)]
    bagging, bundled = (
        learner.fit(inputs[:200], labels[:200]).score(inputs[200:], labels[200:]) for learner in learners
    )
    assert bundled > bagging + 0.05


def test_auxiliaries_see_only_the_cases_out_of_the_bag() -> None:
    seen = []

    class Spy(DecisionTreeClassifier):
        def fit(self, X, y):
            seen.append(sorted(X[:, 0].astype(int)))
            return super().fit(X, y)

    inputs = np.column_stack([np.arange(30), np.arange(30) % 7])
    rows = np.array([0, 0, 1, 2, 3, 5, 8, 13, 21])
    grown = grow(inputs, np.arange(30) % 2, rows, [Spy()], DecisionTreeClassifier(), seed=1)
    assert seen == [[i for i in range(30) if i not in rows]]
    assert grown.tree.tree_.n_node_samples[0] == len(rows)
    assert grown.tree.n_features_in_ == 3  # two inputs, and the probability of the second class


def test_same_seed_same_result_whatever_the_threads() -> None:
    first, again, threads, other = (
        Bundling(n_estimators=4, random_state=seed, n_jobs=jobs).fit(IRIS, SPECIES).predict_proba(IRIS)
        for seed, jobs in ((1, None), (1, None), (1, 2), (2, None))
    )
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, threads)
    assert (first != other).any()


def test_global_seeds_do_not_matter() -> None:
    forest = RandomForestClassifier(n_estimators=3)  # random, and without a seed of its own
    found = []
    for seed in (1, 2):
        np.random.seed(seed)
        learner = Bundling(auxiliary=[forest], n_estimators=3, random_state=7).fit(IRIS, SPECIES)
        found.append(learner.predict_proba(IRIS))
    np.testing.assert_array_equal(*found)
    assert forest.random_state is None  # what was passed in is not touched


def test_a_seed_of_an_auxiliary_is_respected() -> None:
    learner = Bundling(auxiliary=[RandomForestClassifier(n_estimators=2, random_state=5)], n_estimators=2).fit(
        IRIS, SPECIES
    )
    assert [bundle.auxiliaries[0].random_state for bundle in learner.bundles_] == [5, 5]


class LabelsOnly(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.label_ = y[0]
        return self

    def predict(self, X):
        return np.full(len(X), self.label_)


@pytest.mark.parametrize(
    ("auxiliary", "columns"),
    [
        (LinearDiscriminantAnalysis(), 2),  # transform: discriminant coordinates
        (RandomForestClassifier(n_estimators=2), 2),  # predict_proba: the first class follows from the others
        (LinearSVC(), 3),  # decision_function
        (LinearRegression(), 1),  # predict
        (LabelsOnly(), 1),
        (KMeans(n_clusters=4, n_init=1), 4),
    ],
)
def test_what_is_taken_of_an_auxiliary(auxiliary, columns: int) -> None:
    learner = Bundling(auxiliary=[auxiliary], n_estimators=2, random_state=1).fit(IRIS, SPECIES)
    assert {bundle.tree.n_features_in_ for bundle in learner.bundles_} == {4 + columns}
    assert learner.score(IRIS, SPECIES) > 0.9


def test_aggregations_by_hand() -> None:
    # One input, trees of one split, no auxiliaries: leaves of 3 a / 1 b and 0 a / 2 b, then 1 a / 1 b and 0 a / 4 b.
    # A tree whose leaf has as many cases of both classes votes for the first.
    inputs = np.array([[0.0], [0.0], [0.0], [0.0], [1.0], [1.0]])
    learner = Bundling(auxiliary=(), n_estimators=2).fit(inputs, list("aaabbb"))
    tree = DecisionTreeClassifier(max_depth=1)
    codes = np.array([0, 0, 0, 1, 1, 1])
    bundles = [grow(inputs, codes, np.array(rows), (), tree, 1) for rows in ([0, 1, 2, 3, 4, 5], [0, 3, 4, 4, 5, 5])]
    learner.bundles_ = bundles
    expected = {"majority": 1.0, "average": (3 / 4 + 1 / 2) / 2, "weighted": 4 / 6}
    for aggregation, share in expected.items():
        learner.set_params(aggregation=aggregation)
        np.testing.assert_allclose(learner.predict_proba([[0.0], [1.0]]), [[share, 1 - share], [0, 1]])


def test_probabilities_and_classes_agree() -> None:
    learner = Bundling(n_estimators=5, random_state=1).fit(IRIS[::2], SPECIES[::2])
    shares = learner.predict_proba(IRIS)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(learner.predict(IRIS), shares.argmax(axis=1))
    np.testing.assert_allclose(shares * 5, (shares * 5).round(), atol=1e-12)  # votes of five trees


def test_the_smallest_samples_and_rare_classes() -> None:
    assert list(Bundling(n_estimators=3, random_state=1).fit([[0.0], [1.0]], [0, 1]).classes_) == [0, 1]
    labels = ["a"] * 10 + ["b"] * 9 + ["c"]  # "c" is in the bag or out of it, never both
    inputs = np.random.default_rng(1).normal(size=(20, 2))
    assert Bundling(n_estimators=20, random_state=1).fit(inputs, labels).predict_proba(inputs).shape == (20, 3)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_estimators": 0}, "n_estimators is a whole number of at least 1; found 0"),
        ({"n_estimators": 2.5}, "found 2.5"),
        ({"aggregation": "majorty"}, "'majorty' is unknown. Did you mean 'majority'"),
        ({"auxiliary": "slda"}, "auxiliary is a list of names and estimators; found 'slda'"),
        (
            {"auxiliary": ["logistic_regresion"]},
            "no auxiliary learner 'logistic_regresion'. Did you mean 'logistic_regression'",
        ),
        ({"auxiliary": [3]}, "a name or a scikit-learn estimator; found 3"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(parameters: dict, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Bundling(**parameters).fit(IRIS, SPECIES)


def test_one_class_is_refused() -> None:
    with pytest.raises(UsageError, match="needs at least two classes"):
        Bundling().fit(IRIS, np.zeros(len(IRIS)))


def test_it_can_be_cloned_and_described() -> None:
    learner = Bundling(auxiliary=["slda", LinearSVC(C=2)])
    assert clone(learner).auxiliary[1].C == 2
