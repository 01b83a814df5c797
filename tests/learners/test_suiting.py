"""What can be said against an estimator before it is fitted, and what is not said because nobody knows."""

from __future__ import annotations

from typing import Any

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

from bakeoff.learners.facts import Facts
from bakeoff.learners.learner import Learner
from bakeoff.learners.making import make
from bakeoff.learners.suiting import misfit


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
    why = misfit(estimator, "classification", "iris")
    assert why == f"{type(estimator).__name__} is not made for classification, and 'iris' is a classification task."
    assert misfit(estimator, "regression", "boston") is None


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
    assert "is not made for regression" in str(misfit(estimator, "regression", "boston"))
    assert misfit(estimator, "classification", "iris") is None


@pytest.mark.parametrize("kind", ["classification", "regression"])
@pytest.mark.parametrize(
    "estimator",
    [Untagged(), Undecided(), KMeans(), make_pipeline(StandardScaler(), Untagged()), GridSearchCV(Untagged(), {})],
)
def test_nothing_is_said_against_one_that_does_not_tell(estimator: Any, kind: str) -> None:
    assert misfit(estimator, kind, "mine") is None


def test_what_cannot_predict_at_all() -> None:
    assert misfit(StandardScaler(), "regression", "boston") == (
        "StandardScaler cannot predict, and 'boston' is a regression task."
    )
    assert misfit(StandardScaler(), "classification", "iris") is not None


def test_densities_need_a_log_density() -> None:
    for estimator in (KernelDensity(), GaussianMixture(), PCA(), make_pipeline(StandardScaler(), KernelDensity())):
        assert misfit(estimator, "density", "clouds") is None
    for other in (SVC(), Ridge(), make_pipeline(StandardScaler(), SVC())):
        why = str(misfit(other, "density", "clouds"))
        assert "from 'clouds'" in why
        assert f"score_samples, which {type(other).__name__} does not have" in why


def test_one_without_tags_can_be_made() -> None:
    made = make(Learner("mine", estimator=Untagged()), Facts("t", "classification", 9, ("a",), classes=("x", "y")), 1)
    assert isinstance(made, Untagged)
