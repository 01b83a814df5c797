"""Measures of several targets at once, against scikit-learn's; and of rows that are weighted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from predicted import classified, labelled, regressed
from sklearn import metrics

from bakeoff.errors import UsageError
from bakeoff.measures.response import Prediction, Truth, Undefined
from bakeoff.measures.responses import COMPUTED, response_from

NAMES = ("a", "b", "c")
OF_NUMBERS: dict[str, Any] = {
    "squared_error": metrics.mean_squared_error,
    "absolute_error": metrics.mean_absolute_error,
    "mape": metrics.mean_absolute_percentage_error,
    "rmse": metrics.root_mean_squared_error,
    "median_absolute_error": metrics.median_absolute_error,
    "r2": metrics.r2_score,
    "explained_variance": metrics.explained_variance_score,
}
OF_LABELS: dict[str, Any] = {
    "hamming_loss": metrics.hamming_loss,
    "error": metrics.zero_one_loss,
    "accuracy": metrics.accuracy_score,
    **{
        f"{name}_{average}": lambda y, p, name=name, average=average: getattr(metrics, f"{name}_score")(
            y, p, average=average
        )
        for name in ("f1", "precision", "recall")
        for average in ("micro", "macro", "weighted")
    },
}
OF_SCORES: dict[str, Any] = {
    "auc": metrics.roc_auc_score,
    "average_precision": metrics.average_precision_score,
    "brier": lambda y, p: np.mean([metrics.brier_score_loss(y[:, k], p[:, k]) for k in range(y.shape[1])]),
    "log_loss": lambda y, p: np.mean([metrics.log_loss(y[:, k], p[:, k]) for k in range(y.shape[1])]),
}


def several_numbers(seed: int, n: int = 20) -> tuple[Truth, Prediction]:
    pairs = [regressed(seed + k, n) for k in range(3)]
    truth, given = (np.column_stack([pair[i].values for pair in pairs]) for i in (0, 1))
    return Truth("regression", truth, NAMES), Prediction(given)


@pytest.mark.parametrize("name", OF_NUMBERS)
@pytest.mark.parametrize("seed", [1, 2])
def test_numbers_are_averaged_over_targets_as_scikit_learn_does(name: str, seed: int) -> None:
    truth, prediction = several_numbers(seed)
    expected = OF_NUMBERS[name](truth.values, prediction.values)
    assert response_from(name, "regression").of(truth, prediction) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", OF_LABELS)
@pytest.mark.parametrize("seed", [1, 2])
def test_labels_agree_with_scikit_learn(name: str, seed: int) -> None:
    truth, prediction = labelled(seed, 30, 4)
    expected = OF_LABELS[name](truth.values, prediction.values)
    assert response_from(name, "multi-label").of(truth, prediction) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", OF_SCORES)
@pytest.mark.parametrize("seed", [1, 2])
def test_scores_of_labels_agree_with_scikit_learn(name: str, seed: int) -> None:
    truth, prediction = labelled(seed, 30, 2)
    assert prediction.scores is not None
    expected = OF_SCORES[name](truth.values, prediction.scores)
    assert response_from(name, "multi-label").of(truth, prediction) == pytest.approx(expected, rel=1e-12)


def test_each_row_has_a_loss_whose_mean_is_the_response() -> None:
    for case, names in ((several_numbers(3), OF_NUMBERS), (labelled(3, 25), {**OF_LABELS, **OF_SCORES})):
        for name in names:
            response = COMPUTED[name]
            if response.pointwise is not None:
                losses = response.losses(*case)
                assert losses.shape == (len(case[0].values),)
                assert losses.mean() == pytest.approx(response.of(*case))


def test_what_does_not_exist_for_labels_is_told() -> None:
    with pytest.raises(UsageError, match="'kappa' is a measure of classification, not of multi-label"):
        response_from("kappa", "multi-label")
    truth, prediction = labelled(1, 5)
    never = Truth("multi-label", np.zeros_like(truth.values), truth.classes)
    nothing = Prediction(np.zeros_like(truth.values), prediction.scores, True)
    for name, why in {
        "auc": "The label 'a' applies to none of the 5 test rows",
        "f1_micro": "No label was assigned to any test row",
        "f1_macro": "No label applies to any test row, and none was assigned",
        "recall_macro": "No label applies to any test row",
        "f1_weighted": "No label applies to any test row",
    }.items():
        with pytest.raises(Undefined, match=why):
            COMPUTED[name].of(never, nothing)
    with pytest.raises(Undefined, match="'a', so that it has no precision to average"):
        COMPUTED["precision_macro"].of(truth, nothing)
    with pytest.raises(Undefined, match=r"the shape \(5, 3\), but predictions \(5,\)"):
        COMPUTED["error"].of(truth, Prediction(prediction.values[:, 0]))


# --- weights ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("error", metrics.zero_one_loss),
        ("accuracy", metrics.accuracy_score),
        ("squared_error", metrics.mean_squared_error),
        ("absolute_error", metrics.mean_absolute_error),
    ],
)
def test_a_weighted_mean_is_that_of_scikit_learn(name: str, score: Any) -> None:
    truth, prediction = classified(4, 20, 3) if name in ("error", "accuracy") else regressed(4, 20)
    weights = np.random.default_rng(1).exponential(size=20)
    told = Truth(truth.kind, truth.values, truth.classes, weights)
    response = response_from({"name": f"weighted {name}", "measure": name, "weighted": True})
    expected = score(truth.values, prediction.values, sample_weight=weights)
    assert response.of(told, prediction) == pytest.approx(expected, rel=1e-12)
    assert response.losses(told, prediction).mean() == pytest.approx(expected)
    assert response.of(told.rows(np.array([3, 5])), Prediction(prediction.values[[3, 5]])) == pytest.approx(
        score(truth.values[[3, 5]], prediction.values[[3, 5]], sample_weight=weights[[3, 5]])
    )
    assert response.describe() == {"name": f"weighted {name}", "measure": name, "weighted": True}
    with pytest.raises(Undefined, match="the task has none"):
        response.of(truth, prediction)
    with pytest.raises(Undefined, match="All test rows have the weight 0"):
        response.of(Truth(truth.kind, truth.values, truth.classes, np.zeros(20)), prediction)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"name": "x", "measure": "auc", "weighted": True}, "auc has no value for each of them"),
        ({"name": "error", "measure": "error", "weighted": True}, "Choose another name"),
        ({"name": "x", "measure": "error", "weighted": 1}, "is true or false; found 1"),
        ({"name": "x", "loss": "error", "weighted": True}, "cannot have 'weighted'"),
    ],
)
def test_what_cannot_be_weighted(table: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        response_from(table)
