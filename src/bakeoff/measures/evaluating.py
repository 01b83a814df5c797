"""All responses of one cell: what was asked for, as numbers, and where there is none, why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from bakeoff.errors import BakeoffError
from bakeoff.measures.prediction import Prediction, Truth
from bakeoff.measures.response import Needs, Response
from bakeoff.measures.scorers import score_with


class Fitted(NamedTuple):
    """What a scorer reads: only the worker has it, while the cell runs."""

    estimator: Any
    X: Any
    y: Any


class Evaluation(NamedTuple):
    """Values by the name of the measure, and for measures without a value the reason."""

    values: dict[str, float]
    undefined: dict[str, str]


def evaluate(
    responses: Iterable[Response],
    truth: Truth,
    prediction: Prediction,
    resources: Mapping[str, float] | None = None,
    fitted: Fitted | None = None,
) -> Evaluation:
    """Each response has a value or a reason, never both.

    >>> import numpy as np
    >>> from bakeoff.measures.responses import response_from
    >>> truth = Truth("classification", np.array([1, 1, 1]), ("no", "yes"))
    >>> asked = [response_from(name) for name in ("error", "auc")]
    >>> found = evaluate(asked, truth, Prediction(np.array([1, 1, 0]), np.array([0.9, 0.8, 0.3]), True))
    >>> round(found.values["error"], 3), found.undefined["auc"]
    (0.333, "All test rows (3) are of the class 'yes'; an ROC curve needs rows of both classes.")
    """
    values: dict[str, float] = {}
    undefined: dict[str, str] = {}
    for response in responses:
        try:
            if response.needs is Needs.RESOURCES and resources is not None:
                values[response.name] = response.of_resources(resources)
            elif response.needs is Needs.ESTIMATOR and fitted is not None:
                values[response.name] = score_with(response, *fitted)
            else:
                values[response.name] = response.of(truth, prediction)
        except BakeoffError as reason:  # mostly Undefined; a scorer that cannot be imported is one more reason
            undefined[response.name] = str(reason)
    return Evaluation(values, undefined)
