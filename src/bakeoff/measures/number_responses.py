"""Responses that are computed from predicted numbers, and from log densities."""

from __future__ import annotations

import numpy as np

from bakeoff.mathematics.exactness import midranks
from bakeoff.measures.losses import LOSSES
from bakeoff.measures.prediction import Prediction, Truth
from bakeoff.measures.response import Array, Undefined


def squared_error(truth: Truth, prediction: Prediction) -> Array:
    return LOSSES["squared_error"].of(truth.values, prediction.values)


def absolute_error(truth: Truth, prediction: Prediction) -> Array:
    return LOSSES["absolute_error"].of(truth.values, prediction.values)


def percentage_error(truth: Truth, prediction: Prediction) -> Array:
    """|prediction − truth| / |truth|, as a share."""
    zeros = np.flatnonzero(truth.values == 0)
    if len(zeros):
        raise Undefined(f"The true value of test row {zeros[0] + 1} is 0, so that an error has no percentage of it.")
    return np.asarray(absolute_error(truth, prediction) / np.abs(truth.values))


def rmse(truth: Truth, prediction: Prediction) -> float:
    return float(np.mean(squared_error(truth, prediction)) ** 0.5)


def median_absolute_error(truth: Truth, prediction: Prediction) -> float:
    return float(np.median(absolute_error(truth, prediction)))


def max_error(truth: Truth, prediction: Prediction) -> float:
    return float(np.max(absolute_error(truth, prediction)))


def r2(truth: Truth, prediction: Prediction) -> float:
    """1 − Σ(y − ŷ)²/Σ(y − ȳ)², ȳ being the mean of the test rows."""
    y = _spread(truth.values, "true values")
    return float(1 - squared_error(truth, prediction).sum() / np.sum((y - y.mean()) ** 2))


def explained_variance(truth: Truth, prediction: Prediction) -> float:
    """1 − var(y − ŷ)/var(y): as r², but a constant bias costs nothing."""
    y = _spread(truth.values, "true values")
    return float(1 - np.var(y - prediction.values) / np.var(y))


def pearson(truth: Truth, prediction: Prediction) -> float:
    return _correlation(_spread(truth.values, "true values"), _spread(prediction.values, "predictions"))


def spearman(truth: Truth, prediction: Prediction) -> float:
    """Pearson's correlation of the ranks, ties having the mean of theirs."""
    y, given = _spread(truth.values, "true values"), _spread(prediction.values, "predictions")
    return _correlation(midranks(y), midranks(given))


def values(truth: Truth, prediction: Prediction) -> Array:
    """What the learner gives each test row is its score already: a log density, a reward."""
    return np.asarray(prediction.values, dtype=float)


def _spread(column: Array, what: str) -> Array:
    """The column, if not all of it is the same."""
    if column.min() == column.max():
        raise Undefined(
            "There is one test row, and a spread needs two."
            if len(column) == 1
            else f"All {len(column)} {what} are {column[0]:g}, so that there is no variation to explain."
        )
    return np.asarray(column, dtype=float)


def _correlation(x: Array, y: Array) -> float:
    dx, dy = x - x.mean(), y - y.mean()
    # Scaled first, so that squares of very large or small numbers stay numbers.
    dx, dy = dx / np.abs(dx).max(), dy / np.abs(dy).max()
    return float(np.clip(dx @ dy / np.sqrt((dx @ dx) * (dy @ dy)), -1, 1))
