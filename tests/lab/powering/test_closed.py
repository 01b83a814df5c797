"""Formulas and simulations of the same test agree."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.powering.closed import CLOSED, distance_said, error_rate
from bakeoff.lab.powering.families import card_of, method_for, usual_find
from bakeoff.lab.powering.guess import Guess
from bakeoff.registry import MODULES

CASES = [
    ("hotelling", Guess(measures=3), 14, 1.1),
    ("hotelling", Guess(measures=2, sd=0.05), 10, 0.05),
    ("two-way-anova", Guess(learners=3, folds=4), 5, 0.5),
    ("variance-ratio", Guess(), 60, 0.6),
    ("unpaired-t", Guess(), 15, 1.0),
]


@pytest.mark.parametrize(("name", "guess", "n", "difference"), CASES)
def test_a_formula_says_what_simulation_says(name: str, guess: Guess, n: int, difference: float) -> None:
    card = card_of(name)
    guess = replace(guess, find=usual_find(card))
    exact = method_for(card, guess)
    simulated = method_for(card, guess, simulate=True, replications=300, seed=4)
    assert not exact.simulated
    assert simulated.simulated
    assert exact.blocks == simulated.blocks or name in ("variance-ratio", "unpaired-t")
    found = simulated.chance(n, difference)
    assert 0.2 < found.power < 0.98
    assert found.power == pytest.approx(exact.chance(n, difference).power, abs=4 * found.error)


def test_every_formula_is_one_of_a_procedure() -> None:
    assert set(CLOSED) <= set(MODULES)


def test_several_measures_of_two_learners() -> None:
    made = method_for(card_of("hotelling"), Guess(measures=4, find="global"))
    assert (made.least, made.blocks) == (5, "runs")
    assert any("4 measures" in line for line in made.assumptions)
    assert "distance of the learners" in distance_said(Guess())[0]
    with pytest.raises(UsageError, match="compares two learners; found 3"):
        method_for(card_of("hotelling"), Guess(learners=3, find="global"))


def test_runs_on_tasks() -> None:
    few, many = (method_for(card_of("two-way-anova"), Guess(learners=3, folds=k, find="global")) for k in (2, 20))
    assert few.chance(5, 0.5).power < many.chance(5, 0.5).power
    assert few.blocks == "tasks"
    usual = method_for(card_of("two-way-anova"), Guess(learners=3, find="global"))
    assert any("10 runs of its own" in line for line in usual.assumptions)
    with pytest.raises(UsageError, match="at least two learners"):
        method_for(card_of("two-way-anova"), Guess(learners=1, find="global"))


def test_a_rate_is_asked_for() -> None:
    assert error_rate(card_of("binomial"), Guess(error=0.2)) == 0.2
    with pytest.raises(UsageError, match="needs a guess of the error rate"):
        error_rate(card_of("normal-approximation"), Guess())
