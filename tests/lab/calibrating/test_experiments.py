"""What all simulated experiments have in common: a difference to be found, and the limits of what is asked."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.lab.calibrating.experiments import (
    check_memory,
    checked_replications,
    checked_seed,
    difference_of,
    with_difference,
)
from bakeoff.measures import known_measure

ERROR, ACCURACY = known_measure("error"), known_measure("accuracy")


def test_the_default_difference_is_found_with_a_power_of_80_percent_by_a_test_that_knows_the_spread() -> None:
    rng = np.random.default_rng(1)
    null = rng.standard_normal((4000, 5, 2))
    delta, why = difference_of(null, None, 0.05)
    assert delta == pytest.approx((1.959964 + 0.841621) * np.sqrt(2 / 5), rel=0.05)
    assert "80 %" in why
    shifted = with_difference(null, delta, ERROR, seed=1)
    z = (shifted[:, :, 1] - shifted[:, :, 0]).mean(axis=1) / np.sqrt(2 / 5)
    assert (np.abs(z) > 1.96).mean() == pytest.approx(0.8, abs=0.03)


def test_a_difference_that_is_asked_for_is_taken() -> None:
    assert difference_of(np.zeros((2, 2, 2)), 0.1, 0.05) == (0.1, "as asked for")


@pytest.mark.parametrize("delta", [0, -0.1, float("nan"), float("inf"), True, "0.1"])
def test_what_is_no_difference_is_refused(delta: object) -> None:
    with pytest.raises(UsageError, match="must be a positive number"):
        difference_of(np.zeros((2, 2, 2)), delta, 0.05)  # type: ignore[arg-type]


def test_learners_that_never_differ_leave_nothing_to_find() -> None:
    with pytest.raises(DegenerateError, match="the same mean in every simulated experiment"):
        difference_of(np.ones((3, 4, 2)), None, 0.05)


def test_the_second_learner_is_the_worse_one_whichever_way_the_measure_goes() -> None:
    null = np.full((2, 3, 2), 0.5)
    for measure in (ERROR, ACCURACY):
        worse = with_difference(null, 0.1, measure, seed=1)
        assert measure.advantage(worse[0, 0, 0], worse[0, 0, 1]) == pytest.approx(0.1)
    assert (null == 0.5).all()


@pytest.mark.parametrize("measure", [ERROR, ACCURACY], ids=["error", "accuracy"])
def test_answers_stay_right_or_wrong_and_lose_delta_on_average(measure) -> None:  # type: ignore[no-untyped-def]
    null = (np.random.default_rng(1).random((200, 100, 2)) < 0.5).astype(float)
    worse = with_difference(null, 0.1, measure, seed=3)
    assert set(np.unique(worse)) == {0.0, 1.0}
    assert (worse[:, :, 0] == null[:, :, 0]).all()
    lost = measure.advantage(1, 0) * (null[:, :, 1].mean() - worse[:, :, 1].mean())
    assert lost == pytest.approx(0.1, abs=0.01)


def test_no_more_answers_can_be_lost_than_are_right() -> None:
    with pytest.raises(UsageError, match="more than there is to lose"):
        with_difference(np.array([[[0.0, 1.0], [1.0, 0.0]]]), 0.6, ERROR, seed=1)


def test_a_negative_difference_makes_wrong_answers_right() -> None:
    null = (np.random.default_rng(1).random((200, 100, 2)) < 0.5).astype(float)
    better = with_difference(null, -0.1, ERROR, seed=3)
    assert ((null - better) >= 0).all()
    assert null[:, :, 1].mean() - better[:, :, 1].mean() == pytest.approx(0.1, abs=0.01)
    assert with_difference(np.full((1, 1, 2), 0.5), -0.1, ERROR, seed=3)[0, 0, 1] == pytest.approx(0.4)
    with pytest.raises(UsageError, match=r"the second learner is wrong in 50.0% of its answers"):
        with_difference(np.array([[[0.0, 1.0], [1.0, 0.0]]]), -0.6, ERROR, seed=1)


@pytest.mark.parametrize("number", [19, 0, -5, 20.0, True, "200"])
def test_few_replications_are_refused(number: object) -> None:
    with pytest.raises(UsageError, match="at least 20"):
        checked_replications(number)


@pytest.mark.parametrize("seed", [-1, 1.5, True, None])
def test_a_seed_is_a_whole_number(seed: object) -> None:
    with pytest.raises(UsageError, match="whole number"):
        checked_seed(seed)


def test_more_than_memory_holds_is_refused_with_what_would_fit() -> None:
    check_memory(1000, 10)
    with pytest.raises(UsageError, match=r"At most 33 replications fit"):
        check_memory(1000, 1_000_000)
