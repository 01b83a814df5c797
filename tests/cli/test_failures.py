"""`bakeoff failures` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.cli import main

Capture = pytest.CaptureFixture[str]
BROKEN = """\
[[learner]]
name = "broken"
path = "sklearn.dummy.DummyClassifier"
parameters = { strategy = "guess" }
[[learner]]
name = "unfit"
path = "sklearn.naive_bayes.GaussianNB"
parameters = { priors = [1.0] }
"""


@pytest.fixture(scope="module")
def failed_study(tmp_path_factory: pytest.TempPathFactory, finished_study: Path) -> Path:
    path = tmp_path_factory.mktemp("failed") / "failed.toml"
    path.write_text(finished_study.read_text().replace("[resampling]", BROKEN + "[resampling]"))
    assert main(["run", str(path), "--quiet"]) == 4
    return path


def test_none(finished_study: Path, capsys: Capture) -> None:
    assert main(["failures", str(finished_study)]) == 0
    assert capsys.readouterr().out == "No cell failed.\n"


def test_they_are_grouped_with_an_example_each(failed_study: Path, capsys: Capture) -> None:
    assert main(["failures", str(failed_study)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("6 cells failed, in 2 groups.\n")
    assert "3 × broken: error\n" in said
    assert "3 × unfit: error\n" in said
    assert "guess" in said
    assert "Number of priors must match number of classes" in said
    assert "on iris; e.g. task iris, repeat 1, fold " in said
    assert f"Try them again with: bakeoff run {failed_study} --retry failed" in said
    assert "Traceback" not in said


def test_in_full_with_the_traceback(failed_study: Path, capsys: Capture) -> None:
    assert main(["failures", str(failed_study), "--full"]) == 0
    said = capsys.readouterr().out
    assert "    |   File " in said
    assert all(line.startswith("    ") for line in said.splitlines() if "|" in line)


def test_as_json(failed_study: Path, capsys: Capture) -> None:
    assert main(["failures", str(failed_study), "--json"]) == 0
    groups = json.loads(capsys.readouterr().out)["failures"]
    assert sorted((group["learner"], group["status"], group["count"]) for group in groups) == [
        ("broken", "error", 3),
        ("unfit", "error", 3),
    ]


def test_the_fit_to_all_rows_is_no_repeat_and_no_fold(failed_study: Path, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "apparent.toml"
    scheme = 'scheme = "632"\nrepeats = 2'
    path.write_text(failed_study.read_text().replace('scheme = "cross-validation"\nfolds = 3', scheme))
    assert main(["run", str(path), "--quiet"]) == 4
    capsys.readouterr()
    assert main(["failures", str(path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "e.g. task iris, apparent fit (to the whole learning sample), seed" in said
    assert "repeat 0" not in said
    assert main(["failures", str(path), "--json"]) == 0
    examples = json.loads(capsys.readouterr().out)["failures"][0]["examples"]
    assert [(each["role"], each["where"].rpartition("task iris, ")[2]) for each in examples] == [
        ("apparent", "apparent fit (to the whole learning sample)"),
        ("test", "repeat 1, fold 1"),
        ("test", "repeat 2, fold 1"),
    ]


def test_scores_and_judge_tell_what_has_no_value(failed_study: Path, capsys: Capture) -> None:
    assert main(["scores", str(failed_study), "--measure", "error"]) == 0
    said = capsys.readouterr().out
    assert "6 of 12 scores have no value; means are over the others." in said
    assert "broken and unfit: 6 belong to cells that failed; bakeoff failures shows why." in said
    assert main(["judge", str(failed_study)]) != 0
    assert "broken" in capsys.readouterr().err
