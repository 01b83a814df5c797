"""The commands as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.cli import main

DEMSAR = (
    "dataset,C4.5,C4.5+m,C4.5+cf\na,0.763,0.768,0.771\nb,0.599,0.591,0.59\nc,0.954,0.971,0.968\nd,0.628,0.661,0.654\n"
)


@pytest.fixture
def wide(tmp_path: Path) -> str:
    path = tmp_path / "scores.csv"
    path.write_text(DEMSAR)
    return str(path)


def test_compare_reads_advises_and_judges(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", wide, "--measure", "auc"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "3 learners" in text or "learners" in text
    assert "Recommended: friedman" in text
    assert "has the best mean rank" in text


def test_json_is_one_object(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", wide, "--measure", "auc", "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert set(whole) == {"alignment", "advice", "verdict"}
    assert whole["verdict"]["finding"]["procedure"] == "friedman"


def test_answers_can_go_to_a_file(wide: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "answer.json"
    assert main(["advise", wide, "--measure", "auc", "--json", "-o", str(target)]) == 0
    assert capsys.readouterr().out == ""
    assert json.loads(target.read_text())["recommended"] == "friedman"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    assert main(["advise", wide, "--measure", "auc", "-o", str(tmp_path / "no" / "answer")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_figures_are_drawn(wide: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for ending in ("svg", "pdf", "png"):
        figure = tmp_path / f"cd.{ending}"
        assert main(["compare", wide, "--measure", "auc", "--figure", str(figure)]) == 0
        assert figure.stat().st_size > 1000
    assert main(["compare", wide, "--measure", "auc", "--figure", str(tmp_path / "cd.doc")]) == 2
    assert "svg" in capsys.readouterr().err


def test_analyse_takes_the_flags_of_the_issue(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["analyse", wide, "--measure", "auc", "--with", "friedman", "--contrast", "all-pairs", "--adjust", "holm"]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert "Holm adjustment" in text
    assert "Iman–Davenport F" in text


def test_options_of_a_procedure_are_flags(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(wide).write_text(DEMSAR.replace("dataset", "fold"))
    folds = ["analyse", wide, "--measure", "auc", "--with", "permutation"]
    assert main([*folds, "--resamples", "500", "--seed", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["options"]["resamples"] == 500
    assert main([*folds, "--resample", "500"]) == 2
    assert "Options of permutation:" in capsys.readouterr().err
    assert main(["compare", wide, "--measure", "auc", "--resamples", "5"]) == 2
    assert "go with --with NAME" in capsys.readouterr().err


def test_wrong_values_of_flags_are_usage_errors(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in (["--alpha", "2"], ["--alpha", "x"], ["--margin", "-1"], ["--adjust", "nonsense"], ["--with", "nope"]):
        try:
            code = main(["compare", wide, "--measure", "auc", *wrong])
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        assert code == 2, wrong
        assert "Traceback" not in capsys.readouterr().err


def test_data_that_do_not_fit_are_exit_code_three(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", wide, "--measure", "auc", "--with", "corrected-t"]) == 3
    captured = capsys.readouterr()
    assert "friedman" in captured.err
    assert captured.out == ""


def test_unknown_direction_is_asked_for(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", wide]) == 2
    assert "--larger-is-better" in capsys.readouterr().err
    assert main(["compare", wide, "--larger-is-better"]) == 0


def test_learners_and_tasks_can_be_chosen(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", wide, "--measure", "auc", "--learner", "C4.5", "--learner", "C4.5+m", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"]["finding"]["procedure"] == "wilcoxon"
    assert main(["compare", wide, "--measure", "auc", "--learner", "C45"]) == 2
    assert "Did you mean 'C4.5'" in capsys.readouterr().err


def test_procedures_and_explain(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["procedures"]) == 0
    assert "friedman" in capsys.readouterr().out
    assert main(["procedures", "--json"]) == 0
    assert {"mcnemar", "hotelling"} <= {card["name"] for card in json.loads(capsys.readouterr().out)}
    assert main(["explain", "mcnemar"]) == 0
    assert "--method" in capsys.readouterr().out
    assert main(["explain", "mcnemar", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "mcnemar"
    assert main(["explain", "mcnemarr"]) == 2
    assert "Did you mean 'mcnemar'" in capsys.readouterr().err


def test_demo_ends_with_a_verdict_and_says_where_the_files_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "demo"
    assert main(["demo", "--output", str(folder)]) == 0
    text = capsys.readouterr().out
    for name in ("scores.csv", "critical-difference.svg", "verdict.json"):
        assert (folder / name).stat().st_size > 0
        assert str(folder / name) in text
    assert "is better than" in text


def test_no_command_shows_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "compare" in capsys.readouterr().out
