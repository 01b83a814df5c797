"""Responses of scores and probabilities: against scikit-learn, with ties, many classes, and classes missing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from predicted import classified, two
from sklearn import metrics

from bakeoff.mathematics.auc import auc as auc_by_components
from bakeoff.measures.prediction import Prediction, Truth
from bakeoff.measures.response import Undefined
from bakeoff.measures.responses import response_from
from bakeoff.measures.score_responses import area


def value(name: str, truth: Truth, prediction: Prediction) -> float:
    return response_from(name, "classification").of(truth, prediction)


@given(st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=2, max_size=40))
def test_the_area_is_that_of_the_components(rows: list[tuple[bool, int]]) -> None:
    positive, scores = np.array([row[0] for row in rows]), np.array([row[1] for row in rows], dtype=float)
    if positive.all() or not positive.any():
        return
    assert area(positive, scores) == pytest.approx(auc_by_components(positive, scores), abs=1e-15)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_two_classes_as_scikit_learn(seed: int, ties: bool) -> None:
    truth, prediction = classified(seed, 50, 2, ties)
    y, p = truth.values, prediction.scores
    assert value("auc", truth, prediction) == pytest.approx(metrics.roc_auc_score(y, p), abs=1e-14)
    for name in ("auc_ovo", "auc_ovr", "auc_ovo_weighted", "auc_ovr_weighted"):
        assert value(name, truth, prediction) == value("auc", truth, prediction)
    assert value("average_precision", truth, prediction) == pytest.approx(metrics.average_precision_score(y, p))
    assert value("brier", truth, prediction) == pytest.approx(metrics.brier_score_loss(y, p))
    assert value("neg_brier_score", truth, prediction) == pytest.approx(-metrics.brier_score_loss(y, p))
    assert value("log_loss", truth, prediction) == pytest.approx(metrics.log_loss(y, p))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_more_classes_as_scikit_learn(seed: int, k: int, ties: bool) -> None:
    truth, prediction = classified(seed, 60, k, ties)
    y, p = truth.values, prediction.scores
    for name, how in {
        "auc": {"multi_class": "ovo"},
        "auc_ovo": {"multi_class": "ovo"},
        "auc_ovo_weighted": {"multi_class": "ovo", "average": "weighted"},
        "auc_ovr": {"multi_class": "ovr"},
        "roc_auc_ovr_weighted": {"multi_class": "ovr", "average": "weighted"},
    }.items():
        assert value(name, truth, prediction) == pytest.approx(metrics.roc_auc_score(y, p, **how), abs=1e-14), name
    assert value("average_precision", truth, prediction) == pytest.approx(metrics.average_precision_score(y, p))
    assert value("log_loss", truth, prediction) == pytest.approx(metrics.log_loss(y, p))
    whole = np.sum((p - np.eye(k)[y]) ** 2, axis=1).mean()  # Brier's own definition, and scikit-learn's
    assert value("brier", truth, prediction) == pytest.approx(whole / 2)
    assert value("neg_brier_score", truth, prediction) == pytest.approx(-whole)
    assert value("neg_brier_score", truth, prediction) == pytest.approx(-metrics.brier_score_loss(y, p))


def test_the_brier_score_of_two_classes_is_that_of_two_columns() -> None:
    truth, prediction = classified(4, 20, 2)
    p = prediction.scores
    assert p is not None
    with_three = Truth("classification", truth.values, ("a", "b", "never"))
    columns = np.column_stack([1 - p, p, np.zeros(20)])
    for name in ("brier", "log_loss"):
        assert value(name, with_three, replace(prediction, scores=columns)) == pytest.approx(
            value(name, truth, prediction)
        )


@pytest.mark.parametrize("name", ["auc", "auc_ovo", "auc_ovr"])
@pytest.mark.parametrize(("truth", "label"), [("1111", "'yes'"), ("0000", "'no'"), ("0", "'no'")])
def test_a_fold_of_one_class_has_no_roc_curve(name: str, truth: str, label: str) -> None:
    with pytest.raises(Undefined, match=f"of the class {label}; an ROC curve needs rows of both"):
        value(name, *two(truth, truth, [0.5] * len(truth)))


def test_average_precision_needs_positives_only() -> None:
    with pytest.raises(Undefined, match="None of the 4 test rows is of the class 'yes'"):
        value("average_precision", *two("0000", "0000", [0.1, 0.2, 0.3, 0.4]))
    assert value("average_precision", *two("11", "11", [0.1, 0.2])) == 1


@pytest.mark.parametrize("name", ["auc", "auc_ovr", "auc_ovo_weighted", "average_precision"])
def test_a_fold_without_a_class_has_no_average_over_classes(name: str) -> None:
    truth, prediction = classified(0, 30, 3)
    rows = np.flatnonzero(truth.values != 1)
    assert prediction.scores is not None
    fold = Prediction(prediction.values[rows], prediction.scores[rows], True)
    with pytest.raises(Undefined, match=f"None of the {len(rows)} test rows is of the class 'b'"):
        value(name, truth.rows(rows), fold)
    assert value("log_loss", truth.rows(rows), fold) > 0  # which does not mind


@pytest.mark.parametrize("name", ["auc", "average_precision"])
def test_infinite_log_odds_are_an_order(name: str) -> None:
    truth, prediction = two("0101", "0101", [-3.0, 4.0, 1.0, 2.0])
    at_the_limit = replace(prediction, scores=np.array([-np.inf, np.inf, 1.0, 2.0]), probabilistic=False)
    assert value(name, truth, at_the_limit) == 1.0


def test_certain_and_wrong_costs_much_but_not_everything() -> None:
    truth, prediction = two("01", "10", [1.0, 0.0])
    assert value("log_loss", truth, prediction) == pytest.approx(metrics.log_loss([0, 1], [1.0, 0.0]))
    assert 36 < value("log_loss", truth, prediction) < 37
    three = Truth("classification", truth.values, ("a", "b", "c"))
    sure = Prediction(prediction.values, np.array([[0.0, 1, 0], [1, 0, 0]]), True)
    assert value("log_loss", three, sure) == pytest.approx(value("log_loss", truth, prediction))


def test_a_task_of_one_class_has_no_curve() -> None:
    truth = Truth("classification", np.zeros(3, dtype=int), ("only",))
    with pytest.raises(Undefined, match="one class"):
        value("auc", truth, Prediction(truth.values, np.ones((3, 1)), True))


def test_rounding_in_a_store_is_forgiven() -> None:
    truth, prediction = two("01", "01", [0.0, 1.0 + 1e-8])
    assert value("log_loss", truth, prediction) == pytest.approx(0, abs=1e-12)
