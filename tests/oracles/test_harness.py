"""The harness itself: it must see a wrong answer, and must not cry over what it does not know."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import harness
import numpy as np
import pytest
from question import Question, Uncovered, generated


def case(procedure: str = "p_adjust", **changes: Any) -> dict[str, Any]:
    made = {
        "id": "made-up",
        "procedure": procedure,
        "input": {"p": [0.01, 0.04]},
        "options": {"methods": ["holm"]},
        "expected": {"holm": [0.02, 0.04]},
        "tolerance": {"rel": 1e-8, "abs": 1e-12},
    }
    return {**made, **changes}


def test_a_right_answer_agrees_and_a_wrong_one_differs() -> None:
    assert harness.run(case()).state == "agrees"
    wrong = harness.run(case(expected={"holm": [0.02, 0.0400001]}))
    assert wrong.state == "differs"
    assert "holm[1]" in wrong.why
    assert harness.run(case(expected={"holm": [0.02]})).state == "differs"
    assert harness.run(case(expected={"holm": 0.02})).state == "differs"


def test_the_tolerance_is_the_case_s_own() -> None:
    loose = case(expected={"holm": [0.02, 0.0400001]}, tolerance={"rel": 1e-4, "abs": 0})
    assert harness.run(loose).state == "agrees"


@pytest.mark.parametrize(
    "unknown",
    [
        {"procedure": "tarot"},
        {"options": {"methods": ["hope"]}},
        {"input": {}},
        {"expected": {"holm": [0.02, 0.04], "mood": 1}},
        {"procedure": "friedman", "input": {"file": "data/nowhere.csv"}},
        {"procedure": "friedman", "input": {"generator": "whatever comes"}},
        {"procedure": "mcnemar", "input": {}, "options": {"method": "by eye"}},
    ],
)
def test_what_is_not_known_is_uncovered_and_no_error(unknown: dict[str, Any]) -> None:
    assert harness.run(case(**unknown)).state == "uncovered"


def test_what_is_half_known_is_checked_as_far_as_it_goes() -> None:
    assert harness.run(case(expected={"holm": [0.02, 0.05], "mood": 1})).state == "differs"


def test_a_refusal_is_expected_or_wrong() -> None:
    refused = {"input": {"p": [1.2]}}
    assert harness.run(case(**refused, expected={"error": "p > 1"})).state == "agrees"
    assert harness.run(case(expected={"error": "p > 1"})).state == "differs"
    assert harness.run(case(**refused)).state == "differs"


def test_a_break_is_a_difference() -> None:
    assert "broke" in harness.run(case(procedure="binomial_critical", input={"n": [1], "p0": 0.1, "alpha": 0.1},
                                       options={"alternative": "greater"})).why  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "ours", "key", "agrees"),
    [
        ("NaN", float("nan"), "statistic", True),
        ("NaN", 0.0, "statistic", True),
        ("NaN", 1.0, "statistic", False),
        ("NaN", 1.0, "p_value", True),
        ("NaN", 0.0, "p_value", False),
        ("NaN", 0.5, "p_value", False),
        ("NA", 1.0, "p_holm[2]", False),
        ("Inf", float("inf"), "F", True),
        ("Inf", 1e300, "F", False),
        ("-Inf", float("-inf"), "lower", True),
        (1.0, float("nan"), "p_value", False),
        (1.0, True, "p_value", False),
        (True, True, "reject", True),
        (True, np.True_, "reject", True),
        (True, 1.0, "reject", False),
        (2, 2.0 + 1e-9, "df", True),
        (0.0, 1e-13, "statistic", True),
        (0.0, 1e-11, "statistic", False),
    ],
)
def test_one_value(expected: Any, ours: Any, key: str, agrees: bool) -> None:
    assert harness.same(expected, ours, 1e-8, 1e-12, key) is agrees


@pytest.mark.parametrize(
    "text",
    [
        "d_i = __import__('os').getpid(), i=1..3",
        "d_i = (1).__class__, i=1..3",
        "d_i = [i for i in range(9)], i=1..3",
        "d_i = i if i else 2, i=1..3",
        "d_i = unknown + i, i=1..3",
        "d_i = i +, i=1..3",
        "d_i = i",
    ],
)
def test_generators_are_arithmetic_and_nothing_else(text: str) -> None:
    with pytest.raises(Uncovered):
        generated(text)


def test_generators_follow_their_formula() -> None:
    table = generated("table[i][j] = ((i*31 + j*17 + i*j*7) mod 101), i=1..200, j=1..6")
    assert table.shape == (200, 6)
    assert table[1, 2] == (2 * 31 + 3 * 17 + 2 * 3 * 7) % 101
    assert generated("x[i] = -i^2 + sqrt(4), i=0..2").tolist() == [2.0, 1.0, -2.0]


@pytest.mark.parametrize("spelling", ["two.sided", "two-sided", "Two sided", "two-sided (default)"])
def test_alternatives_are_known_by_all_their_spellings(spelling: str) -> None:
    assert Question({}, {"alternative": spelling}).alternative() == "two-sided"


def test_another_file_is_run_with_one_command(tmp_path: Path) -> None:
    """Data beside that file come first; a differing case makes the command fail."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "demsar2006.csv").write_text("task,A,B\nx,1,2\ny,1,2\n", encoding="utf-8")
    friedman = case(
        "friedman",
        id="theirs",
        input={"file": "data/demsar2006.csv", "higher_is_better": True},
        options=[],
        expected={"mean_ranks": [2, 1]},
    )
    riddle = case(
        "wilcoxon_signed_rank",
        id="ours",
        input={"file": "data/riddle_c45.csv", "a": "c45_error", "b": "bagged_error"},
        options={"zero_method": "split (odd one dropped)", "method": "exact"},
        expected={"r_plus": 520},
    )
    file = tmp_path / "more.json"
    file.write_text(json.dumps([friedman, riddle, case("tarot", id="new")]), encoding="utf-8")
    states = {outcome.case: outcome.state for outcome in harness.outcomes(file)}
    assert states == {"theirs": "agrees", "ours": "agrees", "new": "uncovered"}

    command = [sys.executable, str(harness.HERE / "run.py"), str(file)]
    good = subprocess.run(command, capture_output=True, text=True, check=False)
    assert good.returncode == 0, good.stdout + good.stderr
    assert "oracles: 2 covered, 1 not yet covered; 0 differ" in good.stdout

    file.write_text(json.dumps([case(expected={"holm": [0.02, 0.05]})]), encoding="utf-8")
    bad = subprocess.run(command, capture_output=True, text=True, check=False)
    assert bad.returncode == 1
    assert "DIFFERS made-up (p_adjust): holm[1]" in bad.stdout
