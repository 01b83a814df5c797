"""Scorers of scikit-learn, of the user, and what is no scorer."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics
from sklearn.linear_model import LogisticRegression

from bakeoff.errors import UsageError
from bakeoff.measures.response import Needs, Undefined
from bakeoff.measures.responses import response_from
from bakeoff.measures.scorers import SCORERS, load_scorer, score_with

X = np.array([[0.0], [1.0], [2.0], [3.0], [1.5], [0.5]])
Y = np.array(["no", "no", "yes", "yes", "yes", "no"])


@pytest.fixture(scope="module")
def model() -> Any:
    return LogisticRegression().fit(X, Y)


def share_of_yes(estimator: Any, X: Any, y: Any) -> float:
    return float(np.mean(estimator.predict(X) == "yes"))


def raises(estimator: Any, X: Any, y: Any) -> float:
    raise ZeroDivisionError("nothing there")


def many(estimator: Any, X: Any, y: Any) -> Any:
    return {"a": 1}


def not_a_number(estimator: Any, X: Any, y: Any) -> float:
    return float("nan")


def error(estimator: Any, X: Any, y: Any) -> float:
    return 0.0


def metric(y_true: Any, y_pred: Any) -> float:
    return 0.0


def test_the_names_are_those_of_scikit_learn() -> None:
    assert set(SCORERS) <= set(metrics.get_scorer_names())


@pytest.mark.parametrize("name", SCORERS)
def test_every_name_is_a_measure_of_which_larger_is_better(name: str) -> None:
    response = response_from(name, SCORERS[name])
    assert response.name == name
    assert response.measure.larger_is_better


def test_a_scorer_by_name(model: Any) -> None:
    response = response_from("jaccard_macro", "classification")
    assert response.needs is Needs.ESTIMATOR
    assert score_with(response, model, X, Y) == metrics.get_scorer("jaccard_macro")(model, X, Y)
    with pytest.raises(UsageError, match="'jaccard_macro' is a measure of classification, not of regression"):
        response_from("jaccard_macro", "regression")


def test_a_scorer_as_an_object(model: Any) -> None:
    scorer = metrics.make_scorer(metrics.fbeta_score, beta=2, pos_label="yes")
    response = response_from(scorer, "classification")
    assert response.name == "fbeta_score"
    assert score_with(response, model, X, Y) == scorer(model, X, Y)
    assert response.describe()["scorer"] == {
        "function": {"name": "sklearn.metrics._classification.fbeta_score"},
        "arguments": {"beta": 2, "pos_label": "yes"},
        "sign": 1,
        "response": "predict",
    }
    other = response_from(metrics.make_scorer(metrics.fbeta_score, beta=3, pos_label="yes"))
    assert other != response
    copy = pickle.loads(pickle.dumps(response))
    assert score_with(copy, model, X, Y) == scorer(model, X, Y)


def test_a_loss_made_into_a_scorer_has_its_sign_in_the_name() -> None:
    response = response_from(metrics.make_scorer(metrics.hamming_loss, greater_is_better=False))
    assert response.name == "neg_hamming_loss"
    assert response.measure.larger_is_better


def test_a_function_of_the_user(model: Any) -> None:
    response = response_from({"name": "yes", "scorer": share_of_yes, "larger_is_better": False})
    assert response.measure.better == "smaller"
    assert score_with(response, model, X, Y) == pytest.approx(0.5)
    assert response_from(share_of_yes).name == "share_of_yes"


def test_an_import_path_is_imported_when_it_is_needed(
    model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    response = response_from({"name": "profit", "scorer": "bakeoff_user_scores.profit"})
    with pytest.raises(UsageError, match=r"scorer: there is no module 'bakeoff_user_scores'"):
        score_with(response, model, X, Y)
    (tmp_path / "bakeoff_user_scores.py").write_text("def profit(estimator, X, y):\n    return len(y)\nlevel = 3\n")
    assert score_with(response, model, X, Y) == 6
    for attribute, message in (
        ("level", "which cannot be called. Expected is the import path of a function"),
        ("los", "has no 'los'"),
    ):
        with pytest.raises(UsageError, match=message):
            load_scorer(f"bakeoff_user_scores.{attribute}")


def test_a_scorer_of_scikit_learn_under_another_name(model: Any) -> None:
    response = response_from({"name": "mine", "scorer": "jaccard_weighted"})
    assert score_with(response, model, X, Y) == metrics.get_scorer("jaccard_weighted")(model, X, Y)
    late = response_from({"name": "mine", "scorer": "jacard"})  # another version may know it; a run will tell
    with pytest.raises(UsageError, match=r"no scorer 'jacard'\. Did you mean 'jaccard'"):
        score_with(late, model, X, Y)


@pytest.mark.parametrize(
    ("scorer", "reason"),
    [
        (raises, "The scorer raised ZeroDivisionError: nothing there"),
        (many, r"returned \{'a': 1\}, which is not a number"),
        (not_a_number, "returned nan"),
    ],
)
def test_what_a_scorer_may_do(scorer: Any, reason: str, model: Any) -> None:
    with pytest.raises(Undefined, match=reason):
        score_with(response_from(scorer), model, X, Y)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (metrics.hamming_loss, r"must take \(estimator, X, y\); .* sklearn.metrics.make_scorer"),
        (metric, "must take"),
        ({"name": "x", "scorer": metric}, "'x' must take"),
        (lambda estimator, X, y: 0.0, "lambda or a local function"),
        (error, "it is known that smaller is better, but this scorer says the opposite"),
        ({"name": "x", "scorer": "two words"}, "import path of a function .* found 'two words'"),
        ({"name": "x", "scorer": "a..b"}, "found 'a..b'"),
        ({"name": "x", "scorer": 3}, "an import path or a callable; found 3"),
        ({"name": "x", "scorer": "a.b", "larger_is_better": "yes"}, "is true or false; found 'yes'"),
    ],
)
def test_what_is_no_scorer(spec: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        response_from(spec)
