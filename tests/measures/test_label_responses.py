"""Responses of assigned classes: against scikit-learn, and where 0/0 is told instead of set."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from predicted import classified, two
from sklearn import metrics
from sklearn.exceptions import UndefinedMetricWarning

from bakeoff.errors import UsageError
from bakeoff.measures.confusion import confusion_matrix, one_versus_rest
from bakeoff.measures.label_responses import confusion_of
from bakeoff.measures.prediction import Prediction, Truth
from bakeoff.measures.response import Undefined
from bakeoff.measures.responses import response_from

SEEDS = range(5)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("k", [2, 3, 6])
def test_any_number_of_classes_as_scikit_learn(seed: int, k: int) -> None:
    truth, prediction = classified(seed, 60, k)
    y, given = truth.values, prediction.values
    expected = {
        "error": metrics.zero_one_loss(y, given),
        "accuracy": metrics.accuracy_score(y, given),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, given),
        "mcc": metrics.matthews_corrcoef(y, given),
        "kappa": metrics.cohen_kappa_score(y, given),
    }
    for average in ("macro", "micro", "weighted"):
        expected[f"f1_{average}"] = metrics.f1_score(y, given, average=average)
        expected[f"recall_{average}"] = metrics.recall_score(y, given, average=average)
        expected[f"precision_{average}"] = metrics.precision_score(y, given, average=average)
    for name, value in expected.items():
        assert response_from(name, "classification").of(truth, prediction) == pytest.approx(value, abs=1e-14), name


@pytest.mark.parametrize("seed", SEEDS)
def test_two_classes_as_scikit_learn(seed: int) -> None:
    truth, prediction = classified(seed, 40, 2)
    y, given = truth.values, prediction.values
    (tn, fp), (fn, tp) = metrics.confusion_matrix(y, given)
    expected = {
        "recall": metrics.recall_score(y, given),
        "sensitivity": metrics.recall_score(y, given),
        "tp_rate": metrics.recall_score(y, given),
        "precision": metrics.precision_score(y, given),
        "f1": metrics.f1_score(y, given),
        "specificity": metrics.recall_score(y, given, pos_label=0),
        "fp_rate": fp / (fp + tn),
        "fn_rate": fn / (fn + tp),
        "tp": tp, "fp": fp, "fn": fn, "tn": tn,
    }  # fmt: skip
    for name, value in expected.items():
        assert response_from(name).of(truth, prediction) == pytest.approx(value, abs=1e-14), name


def test_the_confusion_matrix_is_that_of_the_labels() -> None:
    truth, prediction = classified(1, 50, 4)
    classes, matrix = confusion_of(truth, prediction)
    label = np.array(truth.classes)
    names, expected = confusion_matrix(label[truth.values], label[prediction.values], truth.classes)
    assert classes == names
    np.testing.assert_array_equal(matrix, expected)
    third = one_versus_rest(matrix, 2)
    binary = Truth("classification", (truth.values == 2).astype(int), ("rest", "c"))
    assert response_from("recall").of(binary, Prediction((prediction.values == 2).astype(int))) == third.recall


def test_classes_that_never_occur_have_rows_of_zeros() -> None:
    truth = Truth("classification", np.array([0, 0]), ("a", "b", "c"))
    assert confusion_of(truth, Prediction(np.array([0, 2])))[1].tolist() == [[1, 0, 1], [0, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0, 1], "as many true as assigned"),
        ([0, 1, 2], "numbers from 0 to 1; found 0 to 2"),
        ([0, -1, 1], "numbers from 0 to 1; found -1 to 1"),
    ],
)
def test_codes_that_are_none(values: list[int], message: str) -> None:
    truth = Truth("classification", np.array([0, 1, 1]), ("a", "b"))
    with pytest.raises(UsageError, match=message):
        confusion_of(truth, Prediction(np.array(values)))


def test_numbers_have_no_confusion_matrix() -> None:
    with pytest.raises(UsageError, match="task of regression"):
        confusion_of(Truth("regression", np.zeros(2)), Prediction(np.zeros(2)))


@pytest.mark.parametrize(
    ("name", "truth", "assigned", "reason"),
    [
        ("precision", "0011", "0000", "No test row was assigned to the class 'yes'."),
        ("recall", "0000", "0011", "No test row is of the class 'yes'."),
        ("fn_rate", "0000", "0011", "No test row is of the class 'yes'."),
        ("f1", "0000", "0000", "No test row is of the class 'yes', and none was assigned to it."),
        ("fp_rate", "1111", "0011", "All test rows are of the class 'yes'."),
        ("specificity", "1111", "0011", "All test rows are of the class 'yes'."),
        ("mcc", "1111", "0011", "All test rows are of one class"),
        ("mcc", "0011", "0000", "All test rows are assigned to one class"),
        ("kappa", "1111", "1111", "agreement by chance is certain"),
        ("precision_macro", "0011", "0000", "assigned to the class 'yes', so that it has no precision to average"),
        ("precision_weighted", "0011", "0000", "assigned to the class 'yes'"),
    ],
)
def test_zero_by_zero_is_a_reason(name: str, truth: str, assigned: str, reason: str) -> None:
    with pytest.raises(Undefined, match=reason):
        response_from(name).of(*two(truth, assigned))


@pytest.mark.parametrize(
    ("name", "truth", "assigned", "value"),
    [
        ("f1", "0011", "0000", 0.0),
        ("kappa", "1111", "0011", 0.0),
        ("balanced_accuracy", "1111", "0011", 0.5),
        ("recall_macro", "1111", "0011", 0.5),
        ("f1_macro", "1111", "0011", (0 + 2 / 3) / 2),
        ("precision_weighted", "1111", "0011", 1.0),
        ("f1_macro", "1111", "1111", 1.0),
    ],
)
def test_classes_that_do_not_occur(name: str, truth: str, assigned: str, value: float) -> None:
    assert response_from(name).of(*two(truth, assigned)) == pytest.approx(value)


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_f_of_a_fold_without_a_class_is_that_of_scikit_learn(average: str) -> None:
    truth, prediction = classified(2, 40, 4)
    rows = np.flatnonzero(truth.values != 1)
    fold, given = truth.rows(rows), prediction.values[rows]
    assert set(given) == {0, 1, 2, 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        expected = metrics.f1_score(fold.values, given, average=average)
    assert response_from(f"f1_{average}").of(fold, Prediction(given)) == pytest.approx(expected)


def test_measures_of_two_classes_say_what_to_use_for_more() -> None:
    with pytest.raises(UsageError, match=r"'sensitivity' is defined for two classes; this task has 3\. Use balanced_"):
        response_from("sensitivity", "classification", ("a", "b", "c"))
    with pytest.raises(Undefined, match=r"'f1' is defined for two classes; this task has 3\. Use f1_macro"):
        response_from("f1").of(*classified(0, 9, 3))


def test_a_task_of_one_class() -> None:
    truth, prediction = Truth("classification", np.zeros(3, dtype=int), ("only",)), Prediction(np.zeros(3, dtype=int))
    assert response_from("error").of(truth, prediction) == 0
    with pytest.raises(Undefined, match="by chance is certain"):
        response_from("kappa").of(truth, prediction)
    with pytest.raises(Undefined, match="two classes; this task has 1"):
        response_from("precision").of(truth, prediction)
