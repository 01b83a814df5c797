from __future__ import annotations

from fractions import Fraction
from math import ceil, inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.measures import KNOWN, LOSSES, Measure, known_measure, loss_named
from bakeoff.measures.measure import (
    _TABLE,
    canonical_name,
    functional,
    normalise_name,
    other_names,
    quantile,
    quantile_rank,
)


def test_direction_is_asked_of_the_measure_alone() -> None:
    accuracy = Measure("accuracy", larger_is_better=True, lower=0, upper=1)
    loss = Measure("loss", larger_is_better=False, lower=0)
    assert (accuracy.sign, accuracy.better, accuracy.best, accuracy.worst) == (1, "larger", 1, 0)
    assert (loss.sign, loss.better, loss.best, loss.worst) == (-1, "smaller", 0, inf)
    assert accuracy.advantage(0.9, 0.8) > 0 > accuracy.advantage(0.8, 0.9)
    assert loss.advantage(1, 2) == 1


# ----------------------------------------------------------------------------------------------------------------------
# Mean, median, maximum and quantiles of losses.


@given(st.integers(1, 1000), st.integers(0, 100))
def test_the_rank_is_exact_for_shares_of_two_decimals(m: int, percent: int) -> None:
    """In floating point .55 · 20 exceeds 11; the rank must not notice."""
    assert quantile_rank(m, percent / 100) == max(1, ceil(Fraction(percent, 100) * m))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.floats(0, 1))
def test_a_quantile_is_a_loss_that_occurred(losses: list[float], q: float) -> None:
    found = quantile(losses, q)
    assert found in losses
    assert sum(value <= found for value in losses) >= q * len(losses) - 1e-6


def test_the_ends_are_the_smallest_and_largest() -> None:
    assert (quantile([3, 1, 2], 0), quantile([3, 1, 2], 1)) == (1, 3)
    assert functional([3, 1, 2], "maximum") == functional([3, 1, 2], "max") == 3
    assert functional([1, 2, 3, 4], "75%") == functional([1, 2, 3, 4], "0.75") == 3


@pytest.mark.parametrize("name", ["mode", "q", "q2", "q-1", "qnan"])
def test_unknown_functionals_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match=r"functional|quantile"):
        functional([1, 2], name)


def test_bad_losses_are_refused() -> None:
    with pytest.raises(UsageError, match="finite number"):
        quantile([1, float("inf")], 0.5)
    with pytest.raises(UsageError, match="at least one value"):
        functional([], "mean")
    with pytest.raises(UsageError, match="at least one value"):
        quantile_rank(0, 0.5)


# ----------------------------------------------------------------------------------------------------------------------
# Known


@pytest.mark.parametrize(
    ("name", "better", "canonical"),
    [
        ("accuracy", "larger", "accuracy"),
        ("Error Rate", "smaller", "error"),
        ("ROC-AUC", "larger", "auc"),
        ("MSE", "smaller", "squared_error"),
        ("test_f1", "larger", "f1"),
        ("classif.ce", "smaller", "error"),
        ("test_loss", "smaller", "loss"),
        ("test_time", "smaller", "predict_time"),
        ("nll", "smaller", "log_loss"),
    ],
)
def test_names_people_give(name: str, better: str, canonical: str) -> None:
    measure = known_measure(name)
    assert measure is not None
    assert measure.better == better
    assert measure.name == name, "a measure keeps the name the user wrote"
    assert canonical_name(name) == canonical


@pytest.mark.parametrize("name", ["", "score", "frobscore", "train_accuracy", "neg_accuracy", "neg_", "🙂"])
def test_what_nobody_knows(name: str) -> None:
    assert known_measure(name) is None


@pytest.mark.parametrize(
    "name", ["neg_log_loss", "neg_mean_squared_error", "test_neg_root_mean_squared_error", "neg_brier_score"]
)
def test_losses_with_their_sign_turned(name: str) -> None:
    measure = known_measure(name)
    assert measure is not None
    assert measure.larger_is_better
    assert measure.upper == 0
    assert "negated" in measure.origin


def test_a_name_of_its_own_comes_before_its_parts() -> None:
    measure = known_measure("neg_log_likelihood")
    assert measure is not None
    assert measure.better == "smaller"


def test_the_origin_tells_a_synonym() -> None:
    assert known_measure("accuracy").origin == "known measure"  # type: ignore[union-attr]
    assert known_measure("acc").origin == "known measure: 'acc' is accuracy"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("f1_macro", "f1"), ("explained_variance", "r2"), ("model_size", "parameters"), ("pr_auc", "average_precision"),
        ("mean_average_precision", "average_precision"), ("deviance", "log_loss"), ("peak_memory", "memory"),
    ],
)  # fmt: skip
def test_what_is_alike_is_not_the_same(name: str, like: str) -> None:
    """Names of one measure stand for one number; those of the same direction only must not be computed alike."""
    assert canonical_name(name) == name
    assert name not in other_names(like)
    assert KNOWN[name].better == KNOWN[like].better


def test_the_table_says_everything_once() -> None:
    names = [name for canonical, (*_, others) in _TABLE.items() for name in (canonical, *others.split())]
    assert sorted(names) == sorted(set(names))
    assert all(name == normalise_name(name) for name in names)
    assert all(measure.lower < measure.upper for measure in KNOWN.values())


# ----------------------------------------------------------------------------------------------------------------------
# Losses


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
