"""Formulas and simulations of the same test agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import ceil

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.power_analysis.guess import Guess, own_scale
from bakeoff.power_analysis.methods import (
    CLOSED,
    Method,
    card_of,
    distance_note,
    error_rate,
    method_for,
    usual_find,
)
from bakeoff.power_analysis.simulate import Chance
from bakeoff.power_analysis.solve import smallest_difference, smallest_n
from bakeoff.procedures import explain, procedure_names
from bakeoff.procedures.card import Compares, PowerFormula

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
    assert set(CLOSED) == {explain(name).power for name in procedure_names()} - {None} == set(PowerFormula)


def test_several_measures_of_two_learners() -> None:
    made = method_for(card_of("hotelling"), Guess(measures=4, find="global"))
    assert (made.least, made.blocks) == (5, "runs")
    assert any("4 measures" in line for line in made.assumptions)
    assert "distance of the learners" in distance_note(Guess())[0]
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


# ----------------------------------------------------------------------------------------------------------------------
# Each test has a way to compute its power, or a reason why not.


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


REFUSED = [name for name in procedure_names() if explain(name).no_power]


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_planned_has_a_reason(name: str) -> None:
    with pytest.raises(UsageError, match="does not know"):
        card_of(name)


@pytest.mark.parametrize("name", [name for name in procedure_names() if name not in REFUSED])
def test_every_other_procedure_is_simulated_or_has_a_formula(name: str) -> None:
    card = card_of(name)
    guess = Guess(
        learners=1 if card.compares is Compares.ONE else 3 if card.compares is Compares.MANY else 2,
        error=0.3,
        auc=0.7,
        absent=0.1,
        find=usual_find(card),
        **({"cluster_size": 5, "correlation": 0.2} if card.clustered else {}),
    )
    difference = 0.25 if own_scale(card) and name != "variance-ratio" else 3.0
    simulate = card.compares is not Compares.ONE
    made = method_for(card, guess, simulate=simulate, replications=10)
    assert made.simulated == simulate
    n = min(max(made.least, (60 if difference < 1 else 20) // made.step * made.step), made.most)
    assert made.chance(n, difference).power >= 0.3
    if card.power is not None:
        assert not method_for(card, guess).simulated


def test_few_are_not_known() -> None:
    assert set(REFUSED) == {"wilson", "bayes-hierarchical", "cosine-t", "cosine-mean", "mixed-model", "corrected-mean"}


def test_clusters_count_and_not_their_instances() -> None:
    guess = Guess(sd=0.5, cluster_size=20, correlation=0.1)
    exact = method_for(card_of("cluster-t"), guess)
    assert (exact.blocks, exact.least) == ("clusters", 3)
    # A cluster tells as much as 1/(ρ + (1 − ρ)/m) instances: its mean has the sd 0.5 √0.145.
    plain = method_for(card_of("t"), Guess(sd=0.5 * 0.145**0.5))
    assert exact.chance(25, 0.1).power == pytest.approx(plain.chance(25, 0.1).power)
    more = method_for(card_of("cluster-t"), replace(guess, cluster_size=10_000))
    assert more.chance(25, 0.1).power < method_for(card_of("t"), Guess(sd=0.5 * 0.1**0.5)).chance(25, 0.1).power + 1e-4
    for name in ("cluster-t", "cluster-flips"):
        found = method_for(card_of(name), guess, simulate=True, replications=200, seed=3).chance(25, 0.1)
        assert found.power == pytest.approx(exact.chance(25, 0.1).power, abs=4 * found.error)
    with pytest.raises(UsageError, match="how many instances a cluster holds"):
        method_for(card_of("cluster-t"), Guess())


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


# ----------------------------------------------------------------------------------------------------------------------
# A way to compute power.


def test_a_power_is_reached_if_it_stays_for_a_whole_tooth() -> None:
    saw = Method("saw", "Saw", "exact", "teeth", lambda n, d: Chance(0.9 if n % 3 else 0.7), tooth=2)
    assert not saw.reached(4, 1.0, 0.8)
    assert saw.reached(4, 1.0, 0.7)
    assert not saw.simulated


def test_a_simulation_decides_in_its_own_way() -> None:
    made = Method("x", "X", "simulated", "tasks", lambda n, d: Chance(0.0), reaches=lambda n, d, power: n > 5)
    assert made.simulated
    assert [made.reached(n, 1.0, 0.8) for n in (5, 6)] == [False, True]
