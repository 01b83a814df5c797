from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingRegressor, VotingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KernelDensity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bakeoff.errors import UsageError
from bakeoff.learners.learner import DataInfo, Learner, Step, Timings, Tuning, facts_of, why_unsuitable
from bakeoff.learners.make import make
from bakeoff.tasks.dataset import Dataset, Kind

SVM = Learner("svm", steps=(Step("sklearn.svm.SVC", {"C": 1, "kernel": "rbf"}),))


@pytest.mark.parametrize(
    "same",
    [
        Learner("another name", steps=SVM.steps),
        Learner("svm", steps=SVM.steps, folder="elsewhere"),
        Learner("svm", steps=(Step("sklearn.svm.SVC", {"kernel": "rbf", "C": 1}),)),
        Learner("svm", steps=(Step("sklearn.svm.SVC", MappingProxyType({"kernel": "rbf", "C": np.int64(1)})),)),
    ],
    ids=["name", "folder", "order", "types of numpy"],
)
def test_what_does_not_change_the_result_does_not_change_the_key(same: Learner) -> None:
    assert same.key == SVM.key


@pytest.mark.parametrize(
    "other",
    [
        Learner("svm", steps=(Step("sklearn.svm.SVC", {"C": 2, "kernel": "rbf"}),)),
        Learner("svm", steps=(Step("sklearn.svm.NuSVC", {"C": 1, "kernel": "rbf"}),)),
        Learner("svm", steps=(*SVM.steps, *SVM.steps)),
        Learner("svm", steps=SVM.steps, prepare="standard"),
        Learner("svm", steps=SVM.steps, tuning=Tuning({"C": (1, 2)})),
        Learner("svm", command=("svm",)),
        Learner("svm", estimator=SVC()),
    ],
    ids=["parameter", "class", "steps", "preparation", "tuning", "command", "object"],
)
def test_what_changes_the_result_changes_the_key(other: Learner) -> None:
    assert other.key != SVM.key


def test_all_of_a_tuning_is_in_the_key() -> None:
    tunings = [Tuning({"C": (1, 2)}), Tuning({"C": (1, 3)}), Tuning({"C": (1, 2)}, 3), Tuning({"C": (1, 2)}, 5, "auc")]
    assert len({Learner("svm", steps=SVM.steps, tuning=tuning).key for tuning in tunings}) == len(tunings)


def test_objects_go_by_all_their_parameters() -> None:
    def key(estimator: Any) -> str:
        return Learner("x", estimator=estimator).key

    assert key(make_pipeline(StandardScaler(), SVC())) == key(make_pipeline(StandardScaler(), SVC()))
    assert key(make_pipeline(StandardScaler(), SVC())) != key(make_pipeline(StandardScaler(), SVC(C=2)))
    assert key(make_pipeline(StandardScaler(), SVC())) != key(make_pipeline(StandardScaler(with_std=False), SVC()))


@pytest.mark.parametrize(
    ("learner", "says"),
    [
        (Learner("x", estimator=SVC(kernel=lambda a, b: a @ b.T)), "lambda"),
        (Learner("x", estimator=SVC(random_state=np.random.RandomState(1))), "random state"),
        (Learner("x", estimator=SVC().fit([[0.0], [1.0]], [0, 1])), "fitted SVC"),
    ],
    ids=["lambda", "random state", "fitted"],
)
def test_what_has_no_key(learner: Learner, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        _ = learner.key


def test_it_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        SVM.name = "other"  # type: ignore[misc]


# ----------------------------------------------------------------------------------------------------------------------
# Facts


def dataset(X: object, features: tuple[str, ...], n_missing: int, categorical: tuple[str, ...] = ()) -> Dataset:
    return Dataset(
        name="t",
        kind=Kind.REGRESSION,
        X=X,  # type: ignore[arg-type]
        y=np.arange(3.0),
        classes=(),
        codes=None,
        features=features,
        categorical=categorical,
        n_missing=n_missing,
        key="k",
    )


def test_facts_of_an_array() -> None:
    facts = facts_of(dataset(np.array([[1, np.nan], [2, 3], [4, 5]]), ("a", "b"), 1))
    assert facts == DataInfo("t", "regression", 3, ("a", "b"), missing=("b",))
    assert facts.missing_numbers == ("b",)
    assert facts.numeric == ("a", "b")


def test_facts_of_a_frame() -> None:
    frame = pd.DataFrame({"sex": ["f", None, "m"], "age": [1.0, np.nan, 3.0], "size": [1.0, 2.0, 3.0]})
    facts = facts_of(dataset(frame, ("sex", "age", "size"), 2, ("sex",)))
    assert facts.frame
    assert facts.missing == ("sex", "age")
    assert facts.missing_numbers == ("age",)
    assert facts.numeric == ("age", "size")


def test_the_target_is_never_taken_for_an_input() -> None:
    assert facts_of(dataset(np.zeros((3, 2)), ("target", "target_"), 0)).target == "target__"
    assert facts_of(dataset(np.zeros((3, 1)), ("a",), 0)).target == "target"
    assert facts_of(replace(dataset(np.zeros((3, 1)), ("a",), 0), target="class")).target == "class"


def test_the_kind_is_a_text_that_compares_and_prints_as_one() -> None:
    assert facts_of(dataset(np.zeros((3, 1)), ("a",), 0)).kind == "regression"


# ----------------------------------------------------------------------------------------------------------------------
# Fitted


def test_resources_by_the_names_of_the_measures() -> None:
    assert Timings(1.0, 2.0, 0.5, 0.25).resources() == {
        "fit_time": 1.0,
        "fit_cpu": 2.0,
        "predict_time": 0.5,
        "predict_cpu": 0.25,
    }


def test_what_was_not_measured_is_left_out() -> None:
    assert Timings(1.0, 2.0).resources() == {"fit_time": 1.0, "fit_cpu": 2.0}


# ----------------------------------------------------------------------------------------------------------------------
# What can be said against an estimator before it is fitted, and what is not said because nobody knows.


class Untagged:
    """A user's own class that derives from nothing, and so has no tags."""

    def fit(self, X: Any, y: Any = None) -> Untagged:
        return self

    def predict(self, X: Any) -> Any:
        return ["x"] * len(X)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}

    def set_params(self, **_: Any) -> Untagged:
        return self


class Undecided(BaseEstimator):
    """A user's own estimator that does not say what it is."""

    def fit(self, X: Any, y: Any = None) -> Undecided:
        return self

    def predict(self, X: Any) -> Any:
        return [0] * len(X)


@pytest.mark.parametrize(
    "estimator",
    [
        Ridge(),
        BaggingRegressor(),
        make_pipeline(StandardScaler(), Ridge()),
        GridSearchCV(Ridge(), {"alpha": [1]}),
        GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [1]}),
    ],
)
def test_a_regressor_cannot_tell_classes_apart(estimator: Any) -> None:
    why = why_unsuitable(estimator, "classification", "iris")
    assert why == f"{type(estimator).__name__} is not made for classification, and 'iris' is a classification task."
    assert why_unsuitable(estimator, "regression", "boston") is None


@pytest.mark.parametrize(
    "estimator",
    [
        SVC(),
        make_pipeline(StandardScaler(), LogisticRegression()),
        VotingClassifier([("a", SVC())]),
        GridSearchCV(SVC(), {"C": [1]}),
    ],
)
def test_a_classifier_cannot_predict_numbers(estimator: Any) -> None:
    assert "is not made for regression" in str(why_unsuitable(estimator, "regression", "boston"))
    assert why_unsuitable(estimator, "classification", "iris") is None


@pytest.mark.parametrize("kind", ["classification", "regression"])
@pytest.mark.parametrize(
    "estimator",
    [Untagged(), Undecided(), KMeans(), make_pipeline(StandardScaler(), Untagged()), GridSearchCV(Untagged(), {})],
)
def test_nothing_is_said_against_one_that_does_not_tell(estimator: Any, kind: str) -> None:
    assert why_unsuitable(estimator, kind, "mine") is None


def test_what_cannot_predict_at_all() -> None:
    assert why_unsuitable(StandardScaler(), "regression", "boston") == (
        "StandardScaler cannot predict, and 'boston' is a regression task."
    )
    assert why_unsuitable(StandardScaler(), "classification", "iris") is not None


def test_densities_need_a_log_density() -> None:
    for estimator in (KernelDensity(), GaussianMixture(), PCA(), make_pipeline(StandardScaler(), KernelDensity())):
        assert why_unsuitable(estimator, "density", "clouds") is None
    for other in (SVC(), Ridge(), make_pipeline(StandardScaler(), SVC())):
        why = str(why_unsuitable(other, "density", "clouds"))
        assert "from 'clouds'" in why
        assert f"score_samples, which {type(other).__name__} does not have" in why


def test_one_without_tags_can_be_made() -> None:
    made = make(
        Learner("mine", estimator=Untagged()), DataInfo("t", "classification", 9, ("a",), classes=("x", "y")), 1
    )
    assert isinstance(made, Untagged)
