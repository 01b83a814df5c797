"""`bakeoff compare` as a user types it."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

import bakeoff
from bakeoff.cli import main
from bakeoff.cli.compare import emit
from bakeoff.errors import UsageError
from bakeoff.procedures import explain, procedure_names, procedures
from bakeoff.scores import Level

Capture = pytest.CaptureFixture[str]


def test_it_answers_then_tells_why_and_last_what_was_read(wide: str, capsys: Capture) -> None:
    assert main(["compare", wide, "--measure", "auc"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    parts = [
        "No difference between",
        "C4.5+m has the best mean rank",
        "Recommended: task-flips",
        "learners 3: C4.5, C4.5+m",
    ]
    places = [text.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)


def test_json_is_one_object(wide: str, capsys: Capture) -> None:
    assert main(["compare", wide, "--measure", "auc", "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert set(whole) == {"alignment", "advice", "verdict"}
    assert whole["verdict"]["finding"]["procedure"] == whole["advice"]["recommended"] == "task-flips"


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
    assert json.loads(capsys.readouterr().out)["verdict"]["finding"]["procedure"] == "task-t"
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
        (["--runs", "fixed-split"], "unpaired-t", "new runs (seeds) of these learners on this very split"),
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


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff adjust` as a user types it.


def test_what_each_method_rejects(capsys: Capture) -> None:
    assert main(["adjust", "0.03", "0.04", "0.045"]) == 0
    text = capsys.readouterr().out
    assert "Holm rejects nothing" in text
    assert "Hochberg rejects H1, H2 and H3" in text


def test_json_level_and_methods(capsys: Capture) -> None:
    assert main(["adjust", "0.01", "0.2", "--alpha", "0.02", "--method", "holm", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["alpha"] == 0.02
    assert found["adjusted"] == {"holm": [0.02, 0.2]}
    assert found["rejected"] == {"holm": [True, False]}


@pytest.mark.parametrize("flag", ["--family-size", "--n"])
def test_a_family_larger_than_the_p_values_given(flag: str, capsys: Capture) -> None:
    """R: p.adjust(c(.001, .004, .02), "holm", 10)."""
    arguments = ["adjust", "0.001", "0.004", "0.02", flag, "10", "--method", "holm"]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["family"] == 10
    assert found["adjusted"]["holm"] == pytest.approx([0.01, 0.036, 0.16])
    assert found["rejected"] == {"holm": [True, True, False]}
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "3 p-values, adjusted as part of 10;" in text
    assert "10 independent tests of true hypotheses make some false claim with probability 0.401" in text


def test_output_file(tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "adjusted.txt"
    assert main(["adjust", "0.01", "-o", str(target)]) == 0
    assert "1 p-value, adjusted" in target.read_text()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["1.2"], "p-values lie between 0 and 1; found 1.2"),
        (["-0.1"], "p-values lie between 0 and 1; found -0.1"),
        (["0.1", "--alpha", "2"], "strictly between 0 and 1"),
        (["0.1", "--method", "holms"], "Did you mean 'holm'?"),
        (["0.1", "0.2", "--n", "1"], "at least as many hypotheses as p-values; found 1 and 2"),
        (["0.1", "--n", "1000000"], "at most 100,000; found 1,000,000"),
    ],
)
def test_mistakes_are_sentences(arguments: list[str], sentence: str, capsys: Capture) -> None:
    assert main(["adjust", *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_words_are_no_p_values(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        main(["adjust", "small"])
    assert left.value.code == 2
    said = capsys.readouterr().err
    assert said == "bakeoff: P takes a number, but 'small' was found. See `bakeoff adjust --help`.\n"


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff advise` as a user types it.


def test_every_procedure_is_said_to_fit_or_not(wide: str, capsys: Capture) -> None:
    assert main(["advise", wide, "--measure", "auc"]) == 0
    assert "Not fitting: 4" in capsys.readouterr().out  # some forty others, folded away
    assert main(["advise", wide, "--measure", "auc", "--all"]) == 0
    text = capsys.readouterr().out
    assert "Recommended: task-flips" in text
    also, no = text.index("Also fitting:"), text.index("Not fitting:")
    for name in ("wilcoxon", "sign"):
        assert also < text.index(f"  {name}: ") < no
    for name in (name for name in procedure_names() if explain(name).level is not Level.TASKS):
        assert text.index(f"  {name}: ") > no


def test_json(wide: str, capsys: Capture) -> None:
    assert main(["advise", wide, "--measure", "auc", "--json"]) == 0
    advice = json.loads(capsys.readouterr().out)
    assert advice["recommended"] == "task-flips"
    assert [candidate["procedure"] for candidate in advice["candidates"]] == list(procedure_names())
    fitting = {c["procedure"] for c in advice["candidates"] if c["fits"]}
    assert fitting >= {"friedman", "wilcoxon", "sign"}
    assert all(explain(name).level is Level.TASKS for name in fitting)


def test_what_a_row_is_decides(wide: str, folds: str, capsys: Capture) -> None:
    recommended = []
    for file in (wide, folds):
        assert main(["advise", file, "--measure", "auc", "--json"]) == 0
        recommended.append(json.loads(capsys.readouterr().out)["recommended"])
    assert recommended == ["task-flips", "corrected-t"]


def test_the_level_can_be_set(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "both.csv"
    rows = [f"{t},{f},{learner},0.{t}{f}{learner[1]}" for t in (1, 2, 3) for f in (1, 2) for learner in ("m4", "m5")]
    path.write_text("\n".join(["task,fold,learner,auc", *rows]) + "\n")
    found = []
    for level in ([], ["--level", "resamples", "--task", "1"]):
        assert main(["advise", str(path), *level, "--json"]) == 0
        layout = json.loads(capsys.readouterr().out)["layout"]
        found.append((layout["level"], layout["n_blocks"]))
    assert found == [("tasks", 3), ("resamples", 2)]


def test_missing_values_follow_the_policy(gap: str, capsys: Capture) -> None:
    assert main(["advise", gap, "--measure", "auc", "--missing", "drop-block", "--json"]) == 0
    layout = json.loads(capsys.readouterr().out)["layout"]
    assert (layout["n_blocks"], layout["n_missing"]) == (3, 1)


def test_one_measure_of_several_must_be_chosen_advise(two_measures: str, capsys: Capture) -> None:
    assert main(["advise", two_measures]) == 2
    assert "--measure NAME" in capsys.readouterr().err
    assert main(["advise", two_measures, "--measure", "accuracy"]) == 0


def test_it_applies_no_procedure(wide: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        main(["advise", wide, "--measure", "auc", "--with", "friedman"])
    assert left.value.code == 2
    assert "--with friedman" in capsys.readouterr().err


STUDY = """
measures = ["squared_error", "absolute_error"]
[resampling]
scheme = "simulation"
repeats = 5
[[task]]
generator = "friedman1"
n = 30
m = 20
[[learner]]
path = "sklearn.linear_model.LinearRegression"
[[learner]]
path = "sklearn.dummy.DummyRegressor"
[[learner]]
path = "sklearn.neighbors.KNeighborsRegressor"
"""


def test_a_stored_study(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    assert main(["advise", str(path)]) == 0
    assert "not run yet" in capsys.readouterr().out
    assert main(["run", str(path)]) == 0
    capsys.readouterr()
    assert main(["advise", str(path), "--json"]) == 0
    advice = json.loads(capsys.readouterr().out)
    assert advice["recommended"] == "run-t"
    assert advice["layout"]["problem"]["kind"] == "simulation"
    two = ["--learner", "LinearRegression", "--learner", "DummyRegressor"]
    assert main(["advise", str(path), "--measure", "absolute_error", *two]) == 0
    assert "Recommended: run-t" in capsys.readouterr().out
    assert main(["advise", str(path), "--measure", "absolute_error", "--measure", "squared_error", *two]) == 0
    assert "hotelling" in capsys.readouterr().out


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff analyse` as a user types it.


def found(command: list[str], capsys: Capture) -> dict[str, Any]:
    """What an analysis finds, as JSON."""
    assert main([*command, "--json"]) == 0
    whole: dict[str, Any] = json.loads(capsys.readouterr().out)
    return whole


def test_it_shows_what_was_read_and_all_that_was_found(wide: str, capsys: Capture) -> None:
    command = ["analyse", wide, "--measure", "auc", "--with", "friedman", "--contrast", "all-pairs", "--adjust", "holm"]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert 0 <= text.find("Holm adjustment") < text.find("tasks     4: a, b, c and d")
    assert "Iman–Davenport F" in text
    for pair in ("C4.5+m − C4.5+cf", "C4.5+m − C4.5 ", "C4.5+cf − C4.5 "):
        assert pair in text


def test_json_is_the_finding(wide: str, capsys: Capture) -> None:
    whole = found(["analyse", wide, "--measure", "auc", "--with", "friedman"], capsys)
    assert (whole["procedure"], whole["adjust"], whole["n_blocks"]) == ("friedman", "single-step", 4)
    assert len(whole["rows"]) == 2 + 3


def test_the_request_reaches_the_analysis(wide: str, capsys: Capture) -> None:
    asked = ["--control", "C4.5", "--alpha", "0.1", "--alternative", "better", "--adjust", "bonferroni"]
    whole = found(["analyse", wide, "--measure", "auc", "--with", "wilcoxon", *asked], capsys)
    assert (whole["contrast"], whole["alpha"], whole["alternative"]) == ("control", 0.1, "better")
    assert whole["adjust"] == "bonferroni"
    assert [row["second"] for row in whole["rows"]] == ["C4.5", "C4.5"]


def test_options_of_a_procedure_are_flags(folds: str, capsys: Capture) -> None:
    command = ["analyse", folds, "--measure", "auc", "--with", "permutation"]
    whole = found([*command, "--resamples", "500", "--seed", "7"], capsys)
    assert (whole["options"]["resamples"], whole["options"]["seed"]) == (500, 7)
    assert main([*command, "--resample", "500"]) == 2
    message = capsys.readouterr().err
    assert "--resample 500" in message
    assert "Options of permutation: --method, --resamples, --seed." in message


@pytest.mark.parametrize(("word", "truth"), [("yes", True), ("TRUE", True), ("on", True), ("no", False), ("0", False)])
def test_options_that_are_yes_or_no(wide: str, word: str, truth: bool, capsys: Capture) -> None:
    whole = found(["analyse", wide, "--measure", "auc", "--with", "wilcoxon", "--correction", word], capsys)
    assert whole["options"]["correction"] is truth


def test_wrong_values_of_options(wide: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        main(["analyse", wide, "--measure", "auc", "--with", "wilcoxon", "--correction", "perhaps"])
    assert left.value.code == 2
    message = capsys.readouterr().err
    assert "yes or no was expected; found 'perhaps'" in message
    assert "bakeoff explain wilcoxon" in message


def test_words_that_an_option_does_not_know(wide: str, capsys: Capture) -> None:
    command = ["analyse", wide, "--measure", "auc", "--with", "wilcoxon", "--method"]
    assert main([*command, "exat"]) == 2
    assert "method='exat' is not possible for wilcoxon. Did you mean 'exact'?" in capsys.readouterr().err
    assert found([*command, "normal_untied"], capsys)["options"]["method"] == "normal-untied"


def test_a_procedure_without_options_says_so(wide: str, capsys: Capture) -> None:
    plain = next(procedure.name for procedure in procedures() if not procedure.card.options)
    assert main(["analyse", wide, "--measure", "auc", "--with", plain, "--seed", "1"]) == 2
    assert f"Options of {plain}: none." in capsys.readouterr().err


def test_a_procedure_must_be_named(wide: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        main(["analyse", wide, "--measure", "auc"])
    assert left.value.code == 2
    assert "--with" in capsys.readouterr().err
    assert main(["analyse", wide, "--measure", "auc", "--with", "freidman"]) == 2
    assert "Did you mean 'friedman'" in capsys.readouterr().err


def test_a_wrong_name_is_noticed_before_the_file_is_read(tmp_path: Path, capsys: Capture) -> None:
    assert main(["analyse", str(tmp_path / "none.csv"), "--with", "freidman"]) == 2
    assert "Did you mean 'friedman'" in capsys.readouterr().err


def test_who_insists_is_reminded(wide: str, capsys: Capture) -> None:
    two = ["analyse", wide, "--measure", "auc", "--with", "friedman", "--learner", "C4.5", "--learner", "C4.5+m"]
    assert main(two) == 3
    captured = capsys.readouterr()
    assert "friedman all the same, with --anyway" in captured.err
    assert captured.out == ""
    assert main([*two, "--anyway"]) == 0
    assert "Done against advice:\n  it is made for three learners or more" in capsys.readouterr().out


def test_nobody_can_insist_on_what_cannot_be_done(wide: str, capsys: Capture) -> None:
    assert main(["analyse", wide, "--measure", "auc", "--with", "mcnemar", "--anyway"]) == 3
    assert "--anyway" not in capsys.readouterr().err


def test_several_measures_at_once(two_measures: str, capsys: Capture) -> None:
    named = ["--measure", "logloss", "--measure", "accuracy"]
    command = ["analyse", two_measures, "--with", "hotelling"]
    for asked in (command, [*command, *named]):
        assert main(asked) == 0
        text = capsys.readouterr().out
        assert "learners  2: lda and svm" in text
        assert "T² = " in text
    (all_measures,), (both,) = found(command, capsys)["rows"], found([*command, *named], capsys)["rows"]
    assert both["p"] == pytest.approx(all_measures["p"])
    assert main(["analyse", two_measures, "--with", "corrected-t"]) == 2
    assert "holds 2 measures" in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff order`: a full order of learners, cost deciding where the data do not.


def test_an_order_in_words(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["order", wide, "--measure", "accuracy", "--cost", "C4.5", "--cost", "C4.5+m", "--cost", "C4.5+cf"]
    assert main(asked) == 0
    shown = capsys.readouterr().out
    assert "Cost, cheapest first: C4.5, C4.5+m, C4.5+cf." in shown
    assert "First is C4.5: no costlier learner is significantly better." in shown


def test_an_order_as_json(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [
        "order",
        wide,
        "--measure",
        "accuracy",
        "--with",
        "sign",
        "--ties",
        "dropped",
        "--json",
        "--adjust",
        "none",
    ]
    asked += [part for name in ("C4.5+cf", "C4.5", "C4.5+m") for part in ("--cost", name)]
    assert main(asked) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["procedure"] == "sign"
    assert found["cost_order"] == ["C4.5+cf", "C4.5", "C4.5+m"]
    assert len(found["tests"]) == 3


def test_a_learner_without_a_cost_is_refused(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["order", wide, "--measure", "accuracy", "--cost", "C4.5"]) == 2
    assert "must name every learner, cheapest first; not in it: C4.5+m and C4.5+cf" in capsys.readouterr().err


def test_options_go_with_a_procedure(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["order", wide, "--measure", "accuracy", "--cost", "C4.5", "--ties", "dropped"]) == 2
    assert "go with --with NAME" in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------------------------
# Answers go to the screen or to a file: whole, or not at all.


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_without_a_file_it_is_printed(capsys: Capture) -> None:
    emit(Namespace(output=None), "α = 0.05")
    assert capsys.readouterr().out == "α = 0.05\n"


def test_a_file_holds_what_would_be_printed(tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "answer.txt"
    target.write_text("of yesterday, and much longer than what comes now")
    emit(Namespace(output=str(target)), "α = 0.05")
    assert target.read_bytes() == "α = 0.05\n".encode()
    assert capsys.readouterr().out == ""
    assert names(tmp_path) == {"answer.txt"}


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"answer cannot be written: .*Name a file in a folder that exists"):
        emit(Namespace(output=str(tmp_path / "no" / "answer")), "text")
    assert names(tmp_path) == set()


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="folder cannot be written"):
        emit(Namespace(output=str(tmp_path / "folder")), "text")
    assert names(tmp_path) == {"folder"}


def test_a_failure_keeps_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "answer.txt"
    target.write_text("of yesterday")

    def full(path: Path, text: str, **_further: object) -> int:
        path.write_bytes(text[:3].encode())
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UsageError, match="No space left on device"):
        emit(Namespace(output=str(target)), "of today")
    assert target.read_text() == "of yesterday"
    assert names(tmp_path) == {"answer.txt"}


def test_a_command_writes_to_the_file(wide: str, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "answer.json"
    assert main(["advise", wide, "--measure", "auc", "--json", "-o", str(target)]) == 0
    assert capsys.readouterr().out == ""
    assert json.loads(target.read_text(encoding="utf-8"))["recommended"] == "task-flips"
    assert names(tmp_path) == {"answer.json", Path(wide).name}
    assert main(["advise", wide, "--measure", "auc", "-o", str(tmp_path / "no" / "answer")]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "says"),
    [(".", "directory"), ("/", "directory"), ("", "the name given is empty"), ("a.PNG", "would be a picture")],
)
def test_a_name_that_is_no_file_is_refused_by_every_command(
    name: str, says: str, wide: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["adjust", "0.1"], ["compare", wide, "--measure", "auc"], ["procedures"], ["measures", "--json"]):
        assert main([*words, "-o", name]) == 2
        said = capsys.readouterr()
        assert says in said.err
        assert "Name a " in said.err
        assert said.out == ""
    assert names(tmp_path) == {Path(wide).name}


# ----------------------------------------------------------------------------------------------------------------------
# Names that people guess, and files that they have.


def test_guessed_names_of_options(wide: str, capsys: Capture) -> None:
    plain = ["compare", wide, "--measure", "accuracy", "--control", "C4.5", "--adjust", "holm", "--json"]
    assert main(plain) == 0
    told = capsys.readouterr().out
    guessed = ["compare", wide, "--metric", "accuracy", "--baseline", "C4.5", "--correction", "holm", "--json"]
    assert main([*guessed, "--higher-is-better"]) == 0
    other = json.loads(capsys.readouterr().out)
    assert other["verdict"]["finding"]["rows"] == json.loads(told)["verdict"]["finding"]["rows"]


@pytest.mark.parametrize("name", ["nemenyi", "tukey", "bonferroni-dunn"])
def test_guessed_names_of_procedures(name: str, wide: str, capsys: Capture) -> None:
    assert main(["explain", name]) == 0
    code = main(["compare", wide, "--measure", "accuracy", "--test", name, "--reference", "C4.5", "--anyway"])
    assert code in (0, 3)
    assert "There is no procedure" not in capsys.readouterr().err


def test_dunns_name_asks_for_a_control(wide: str, capsys: Capture) -> None:
    assert main(["compare", wide, "--measure", "accuracy", "--with", "bonferroni-dunn"]) == 2
    assert "holds the others against one learner: name it (control=, --control)" in capsys.readouterr().err


def test_an_unknown_option_is_named_with_the_nearest(wide: str, capsys: Capture) -> None:
    assert main(["compare", wide, "--mesure", "accuracy"]) == 2
    error = capsys.readouterr().err
    assert "unrecognised arguments: --mesure accuracy. Did you mean '--measure'?" in error


def test_files_behind_options_are_files(tmp_path: Path, capsys: Capture) -> None:
    for name, shift in (("a", 0.0), ("b", 0.1)):
        rows = [f"{i},{0.5 + shift + 0.01 * (i % 3)}" for i in range(6)]
        (tmp_path / f"{name}.csv").write_text("dataset,accuracy\n" + "\n".join(rows))
    assert main(["compare", str(tmp_path / "a.csv"), "--measure", "accuracy", str(tmp_path / "b.csv")]) == 0
    assert "learners  2: a and b" in capsys.readouterr().out


def test_the_ending_says_what_is_written(wide: str, tmp_path: Path, capsys: Capture) -> None:
    command = ["compare", wide, "--measure", "accuracy", "-o"]
    assert main([*command, str(tmp_path / "x.json")]) == 0
    assert "verdict" in json.loads((tmp_path / "x.json").read_text())
    assert main([*command, str(tmp_path / "x.txt")]) == 0
    for ending in ("svg", "docx", "xlsx"):
        assert main([*command, str(tmp_path / f"x.{ending}")]) == 2
        assert "-o writes the answer as text (.txt), .md, .html, .tex, .csv, .bib" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("x.")) == ["x.json", "x.txt"]


def test_formats_are_listed(capsys: Capture) -> None:
    assert main(["formats"]) == 0
    assert "lm-eval" in capsys.readouterr().out
    assert main(["formats", "inspect"]) == 0
    assert "Drops: messages and events" in capsys.readouterr().out
    assert main(["formats", "--json"]) == 0
    assert {"name", "maps", "drops"} <= set(json.loads(capsys.readouterr().out)[0])
    assert main(["formats", "nonsense"]) == 2


def test_a_test_said_as_an_adjustment_is_taken_for_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    table = [str(Path(bakeoff.__file__).parent / "data" / "dietterich2000.csv"), "--measure", "error"]
    assert main(["compare", *table, "--posthoc", "nemenyi"]) == 0
    said = capsys.readouterr().out
    assert main(["compare", *table, "--with", "friedman"]) == 0
    assert capsys.readouterr().out == said
    assert main(["analyse", *table, "--with", "friedman", "--posthoc", "nemenyi"]) == 0
    assert main(["compare", *table, "--test", "wilcoxon", "--correction", "holm"]) == 0
    assert "Holm adjustment" in " ".join(capsys.readouterr().out.split())
    assert main(["compare", *table, "--posthoc", "nonsense"]) == 2
    assert "There is no adjustment 'nonsense'" in capsys.readouterr().err


def test_the_question_about_measures_says_which_tasks_have_them(capsys: pytest.CaptureFixture[str]) -> None:
    logs = Path(__file__).parents[1] / "formats" / "data" / "lm-eval"
    assert main(["compare", str(logs / "org__alpha"), str(logs / "org__beta")]) == 2
    said = capsys.readouterr().err
    assert "\n  - acc: mini_anatomy and mini_history\n" in said
    assert "\n  - exact_match,strict-match: times3\n" in said


def test_bonferroni_dunn_is_no_other_adjustment(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["analyse", wide, "--measure", "accuracy", "--control", "C4.5"]
    for said in (["--with", "friedman", "--adjust", "bonferroni-dunn"], ["--with", "bonferroni-dunn"]):
        assert main([*asked, *said]) == 0
        assert "two-sided, Bonferroni adjustment" in capsys.readouterr().out


def test_power_of_a_rate_takes_no_unknown_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["power", "binomial", "--p0", "0.3", "--p1", "0.4", "--n", "100"])
    assert "unrecognised arguments: --p1 0.4" in capsys.readouterr().err
