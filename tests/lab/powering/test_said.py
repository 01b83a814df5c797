"""What was said, made into a guess."""

from __future__ import annotations

from typing import Any

import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.powering.families import card_of
from bakeoff.lab.powering.guess import Guess
from bakeoff.lab.powering.pilot import Pilot
from bakeoff.lab.powering.said import assumed_correlation, chosen_card, guess_for, stated_difference

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
