from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from bakeoff.errors import UsageError
from bakeoff.learners.fit import fit_and_predict
from bakeoff.learners.learner import DataInfo, Learner, Step, Tuning
from bakeoff.learners.make import make
from bakeoff.learners.tuning import TUNING_MEASURES, InnerFolds, check_tuning, chosen, is_tuned, scoring_for

TWO = DataInfo("t", "classification", 60, ("a", "b"), classes=("yes", "no"))
THREE = DataInfo("t", "classification", 60, ("a", "b"), classes=("r", "s", "t"))
REGRESSION = DataInfo("t", "regression", 60, ("a", "b"))
DENSITY = DataInfo("t", "density", 60, ("a", "b"))
RNG = np.random.default_rng(11)
X = RNG.normal(size=(60, 2))
LABELS = np.where(X[:, 0] + 0.5 * RNG.normal(size=60) > 0, "yes", "no")


def nearest_neighbours(**tuning: Any) -> Learner:
    grid = tuning.pop("grid", {"n_neighbors": (1, 9)})
    return Learner("k", steps=(Step("sklearn.neighbors.KNeighborsClassifier"),), tuning=Tuning(grid, **tuning))


class Recorder(ClassifierMixin, BaseEstimator):
    """Writes down which rows it learned from and predicted: inputs are row numbers."""

    seen: list[tuple[set[float], set[float]]] = []  # noqa: RUF012  (clones share it on purpose)

    def __init__(self, dial: int = 0) -> None:
        self.dial = dial

    def fit(self, X: Any, y: Any) -> Recorder:
        self.rows_, self.classes_ = set(X[:, 0]), np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        self.seen.append((self.rows_, set(X[:, 0])))
        return np.repeat(self.classes_[:1], len(X))


@pytest.fixture
def recorded() -> list[tuple[set[float], set[float]]]:
    Recorder.seen.clear()
    return Recorder.seen


def tune_recorder(rows: np.ndarray, groups: np.ndarray | None) -> None:
    learner = Learner("r", estimator=Recorder(), tuning=Tuning({"dial": (1, 2)}, folds=4))
    search = make(learner, TWO, 5)
    inputs = np.column_stack([rows, rows]).astype(float)
    labels = np.where(np.arange(len(rows)) % 2, "yes", "no")
    fit_and_predict(search, inputs, labels, np.array([[-1.0, -1.0]]), TWO, groups)


def test_copies_of_a_row_never_stand_on_both_sides(recorded: list[tuple[set[float], set[float]]]) -> None:
    rows = np.sort(np.random.default_rng(3).integers(0, 30, size=30))
    tune_recorder(rows, rows)
    inner = [(learned, tested) for learned, tested in recorded if -1 not in tested]
    assert len(inner) == 8
    assert all(not learned & tested for learned, tested in inner)
    # Without being told, some would: the test can fail.
    recorded.clear()
    tune_recorder(rows, None)
    assert any(learned & tested for learned, tested in recorded)


def test_the_test_rows_have_no_say(recorded: list[tuple[set[float], set[float]]]) -> None:
    tune_recorder(np.arange(20), None)
    assert all(-1 not in learned for learned, _ in recorded)
    # The last fit is that of the chosen setting on the whole learning sample.
    assert recorded[-1] == (set(range(20)), {-1})


def test_inner_folds_are_stratified_and_seeded() -> None:
    y = np.repeat(["a", "b"], [40, 8])
    folds = list(InnerFolds(4, True, 1).split(np.zeros((48, 1)), y))
    assert [int((y[test] == "b").sum()) for _, test in folds] == [2, 2, 2, 2]
    again = list(InnerFolds(4, True, 1).split(np.zeros((48, 1)), y))
    other = list(InnerFolds(4, True, 2).split(np.zeros((48, 1)), y))
    assert all((one[1] == two[1]).all() for one, two in zip(folds, again, strict=True))
    assert any((one[1] != two[1]).any() for one, two in zip(folds, other, strict=True))
    assert InnerFolds(4, True, 1).get_n_splits() == 4


def test_fewer_rows_than_folds() -> None:
    assert InnerFolds(5, False, 1).get_n_splits(np.zeros((3, 1))) == 3


def test_the_same_seed_chooses_the_same() -> None:
    for seed in (1, 2):
        first = fit_and_predict(make(nearest_neighbours(), TWO, seed), X, LABELS, X, TWO)
        second = fit_and_predict(make(nearest_neighbours(), TWO, seed), X, LABELS, X, TWO)
        assert (first.prediction.values == second.prediction.values).all()
        assert chosen(first.estimator) == chosen(second.estimator)


def test_what_was_chosen_is_told() -> None:
    made = make(nearest_neighbours(grid={"n_neighbors": (9,)}), TWO, 1)
    assert chosen(made) == {}
    assert chosen(fit_and_predict(made, X, LABELS, X, TWO).estimator) == {"n_neighbors": "9"}
    assert chosen(KNeighborsClassifier()) == {}
    assert not is_tuned(KNeighborsClassifier())


def test_a_failure_inside_the_search_is_a_failure() -> None:
    made = make(nearest_neighbours(grid={"n_neighbors": (1, 1000)}), TWO, 1)
    with pytest.raises(ValueError, match="n_neighbors"):
        fit_and_predict(made, X, LABELS, X, TWO)


@pytest.mark.parametrize("measure", TUNING_MEASURES["classification"])
@pytest.mark.parametrize("facts", [TWO, THREE], ids=["two classes", "three classes"])
def test_every_measure_of_classes_can_be_tuned_for(measure: str, facts: DataInfo) -> None:
    y = np.array(facts.classes)[np.digitize(X[:, 0], [-0.5, 0.5]) % len(facts.classes)]
    search = fit_and_predict(make(nearest_neighbours(measure=measure), facts, 1), X, y, X, facts).estimator
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("measure", TUNING_MEASURES["regression"])
def test_every_measure_of_numbers_can_be_tuned_for(measure: str) -> None:
    ridge = Learner("r", steps=(Step("sklearn.linear_model.Ridge"),), tuning=Tuning({"alpha": (1e-3, 1e6)}, 5, measure))
    search = fit_and_predict(make(ridge, REGRESSION, 1), X, X[:, 0] + 3, X, REGRESSION).estimator
    assert search.best_params_ == {"alpha": 1e-3}


def test_a_density_is_tuned_for_its_likelihood() -> None:
    kernel = Learner(
        "k", steps=(Step("sklearn.neighbors.KernelDensity"),), tuning=Tuning({"bandwidth": (1e-3, 0.5, 1e3)})
    )
    fitted = fit_and_predict(make(kernel, DENSITY, 1), X, None, X, DENSITY)
    assert chosen(fitted.estimator) == {"bandwidth": "0.5"}


def test_the_positive_class_is_the_last() -> None:
    # Everything is predicted to be "no", the last class: its recall is one.
    scorer: Any = scoring_for("recall", TWO, "learner 'x'")
    always = GaussianNB(priors=[1.0, 0.0]).fit(X, LABELS)
    assert list(always.classes_) == ["no", "yes"]
    with np.errstate(divide="ignore"):
        assert scorer(always, X, LABELS) == 1.0


def test_log_loss_is_that_of_scikit_learn_and_survives_an_absent_class() -> None:
    scorer: Any = scoring_for("log_loss", TWO, "learner 'x'")
    model = GaussianNB().fit(X, LABELS)
    assert scorer(model, X, LABELS) == pytest.approx(-log_loss(LABELS, model.predict_proba(X)))
    assert np.isfinite(scorer(model, X[:2], np.array(["other", "yes"])))


@pytest.mark.parametrize(
    ("measure", "facts", "scoring"),
    [
        (None, TWO, "accuracy"),
        (None, REGRESSION, "neg_mean_squared_error"),
        ("mse", REGRESSION, "neg_mean_squared_error"),
        ("ROC AUC", TWO, "roc_auc"),
        ("auc", THREE, "roc_auc_ovr"),
    ],
)
def test_measures_by_any_name(measure: str | None, facts: DataInfo, scoring: str) -> None:
    assert scoring_for(measure, facts, "learner 'x'") == scoring


@pytest.mark.parametrize(
    ("tuning", "says"),
    [
        (Tuning({}), "tune is empty"),
        (Tuning({"C": ()}), "tune.C is ()"),
        (Tuning({"C": 3}), "tune.C is 3"),  # type: ignore[dict-item]
        (Tuning({"kernel": "rbf"}), "tune.kernel is 'rbf'"),  # type: ignore[dict-item]
        (Tuning({"C": (1,)}, folds=1), "tuning.folds is 1"),
        (Tuning({"C": (1,)}, folds=True), "tuning.folds is True"),
        (Tuning({"C": (1,)}, measure="acuracy"), "Did you mean 'accuracy'?"),
    ],
)
def test_tunings_that_cannot_be(tuning: Tuning, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_tuning(tuning, "learner 'svm'")
    assert says in str(caught.value)
