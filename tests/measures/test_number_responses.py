"""Responses of numbers and log densities: against scikit-learn and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from predicted import regressed
from scipy import stats
from sklearn import metrics

from bakeoff.measures.prediction import Prediction, Truth
from bakeoff.measures.response import Undefined
from bakeoff.measures.responses import response_from


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
