"""Designs by name, and the sizes that are known of them (n = 200, α = .05, measured by others than these tests):
paired t over ten folds 8.7 %, over ten times ten 57.7 %; Nadeau and Bengio's correction 1.9 % and 6.0 %.

benchmarks/calibration.py compares a thousand experiments with them."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.calibrating.built_in import design_named, simulated
from bakeoff.lab.calibrating.calibration import Calibration, calibrated
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
