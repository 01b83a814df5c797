"""The harness itself: it must see a wrong answer, and must not cry over what it does not know."""

from __future__ import annotations

import json
import runpy
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


def test_another_file_is_run_with_one_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    assert "UNCOVERED new (tarot): no such procedure yet" in good.stdout

    run = runpy.run_path(str(harness.HERE / "run.py"))["main"]  # the same without a process for each
    assert run([str(file)]) == 0
    assert capsys.readouterr().out == good.stdout
    assert run([str(file), "--strict"]) == 1

    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps([case(expected={"holm": [0.02, 0.05]})]), encoding="utf-8")
    assert run([str(wrong)]) == 1
    assert "DIFFERS made-up (p_adjust): holm[1]" in capsys.readouterr().out
    assert run([str(wrong), str(wrong)]) == 1
    assert "oracles: 2 covered, 0 not yet covered; 2 differ" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        run([str(file), "nowhere.json"])
    assert "there is no file nowhere.json" in capsys.readouterr().err


def test_data_may_be_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under data/ or not; a row with an empty cell is left out where the case says so."""
    (tmp_path / "mine.csv").write_text("task,A,B\nx,1,2\ny,,2\nz,1,3\n", encoding="utf-8")
    monkeypatch.setenv(harness.DATA, str(tmp_path))
    asked = case(
        "friedman",
        input={"file": "data/mine.csv"},
        options={"nan_policy": "omit"},
        expected={"n_blocks": 2, "mean_ranks": [1, 2]},
    )
    assert harness.run(asked, harness.folders_for(harness.OWN[0])).state == "agrees"
    assert harness.run({**asked, "options": {}, "expected": {"error": "missing"}}, (tmp_path,)).state == "agrees"


def test_a_field_that_is_not_known_is_named() -> None:
    found = harness.run(case(expected={"holm": [0.02, 0.04], "mood": 1}))
    assert (found.state, found.why) == ("uncovered", "no answer to mood")


def test_one_of_several_readings_must_agree_as_a_whole() -> None:
    """R: ptukey(3.5, 4, 20) is .90504, and .09496 with lower.tail = FALSE; one of each is neither."""
    asked = case("studentized_range_p", input={"q": [3.5, 3.5], "k": 4, "df": 20}, options={})
    tolerance = {"rel": 0, "abs": 5e-5}
    upper, lower = 0.09496, 0.90504
    states = [
        harness.run({**asked, "expected": {"p": p}, "tolerance": tolerance})
        for p in ([upper, upper], [lower, lower], [upper, lower])
    ]
    assert [found.state for found in states] == ["agrees", "agrees", "differs"]
    assert [found.why for found in states[:2]] == ["", "read as: lower tail"]


RIDDLE = {"file": "data/riddle_c45.csv", "columns": ["c45_error", "bagged_error"], "lower_is_better": True}


@pytest.mark.parametrize(
    "expected",
    [
        {"wins_losses_ties": {"c45_error vs bagged_error": [2, 30, 1]}},
        {"wins_losses_ties": {"bagged-c45": "30-2-1"}},
        {"wins_losses_ties": {"bagged_error": {"c45_error": "30/2/1"}}},
        {"wins_losses_ties": [[2, 30, 1]]},
        {"wins_losses_ties": [["", "2-30-1"], ["30-2-1", ""]]},
        {"wins_losses_ties": {"wins": [2], "losses": [30], "ties": [1], "i": [1], "j": [2]}},
        {"wins_losses_ties": [{"a": "bagged_error", "b": "c45_error", "wins": 30, "losses": 2, "ties": 1}]},
        {"wins_losses_ties": {"pair": ["bagged-c45"], "W": [30], "L": [2], "T": [1]}},
        {"wins_losses_ties": [{"pair": "bagged - c45", "win": 30, "loss": 2, "tie": 1}]},
        {"unique_winner_counts": {"c45": 2, "bagged": 30}},
        {"unique_winner_counts": [2, 30], "overall_winner_counts_ties_shared_count": [3, 31]},
        {"overall_winner_counts_ties_shared_count": {"c45_error": 2.5, "bagged_error": 30.5}},
        {"overall_winner_counts_ties_shared_count": 1},
    ],
)
def test_pairs_come_in_many_forms(expected: dict[str, Any]) -> None:
    assert harness.run(case("win_loss_tie", input=RIDDLE, options={}, expected=expected)).why in (
        "",
        "read as: they share the win",
    )
    wrong = json.loads(json.dumps(expected).replace("30", "29").replace(": 1}", ": 2}"))
    assert harness.run(case("win_loss_tie", input=RIDDLE, options={}, expected=wrong)).state == "differs"


ERRORS = [[0.30, 0.32, 0.31, 0.33, 0.30], [0.21, 0.22, 0.22, 0.23, 0.20], [0.20, 0.23, 0.21, 0.24, 0.21]]
P = [1.2660656e-06, 1.3770473e-06, 0.648]  # scipy.stats.ttest_rel(…, alternative="greater")


@pytest.mark.parametrize(
    ("errors", "p"),
    [
        (ERRORS, P),
        ({str(i): errors for i, errors in enumerate(ERRORS)}, P),
        ([list(fold) for fold in zip(*ERRORS, strict=True)], P),
        (ERRORS, {"0-1": P[0], "0-2": P[1], "(1, 2)": P[2]}),
        (ERRORS, [[None, P[0], P[1]], [None, None, P[2]], [None, None, None]]),
        (ERRORS, [[0, 1, P[0]], [0, 2, P[1]], [1, 2, P[2]]]),
        (ERRORS, [3 * P[0], 3 * P[0], P[2]]),
    ],
)
def test_multitest_from_errors_in_many_forms(errors: Any, p: Any) -> None:
    asked = case(
        "multitest_data",
        input={"errors": errors, "cost_order": [0, 1, 2], "alpha": 0.05},
        options={"test": "one-sided paired t", "correction": "holm"},
        expected={"p_values": p, "edges": [[0, 2], [0, 1]], "order_best_first": [1, 2, 0]},
        tolerance={"rel": 1e-6, "abs": 0},
    )
    assert harness.run(asked).state == "agrees"
    asked["expected"]["order_best_first"] = [2, 1, 0]
    assert harness.run(asked).state == "differs"


TWO = {"table": [[1, 2], [2, 4], [3, 3]], "columns": ["a1", "a2"]}


@pytest.mark.parametrize(
    ("procedure", "asked", "options", "expected"),
    [
        ("fisher_lsd", TWO, {"alpha": 0.05}, {"comparison": "a2 - a1", "difference": 1}),
        ("fisher_lsd", TWO, {"alpha": 0.05}, {"comparison": ["a1 - a2"], "difference": [-1]}),
        ("maxt_vs_control", TWO, {"control": 2}, {"contrast": ["a1 - a2"], "estimate": [-1]}),
        ("aligned_tukey", TWO, {"df": "Inf"}, {"pair": ["2-1"], "difference": [1]}),
        ("closed_testing", TWO, {"test": "exact"}, {"i": ["a1"], "j": ["a2"], "p_global": 0.5}),
        ("stratified_kfold_counts", {"class_counts": {"b": 5, "a": 6}, "k": 3}, {}, {"per_fold_max": {"a": 2, "b": 2}}),
        ("stratified_kfold_counts", {"class_counts": [5, 6], "k": 3}, {}, {"per_fold_min": 1, "fold_size_max": 4}),
        (
            "expected_cost",
            {"y": ["no", "yes"], "score": [1, 2], "cost_fp": 1, "cost_fn": 1},
            {},
            {"cutoff": [2, 1], "cost_per_case": [0, 0.5], "best_cutoff": 2},
        ),
        ("cv5x2_t_all", {"differences": [[1, 3]] * 5}, {}, {"t_ij": [0.70711] * 5 + [2.12132] * 5}),
        ("cv5x2_t_all", {"differences": [[1, 3]] * 5}, {}, {"t_ij": [[0.70711, 2.12132]] * 5, "mean_of_squares": 2.5}),
        ("anova_twoway", TWO, {"factors": "fold + alg"}, {"fold": {"df": 2}, "alg": {"df": 1, "ss": 1.5}}),
        ("z_type2_error", {"N": 9, "alpha": 0.05, "mu": -1, "mu0": 0, "sigma": 3}, {"sides": 1}, {"power": 0.25951}),
        ("t_interval", {"mean": 0, "se": 1, "n": 4, "conf": 0.95}, {"from": "summary"}, {"upper": 3.18245, "df": 3}),
    ],
)
def test_forms_of_the_same_question(
    procedure: str, asked: dict[str, Any], options: dict[str, Any], expected: dict[str, Any]
) -> None:
    made = case(procedure, input=asked, options=options, expected=expected, tolerance={"rel": 1e-5, "abs": 1e-8})
    found = harness.run(made)
    assert found.state == "agrees", found.why
