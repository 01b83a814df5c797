"""`bakeoff compare` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.cli import main

Capture = pytest.CaptureFixture[str]


def test_it_reads_advises_and_judges_in_this_order(wide: str, capsys: Capture) -> None:
    assert main(["compare", wide, "--measure", "auc"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    parts = ["learners 3: C4.5, C4.5+m and C4.5+cf", "Recommended: friedman", "C4.5+m has the best mean rank"]
    places = [text.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)


def test_json_is_one_object(wide: str, capsys: Capture) -> None:
    assert main(["compare", wide, "--measure", "auc", "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert set(whole) == {"alignment", "advice", "verdict"}
    assert whole["verdict"]["finding"]["procedure"] == whole["advice"]["recommended"] == "friedman"


def test_figures_are_drawn(wide: str, tmp_path: Path, capsys: Capture) -> None:
    for ending in ("svg", "pdf", "png"):
        figure = tmp_path / f"cd.{ending}"
        assert main(["compare", wide, "--measure", "auc", "--figure", str(figure)]) == 0
        assert figure.stat().st_size > 1000
        assert f"Figure:  {figure}" in capsys.readouterr().out
    assert main(["compare", wide, "--measure", "auc", "--figure", str(tmp_path / "cd.doc")]) == 2
    assert "svg" in capsys.readouterr().err


def test_a_figure_and_json_go_together(wide: str, tmp_path: Path, capsys: Capture) -> None:
    figure = tmp_path / "cd.svg"
    assert main(["compare", wide, "--measure", "auc", "--figure", str(figure), "--json"]) == 0
    assert "verdict" in json.loads(capsys.readouterr().out)
    assert figure.exists()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (["--alpha", "2"], "strictly between 0 and 1"),
        (["--alpha", "x"], "--alpha takes a number, but 'x' was found"),
        (["--margin", "-1"], "margin of relevance is a positive difference"),
        (["--adjust", "nonsense"], "nonsense"),
        (["--with", "nope"], "There is no procedure 'nope'"),
        (["--control", "C45"], "Did you mean 'C4.5'"),
        (["--contrast", "control"], "--control LEARNER"),
    ],
)
def test_wrong_values_of_flags_are_usage_errors(wide: str, wrong: list[str], sentence: str, capsys: Capture) -> None:
    try:
        code = main(["compare", wide, "--measure", "auc", *wrong])
    except SystemExit as exit_:
        code = int(exit_.code or 0)
    captured = capsys.readouterr()
    assert code == 2
    assert sentence in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


def test_data_that_do_not_fit_are_exit_code_three(wide: str, capsys: Capture) -> None:
    assert main(["compare", wide, "--measure", "auc", "--with", "corrected-t"]) == 3
    captured = capsys.readouterr()
    assert "friedman" in captured.err
    assert captured.out == ""
    # What was read comes before the refusal, because the refusal is about it.
    assert 0 <= captured.err.find("tasks     4: a, b, c and d") < captured.err.find("does not fit")


def test_a_file_that_is_not_there_is_bad_input(tmp_path: Path, capsys: Capture) -> None:
    assert main(["compare", str(tmp_path / "none.csv"), "--measure", "auc"]) == 2
    assert "none.csv" in capsys.readouterr().err


def test_unknown_direction_is_asked_for(wide: str, capsys: Capture) -> None:
    assert main(["compare", wide]) == 2
    assert "--larger-is-better" in capsys.readouterr().err


def test_the_direction_turns_the_order(wide: str, capsys: Capture) -> None:
    best = {}
    for flag in ("--larger-is-better", "--smaller-is-better"):
        assert main(["compare", wide, flag, "--json"]) == 0
        position = json.loads(capsys.readouterr().out)["verdict"]["finding"]["position"]
        best[flag] = min(position, key=position.__getitem__)
    assert best == {"--larger-is-better": "C4.5+m", "--smaller-is-better": "C4.5"}


def test_learners_and_tasks_can_be_chosen(wide: str, capsys: Capture) -> None:
    assert main(["compare", wide, "--measure", "auc", "--learner", "C4.5", "--learner", "C4.5+m", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"]["finding"]["procedure"] == "wilcoxon"
    assert main(["compare", wide, "--measure", "auc", "--task", "a", "--task", "c", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"]["finding"]["n_blocks"] == 2
    assert main(["compare", wide, "--measure", "auc", "--learner", "C45"]) == 2
    assert "Did you mean 'C4.5'" in capsys.readouterr().err


def test_missing_values_wait_for_a_policy(gap: str, capsys: Capture) -> None:
    assert main(["compare", gap, "--measure", "auc"]) == 3
    assert "--missing drop-block" in capsys.readouterr().err
    for policy, blocks in (("drop-block", 3), ("worst", 4)):
        assert main(["compare", gap, "--measure", "auc", "--missing", policy, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["verdict"]["finding"]["n_blocks"] == blocks


def test_a_margin_reaches_the_verdict(folds: str, capsys: Capture) -> None:
    # The differences are of the order of 0.01: a margin of 0.5 makes all learners equivalent.
    asked = ["compare", folds, "--measure", "auc", "--with", "corrected-t", "--margin", "0.5", "--json"]
    assert main(asked) == 0
    decisions = json.loads(capsys.readouterr().out)["verdict"]["decisions"]
    assert {row["decision"] for row in decisions} == {"equivalent"}


def test_options_go_with_a_procedure_that_was_named(folds: str, capsys: Capture) -> None:
    assert main(["compare", folds, "--measure", "auc", "--resamples", "5"]) == 2
    assert "go with --with NAME" in capsys.readouterr().err
    assert main(["compare", folds, "--measure", "auc", "--with", "corrected-t", "--ratio", "0.25", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"]["finding"]["options"]["ratio"] == 0.25


def test_one_measure_of_several_must_be_chosen(two_measures: str, capsys: Capture) -> None:
    assert main(["compare", two_measures]) == 2
    assert "holds 2 measures (accuracy, logloss)" in capsys.readouterr().err
    assert main(["compare", two_measures, "--measure", "accuracy", "--measure", "logloss"]) == 2
    assert "Say one measure, not 2" in capsys.readouterr().err
    assert main(["compare", two_measures, "--measure", "logloss", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"]["finding"]["measure"]["name"] == "logloss"


@pytest.fixture
def runs(tmp_path: Path) -> str:
    """Two models, ten numbered runs each, of which the file does not tell what they are."""
    path = tmp_path / "runs.csv"
    errors = {"1nn": [20, 22, 19, 24, 21, 23, 20, 22, 25, 21], "svm": [18, 21, 19, 21, 20, 22, 18, 21, 23, 20]}
    lines = [f"{name},{seed},0.{error}" for name, column in errors.items() for seed, error in enumerate(column)]
    path.write_text("model,seed,error\n" + "\n".join(lines) + "\n")
    return str(path)


def test_runs_of_which_nothing_is_known_are_judged_under_a_condition(runs: str, capsys: Capture) -> None:
    assert main(["compare", runs]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "provided that each run learned from a sample of its own" in text
    assert "Warning [unknown-runs]" in text


@pytest.mark.parametrize(
    ("flags", "procedure", "about"),
    [
        (["--ratio", "104/104"], "corrected-t", "new training sets of this problem"),
        (["--runs", "random-splits", "--ratio", "1"], "corrected-t", "new training sets of this problem"),
        (["--with", "corrected-t", "--ratio", "1"], "corrected-t", "new training sets of this problem"),
        (["--runs", "independent"], "paired-permutation", "new training sets of this problem"),
        (["--runs", "fixed-split"], "paired-permutation", "new runs (seeds) of these learners on this very split"),
    ],
)
def test_runs_can_be_told(runs: str, capsys: Capture, flags: list[str], procedure: str, about: str) -> None:
    assert main(["compare", runs, *flags, "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)["verdict"]
    assert verdict["finding"]["procedure"] == procedure
    assert f"speaks about {'these learners on ' * about.startswith('new training')}{about}." in verdict["paragraph"]
    assert not [w for w in verdict["warnings"] if w["code"] in ("unknown-runs", "overlapping-runs")]


@pytest.mark.parametrize(
    ("flags", "what"),
    [
        (["--runs", "random-splits"], "--ratio 1 for halves"),
        (["--ratio", "a/b"], "a number such as 0.5 or 104/208; found 'a/b'"),
        (["--ratio", "1/0"], "found '1/0'"),
        (["--runs", "independent", "--ratio", "1"], "leave one of the two out"),
    ],
)
def test_runs_that_are_not_told_well(runs: str, capsys: Capture, flags: list[str], what: str) -> None:
    assert main(["compare", runs, *flags]) == 2
    assert what in " ".join(capsys.readouterr().err.split())


def test_folds_of_several_tasks_are_not_those_of_one(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "several.csv"
    cells = [(learner, task, fold) for learner in "ab" for task in "xy" for fold in "123"]
    rows = [f"{','.join(cell)},{0.1 + 0.001 * i * i:.3f}" for i, cell in enumerate(cells)]
    path.write_text("learner,dataset,fold,error\n" + "\n".join(rows) + "\n")
    assert main(["compare", str(path), "--level", "resamples"]) == 3
    assert "--task NAME" in capsys.readouterr().err
    assert main(["compare", str(path), "--level", "resamples", "--task", "x"]) == 0
