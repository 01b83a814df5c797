"""`bakeoff curves` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bakeoff.cli import main

Capture = pytest.CaptureFixture[str]
STUDY = """\
resampling = { scheme = "cv", folds = 3 }
[[task]]
data = "sonar"
[[task]]
data = "iris"
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[[learner]]
name = "svm"
path = "sklearn.svm.LinearSVC"
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("curves") / "study.toml"
    path.write_text(STUDY)
    assert main(["run", str(path), "--quiet"]) == 0
    return str(path)


def test_some_points_of_each_learner(study: str, capsys: Capture) -> None:
    capsys.readouterr()
    assert main(["curves", study, "--task", "sonar"]) == 0
    said = capsys.readouterr().out
    assert "ROC curve on sonar, 'M' against the rest. The mean of the curves of 3 test samples" in " ".join(
        said.split()
    )
    assert "fp-rate  tp-rate, bayes  tp-rate, svm" in said
    assert said.splitlines()[-1].split() == ["1", "1", "1"]


def test_between_points_the_table_reads_the_line(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "tree.toml"
    path.write_text(
        'resampling = { scheme = "hold-out", test_share = 0.3 }\ntask = [{ data = "heart" }]\n'
        '[[learner]]\nname = "tree"\npath = "sklearn.tree.DecisionTreeClassifier"\n'
    )
    assert main(["run", str(path), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["curves", str(path), "--json"]) == 0
    (curve,) = json.loads(capsys.readouterr().out)["curves"]
    assert len(curve["x"]) == 3  # a full-grown tree has one threshold
    assert main(["curves", str(path)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line[:1].isdigit()]
    for x, y in rows:
        assert float(y) == pytest.approx(np.interp(float(x), curve["x"], curve["y"]), rel=1e-3)


def test_all_points_as_json(study: str, capsys: Capture) -> None:
    assert main(["curves", study, "--kind", "pr", "--positive", "virginica", "--task", "iris", "--json"]) == 0
    bayes, svm = json.loads(capsys.readouterr().out)["curves"]
    assert (bayes["kind"], bayes["positive"], bayes["x_is"], bayes["y_is"]) == (
        "pr",
        "virginica",
        "recall",
        "precision",
    )
    assert len(bayes["x"]) == len(svm["y"]) == 101


@pytest.mark.parametrize("kind", ["roc", "pr", "sensitivity-specificity", "lift", "cost"])
def test_a_figure(kind: str, study: str, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "curve.svg"
    assert main(["curves", study, "--task", "sonar", "--kind", kind, "-o", str(path)]) == 0
    assert f"Figure:  {path}" in capsys.readouterr().out
    drawn = path.read_text()
    assert "bayes" in drawn
    assert "M against the rest" in drawn


def test_text_goes_into_any_other_file(study: str, tmp_path: Path) -> None:
    assert main(["curves", study, "--task", "sonar", "-o", str(tmp_path / "roc.txt")]) == 0
    assert "tp-rate, svm" in (tmp_path / "roc.txt").read_text()


def test_mistakes_are_explained(study: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(["curves", study]) == 3
    assert "--positive NAME: one class against all others" in capsys.readouterr().err
    lone = tmp_path / "lone.toml"
    lone.write_text(STUDY.replace('"iris"', '"wdbc"'))
    assert main(["run", str(lone), "--quiet"]) == 0
    assert main(["curves", str(lone), "-o", str(tmp_path / "x.svg")]) == 2
    assert "A figure shows one task, and there are 2: say --task NAME." in capsys.readouterr().err
    assert not (tmp_path / "x.svg").exists()
