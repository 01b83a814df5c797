"""Each test has a way to compute its power, or a reason why not."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.powering.closed import CLOSED
from bakeoff.lab.powering.families import _NOT, card_of, method_for, usual_find
from bakeoff.lab.powering.guess import Guess
from bakeoff.lab.powering.scales import has_sd
from bakeoff.lab.powering.solving import smallest_difference, smallest_n
from bakeoff.procedures.card import Compares
from bakeoff.registry import MODULES


@pytest.mark.parametrize(
    ("name", "guess", "difference", "call"),
    [
        ("t", Guess(sd=0.05), 0.02, 'power.t.test(delta = .02, sd = .05, power = .8, type = "paired"'),
        ("unpaired-t", Guess(sd=0.05), 0.02, "power.t.test(delta = .02, sd = .05, power = .8, tol"),
        ("mean-t", Guess(sd=0.05, sides=1), 0.02, 'power.t.test(delta = .02, sd = .05, power = .8, type = "one'),
        ("proportions", Guess(error=0.15), 0.05, "power.prop.test"),
        ("anova", Guess(sd=0.05, learners=4, find="global"), 0.02, "power.anova.test"),
    ],
)
def test_sizes_of_r(name: str, guess: Guess, difference: float, call: str, from_r: Callable[[str], float]) -> None:
    assert smallest_n(method_for(card_of(name), guess), difference, 0.8) == ceil(from_r(call))


def test_differences_of_r(from_r: Callable[[str], float]) -> None:
    found = smallest_difference(method_for(card_of("t"), Guess(sd=0.05)), 20, 0.8, 0.05)
    assert found == pytest.approx(from_r("power.t.test(n = 20"), rel=1e-8)
    power = method_for(card_of("t"), Guess(sd=0.02)).chance(10, 0.01).power
    assert power == pytest.approx(from_r("power.t.test(n = 10"), rel=1e-9)


@pytest.mark.parametrize("name", MODULES)
def test_every_procedure_is_simulated_or_has_a_formula_or_a_reason(name: str) -> None:
    if name in _NOT:
        with pytest.raises(UsageError, match="does not know"):
            card_of(name)
        return
    card = card_of(name)
    guess = Guess(
        learners=1 if card.compares is Compares.ONE else 3 if card.compares is Compares.MANY else 2,
        error=0.3,
        auc=0.7,
        absent=0.1,
        find=usual_find(card),
    )
    difference = 0.25 if not has_sd(card.name) and name != "variance-ratio" else 3.0
    simulate = card.compares is not Compares.ONE
    made = method_for(card, guess, simulate=simulate, replications=10)
    assert made.simulated == simulate
    n = min(max(made.least, (60 if difference < 1 else 20) // made.step * made.step), made.most)
    assert made.chance(n, difference).power >= 0.3
    if name in CLOSED:
        assert not method_for(card, guess).simulated


def test_all_but_two_are_known() -> None:
    assert set(_NOT) == {"wilson", "bayes-hierarchical"}


def test_manova_of_two_learners_is_hotelling() -> None:
    guess = Guess(measures=3, find="global")
    exact = method_for(card_of("hotelling"), guess).chance(14, 1.1).power
    found = method_for(card_of("manova"), guess, replications=200, seed=2).chance(14, 1.1)
    assert found.power == pytest.approx(exact, abs=4 * found.error)
    more = method_for(card_of("manova"), Guess(measures=3, learners=3, find="global"), replications=20)
    assert (more.least, more.blocks) == (3, "runs")
    assert any("3 measures" in line for line in more.assumptions)


def test_the_area_under_the_curve_leaves_room_for_so_much() -> None:
    made = method_for(card_of("delong"), Guess(auc=0.8), replications=20)
    assert made.largest == pytest.approx(0.2)
    assert made.blocks == "instances"
    assert any("guess the correlation" in line for line in made.assumptions)
    alike = method_for(card_of("delong"), Guess(auc=0.8, correlation=0.7), replications=100)
    assert (
        alike.chance(150, 0.05).power
        > method_for(card_of("delong"), Guess(auc=0.8), replications=100).chance(150, 0.05).power
    )


def test_holes_cost_power() -> None:
    few, many = (
        method_for(card_of("skillings-mack"), Guess(learners=4, absent=a, find="global"), replications=60)
        for a in (0.01, 0.45)
    )
    assert few.chance(15, 1.0).power > many.chance(15, 1.0).power
    assert any("45 % of the scores are missing" in line for line in many.assumptions)


def test_learners_share_alpha_in_formulas() -> None:
    two, five = (method_for(card_of("t"), Guess(learners=k)) for k in (2, 5))
    alone = method_for(card_of("t"), Guess(alpha=0.005))
    assert five.chance(20, 0.5) == alone.chance(20, 0.5)
    assert five.chance(20, 0.5).power < two.chance(20, 0.5).power
    assert any("10 pairs" in line for line in five.assumptions)


def test_independent_errors_are_the_worst_case_of_mcnemar() -> None:
    alone = method_for(card_of("mcnemar"), Guess(error=0.2))
    assert alone.chance(200, 0.05) == method_for(card_of("mcnemar"), Guess(discordant=0.15 * 0.8 + 0.2 * 0.85)).chance(
        200, 0.05
    )
    assert alone.largest == 0.2


def test_designs() -> None:
    fixed = method_for(card_of("5x2-f"), Guess(), replications=10)
    assert (fixed.least, fixed.most, fixed.step) == (10, 10, 10)
    folds = method_for(card_of("corrected-t"), Guess(folds=5))
    assert (folds.least, folds.step) == (5, 5)
    assert method_for(card_of("corrected-t"), Guess(), simulate=True, replications=10).step == 10
    assert method_for(card_of("friedman"), Guess(learners=3), replications=10).least >= 2


def test_options_are_simulated() -> None:
    assert method_for(card_of("mcnemar"), Guess(error=0.2), {"method": "mid-p"}, replications=10).simulated
    assert method_for(card_of("anova"), Guess(learners=3, find="pair"), replications=10).simulated
    assert method_for(card_of("t"), Guess(residuals=np.ones((3, 2))), replications=10).simulated


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: card_of("freidman"), "Did you mean 'friedman'"),
        (lambda: card_of("wilson"), "the test of one error rate is binomial"),
        (lambda: method_for(card_of("mean-t"), Guess(learners=1), simulate=True), "leave out --simulate"),
        (lambda: method_for(card_of("mcnemar"), Guess()), "needs a guess of the error rate"),
        (lambda: method_for(card_of("binomial"), Guess(learners=1)), "needs a guess of the error rate"),
        (lambda: method_for(card_of("anova"), Guess(learners=1, find="global")), "at least two learners"),
        (lambda: method_for(card_of("wilcoxon"), Guess(learners=1)), "at least two"),
        (lambda: method_for(card_of("delong"), Guess()), "smaller area under the ROC curve: auc"),
        (lambda: method_for(card_of("skillings-mack"), Guess(learners=3)), "plan with friedman"),
        (lambda: method_for(card_of("skillings-mack"), Guess(learners=3, absent=0.5)), "0.3333 at most"),
        (lambda: method_for(card_of("skillings-mack"), Guess(absent=0.1)), "0 at most can be missing"),
        (lambda: card_of("bayes-hierarchical"), "plan the tasks with bayes-signed-rank"),
        (lambda: method_for(card_of("wilcoxon"), Guess(folds=5)), "no folds to choose"),
        (lambda: method_for(card_of("5x2-t"), Guess(folds=5)), "no folds to choose"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=sentence):
        call()
