from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.measures import LOSSES, known_measure, loss_named

TRUTH, LABELS, NUMBERS = np.array([1.0, 0.0, 1.0]), np.array([1.0, 1.0, 0.0]), np.array([0.75, 0.5, 0.0])


@pytest.mark.parametrize(
    ("name", "prediction", "expected"),
    [
        ("error", LABELS, [0, 1, 1]),
        ("accuracy", LABELS, [1, 0, 0]),
        ("squared_error", NUMBERS, [0.0625, 0.25, 1]),
        ("absolute_error", NUMBERS, [0.25, 0.5, 1]),
        ("brier", NUMBERS, [0.0625, 0.25, 1]),
        ("log_loss", NUMBERS, [-np.log(0.75), np.log(2), -np.log(np.finfo(float).eps)]),
    ],
)
def test_values(name: str, prediction: np.ndarray, expected: list[float]) -> None:
    assert loss_named(name).of(TRUTH, prediction) == pytest.approx(expected)


def test_labels_may_be_text() -> None:
    assert loss_named("error").of(np.array(["cat", "dog"]), np.array(["cat", "cat"])).tolist() == [0, 1]


def test_log_loss_agrees_with_scikit_learns_clipping_at_both_ends() -> None:
    loss = loss_named("log_loss").of(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    assert loss == pytest.approx([36.0437, 36.0437], abs=1e-4)


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_is_a_measure_with_a_known_direction(name: str) -> None:
    measure = known_measure(name)
    assert measure is not None
    right, wrong = loss_named(name).of(np.array([1.0, 1.0]), np.array([1.0, 0.0]))
    assert measure.advantage(right, wrong) > 0


def test_other_names_and_unknown_ones() -> None:
    assert loss_named("Zero-One Loss").name == "error"
    assert loss_named("MAE").name == "absolute_error"
    with pytest.raises(UsageError, match=r"There is no pointwise loss named 'bryer'. Did you mean 'brier'"):
        loss_named("bryer")
