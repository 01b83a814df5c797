"""Simulated scores are as the guess has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.judging import analyse
from bakeoff.mathematics.auc import auc
from bakeoff.power_analysis.formulas import power_correlated_t, power_hotelling, power_mcnemar, power_t
from bakeoff.power_analysis.guess import Guess
from bakeoff.power_analysis.simulate import (
    Chance,
    PowerSimulation,
    TableDesign,
    answers,
    numbers,
    simulated_scores,
    simulated_table,
)
from bakeoff.procedures.card import Shape
from bakeoff.scores import Level, Scores, blocks, layout, long_form, samples

TASKS = TableDesign(Level.TASKS)
CASES = TableDesign(Level.INSTANCES, binary=True)


def draw(make: Any, design: TableDesign, guess: Guess, n: int, difference: float, seed: int = 0) -> Any:
    return make(design, guess, n, difference, np.random.default_rng(seed))


def test_differences_have_the_mean_and_sd_of_the_guess() -> None:
    values = draw(numbers, TASKS, Guess(sd=0.05), 40_000, 0.02)
    d = values[:, 1] - values[:, 0]  # smaller is better, and the first is the better one
    assert d.mean() == pytest.approx(0.02, abs=4 * 0.05 / 200)
    assert d.std() == pytest.approx(0.05, rel=0.02)
    alone = draw(numbers, TableDesign(Level.RESAMPLES, paired=False), Guess(sd=0.05), 40_000, 0.02)
    assert alone.std(axis=0) == pytest.approx(0.05, rel=0.02)


def test_folds_have_the_correlation_of_the_guess() -> None:
    design = TableDesign(Level.RESAMPLES, folds=4)
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
        (TableDesign(Level.INSTANCES), 7, 7, 1),
        (TableDesign(Level.RESAMPLES), 7, 7, 1),
        (TableDesign(Level.RESAMPLES, folds=5), 5, 5, 5),
        (TableDesign(Level.RESAMPLES, folds=5), 15, 15, 5),
    ],
)
def test_the_table_has_the_layout_of_the_design(design: TableDesign, n: int, blocks: int, folds: int) -> None:
    facts = layout(simulated_scores(design, Guess(), n, 0.1, np.random.default_rng(0)))
    assert (facts.level, facts.n_blocks, facts.folds) == (design.level, blocks, folds)


def test_learners_without_common_blocks() -> None:
    scores = simulated_scores(TableDesign(Level.TASKS, paired=False), Guess(), 5, 0.1, np.random.default_rng(0))
    assert scores.independent


def test_rates_that_cannot_be() -> None:
    with pytest.raises(UsageError, match="cannot become smaller"):
        draw(answers, CASES, Guess(error=0.1), 5, 0.2)
    with pytest.raises(UsageError, match="independent errors"):
        draw(answers, CASES, Guess(error=0.1, discordant=0.5), 5, 0.05)


# ----------------------------------------------------------------------------------------------------------------------
# Power by simulation, against formulas and against R.


CASES_SIMULATION, TASKS_SIMULATION = TableDesign(Level.INSTANCES), TableDesign(Level.TASKS)


def close(found: Chance, power: float) -> bool:
    return abs(found.power - power) <= 4 * found.error


def test_the_t_test_has_the_power_of_the_formula() -> None:
    found = PowerSimulation("paired-t", CASES_SIMULATION, Guess(sd=0.05), replications=1500).chance(20, 0.03)
    assert close(found, power_t(20, 0.03, 0.05, strict=False))
    one_sided = PowerSimulation("paired-t", CASES_SIMULATION, Guess(sides=1), replications=1500).chance(8, 0.6)
    assert close(one_sided, power_t(8, 0.6, 1.0, sides=1))


def test_folds_and_answers_have_the_power_of_the_formula() -> None:
    folds = PowerSimulation("corrected-t", TableDesign(Level.RESAMPLES, folds=5), Guess(), replications=600).chance(
        10, 1.2
    )
    assert close(folds, power_correlated_t(10, 1.2, 1.0, correlation=0.2, ratio=0.25))
    answers = TableDesign(Level.INSTANCES, binary=True)
    cases = PowerSimulation("mcnemar", answers, Guess(error=0.2, discordant=0.2), replications=400).chance(200, 0.08)
    assert close(cases, power_mcnemar(200, 0.08, 0.2))


def test_ranks_have_the_power_that_r_simulates(from_r: Callable[[str], float]) -> None:
    wilcoxon = PowerSimulation("wilcoxon", TASKS_SIMULATION, Guess(), replications=600).chance(20, 0.6)
    assert close(wilcoxon, from_r("set.seed(1)"))
    friedman = PowerSimulation("friedman", TASKS_SIMULATION, Guess(learners=4, find="global"), replications=60).chance(
        12, 1.0
    )
    assert close(friedman, from_r("set.seed(2)"))


def test_what_is_found() -> None:
    power = {
        find: PowerSimulation("friedman", TASKS_SIMULATION, Guess(learners=3, find=find), replications=40)
        .chance(10, 1.0)
        .power
        for find in ("all", "pair", "any")
    }
    assert power["all"] <= power["pair"] <= power["any"]
    assert power["all"] < power["any"]


def test_a_claim_in_the_wrong_direction_is_not_found() -> None:
    found = PowerSimulation("wilcoxon", TASKS_SIMULATION, Guess(alpha=0.4), replications=400).chance(12, 1e-9)
    assert close(found, 0.2)
    wrong = PowerSimulation("friedman", TASKS_SIMULATION, Guess(alpha=0.5, learners=2), replications=100).chance(
        12, 1e-9
    )
    assert close(wrong, 0.25)


def test_posterior_probabilities_are_claims() -> None:
    design = TableDesign(Level.RESAMPLES, folds=10)
    assert PowerSimulation("bayes-correlated-t", design, Guess(), replications=20).chance(10, 5.0).power == 1
    assert PowerSimulation("bayes-correlated-t", design, Guess(), replications=20).chance(10, 0.01).power < 0.5


def test_the_same_seed_gives_the_same_power() -> None:
    def once(seed: int) -> float:
        return PowerSimulation("wilcoxon", TASKS_SIMULATION, Guess(), replications=50, seed=seed).chance(10, 0.8).power

    assert once(3) == once(3)
    assert len({once(seed) for seed in range(4)}) > 1


def test_reaching_a_power_is_decided_as_by_all_replications() -> None:
    made = PowerSimulation("paired-t", CASES_SIMULATION, Guess(), replications=300)
    power = made.chance(10, 1.0).power
    assert made.reaches(10, 1.0, power)
    assert not made.reaches(10, 1.0, power + 0.01)
    assert made.reaches(10, 1.0, 0.05)
    assert not made.reaches(3, 0.1, 0.9)


def test_columns_and_whole_analyses_agree() -> None:
    """Two learners go straight to the mathematics; "any" goes through the analysis. There is one pair: the same."""
    for name in ("wilcoxon", "sign"):
        pair, whole = (
            PowerSimulation(name, TASKS_SIMULATION, Guess(find=find), replications=40).chance(9, 0.9).power
            for find in ("pair", "any")
        )
        assert pair == whole


def test_areas_under_curves_and_whole_analyses_agree() -> None:
    design, guess = TableDesign(Level.INSTANCES, shape=Shape.SCORES), Guess(auc=0.75, correlation=0.5)
    for sides in (1, 2):
        simulation = PowerSimulation("delong", design, replace(guess, sides=sides), replications=40)
        found = simulation._trial(80, 0.08)
        drawn = [
            simulated_table(design, guess, 80, 0.08, np.random.default_rng(child))
            for child in np.random.SeedSequence(0).spawn(40)
        ]
        whole = [simulation._in_finding(scores, scores.learners, {}) for scores in drawn]
        assert [found(r) for r in range(40)] == whole
        assert 2 < sum(whole) < 38


def test_several_measures_are_found_at_once() -> None:
    design, guess = TableDesign(Level.RESAMPLES, shape=Shape.MEASURES), Guess(measures=2, find="global")
    found = PowerSimulation("hotelling", design, guess, replications=150).chance(12, 1.0)
    assert close(found, power_hotelling(12, 2, 1.0))
    with pytest.raises(UsageError, match="it can find only: global"):
        PowerSimulation("hotelling", design, replace(guess, find="pair"), replications=10).chance(12, 1.0)


def test_certainty_has_an_error() -> None:
    assert 0 < PowerSimulation("sign", TASKS_SIMULATION, Guess(), replications=20).chance(12, 50.0).error < 0.1


def test_bad_input_is_refused_in_a_sentence() -> None:
    with pytest.raises(UsageError, match="at least 10 replications"):
        PowerSimulation("sign", TASKS_SIMULATION, Guess(), replications=5)
    with pytest.raises(UsageError, match="seed"):
        PowerSimulation("sign", TASKS_SIMULATION, Guess(), seed=-1)
    with pytest.raises(UsageError, match="only: global"):
        PowerSimulation("permutation", TableDesign(Level.RESAMPLES), Guess(learners=3), replications=10).chance(5, 1.0)
    with pytest.raises(UsageError, match="no test of all learners"):
        PowerSimulation("sign", TASKS_SIMULATION, Guess(find="global"), replications=10).chance(6, 1.0)
    assert np.isnan(Chance(0.5).error)


# ----------------------------------------------------------------------------------------------------------------------
# Tables of other shapes are as the guess has them.


DESIGNS = {
    Shape.SCORES: TableDesign(Level.INSTANCES, shape=Shape.SCORES),
    Shape.HOLES: TableDesign(Level.TASKS, shape=Shape.HOLES),
    Shape.RUNS: TableDesign(Level.TASKS, paired=False, folds=5, shape=Shape.RUNS),
    Shape.MEASURES: TableDesign(Level.RESAMPLES, shape=Shape.MEASURES),
    Shape.SQUARES: TableDesign(Level.INSTANCES, paired=False, shape=Shape.SQUARES),
}


def drawn(shape: str, n: int, difference: float = 0.0, seed: int = 0, **guess: Any) -> Scores:
    return simulated_table(DESIGNS[shape], Guess(**guess), n, difference, np.random.default_rng(seed))


def test_areas_shares_and_correlations() -> None:
    kept = drawn(Shape.SCORES, 40_000, 0.05, auc=0.8, positives=0.3, correlation=0.6).predictions
    assert kept is not None
    assert kept.truth.mean() == pytest.approx(0.3, abs=1e-4)
    assert [auc(kept.truth, column) for column in kept.values.T] == pytest.approx([0.85, 0.8], abs=0.01)
    for label in (0.0, 1.0):
        assert np.corrcoef(kept.values[kept.truth == label].T)[0, 1] == pytest.approx(0.6, abs=0.02)


def test_holes_leave_two_learners_at_least() -> None:
    values = blocks(drawn(Shape.HOLES, 4000, absent=0.3, learners=4), incomplete=True).values
    there = (~np.isnan(values)).sum(axis=1)
    assert there.min() == 2
    assert np.isnan(values).mean(axis=0) == pytest.approx(0.3, abs=0.03)
    assert (~np.isnan(blocks(drawn(Shape.HOLES, 50, absent=0.01, learners=2), incomplete=True).values)).all()


def test_runs_on_each_task() -> None:
    made = drawn(Shape.RUNS, 40, 0.5, sd=0.1, learners=3)
    assert len(made.tasks) == 40
    values, learner, task = long_form(made)
    cells = np.array([values[(learner == a) & (task == b)] for a in made.learners for b in made.tasks])
    assert cells.shape == (120, 5)
    assert cells.std(axis=1, ddof=1).mean() == pytest.approx(0.1, rel=0.1)
    means = [values[learner == name].mean() for name in made.learners]
    assert means[1] - means[0] == pytest.approx(0.5, abs=0.05)
    assert not layout(made).matched


def test_a_distance_is_shared_among_measures() -> None:
    made = drawn(Shape.MEASURES, 4000, 1.2, measures=4, learners=2)
    assert made.measure.labels == tuple(f"measure {i}" for i in range(1, 5))
    d = np.column_stack([np.diff(blocks(made.only(measure=name)).values, axis=1)[:, 0] for name in made.measure.labels])
    assert d.mean(axis=0) == pytest.approx(0.6, abs=0.07)
    assert d.std(axis=0) == pytest.approx(1.0, rel=0.05)
    assert np.sqrt(d.mean(axis=0) @ np.linalg.solve(np.cov(d.T), d.mean(axis=0))) == pytest.approx(1.2, abs=0.1)


def test_squares_have_the_ratio_of_the_guess() -> None:
    found = samples(drawn(Shape.SQUARES, 20_000, 0.4), level=Level.INSTANCES)
    assert np.log(found.means[1] / found.means[0]) == pytest.approx(0.4, abs=0.05)
    assert found.measure.name == "squared_error"


@pytest.mark.parametrize("shape", [Shape.HOLES, Shape.MEASURES, Shape.RUNS, Shape.SCORES, Shape.SQUARES])
def test_more_blocks_and_other_differences_keep_the_noise_special_tables(shape: str) -> None:
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
        (Shape.SCORES, "delong"),
        (Shape.HOLES, "skillings-mack"),
        (Shape.RUNS, "two-way-anova"),
        (Shape.MEASURES, "manova"),
        (Shape.SQUARES, "variance-ratio"),
    ],
)
def test_the_procedure_reads_them(shape: str, procedure: str) -> None:
    made = drawn(shape, 30, 0.2, auc=0.7, absent=0.2, learners=3)
    assert analyse(made, procedure, anyway=True).rows
