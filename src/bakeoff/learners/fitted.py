"""What comes out of one fit: predictions and the time they took, or the reason why they are of no use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bakeoff.measures.prediction import Prediction


class InvalidPrediction(Exception):  # noqa: N818  (it says what became of a cell, as its status does)
    """A learner ran to its end, and what it predicted cannot be used: wrong length, not finite, no known class."""


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds on the clock and of processor time. A command learns and predicts at once: all of it is `fit`."""

    fit_wall: float
    fit_cpu: float
    predict_wall: float | None = None
    predict_cpu: float | None = None

    def resources(self) -> dict[str, float]:
        """By the names of the measures; what was not measured is left out."""
        named = {
            "fit_time": self.fit_wall,
            "fit_cpu": self.fit_cpu,
            "predict_time": self.predict_wall,
            "predict_cpu": self.predict_cpu,
        }
        return {name: seconds for name, seconds in named.items() if seconds is not None}


@dataclass(frozen=True, slots=True)
class Fitted:
    """The prediction of the test rows, its timings, and the fitted estimator (None for a command)."""

    prediction: Prediction
    timings: Timings
    estimator: Any = None
