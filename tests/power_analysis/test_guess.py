"""What is guessed is checked."""

from __future__ import annotations

from typing import Any

import pytest

from bakeoff.errors import UsageError
from bakeoff.power_analysis.guess import Guess, own_scale
from bakeoff.procedures import explain, procedure_names


def test_pairs_share_alpha() -> None:
    guess = Guess(learners=4, alpha=0.06)
    assert (guess.pairs, guess.share) == (6, 0.01)
    assert Guess(learners=1).share == 0.05


def test_patterns() -> None:
    assert Guess(learners=1).better_by(0.3).tolist() == [0.3]
    assert Guess(learners=1, pattern="spaced").better_by(0.3).tolist() == [0.3]
    assert Guess(learners=4, pattern="spaced").better_by(0.3).tolist() == pytest.approx([0.3, 0.2, 0.1, 0.0])


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"sd": 0.0}, "positive number"),
        ({"sd": float("inf")}, "positive number"),
        ({"correlation": 1.0}, "less than 1"),
        ({"folds": 1}, "2 at least"),
        ({"learners": 0}, "1 at least"),
        ({"learners": 2.5}, "whole number"),
        ({"error": 0.0}, "error rate"),
        ({"discordant": 1.0}, "discordant"),
        ({"auc": 0.4}, "at least 0.5 and below 1"),
        ({"auc": 1.0}, "at least 0.5 and below 1"),
        ({"positives": 0.0}, "share of positives"),
        ({"absent": 1.0}, "will be missing"),
        ({"measures": 0}, "number of measures is a whole number, 1 at least"),
        ({"pattern": "on"}, "Did you mean 'one'"),
        ({"find": "pairs"}, "Did you mean 'pair'"),
        ({"alpha": 0}, "α"),
        ({"sides": 0}, "one or two sides"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        Guess(**wrong)


# ----------------------------------------------------------------------------------------------------------------------
# What differences are said in.


def test_differences_are_said_in_the_unit_of_the_sd_or_on_a_scale_that_the_card_explains() -> None:
    assert own_scale(explain("hotelling")) == ""
    assert own_scale(explain("delong")).startswith("compares areas")
    assert own_scale(explain("mcnemar")).startswith("compares error rates")


def test_tests_of_right_and_wrong_answers_say_so() -> None:
    asked = {name for name in procedure_names() if any("right or wrong" in need.asks for need in explain(name).needs)}
    assert asked
    assert all(explain(name).binary for name in asked)
