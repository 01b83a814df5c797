"""Tables of other shapes are as the guess has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bakeoff.judging import analyse
from bakeoff.lab.powering.guess import Guess
from bakeoff.lab.powering.simulated_scores import Design
from bakeoff.lab.powering.special_tables import HOLES, MEASURES, RUNS, SCORES, SQUARES, simulated_table
from bakeoff.mathematics.auc import auc
from bakeoff.scores import Level, Scores, blocks, layout, long_form, samples

DESIGNS = {
    SCORES: Design(Level.INSTANCES, shape=SCORES),
    HOLES: Design(Level.TASKS, shape=HOLES),
    RUNS: Design(Level.TASKS, paired=False, folds=5, shape=RUNS),
    MEASURES: Design(Level.RESAMPLES, shape=MEASURES),
    SQUARES: Design(Level.INSTANCES, paired=False, shape=SQUARES),
}


def drawn(shape: str, n: int, difference: float = 0.0, seed: int = 0, **guess: Any) -> Scores:
    return simulated_table(DESIGNS[shape], Guess(**guess), n, difference, np.random.default_rng(seed))


def test_areas_shares_and_correlations() -> None:
    kept = drawn(SCORES, 40_000, 0.05, auc=0.8, positives=0.3, correlation=0.6).predictions
    assert kept is not None
    assert kept.truth.mean() == pytest.approx(0.3, abs=1e-4)
    assert [auc(kept.truth, column) for column in kept.values.T] == pytest.approx([0.85, 0.8], abs=0.01)
    for label in (0.0, 1.0):
        assert np.corrcoef(kept.values[kept.truth == label].T)[0, 1] == pytest.approx(0.6, abs=0.02)


def test_holes_leave_two_learners_at_least() -> None:
    values = blocks(drawn(HOLES, 4000, absent=0.3, learners=4), incomplete=True).values
    there = (~np.isnan(values)).sum(axis=1)
    assert there.min() == 2
    assert np.isnan(values).mean(axis=0) == pytest.approx(0.3, abs=0.03)
    assert (~np.isnan(blocks(drawn(HOLES, 50, absent=0.01, learners=2), incomplete=True).values)).all()


def test_runs_on_each_task() -> None:
    made = drawn(RUNS, 40, 0.5, sd=0.1, learners=3)
    assert len(made.tasks) == 40
    values, learner, task = long_form(made)
    cells = np.array([values[(learner == a) & (task == b)] for a in made.learners for b in made.tasks])
    assert cells.shape == (120, 5)
    assert cells.std(axis=1, ddof=1).mean() == pytest.approx(0.1, rel=0.1)
    means = [values[learner == name].mean() for name in made.learners]
    assert means[1] - means[0] == pytest.approx(0.5, abs=0.05)
    assert not layout(made).matched


def test_a_distance_is_shared_among_measures() -> None:
    made = drawn(MEASURES, 4000, 1.2, measures=4, learners=2)
    assert made.measure.labels == tuple(f"measure {i}" for i in range(1, 5))
    d = np.column_stack([np.diff(blocks(made.only(measure=name)).values, axis=1)[:, 0] for name in made.measure.labels])
    assert d.mean(axis=0) == pytest.approx(0.6, abs=0.07)
    assert d.std(axis=0) == pytest.approx(1.0, rel=0.05)
    assert np.sqrt(d.mean(axis=0) @ np.linalg.solve(np.cov(d.T), d.mean(axis=0))) == pytest.approx(1.2, abs=0.1)


def test_squares_have_the_ratio_of_the_guess() -> None:
    found = samples(drawn(SQUARES, 20_000, 0.4), level=Level.INSTANCES)
    assert np.log(found.means[1] / found.means[0]) == pytest.approx(0.4, abs=0.05)
    assert found.measure.name == "squared_error"


@pytest.mark.parametrize("shape", [HOLES, MEASURES, RUNS, SCORES, SQUARES])
def test_more_blocks_and_other_differences_keep_the_noise(shape: str) -> None:
    guess = {"auc": 0.7, "absent": 0.2, "learners": 3}
    few, many, other = (drawn(shape, n, d, **guess) for n, d in ((6, 0.1), (11, 0.1), (6, 0.2)))
    first = len(few.value)
    assert np.array_equal(many.value[:first], few.value, equal_nan=True)
    # The last learner is not the better one: a difference moves it by nothing but the distance from zero.
    here = few.learner.codes == 2
    moved = (other.value - few.value)[here]
    assert np.nanmax(moved) - np.nanmin(moved) < 1e-9


@pytest.mark.parametrize(
    ("shape", "procedure"),
    [
        (SCORES, "delong"),
        (HOLES, "skillings-mack"),
        (RUNS, "two-way-anova"),
        (MEASURES, "manova"),
        (SQUARES, "variance-ratio"),
    ],
)
def test_the_procedure_reads_them(shape: str, procedure: str) -> None:
    made = drawn(shape, 30, 0.2, auc=0.7, absent=0.2, learners=3)
    assert analyse(made, procedure, anyway=True).rows
