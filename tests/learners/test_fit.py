from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity, KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from bakeoff.errors import UsageError
from bakeoff.learners.fit import check_learner, codes_of, fit_and_predict, free_parameters, model_size, numbers_of
from bakeoff.learners.learner import DataInfo, FitResult, InvalidPrediction, Learner, Step, Tuning

COMMAND = ("perl", "{train}", "{test}", "{output}")
STEPS = (Step("surely.not.There", {"inner": {"path": "nor.This", "parameters": {}}}),)


def test_what_is_well_described_passes_unimported() -> None:
    assert check_learner(Learner("x", steps=STEPS, tuning=Tuning({"C": (1, 2)}))) == ()
    assert check_learner(Learner("x", estimator=object())) == ()


def test_a_program_that_is_missing_is_a_warning() -> None:
    (warning,) = check_learner(Learner("x", command=("surely-not-there-9", *COMMAND[1:])))
    assert "not found" in warning


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "found is nothing"),
        ({"steps": STEPS, "command": COMMAND}, "found is path or pipeline and command"),
        ({"steps": STEPS, "prepare": "standrd"}, "Did you mean 'standard'?"),
        ({"steps": (Step("SVC"),)}, "'SVC' is no import path"),
        ({"steps": (Step("a.B", {"c": [{"path": "D"}]}),)}, "'D' is no import path"),
        ({"steps": STEPS, "tuning": Tuning({})}, "tune is empty"),
        ({"command": COMMAND, "prepare": "standard"}, "prepares its data itself"),
        ({"command": COMMAND, "prepare": "auto-drop-first"}, "prepares its data itself"),
        ({"command": COMMAND, "tuning": Tuning({"C": (1,)})}, "cannot be tuned from outside"),
        ({"command": ("perl",)}, "lacks {train}"),
    ],
)
def test_what_can_never_run(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_learner(Learner("x", **given))
    assert says in str(caught.value)
    assert str(caught.value).startswith("learner 'x': ")


def test_checking_loads_nothing_heavy() -> None:
    code = (
        "import sys; from bakeoff.learners.fit import check_learner; from bakeoff.learners.learner import *;"
        "check_learner(Learner('x', steps=(Step('sklearn.svm.SVC'),), tuning=Tuning({'C': (1,)}, measure='auc')));"
        "assert not {'sklearn', 'pandas', 'scipy', 'matplotlib'} & set(sys.modules), sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ----------------------------------------------------------------------------------------------------------------------
# Predicting


RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 3))
BINARY = np.where(X[:, 0] > 0, "yes", "no")
TERNARY = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]


def facts(*classes: Any, kind: str = "classification") -> DataInfo:
    return DataInfo("t", kind, 60, ("u", "v", "w"), classes=classes)


class Says:
    """A learner that answers what it was told to."""

    def __init__(self, labels: Any, classes: Any = None, probabilities: Any = None, decisions: Any = None) -> None:
        self.labels = labels
        if classes is not None:
            self.classes_ = np.asarray(classes)
        if probabilities is not None:
            self.predict_proba = lambda X: probabilities
        if decisions is not None:
            self.decision_function = lambda X: decisions

    def fit(self, X: Any, y: Any) -> None:
        pass

    def predict(self, X: Any) -> Any:
        return self.labels


def said(estimator: Any, n: int, given: DataInfo) -> FitResult:
    learned = np.array([given.classes[0], *given.classes[1:]], dtype=object) if given.classes else np.zeros(2)
    return fit_and_predict(estimator, np.zeros((len(learned), 1)), learned, np.zeros((n, 1)), given)


def refusal(estimator: Any, n: int, given: DataInfo) -> str:
    with pytest.raises(InvalidPrediction) as caught:
        said(estimator, n, given)
    return str(caught.value)


def test_probabilities_are_those_of_the_second_class() -> None:
    model = LogisticRegression().fit(X, BINARY)
    for classes in (("no", "yes"), ("yes", "no")):
        found = fit_and_predict(LogisticRegression(), X, BINARY, X, facts(*classes)).prediction
        assert found.probabilistic
        assert found.scores is not None
        column = list(model.classes_).index(classes[1])
        assert (found.scores == model.predict_proba(X)[:, column]).all()
        assert (np.array(classes)[found.values] == model.predict(X)).all()


def test_decisions_speak_for_the_second_class() -> None:
    model = LinearSVC().fit(X, BINARY)
    for classes, sign in ((("no", "yes"), 1), (("yes", "no"), -1)):
        found = fit_and_predict(LinearSVC(), X, BINARY, X, facts(*classes)).prediction
        assert not found.probabilistic
        assert found.scores == pytest.approx(sign * model.decision_function(X))


def test_three_classes_in_another_order() -> None:
    model = LogisticRegression().fit(X, TERNARY)
    found = fit_and_predict(LogisticRegression(), X, TERNARY, X, facts("c", "a", "b")).prediction
    assert found.scores is not None
    assert (found.scores == model.predict_proba(X)[:, [2, 0, 1]]).all()
    machine = fit_and_predict(SVC(), X, TERNARY, X, facts("c", "a", "b")).prediction
    assert machine.scores is not None
    assert machine.scores.shape == (60, 3)


def test_columns_of_a_table_go_by_their_names() -> None:
    given, classes = [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]], ["a", "b", "c"]
    for order in ([0, 1, 2], [2, 0, 1]):
        table = pd.DataFrame(given, columns=classes).iloc[:, order]
        prediction = said(Says(["c", "c"], classes, probabilities=table), 2, facts(*classes)).prediction
        assert prediction.scores is not None
        assert prediction.scores.tolist() == given
    unnamed = said(Says(["c", "c"], classes, probabilities=pd.DataFrame(given)), 2, facts(*classes)).prediction
    assert unnamed.scores is not None
    assert unnamed.scores.tolist() == given


def test_what_a_learner_masks_is_no_answer() -> None:
    masked = np.ma.masked_array(["a", "b", "a"], [False, True, False])
    assert refusal(Says(masked), 3, facts("a", "b")).startswith("1 of 3 values are masked")
    assert said(Says(np.ma.masked_array(["a", "b", "a"])), 3, facts("a", "b")).prediction.values.tolist() == [0, 1, 0]


def test_a_class_that_was_not_learned_has_a_column_of_zeros() -> None:
    some = TERNARY != "b"
    for model in (LogisticRegression(), LinearSVC()):
        found = fit_and_predict(model, X[some], TERNARY[some], X, facts("a", "b", "c")).prediction
        assert found.scores is not None
        assert found.scores.shape == (60, 3)
        assert not found.scores[:, 1].any()
        assert set(found.values) == {0, 2}
        assert (found.scores[:, [0, 2]].argmax(axis=1) * 2 == found.values).all()


def test_one_class_learned_of_two() -> None:
    found = said(Says(["yes", "yes"], ["yes"], [[1.0], [1.0]]), 2, facts("no", "yes")).prediction
    assert found.scores is not None
    assert found.scores.tolist() == [1, 1]
    found = said(Says(["no", "no"], ["no"], [[1.0], [1.0]]), 2, facts("no", "yes")).prediction
    assert found.scores is not None
    assert found.scores.tolist() == [0, 0]


def test_decisions_of_pairs_order_no_class() -> None:
    pairs = make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo"))
    assert fit_and_predict(pairs, X, TERNARY, X, facts("a", "b", "c")).prediction.scores is None
    two = fit_and_predict(SVC(decision_function_shape="ovo"), X, BINARY, X, facts("no", "yes")).prediction
    assert two.scores is not None


def test_labels_alone_will_do() -> None:
    assert said(Says(["no", "yes"]), 2, facts("no", "yes")).prediction.scores is None
    found = fit_and_predict(NearestCentroid(), X, BINARY, X, facts("no", "yes")).prediction
    assert len(found.values) == 60


@pytest.mark.parametrize(
    ("labels", "classes", "codes"),
    [
        (np.array([3, 1]), (1, 3), [1, 0]),
        (np.array([3.0, 1.0]), (1, 3), [1, 0]),
        (np.array([True, False]), (False, True), [1, 0]),
        (np.array(["b", "a"], dtype=object), ("a", "b"), [1, 0]),
        (np.array(["longer", "a"]), ("a", "longer"), [1, 0]),
        (np.array(["x", 1], dtype=object), (1, "x"), [1, 0]),
        (np.array([2**60 + 1]), (2**60, 2**60 + 1), [1]),
    ],
)
def test_labels_of_every_type(labels: Any, classes: tuple[Any, ...], codes: list[int]) -> None:
    assert codes_of(labels, classes).tolist() == codes


@pytest.mark.parametrize(
    ("labels", "classes", "says"),
    [
        (["maybe", "no"], ("no", "yes"), "1 of 2 predictions are no class of the data: 'maybe'"),
        ([0, 1], ("0", "1"), "2 of 2 predictions are no class of the data: 0 and 1"),
        (["0", "1"], (0, 1), "'0' and '1'"),
        ([np.nan, 1.0], (0, 1), "1 of 2 predictions are no class of the data: nan"),
        ([None, "no"], ("no", "yes"), "None"),
        ([0.5, 1], (0, 1), "0.5"),
        (["no"], ("no", "yes"), "expected were 2 predictions, one for each test row; the learner gave 1 predictions"),
        ([["no", "no"], ["no", "no"]], ("no", "yes"), "an array of shape (2, 2)"),
        ("no", ("no", "yes"), "an array of shape ()"),
        (None, ("no", "yes"), "an array of shape ()"),
    ],
)
def test_labels_that_are_none(labels: Any, classes: tuple[Any, ...], says: str) -> None:
    assert says in refusal(Says(labels), 2, facts(*classes))


@pytest.mark.parametrize(
    ("probabilities", "says"),
    [
        ([[0.5, 0.5]], "shape (1, 2); expected is (2, 2)"),
        ([[0.5, 0.5, 0.0]] * 2, "shape (2, 3)"),
        ([[np.nan, 0.5]] * 2, "2 of the probabilities are not finite numbers"),
        ([[-0.5, 1.5]] * 2, "negative or do not add up to one"),
        ([[0.5, 0.6]] * 2, "negative or do not add up to one"),
        ([["much", "little"]] * 2, "the probabilities are not numbers: the first is 'much'"),
    ],
)
def test_probabilities_that_are_none(probabilities: Any, says: str) -> None:
    assert says in refusal(Says(["no", "yes"], ["no", "yes"], probabilities), 2, facts("no", "yes"))


def test_decisions_that_are_not_finite() -> None:
    assert "decision function" in refusal(Says(["no"], ["no", "yes"], None, [np.inf]), 1, facts("no", "yes"))


def test_a_learner_without_classes_is_taken_to_have_them_in_order() -> None:
    found = said(Says(["no"], None, [[0.75, 0.25]]), 1, facts("yes", "no")).prediction
    assert found.scores is not None
    assert found.scores.tolist() == [0.75]


def test_numbers() -> None:
    y = X @ [1.0, 2.0, 3.0]
    fitted = fit_and_predict(LinearRegression(), X, y, X[:5], facts(kind="regression"))
    assert fitted.prediction.values == pytest.approx(y[:5])
    assert fitted.prediction.scores is None
    assert numbers_of(np.array([[1], [2]]), 2).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ([1.0, np.nan], "1 of 2 predictions are not finite; the first of them is nan"),
        ([1.0, -np.inf], "-inf"),
        (["a", "b"], "not numbers: the first is 'a'"),
        ([1.0], "expected were 2 predictions"),
        ([1j, 2j], "not numbers"),
        (["1", "2"], "not numbers: the first is '1'"),
        (np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]"), "not numbers"),
        ([[1], [1, 2]], "differ in length"),
        ([None, 1.0], "not"),
    ],
)
def test_numbers_that_are_none(answer: Any, says: str) -> None:
    assert says in refusal(Says(answer), 2, facts(kind="regression"))


def test_log_densities() -> None:
    density = facts(kind="density")
    found = fit_and_predict(KernelDensity(), X, None, X[:4], density).prediction
    assert (found.values == KernelDensity().fit(X).score_samples(X[:4])).all()
    far = fit_and_predict(KernelDensity(kernel="tophat"), X, None, X + 100, density).prediction
    assert (far.values == -np.inf).all()
    with pytest.raises(InvalidPrediction, match="log densities are not finite"):
        numbers_of(np.array([np.inf]), 1, log_densities=True)


def test_time_is_measured_and_the_estimator_returned() -> None:
    model = LogisticRegression()
    fitted = fit_and_predict(model, X, BINARY, X, facts("no", "yes"))
    assert fitted.estimator is model
    assert fitted.timings.fit_wall > 0
    assert fitted.timings.predict_wall is not None
    assert set(fitted.timings.resources()) == {"fit_time", "fit_cpu", "predict_time", "predict_cpu"}


def test_what_a_learner_raises_is_let_through() -> None:
    class Raises(Says):
        def fit(self, X: Any, y: Any) -> None:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        said(Raises(["no"]), 1, facts("no", "yes"))


# ----------------------------------------------------------------------------------------------------------------------
# Size


RNG_SIZE = np.random.default_rng(2)
X_SIZE = RNG_SIZE.normal(size=(40, 3))
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
    assert free_parameters(model.fit(X_SIZE, y)) == count


def test_trees_count_their_nodes() -> None:
    tree = DecisionTreeClassifier(max_depth=2, random_state=1).fit(X_SIZE, TWO)
    assert free_parameters(tree) == tree.tree_.node_count
    forest = RandomForestClassifier(5, random_state=1).fit(X_SIZE, TWO)
    assert free_parameters(forest) == sum(one.tree_.node_count for one in forest.estimators_)
    boosted = GradientBoostingClassifier(n_estimators=4, random_state=1).fit(X_SIZE, THREE)
    assert free_parameters(boosted) == sum(one.tree_.node_count for one in boosted.estimators_.ravel())
    by_histogram = HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2).fit(X_SIZE, TWO)
    assert free_parameters(by_histogram) == sum(len(one.nodes) for (one,) in by_histogram._predictors)


def test_support_vectors() -> None:
    machine = SVC().fit(X_SIZE, TWO)
    n = len(machine.support_)
    assert free_parameters(machine) == n + 3 * n + 1


def test_bytes_grow_with_the_model() -> None:
    small = model_size(RandomForestClassifier(2, random_state=1).fit(X_SIZE, TWO))
    large = model_size(RandomForestClassifier(20, random_state=1).fit(X_SIZE, TWO))
    assert small is not None
    assert large is not None
    assert 0 < small < large


def test_bytes_are_those_of_the_chosen_model() -> None:
    search = GridSearchCV(Ridge(), {"alpha": [1, 2]}).fit(X_SIZE, TWO)
    assert model_size(search) == model_size(search.best_estimator_)


def test_what_cannot_be_written_has_no_size() -> None:
    model = Ridge().fit(X_SIZE, TWO)
    model.secret_ = lambda: 1
    assert model_size(model) is None
    assert model_size(None) is None
    assert free_parameters(None) is None


def test_large_arrays_are_counted_whole() -> None:
    model = Ridge()
    model.ballast_ = np.zeros(1_000_000)
    assert (model_size(model) or 0) > 8_000_000
