"""`bakeoff confusion` as a user types it."""

from __future__ import annotations

import json

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
    path = tmp_path_factory.mktemp("confusion") / "study.toml"
    path.write_text(STUDY)
    assert main(["run", str(path), "--quiet"]) == 0
    return str(path)


def test_a_matrix_for_each_task_and_learner(study: str, capsys: Capture) -> None:
    capsys.readouterr()
    assert main(["confusion", study]) == 0
    said = capsys.readouterr().out
    assert "Rows are the true classes, columns the assigned ones" in said
    assert said.count("predictions in 3 test samples") == 4
    assert "true \\ assigned  setosa  versicolor  virginica  recall  precision" in said
    assert "risk" not in said
    assert main(["confusion", study, "--task", "iris", "--learner", "bayes", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["confusions"]
    assert sum(map(sum, one["matrix"])) == 150
    assert one["accuracy"] == pytest.approx(sum(one["matrix"][i][i] for i in range(3)) / 150)


def test_a_loss_gives_risk_and_threshold(study: str, capsys: Capture) -> None:
    assert main(["confusion", study, "--task", "sonar", "--loss", "0", "1", "5", "0"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "With this loss 'M' is the cheaper answer where its probability is above 0.1667." in said
    assert "if the cheapest class is chosen by its probabilities" in said
    assert "it gave no probabilities to choose the cheapest class by" in said
    assert main(["confusion", study, "--task", "sonar", "--loss", "0", "1", "5", "0", "--json"]) == 0
    bayes, svm = json.loads(capsys.readouterr().out)["confusions"]
    assert bayes["risk"] == pytest.approx((bayes["matrix"][0][1] + 5 * bayes["matrix"][1][0]) / 208)
    assert bayes["risk_of_cheapest"] is not None
    assert svm["risk_of_cheapest"] is None
    assert main(["confusion", study, "--task", "sonar", "--loss", "0", "0", "5", "0"]) == 0
    assert "No threshold exists" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--loss", "0", "1", "5"], "4 for two classes, 9 for three; found 3."),
        (["--loss", "0", "nan", "5", "0"], "--loss takes a finite number"),
        (["--loss", "0", "1", "5", "0"], "9 of them; found 4."),
        (["--task", "irsi"], "The study has no task 'irsi'. Did you mean 'iris'?"),
    ],
)
def test_mistakes_are_explained(flags: list[str], said: str, study: str, capsys: Capture) -> None:
    assert main(["confusion", study, *flags]) == 2
    assert said in capsys.readouterr().err
