"""Designs by name, and the sizes that are known of them (n = 200, α = .05, measured by others than these tests):
paired t over ten folds 8.7 %, over ten times ten 57.7 %; Nadeau and Bengio's correction 1.9 % and 6.0 %.

benchmarks/calibration.py compares a thousand experiments with them."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.calibration.apply import Calibration, calibrated
from bakeoff.calibration.designs import (
    check_memory,
    checked_replications,
    checked_seed,
    design_named,
    difference_of,
    simulated,
    with_difference,
)
from bakeoff.errors import DegenerateError, UsageError
from bakeoff.measures import known_measure
from bakeoff.scores import layout

T_TESTS = ["kfold-t", "corrected-t"]


def of(design: str, replications: int) -> Calibration:
    return calibrated(simulated(design_named(design), replications=replications, seed=1), T_TESTS)


def test_ten_folds_make_the_naive_t_test_liberal_and_the_corrected_one_timid() -> None:
    found = of("cv:10", 400)
    # Within three Monte-Carlo standard errors of the known figures.
    assert found["kfold-t"].size == pytest.approx(0.087, abs=3 * found["kfold-t"].size_error)
    assert found["kfold-t"].verdict == "liberal"
    assert found["corrected-t"].size == pytest.approx(0.019, abs=3 * found["corrected-t"].size_error)
    assert found["corrected-t"].verdict == "conservative"
    assert found.recommended == "corrected-t"
    assert found["kfold-t"].power > found["corrected-t"].power > 0.3


def test_ten_times_ten_folds_make_the_naive_t_test_claim_something_every_other_time() -> None:
    found = of("cv:10x10", 150)
    assert found["kfold-t"].size == pytest.approx(0.577, abs=3 * found["kfold-t"].size_error)
    assert found["corrected-t"].size == pytest.approx(0.06, abs=3 * found["corrected-t"].size_error)
    assert found["kfold-t"].coverage == pytest.approx(1 - found["kfold-t"].size)
    assert found["kfold-t"].against
    assert not found["corrected-t"].against


@pytest.mark.parametrize(
    ("name", "blocks", "sentence"),
    [
        ("cv:5", 5, "2 learners on 5 resamples of one task (K-fold cross-validation)"),
        ("cv", 10, "2 learners on 10 resamples of one task (K-fold cross-validation)"),
        ("CV:5×2", 10, "2 learners on 10 resamples of one task (5×2 cross-validation)"),
        ("draws:4", 4, "2 learners on 4 resamples of one task (repeated runs)"),
        ("competition:3", 3, "2 learners on 3 resamples of one task (repeated runs)"),
        ("answers", 40, "2 learners on 40 instances of one task"),
    ],
)
def test_a_design_is_what_it_is_called(name: str, blocks: int, sentence: str) -> None:
    made = simulated(design_named(name, 40), replications=20, delta=0.05)
    assert made.null.shape == made.different.shape == (20, blocks, 2)
    assert layout(made.scores).sentence.startswith(sentence)
    assert ((made.null >= 0) & (made.null <= 1)).all()


def test_one_cross_validation_is_there_row_by_row_as_well() -> None:
    made = simulated(design_named("cv:5", 40), replications=20, delta=0.05)
    assert made.answers is not None
    for errors, mistakes in ((made.null, made.answers.null), (made.different, made.answers.different)):
        assert mistakes.shape == (20, 40, 2)
        assert mistakes.mean(axis=1) == pytest.approx(errors.mean(axis=1))  # folds of eight rows each
    assert layout(made.answers.scores).binary
    for other in ("cv:2x5", "draws:4", "answers"):
        assert simulated(design_named(other, 40), replications=20, delta=0.05).answers is None


def test_tests_of_rows_exceed_their_level_where_each_fold_has_a_fit_of_its_own() -> None:
    found = calibrated(simulated(design_named("cv:10"), replications=400, seed=1), ["mcnemar", "paired-t"])
    # 7.3 and 8.5 % among a thousand experiments (seed 1): what folds share makes rows lean to the same side.
    assert found["paired-t"].size == pytest.approx(0.085, abs=3 * found["paired-t"].size_error)
    assert found["paired-t"].verdict == "liberal"
    assert found["mcnemar"].on_answers
    assert found.recommended == ""


@pytest.mark.parametrize(("name", "told"), [("competition:3", True), ("draws:3", False), ("cv:3", False)])
def test_one_test_sample_for_all_draws_is_told(name: str, told: bool) -> None:
    notes = simulated(design_named(name, 40), replications=20).notes
    assert any("tested on one test sample" in note for note in notes) == told


def test_an_experiment_does_not_depend_on_how_many_others_there_are() -> None:
    few, many = (simulated(design_named("cv:5", 40), replications=r, seed=3, delta=0.05) for r in (20, 30))
    assert (few.null == many.null[:20]).all()
    assert (few.different == many.different[:20]).all()
    assert (few.null != simulated(design_named("cv:5", 40), replications=20, seed=4, delta=0.05).null).any()


def test_the_second_learner_is_worse_by_about_what_was_asked_for() -> None:
    made = simulated(design_named("cv:10"), replications=100, delta=0.1)
    assert made.delta == pytest.approx(0.1, abs=0.03)  # delta is of large samples; these have 180 rows
    assert (made.different[:, :, 1] - made.different[:, :, 0]).mean() == made.delta
    assert abs((made.null[:, :, 1] - made.null[:, :, 0]).mean()) < 0.02
    assert np.isfinite(made.different).all()


@pytest.mark.parametrize(
    ("name", "n", "message"),
    [
        ("kfold:10", 200, "There is no design 'kfold:10'"),
        ("draw:10", 200, "Did you mean 'draws'"),
        ("cv:1", 200, "cv:FOLDS or cv:REPEATSxFOLDS"),
        ("cv:0x10", 200, "cv:FOLDS or cv:REPEATSxFOLDS"),
        ("cv:ten", 200, "cv:FOLDS or cv:REPEATSxFOLDS"),
        ("cv:150", 200, "less than two rows to test on"),
        ("draws:1", 200, "at least 2"),
        ("draws:many", 200, "at least 2"),
        ("answers:5", 200, "has a size n and no other"),
        ("cv:10", 19, "at least 20"),
        ("cv:10", 200.0, "at least 20"),
    ],
)
def test_what_is_no_design_is_refused(name: str, n: int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        design_named(name, n)


def test_a_learner_cannot_be_worse_than_guessing() -> None:
    with pytest.raises(UsageError, match="worse than guessing"):
        simulated(design_named("cv:10", 40), replications=20, delta=0.3)


# ----------------------------------------------------------------------------------------------------------------------
# What all simulated experiments have in common: a difference to be found, and the limits of what is asked.


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
