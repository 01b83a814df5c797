"""Responses of assigned classes: against scikit-learn, and where 0/0 is told instead of set."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from predicted import classified, regressed, two
from scipy import stats
from sklearn import metrics
from sklearn.exceptions import UndefinedMetricWarning

from bakeoff.errors import UsageError
from bakeoff.mathematics.auc import auc as auc_by_components
from bakeoff.measures.by_kind import area, confusion_of
from bakeoff.measures.curves import one_versus_rest
from bakeoff.measures.response import Prediction, Truth, Undefined
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
    expected = metrics.confusion_matrix(label[truth.values], label[prediction.values], labels=truth.classes)
    assert classes == truth.classes
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


# ----------------------------------------------------------------------------------------------------------------------
# Responses of numbers and log densities: against scikit-learn and scipy.


def value(name: str, truth: list[float], given: list[float]) -> float:
    return response_from(name, "regression").of(Truth("regression", np.array(truth)), Prediction(np.array(given)))


@pytest.mark.parametrize("n", [2, 15, 100])
@pytest.mark.parametrize("seed", range(3))
def test_as_scikit_learn_and_scipy(seed: int, n: int) -> None:
    truth, prediction = regressed(seed, n)
    y, given = truth.values, prediction.values
    for name, expected in {
        "squared_error": metrics.mean_squared_error(y, given),
        "mse": metrics.mean_squared_error(y, given),
        "rmse": metrics.root_mean_squared_error(y, given),
        "absolute_error": metrics.mean_absolute_error(y, given),
        "median_absolute_error": metrics.median_absolute_error(y, given),
        "max_error": metrics.max_error(y, given),
        "mape": metrics.mean_absolute_percentage_error(y, given),
        "r2": metrics.r2_score(y, given),
        "explained_variance": metrics.explained_variance_score(y, given),
        "pearson": stats.pearsonr(y, given).statistic,
        "spearman": stats.spearmanr(y, given).statistic,
    }.items():
        assert response_from(name).of(truth, prediction) == pytest.approx(expected, rel=1e-12), name


def test_tied_ranks_as_scipy() -> None:
    y, given = [1.0, 1, 2, 3, 3], [2.0, 1, 1, 5, 4]
    assert value("spearman", y, given) == pytest.approx(stats.spearmanr(y, given).statistic)


@pytest.mark.parametrize("name", ["r2", "explained_variance", "pearson", "spearman"])
def test_without_spread_nothing_is_explained(name: str) -> None:
    with pytest.raises(Undefined, match="All 3 true values are 2"):
        value(name, [2, 2, 2], [1, 2, 3])
    with pytest.raises(Undefined, match="one test row"):
        value(name, [2], [2])


@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_a_constant_prediction_correlates_with_nothing(name: str) -> None:
    with pytest.raises(Undefined, match="All 3 predictions are 7"):
        value(name, [1, 2, 3], [7, 7, 7])
    assert value("r2", [1, 2, 3], [2, 2, 2]) == 0


def test_percentages_of_zero() -> None:
    with pytest.raises(Undefined, match="test row 2 is 0"):
        value("mape", [1, 0], [1, 1])
    assert value("mape", [-2, 4], [-1, 4]) == 0.25


def test_numbers_that_leave_their_range_are_told_without_a_warning() -> None:
    with pytest.raises(Undefined, match="leaves the range of numbers"):
        value("squared_error", [1e200, 0], [-1e200, 0])
    assert value("pearson", [1e200, -1e200, 0], [2e200, -2e200, 0]) == pytest.approx(1)


@pytest.mark.parametrize("wrong", [np.inf, np.nan])
def test_predictions_that_are_no_numbers(wrong: float) -> None:
    with pytest.raises(Undefined, match="finite"):
        value("spearman", [1, 2, 3], [1, 2, wrong])


def test_log_likelihood_and_reward_are_means_over_rows() -> None:
    truth, prediction = Truth("density", np.zeros(3)), Prediction(np.array([-1.0, -2.0, -6.0]))
    for name in ("log_likelihood", "reward"):
        response = response_from(name, "density")
        assert response.of(truth, prediction) == -3
        assert response.losses(truth, prediction).tolist() == [-1, -2, -6]


def test_a_row_of_no_density() -> None:
    truth, prediction = Truth("density", np.zeros(2)), Prediction(np.array([-1.0, -np.inf]))
    with pytest.raises(Undefined, match="leaves the range"):
        response_from("log_likelihood").of(truth, prediction)
    with pytest.raises(Undefined, match="at test row 2"):
        response_from("log_likelihood").losses(truth, prediction)


# ----------------------------------------------------------------------------------------------------------------------
# Responses of scores and probabilities: against scikit-learn, with ties, many classes, and classes missing.


def value_score_responses(name: str, truth: Truth, prediction: Prediction) -> float:
    return response_from(name, "classification").of(truth, prediction)


def both_classes(rows: list[tuple[bool, int]]) -> bool:
    return len({positive for positive, _ in rows}) == 2


@given(st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=2, max_size=40).filter(both_classes))
def test_the_area_is_that_of_the_components(rows: list[tuple[bool, int]]) -> None:
    positive, scores = np.array([row[0] for row in rows]), np.array([row[1] for row in rows], dtype=float)
    assert area(positive, scores) == pytest.approx(auc_by_components(positive, scores), abs=1e-15)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_two_classes_as_scikit_learn_score_responses(seed: int, ties: bool) -> None:
    truth, prediction = classified(seed, 50, 2, ties)
    y, p = truth.values, prediction.scores
    assert value_score_responses("auc", truth, prediction) == pytest.approx(metrics.roc_auc_score(y, p), abs=1e-14)
    for name in ("auc_ovo", "auc_ovr", "auc_ovo_weighted", "auc_ovr_weighted"):
        assert value_score_responses(name, truth, prediction) == value_score_responses("auc", truth, prediction)
    assert value_score_responses("average_precision", truth, prediction) == pytest.approx(
        metrics.average_precision_score(y, p)
    )
    assert value_score_responses("brier", truth, prediction) == pytest.approx(metrics.brier_score_loss(y, p))
    assert value_score_responses("neg_brier_score", truth, prediction) == pytest.approx(-metrics.brier_score_loss(y, p))
    assert value_score_responses("log_loss", truth, prediction) == pytest.approx(metrics.log_loss(y, p))


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
        assert value_score_responses(name, truth, prediction) == pytest.approx(
            metrics.roc_auc_score(y, p, **how), abs=1e-14
        ), name
    assert value_score_responses("average_precision", truth, prediction) == pytest.approx(
        metrics.average_precision_score(y, p)
    )
    assert value_score_responses("log_loss", truth, prediction) == pytest.approx(metrics.log_loss(y, p))
    whole = np.sum((p - np.eye(k)[y]) ** 2, axis=1).mean()  # Brier's own definition, and scikit-learn's
    assert value_score_responses("brier", truth, prediction) == pytest.approx(whole / 2)
    assert value_score_responses("neg_brier_score", truth, prediction) == pytest.approx(-whole)
    assert value_score_responses("neg_brier_score", truth, prediction) == pytest.approx(-metrics.brier_score_loss(y, p))


def test_the_brier_score_of_two_classes_is_that_of_two_columns() -> None:
    truth, prediction = classified(4, 20, 2)
    p = prediction.scores
    assert p is not None
    with_three = Truth("classification", truth.values, ("a", "b", "never"))
    columns = np.column_stack([1 - p, p, np.zeros(20)])
    for name in ("brier", "log_loss"):
        assert value_score_responses(name, with_three, replace(prediction, scores=columns)) == pytest.approx(
            value_score_responses(name, truth, prediction)
        )


@pytest.mark.parametrize("name", ["auc", "auc_ovo", "auc_ovr"])
@pytest.mark.parametrize(("truth", "label"), [("1111", "'yes'"), ("0000", "'no'"), ("0", "'no'")])
def test_a_fold_of_one_class_has_no_roc_curve(name: str, truth: str, label: str) -> None:
    with pytest.raises(Undefined, match=f"of the class {label}; an ROC curve needs rows of both"):
        value_score_responses(name, *two(truth, truth, [0.5] * len(truth)))


def test_average_precision_needs_positives_only() -> None:
    with pytest.raises(Undefined, match="None of the 4 test rows is of the class 'yes'"):
        value_score_responses("average_precision", *two("0000", "0000", [0.1, 0.2, 0.3, 0.4]))
    assert value_score_responses("average_precision", *two("11", "11", [0.1, 0.2])) == 1


@pytest.mark.parametrize("name", ["auc", "auc_ovr", "auc_ovo_weighted", "average_precision"])
def test_a_fold_without_a_class_has_no_average_over_classes(name: str) -> None:
    truth, prediction = classified(0, 30, 3)
    rows = np.flatnonzero(truth.values != 1)
    assert prediction.scores is not None
    fold = Prediction(prediction.values[rows], prediction.scores[rows], True)
    with pytest.raises(Undefined, match=f"None of the {len(rows)} test rows is of the class 'b'"):
        value_score_responses(name, truth.rows(rows), fold)
    assert value_score_responses("log_loss", truth.rows(rows), fold) > 0  # which does not mind


@pytest.mark.parametrize("name", ["auc", "average_precision"])
def test_infinite_log_odds_are_an_order(name: str) -> None:
    truth, prediction = two("0101", "0101", [-3.0, 4.0, 1.0, 2.0])
    at_the_limit = replace(prediction, scores=np.array([-np.inf, np.inf, 1.0, 2.0]), probabilistic=False)
    assert value_score_responses(name, truth, at_the_limit) == 1.0


def test_certain_and_wrong_costs_much_but_not_everything() -> None:
    truth, prediction = two("01", "10", [1.0, 0.0])
    assert value_score_responses("log_loss", truth, prediction) == pytest.approx(metrics.log_loss([0, 1], [1.0, 0.0]))
    assert 36 < value_score_responses("log_loss", truth, prediction) < 37
    three = Truth("classification", truth.values, ("a", "b", "c"))
    sure = Prediction(prediction.values, np.array([[0.0, 1, 0], [1, 0, 0]]), True)
    assert value_score_responses("log_loss", three, sure) == pytest.approx(
        value_score_responses("log_loss", truth, prediction)
    )


def test_a_task_of_one_class_has_no_curve() -> None:
    truth = Truth("classification", np.zeros(3, dtype=int), ("only",))
    with pytest.raises(Undefined, match="one class"):
        value_score_responses("auc", truth, Prediction(truth.values, np.ones((3, 1)), True))


def test_rounding_in_a_store_is_forgiven() -> None:
    truth, prediction = two("01", "01", [0.0, 1.0 + 1e-8])
    assert value_score_responses("log_loss", truth, prediction) == pytest.approx(0, abs=1e-12)
