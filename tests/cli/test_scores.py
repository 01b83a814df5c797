"""`bakeoff scores` as a user types it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import bakeoff
from bakeoff.cli import main
from bakeoff.studies.file import read_study

Capture = pytest.CaptureFixture[str]


def test_means_are_shown_measure_by_measure(finished_study: Path, capsys: Capture) -> None:
    assert main(["scores", str(finished_study)]) == 0
    said = capsys.readouterr().out
    assert "Mean error (smaller is better)" in said
    assert "Mean fit_time (smaller is better)" in said
    assert re.search(r"^iris +0\.6\d* +0\.0\d*$", said, re.MULTILINE), "two thirds are not the majority"


def test_times_are_no_matter_of_predictions(finished_study: Path, capsys: Capture) -> None:
    assert main(["scores", str(finished_study), "--measure", "predict_time"]) == 0
    said = capsys.readouterr().out
    assert "predict_time was read off what each fit took, after the run." in said
    assert "stored predictions" not in said


def test_a_measure_thought_of_later(finished_study: Path, capsys: Capture) -> None:
    assert main(["scores", str(finished_study), "--measure", "auc", "--measure", "kappa"]) == 0
    said = capsys.readouterr().out
    assert "Mean auc (larger is better)" in said
    assert "auc was computed from stored predictions, after the run." in said
    assert "Mean kappa" in said
    assert "error" not in said


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_is_written_is_read_again_bit_by_bit(ending: str, finished_study: Path, tmp_path: Path) -> None:
    target = tmp_path / f"scores.{ending}"
    assert main(["scores", str(finished_study), "-o", str(target)]) == 0
    again = bakeoff.read_scores(str(target)).only(measure="error")
    stored = read_study(finished_study).scores(finished_study.with_suffix(".sqlite"), ["error"])
    assert again.value.tolist() == stored.value.tolist()
    assert again.learners == stored.learners
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    assert main(["compare", str(target), "--measure", "error"]) == 0


def test_as_json(finished_study: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["scores", str(finished_study), "--json", "--measure", "error"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["value"]) == 6
    assert main(["scores", str(finished_study), "--json", "--measure", "error", "-o", str(tmp_path / "s.json")]) == 0
    assert json.loads((tmp_path / "s.json").read_text()) == told


@pytest.mark.parametrize(
    ("further", "code", "says"),
    [
        (["--measure", "acu"], 2, "Did you mean 'auc'"),
        (["--measure", "r2"], 2, "regression"),
        (["--measure", "error", "--measure", "error"], 2, "asked for twice"),
        (["-o", "scores.txt"], 2, "Scores are written to .csv or .parquet"),
        (["-o", "no/such/folder.csv"], 2, "cannot be written"),
        (["--instances"], 3, "tasks with one test sample"),
    ],
)
def test_what_cannot_be(further: list[str], code: int, says: str, finished_study: Path, capsys: Capture) -> None:
    assert main(["scores", str(finished_study), *further]) == code
    assert says in capsys.readouterr().err


def test_what_is_not_defined_says_why(tmp_path: Path, capsys: Capture) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        'resampling = { scheme = "cv", folds = 2 }\n[[task]]\ndata = "iris"\n'
        '[[learner]]\nname = "svm"\npath = "sklearn.svm.SVC"\n'
        '[[learner]]\nname = "bayes"\npath = "sklearn.naive_bayes.GaussianNB"\n'
    )
    assert main(["run", str(study)]) == 0
    capsys.readouterr()
    assert main(["scores", str(study), "--measure", "log_loss"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "2 of 4 scores have no value" in said
    assert "log_loss of svm: 2 not defined. The learner gives a decision function" in said
    assert "bayes: " not in said
