"""Measures that a study file describes in a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from predicted import classified, regressed, two

from bakeoff.errors import UsageError
from bakeoff.measures.confusion import risk
from bakeoff.measures.label_responses import confusion_of
from bakeoff.measures.prediction import Prediction, Truth
from bakeoff.measures.response import Undefined
from bakeoff.measures.responses import response_from

COSTS = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]


@given(st.integers(0, 1000))
def test_the_risk_is_that_of_the_confusion_matrix(seed: int) -> None:
    truth, prediction = classified(seed, 20, 3)
    response = response_from({"name": "cost", "loss_matrix": COSTS}, "classification", truth.classes)
    assert response.of(truth, prediction) == pytest.approx(risk(confusion_of(truth, prediction)[1], COSTS))


def test_rows_are_true_classes_and_smaller_is_better() -> None:
    response = response_from({"name": "cost", "loss_matrix": [[0, 1], [5, 0]]})
    assert response.of(*two("01", "11")) == 0.5
    assert response.of(*two("01", "00")) == 2.5
    assert response.losses(*two("0110", "1010")).tolist() == [1, 5, 0, 0]
    assert (response.measure.better, response.measure.lower, response.measure.upper) == ("smaller", 0, 5)


@pytest.mark.parametrize("order", [("a", "b", "c"), ("c", "a", "b")])
def test_classes_may_stand_in_another_order(order: tuple[str, ...]) -> None:
    truth, prediction = classified(3, 25, 3)
    place = [truth.classes.index(label) for label in order]
    turned = np.array(COSTS)[np.ix_(place, place)].tolist()
    given_order = response_from({"name": "cost", "loss_matrix": turned, "classes": list(order)})
    plain = response_from({"name": "cost", "loss_matrix": COSTS})
    assert given_order.of(truth, prediction) == pytest.approx(plain.of(truth, prediction))


def test_labels_of_a_file_are_the_labels_of_the_data_in_other_types() -> None:
    response = response_from({"name": "cost", "loss_matrix": [[0, 1], [5, 0]], "classes": [2, 1]})
    truth = Truth("classification", np.array([0, 1]), (np.int64(1), np.int64(2)))
    assert response.losses(truth, Prediction(np.array([1, 0]))).tolist() == [5, 1]


@pytest.mark.parametrize(
    ("classes", "labels", "message"),
    [
        (("a", "b", "c"), None, r"'cost' is for 2 classes; the task has 3: 'a', 'b', 'c'\."),
        (
            ("a", "b"),
            ["a", "x"],
            r"'cost' has a cost for the class 'x', which the task has not\. Its classes: 'a', 'b'",
        ),
    ],
)
def test_a_matrix_for_other_classes(classes: tuple[str, ...], labels: Any, message: str) -> None:
    table = {"name": "cost", "loss_matrix": [[0, 1], [5, 0]]} | ({"classes": labels} if labels else {})
    assert response_from(table, "classification").name == "cost"
    with pytest.raises(UsageError, match=message):
        response_from(table, "classification", classes)
    truth = Truth("classification", np.zeros(2, dtype=int), classes)
    with pytest.raises(Undefined, match=message):
        response_from(table).of(truth, Prediction(truth.values))


@pytest.mark.parametrize(
    ("by", "expected"),
    [("mean", 3.75), ("median", 2.5), ("maximum", 9.0), ("q0.95", 9.0), ("q0.5", 2.0), ("50 %", 2.0)],
)
def test_functionals_of_a_loss(by: str, expected: float) -> None:
    response = response_from({"name": "mine", "loss": "mae", "functional": by}, "regression")
    truth, prediction = Truth("regression", np.zeros(4)), Prediction(np.array([1.0, -2.0, 3.0, 9.0]))
    assert response.of(truth, prediction) == expected
    assert (response.pointwise is None) == (by != "mean")
    assert response.describe() == {"name": "mine", "loss": "absolute_error", "functional": by}
    assert response.measure.better == "smaller"


def test_the_quantile_is_the_ceiling_of_qm_th_loss() -> None:
    truth, prediction = regressed(1, 41)
    found = response_from({"name": "q95", "loss": "absolute_error", "functional": "q0.95"}).of(truth, prediction)
    assert found == np.sort(np.abs(truth.values - prediction.values))[39 - 1]  # ⌈0.95 · 41⌉ = 39


def test_a_functional_keeps_the_direction_and_the_needs_of_its_loss() -> None:
    worst = response_from({"name": "least", "loss": "log_likelihood", "functional": "q0"})
    assert worst.measure.larger_is_better
    assert worst.of(Truth("density", np.zeros(2)), Prediction(np.array([-1.0, -5.0]))) == -5
    with pytest.raises(Undefined, match="labels only"):
        response_from({"name": "m", "loss": "log_loss", "functional": "median"}).of(*two("01", "01"))


def test_a_name_alone_is_the_measure_of_that_name() -> None:
    assert response_from({"name": "error"}) == response_from("error")


@pytest.mark.parametrize(
    ("scorer", "like"), [("roc_auc_ovr", "auc_ovr"), ("neg_log_loss", "neg_log_loss"), ("f1", "f1")]
)
def test_a_scorer_that_is_a_measure_of_ours_needs_no_estimator(scorer: str, like: str) -> None:
    response = response_from({"name": "mine", "scorer": scorer})
    assert response.after_the_run
    assert response.measure.larger_is_better
    assert response.describe() == {"name": "mine", "measure": like}
    assert response == response_from({"name": "mine", "measure": like})
    case = classified(2, 20, 2)
    assert response.of(*case) == response_from(like).of(*case)


def test_an_error_is_an_error_under_any_name() -> None:
    assert response_from({"name": "wrong", "scorer": "error"}).measure.better == "smaller"
    with pytest.raises(UsageError, match="'mine' is defined for two classes"):
        response_from({"name": "mine", "scorer": "f1"}, "classification", ("a", "b", "c"))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"loss_matrix": COSTS}, "needs a name of its own"),
        ({"name": "", "loss_matrix": COSTS}, "needs a name of its own"),
        ({"name": 3, "loss_matrix": COSTS}, "needs a name of its own"),
        ({"name": "x", "loss_matrix": COSTS, "loss": "error"}, "has both loss_matrix and loss; say one"),
        ({"name": "x", "los": "error"}, r"cannot have 'los'\. Did you mean 'loss'\?"),
        ({"name": "x", "loss": "error", "classes": ["a"]}, r"cannot have 'classes'\. .*functional, loss, name"),
        ({"name": "error", "loss_matrix": COSTS}, "'error' is a measure of its own already"),
        ({"name": "error", "measure": "auc"}, "'error' is a measure of its own already. Choose another name for auc"),
        ({"name": "x", "measure": "acuracy"}, "computed here; found 'acuracy'. Did you mean 'accuracy'"),
        ({"name": "x", "measure": ["auc"]}, "computed here; found"),
        ({"name": "x", "measure": "jaccard"}, "computed here; found 'jaccard'"),
        ({"name": "MSE", "loss": "absolute_error"}, "'MSE' is a measure of its own already"),
        ({"name": "x", "loss_matrix": [[0, 1]]}, r"'x': 'loss_matrix' must have at least 2 rows"),
        ({"name": "x", "loss_matrix": [[0, 1, 2], [1, 0, 2]]}, r"a row and a column for each class.*\(2, 3\)"),
        ({"name": "x", "loss_matrix": [[0, 1], [1]]}, "must be a table of numbers"),
        ({"name": "x", "loss_matrix": [[0, "a"], [1, 0]]}, "must be a table of numbers"),
        ({"name": "x", "loss_matrix": [[0, float("nan")], [1, 0]]}, "finite number; found nan in row 1, column 2"),
        ({"name": "x", "loss_matrix": 5}, "at least 2 rows"),
        ({"name": "x", "loss_matrix": COSTS, "classes": ["a", "b"]}, "must be 3 different labels"),
        ({"name": "x", "loss_matrix": COSTS, "classes": ["a", "b", "b"]}, "must be 3 different labels"),
        ({"name": "x", "loss_matrix": COSTS, "classes": "abc"}, "a list of labels"),
        ({"name": "x", "loss": "auc"}, "a loss that has a value for each test row; found 'auc'"),
        ({"name": "x", "loss": "absolut_error"}, "Did you mean 'absolute_error'"),
        ({"name": "x", "loss": 4}, "found 4"),
        ({"name": "x", "loss": "error", "functional": "mode"}, "'x': There is no functional 'mode'"),
        ({"name": "x", "loss": "error", "functional": "q1.5"}, "'x': A quantile is taken at a share between 0 and 1"),
        (
            {"name": "x", "scorer": "error", "larger_is_better": True},
            "of which smaller is better; larger_is_better says",
        ),
        ({"name": "x", "loss": "error", "functional": 0.95}, "such as 'median' or 'q0.95'; found 0.95"),
    ],
)
def test_mistakes_in_a_table_are_told(table: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        response_from(table)
