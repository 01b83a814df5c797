"""Pointwise losses: from the truth and a prediction to one number an instance, smaller is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError, nearest
from bakeoff.measures.known import canonical_name, plain


@dataclass(frozen=True, slots=True)
class Loss:
    """A pointwise loss under the name of the measure that is its mean.

    `predicts` says what it reads: "label", "number", or "probability" (of the second class, truth 0 or 1).
    """

    name: str
    predicts: str
    of: Callable[[NDArray[np.generic], NDArray[np.generic]], NDArray[np.float64]]


def _error(truth: NDArray[np.generic], prediction: NDArray[np.generic]) -> NDArray[np.float64]:
    return np.asarray(truth != prediction, dtype=float)


def _squared(truth: NDArray[np.generic], prediction: NDArray[np.generic]) -> NDArray[np.float64]:
    return np.asarray((truth.astype(float) - prediction.astype(float)) ** 2)


def _absolute(truth: NDArray[np.generic], prediction: NDArray[np.generic]) -> NDArray[np.float64]:
    return np.asarray(np.abs(truth.astype(float) - prediction.astype(float)))


def _log_loss(truth: NDArray[np.generic], prediction: NDArray[np.generic]) -> NDArray[np.float64]:
    # Clipped as scikit-learn does: a certain and wrong prediction costs 36 nats, not infinity.
    eps = np.finfo(float).eps
    p = np.minimum(np.maximum(prediction.astype(float), eps), 1 - eps)  # as np.clip, in a fifth of its time
    y = truth.astype(float)
    return np.asarray(-(y * np.log(p) + (1 - y) * np.log1p(-p)))


LOSSES: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        Loss("error", "label", _error),
        Loss("accuracy", "label", lambda truth, prediction: 1.0 - _error(truth, prediction)),
        Loss("squared_error", "number", _squared),
        Loss("absolute_error", "number", _absolute),
        Loss("brier", "probability", _squared),
        Loss("log_loss", "probability", _log_loss),
    )
}


def loss_named(name: str) -> Loss:
    """The pointwise loss of that name, or of another name of the same measure.

    >>> loss_named("squared error").of(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    array([0., 4.])
    >>> loss_named("mse").name
    'squared_error'
    """
    loss = LOSSES.get(canonical_name(name) or plain(name))
    if loss is None:
        raise UsageError(f"There is no pointwise loss named {name!r}. {nearest(plain(name), LOSSES)}")
    return loss
