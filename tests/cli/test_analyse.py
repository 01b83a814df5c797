"""`bakeoff analyse` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bakeoff.cli import main
from bakeoff.registry import procedures

Capture = pytest.CaptureFixture[str]


def found(command: list[str], capsys: Capture) -> dict[str, Any]:
    """What an analysis finds, as JSON."""
    assert main([*command, "--json"]) == 0
    whole: dict[str, Any] = json.loads(capsys.readouterr().out)
    return whole


def test_it_shows_what_was_read_and_all_that_was_found(wide: str, capsys: Capture) -> None:
    command = ["analyse", wide, "--measure", "auc", "--with", "friedman", "--contrast", "all-pairs", "--adjust", "holm"]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert 0 <= text.find("tasks     4: a, b, c and d") < text.find("Holm adjustment")
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
