"""Asking about power, in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bakeoff
from bakeoff.calibration.null_designs import table
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.power_analysis.formulas import power_sign, power_t
from bakeoff.power_analysis.guess import Guess
from bakeoff.power_analysis.methods import card_of
from bakeoff.power_analysis.pilot import Pilot
from bakeoff.power_analysis.power import assumed_correlation, chosen_card, guess_for, power, stated_difference
from bakeoff.scores import Scores

RNG = np.random.default_rng(7)
PILOT = 0.3 + RNG.normal(0, 0.02, (12, 1)) + RNG.normal(0, 0.01, (12, 2)) + np.array([0.0, 0.01])


def pilot(values: Any = PILOT, key: str = "task") -> Scores:
    return table(np.asarray(values), {key: [str(i) for i in range(len(values))]})


def test_two_of_three_give_the_third() -> None:
    n = power("t", difference=0.02, sd=0.05).n
    reached = power("t", difference=0.02, sd=0.05, n=n).power
    assert reached == power_t(n, 0.02, 0.05, strict=False) >= 0.8
    assert power("t", difference=0.02, sd=0.05, n=n - 1).power < 0.8
    assert power("t", n=n, sd=0.05, power=reached).difference == pytest.approx(0.02)
    assert power("t", difference=0.02, sd=0.05, power=0.95).n > n


def test_it_is_public() -> None:
    assert bakeoff.power is power
    assert isinstance(power("t", n=9, difference="1sd"), bakeoff.Power)


def test_differences_in_standard_deviations() -> None:
    plain, scaled = power("t", difference=0.02, sd=0.05), power("t", difference="0.4sd")
    assert (plain.n, plain.standardised) == (scaled.n, False)
    assert scaled.standardised
    assert power("t", difference="0.4 sd", sd=0.05).difference == pytest.approx(0.02)


def test_wins() -> None:
    assert power("sign", wins=0.7, n=20).power == pytest.approx(power_sign(20, 0.7))


def test_simulation_and_formula_agree_and_repeat() -> None:
    exact = power("t", difference="1sd", n=12)
    simulated = power("t", difference="1sd", n=12, simulate=True, replications=400)
    assert abs(simulated.power - exact.power) < 4 * simulated.error
    again = power("t", difference="1sd", n=12, simulate=True, replications=400)
    assert simulated.power == again.power
    assert not simulated.curve
    assert exact.curve


def test_solving_by_simulation() -> None:
    n = power("t", difference="1sd", simulate=True, replications=200).n
    assert abs(n - power("t", difference="1sd").n) <= 3
    found = power("wilcoxon", n=12, replications=100)
    assert 0.7 < found.difference < 1.3
    assert found.power == pytest.approx(0.8, abs=0.02)


def test_a_pilot_gives_the_sd_and_what_if_it_was_lucky() -> None:
    found = power("t", pilot=pilot(), difference=0.01)
    assert found.pilot is not None
    assert found.pessimistic is not None
    assert found.n == power("t", difference=0.01, sd=found.pilot.value).n
    assert found.pessimistic.point is not None
    assert found.pessimistic.point.n == power("t", difference=0.01, sd=found.pilot.upper).n > found.n


def test_a_pilot_gives_the_difference_if_nothing_else_is_said() -> None:
    found = power("t", pilot=pilot())
    assert found.pilot is not None
    assert found.difference == found.pilot.difference
    assert any("too large" in note for note in found.notes)
    own = power("t", pilot=pilot(), n=20)
    assert own.solved_for == "difference"
    assert power("t", pilot=pilot(), difference=0.01, n=20).solved_for == "power"


def test_a_pilot_gives_the_test_by_the_advisor() -> None:
    found = power(pilot=pilot(), difference=0.02, n=12, replications=20)
    assert found.procedure == "wilcoxon"


def test_noise_of_the_pilot() -> None:
    heavy = PILOT.copy()
    heavy[0, 0] += 0.3
    normal, own = (
        power("wilcoxon", pilot=pilot(heavy), difference=0.02, n=12, noise=noise, replications=100)
        for noise in ("normal", "pilot")
    )
    assert own.power > normal.power + 0.2  # one outlier makes the sd large, but ranks hardly mind it


def test_answers_of_a_pilot() -> None:
    rng = np.random.default_rng(3)
    wrong = (rng.random((200, 2)) < [0.2, 0.26]).astype(float)
    found = power("mcnemar", pilot=pilot(wrong, "instance"), difference=0.05)
    assert found.guess.discordant == (wrong[:, 0] != wrong[:, 1]).mean()
    assert found.pessimistic is not None
    assert found.pessimistic.point is not None
    assert found.pessimistic.point.n > found.n


def test_warnings_and_notes() -> None:
    assert "out of reach" in power("sign", n=5, wins=0.9).warnings[0]
    assert not power("sign", n=6, wins=0.9).warnings
    naive = power("kfold-t", n=10, difference="1sd")
    assert "false claims" in naive.notes[0]
    assert not power("corrected-t", n=10, difference="1sd").notes
    assert "up and down" in power("sign", wins=0.7).notes[0]


def test_options_of_the_procedure() -> None:
    found = power("permutation", n=8, difference="3sd", replications=10, resamples=199)
    assert found.power == 1
    with pytest.raises(UsageError, match="no option"):
        power("permutation", n=8, difference="3sd", replications=10, resample=199)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "Name a test"),
        ({"test": "t"}, "what the experiment is to find"),
        ({"test": "t", "power": 0.9}, "what the experiment is to find"),
        ({"test": "t", "n": 5, "difference": "1sd", "power": 0.5}, "found all three"),
        ({"test": "t", "difference": 0.02}, "depends on how much scores vary"),
        ({"test": "t", "difference": "a lot", "sd": 1.0}, "found 'a lot'"),
        ({"test": "t", "difference": -1.0, "sd": 1.0}, "positive number"),
        ({"test": "t", "difference": "nansd"}, "positive number"),
        ({"test": "t", "n": 5, "power": 1.2}, "strictly between 0 and 1"),
        ({"test": "t", "n": 1}, "at least 2 pairs"),
        ({"test": "t", "n": 5.5}, "whole number"),
        ({"test": "corrected-t", "n": 15}, "multiple of 10"),
        ({"test": "5x2-f", "n": 20}, "neither more nor less"),
        ({"test": "wilcoxon", "n": 5000}, "at most 2000"),
        ({"test": "mcnemar", "n": 50, "difference": "1sd", "error": 0.1}, "as a rate"),
        ({"test": "mcnemar", "n": 50, "difference": 0.2, "error": 0.1}, "leave room for 0.1"),
        ({"test": "t", "n": 9, "wins": 0.7}, "for the sign test"),
        ({"test": "sign", "n": 9, "wins": 0.3}, "between 0.5 and 1"),
        ({"test": "anova", "difference": "1sd", "one_sided": True}, "has no sides"),
        ({"test": "t", "n": 9, "noise": "pilot"}, "give a pilot"),
        ({"test": "t", "n": 9, "noise": "pink"}, "kind of noise"),
        ({"test": "wilcoxon", "n": 9, "pilot": pilot(), "noise": "pilot", "learners": 3}, "the pilot's 2 learners"),
        ({"test": "sign", "n": 5}, "however large"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BakeoffError, match=sentence):
        power(**arguments)


# ----------------------------------------------------------------------------------------------------------------------
# What was said, made into a guess.


USUAL: dict[str, Any] = {
    "sd": None, "error": None, "discordant": None, "correlation": None, "folds": None, "learners": None,
    "pattern": "one", "find": None, "alpha": 0.05, "one_sided": False, "noise": "normal",
}  # fmt: skip
SEEN = Pilot("a.csv", "error", "resamples", 20, ("a", "b", "c"), "a", "b", 0.01, "sd", 0.03, 0.02, 0.04, folds=5)


def guessed(test: str, seen: Pilot | None = None, **said: Any) -> Guess:
    return guess_for(card_of(test), seen, **{**USUAL, **said})


def test_what_is_usual() -> None:
    assert [guessed(test).learners for test in ("t", "friedman", "mean-t")] == [2, 3, 1]
    assert [guessed(test).find for test in ("t", "cochran-q", "anova")] == ["pair", "global", "global"]


def test_a_pilot_fills_up_what_was_not_said() -> None:
    taken = guessed("corrected-t", SEEN)
    assert (taken.sd, taken.folds, taken.learners) == (0.03, 5, 3)
    said = guessed("corrected-t", SEEN, sd=0.1, folds=10, learners=2)
    assert (said.sd, said.folds, said.learners) == (0.1, 10, 2)
    assert guessed("5x2-f", SEEN).folds is None


def test_folds_are_of_resamples_or_runs_on_a_task() -> None:
    with pytest.raises(UsageError, match="no folds to choose"):
        guessed("wilcoxon", folds=5)
    assert guessed("two-way-anova", folds=5).folds == 5


def test_guesses_for_some_tests_are_refused_by_others() -> None:
    assert (guessed("delong", auc=0.8).positives, guessed("hotelling").measures) == (0.5, 2)
    assert guessed("manova", measures=4).measures == 4
    for name, value, tests in (
        ("auc", 0.8, "delong"),
        ("positives", 0.2, "delong"),
        ("measures", 3, "hotelling, manova"),
        ("absent", 0.1, "skillings-mack"),
    ):
        with pytest.raises(UsageError, match=f"{name} is a guess for {tests}, and wilcoxon has no use for it"):
            guessed("wilcoxon", **{name: value})


def test_no_learners_are_refused() -> None:
    with pytest.raises(UsageError, match="number of learners is a whole number"):
        guessed("t", learners=0)


@pytest.mark.parametrize("test", ["mcnemar", "delong", "variance-ratio"])
def test_a_scale_of_its_own_knows_no_sd(test: str) -> None:
    with pytest.raises(UsageError, match=f"{test} compares .*: say the difference"):
        stated_difference("0.5sd", None, card_of(test), Guess(), False)


def test_5x2_takes_folds_as_independent() -> None:
    assert assumed_correlation(card_of("5x2-t"), None) == 0
    assert assumed_correlation(card_of("5x2-t"), 0.2) == 0.2
    assert assumed_correlation(card_of("corrected-t"), None) is None


def test_differences() -> None:
    t, guess = card_of("t"), Guess(sd=0.05)
    assert stated_difference("0.5 SD", None, t, guess, False) == 0.025
    assert stated_difference("0.02", None, t, guess, False) == 0.02
    assert stated_difference(None, None, t, guess, False) is None


def test_a_test_must_be_named_or_follow_from_a_pilot() -> None:
    assert chosen_card("z", None, None, None).name == "mean-z"
    with pytest.raises(UsageError, match="Name a test"):
        chosen_card(None, None, None, None)
