"""All responses of a cell at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from predicted import two

from bakeoff.measures.evaluating import Fitted, evaluate
from bakeoff.measures.prediction import Prediction
from bakeoff.measures.responses import response_from

ASKED = ("error", "auc", "precision", "fit_time", "model_size")


def half(estimator: Any, X: Any, y: Any) -> float:
    return 0.5 * estimator


def test_a_value_or_a_reason_for_each() -> None:
    truth, prediction = two("0011", "0000", [0.1, 0.2, 0.3, 0.4])
    found = evaluate([response_from(name) for name in ASKED], truth, prediction, {"fit_time": 0.25})
    assert found.values == {"error": 0.5, "auc": 1.0, "fit_time": 0.25}
    assert set(found.undefined) == {"precision", "model_size"}
    assert not set(found.values) & set(found.undefined)


def test_after_the_run_only_predictions_are_there() -> None:
    found = evaluate([response_from(name) for name in (*ASKED, "jaccard")], *two("0011", "0101"))
    assert found.values == {"error": 0.5, "precision": 0.5}
    assert "labels only" in found.undefined["auc"]
    assert "before it is run" in found.undefined["fit_time"]
    assert "fitted estimator" in found.undefined["jaccard"]


def test_scorers_read_what_was_fitted() -> None:
    asked = [response_from(half), response_from({"name": "gone", "scorer": "bakeoff.no_such_module.score"})]
    found = evaluate(asked, *two("01", "01"), {}, Fitted(3, [[1], [2]], ["a", "b"]))
    assert found.values == {"half": 1.5}
    assert "the module 'bakeoff' has no 'no_such_module'" in found.undefined["gone"]


def test_codes_that_are_none_are_a_reason() -> None:
    truth, _ = two("01", "01")
    found = evaluate([response_from("f1")], truth, Prediction(np.array([0, 7])))
    assert "found 0 to 7" in found.undefined["f1"]


@pytest.mark.parametrize("names", [(), ("error",)])
def test_nothing_is_computed_that_was_not_asked_for(names: tuple[str, ...]) -> None:
    found = evaluate([response_from(name) for name in names], *two("01", "00"), {"fit_time": 1})
    assert tuple(found.values) == names
