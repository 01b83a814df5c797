"""Power by simulation, against formulas and against R."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.power import power_t
from bakeoff.lab.powering.correlated import power_correlated_t
from bakeoff.lab.powering.counted import power_mcnemar
from bakeoff.lab.powering.guess import Guess
from bakeoff.lab.powering.noncentral import power_hotelling
from bakeoff.lab.powering.simulated_scores import Design
from bakeoff.lab.powering.simulation import Chance, Simulation
from bakeoff.lab.powering.special_tables import MEASURES, SCORES, simulated_table
from bakeoff.scores import Level

CASES, TASKS = Design(Level.INSTANCES), Design(Level.TASKS)


def close(found: Chance, power: float) -> bool:
    return abs(found.power - power) <= 4 * found.error


def test_the_t_test_has_the_power_of_the_formula() -> None:
    found = Simulation("paired-t", CASES, Guess(sd=0.05), replications=1500).chance(20, 0.03)
    assert close(found, power_t(20, 0.03, 0.05, strict=False))
    one_sided = Simulation("paired-t", CASES, Guess(sides=1), replications=1500).chance(8, 0.6)
    assert close(one_sided, power_t(8, 0.6, 1.0, sides=1))


def test_folds_and_answers_have_the_power_of_the_formula() -> None:
    folds = Simulation("corrected-t", Design(Level.RESAMPLES, folds=5), Guess(), replications=600).chance(10, 1.2)
    assert close(folds, power_correlated_t(10, 1.2, 1.0, correlation=0.2, ratio=0.25))
    answers = Design(Level.INSTANCES, binary=True)
    cases = Simulation("mcnemar", answers, Guess(error=0.2, discordant=0.2), replications=400).chance(200, 0.08)
    assert close(cases, power_mcnemar(200, 0.08, 0.2))


def test_ranks_have_the_power_that_r_simulates(from_r: Callable[[str], float]) -> None:
    wilcoxon = Simulation("wilcoxon", TASKS, Guess(), replications=600).chance(20, 0.6)
    assert close(wilcoxon, from_r("set.seed(1)"))
    friedman = Simulation("friedman", TASKS, Guess(learners=4, find="global"), replications=60).chance(12, 1.0)
    assert close(friedman, from_r("set.seed(2)"))


def test_what_is_found() -> None:
    power = {
        find: Simulation("friedman", TASKS, Guess(learners=3, find=find), replications=40).chance(10, 1.0).power
        for find in ("all", "pair", "any")
    }
    assert power["all"] <= power["pair"] <= power["any"]
    assert power["all"] < power["any"]


def test_a_claim_in_the_wrong_direction_is_not_found() -> None:
    found = Simulation("wilcoxon", TASKS, Guess(alpha=0.4), replications=400).chance(12, 1e-9)
    assert close(found, 0.2)
    wrong = Simulation("friedman", TASKS, Guess(alpha=0.5, learners=2), replications=100).chance(12, 1e-9)
    assert close(wrong, 0.25)


def test_posterior_probabilities_are_claims() -> None:
    design = Design(Level.RESAMPLES, folds=10)
    assert Simulation("bayes-correlated-t", design, Guess(), replications=20).chance(10, 5.0).power == 1
    assert Simulation("bayes-correlated-t", design, Guess(), replications=20).chance(10, 0.01).power < 0.5


def test_the_same_seed_gives_the_same_power() -> None:
    def once(seed: int) -> float:
        return Simulation("wilcoxon", TASKS, Guess(), replications=50, seed=seed).chance(10, 0.8).power

    assert once(3) == once(3)
    assert len({once(seed) for seed in range(4)}) > 1


def test_reaching_a_power_is_decided_as_by_all_replications() -> None:
    made = Simulation("paired-t", CASES, Guess(), replications=300)
    power = made.chance(10, 1.0).power
    assert made.reaches(10, 1.0, power)
    assert not made.reaches(10, 1.0, power + 0.01)
    assert made.reaches(10, 1.0, 0.05)
    assert not made.reaches(3, 0.1, 0.9)


def test_columns_and_whole_analyses_agree() -> None:
    """Two learners go straight to the mathematics; "any" goes through the analysis. There is one pair: the same."""
    for name in ("wilcoxon", "sign"):
        pair, whole = (
            Simulation(name, TASKS, Guess(find=find), replications=40).chance(9, 0.9).power for find in ("pair", "any")
        )
        assert pair == whole


def test_areas_under_curves_and_whole_analyses_agree() -> None:
    design, guess = Design(Level.INSTANCES, shape=SCORES), Guess(auc=0.75, correlation=0.5)
    for sides in (1, 2):
        simulation = Simulation("delong", design, replace(guess, sides=sides), replications=40)
        found = simulation._found(80, 0.08)
        drawn = [
            simulated_table(design, guess, 80, 0.08, np.random.default_rng(child))
            for child in np.random.SeedSequence(0).spawn(40)
        ]
        whole = [simulation._in_finding(scores, scores.learners, {}) for scores in drawn]
        assert [found(r) for r in range(40)] == whole
        assert 2 < sum(whole) < 38


def test_several_measures_are_found_at_once() -> None:
    design, guess = Design(Level.RESAMPLES, shape=MEASURES), Guess(measures=2, find="global")
    found = Simulation("hotelling", design, guess, replications=150).chance(12, 1.0)
    assert close(found, power_hotelling(12, 2, 1.0))
    with pytest.raises(UsageError, match="it can find only: global"):
        Simulation("hotelling", design, replace(guess, find="pair"), replications=10).chance(12, 1.0)


def test_certainty_has_an_error() -> None:
    assert 0 < Simulation("sign", TASKS, Guess(), replications=20).chance(12, 50.0).error < 0.1


def test_bad_input_is_refused_in_a_sentence() -> None:
    with pytest.raises(UsageError, match="at least 10 replications"):
        Simulation("sign", TASKS, Guess(), replications=5)
    with pytest.raises(UsageError, match="seed"):
        Simulation("sign", TASKS, Guess(), seed=-1)
    with pytest.raises(UsageError, match="only: global"):
        Simulation("permutation", Design(Level.RESAMPLES), Guess(learners=3), replications=10).chance(5, 1.0)
    with pytest.raises(UsageError, match="no test of all learners"):
        Simulation("sign", TASKS, Guess(find="global"), replications=10).chance(6, 1.0)
    assert np.isnan(Chance(0.5).error)
