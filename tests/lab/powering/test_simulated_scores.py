"""Simulated scores are as the guess has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.powering.guess import Guess
from bakeoff.lab.powering.simulated_scores import Design, answers, numbers, simulated_scores
from bakeoff.scores import Level, layout

TASKS = Design(Level.TASKS)
CASES = Design(Level.INSTANCES, binary=True)


def draw(make: Any, design: Design, guess: Guess, n: int, difference: float, seed: int = 0) -> Any:
    return make(design, guess, n, difference, np.random.default_rng(seed))


def test_differences_have_the_mean_and_sd_of_the_guess() -> None:
    values = draw(numbers, TASKS, Guess(sd=0.05), 40_000, 0.02)
    d = values[:, 1] - values[:, 0]  # smaller is better, and the first is the better one
    assert d.mean() == pytest.approx(0.02, abs=4 * 0.05 / 200)
    assert d.std() == pytest.approx(0.05, rel=0.02)
    alone = draw(numbers, Design(Level.RESAMPLES, paired=False), Guess(sd=0.05), 40_000, 0.02)
    assert alone.std(axis=0) == pytest.approx(0.05, rel=0.02)


def test_folds_have_the_correlation_of_the_guess() -> None:
    design = Design(Level.RESAMPLES, folds=4)
    assert design.correlation(Guess()) == 0.25
    assert design.correlation(Guess(correlation=0.5)) == 0.5
    d = np.array([np.subtract(*draw(numbers, design, Guess(), 4, 0.0, seed).T) for seed in range(4000)])
    r = np.corrcoef(d.T)[np.triu_indices(4, 1)]
    assert r == pytest.approx(0.25, abs=0.07)
    assert d.std() == pytest.approx(1.0, rel=0.03)


def test_answers_have_the_rates_of_the_guess() -> None:
    wrong = draw(answers, CASES, Guess(error=0.3, discordant=0.2, learners=3), 60_000, 0.1)
    assert wrong.mean(axis=0) == pytest.approx([0.2, 0.3, 0.3], abs=0.01)
    assert (wrong[:, 0] != wrong[:, 2]).mean() == pytest.approx(0.2, abs=0.01)


def test_more_blocks_and_other_differences_keep_the_noise() -> None:
    few, many = (draw(numbers, TASKS, Guess(), n, 0.5) for n in (5, 9))
    assert np.array_equal(few, many[:5])
    other = draw(numbers, TASKS, Guess(), 5, 0.7)
    assert np.ptp((few - other)[:, 1]) < 1e-12


def test_noise_of_a_pilot_is_drawn_again() -> None:
    left = np.array([[-1.0, 1.0], [2.0, -2.0]])
    values = draw(numbers, TASKS, Guess(residuals=left), 50, 0.0)
    assert set((values[:, 0] - values[:, 1]).tolist()) == {-2.0, 4.0}


@pytest.mark.parametrize(
    ("design", "n", "blocks", "folds"),
    [
        (TASKS, 7, 7, 1),
        (Design(Level.INSTANCES), 7, 7, 1),
        (Design(Level.RESAMPLES), 7, 7, 1),
        (Design(Level.RESAMPLES, folds=5), 5, 5, 5),
        (Design(Level.RESAMPLES, folds=5), 15, 15, 5),
    ],
)
def test_the_table_has_the_layout_of_the_design(design: Design, n: int, blocks: int, folds: int) -> None:
    facts = layout(simulated_scores(design, Guess(), n, 0.1, np.random.default_rng(0)))
    assert (facts.level, facts.n_blocks, facts.folds) == (design.level, blocks, folds)


def test_learners_without_common_blocks() -> None:
    scores = simulated_scores(Design(Level.TASKS, paired=False), Guess(), 5, 0.1, np.random.default_rng(0))
    assert scores.independent


def test_rates_that_cannot_be() -> None:
    with pytest.raises(UsageError, match="cannot become smaller"):
        draw(answers, CASES, Guess(error=0.1), 5, 0.2)
    with pytest.raises(UsageError, match="independent errors"):
        draw(answers, CASES, Guess(error=0.1, discordant=0.5), 5, 0.05)
