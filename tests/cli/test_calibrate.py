"""`bakeoff calibrate` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.cli import main
from bakeoff.lab.calibrating import choosing

Capture = pytest.CaptureFixture[str]

STUDY = """\
question = "Which?"
measures = ["error"]
[[task]]
data = "iris"
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[[learner]]
name = "tree"
path = "sklearn.tree.ExtraTreeClassifier"
[resampling]
scheme = "hold-out"
"""


@pytest.fixture
def study(tmp_path: Path) -> str:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return str(path)


def test_a_design_needs_no_study(capsys: Capture) -> None:
    assert (
        main(["calibrate", "--design", "cv:5", "--n", "100", "--replications", "40", "--with", "corrected-t,kfold-t"])
        == 0
    )
    text = capsys.readouterr().out
    assert "5-fold cross-validation of 100 rows" in " ".join(text.split())
    assert "corrected-t" in text
    assert "permutation" not in text
    assert "Recommended: corrected-t" in text


def test_json_is_one_object_and_the_same_every_time(capsys: Capture, tmp_path: Path) -> None:
    asked = ["calibrate", "--design", "answers", "--replications", "30", "--seed", "4", "--alpha", "0.1", "--json"]
    assert main(asked) == 0
    first = json.loads(capsys.readouterr().out)
    assert main([*asked, "-o", str(tmp_path / "found.json")]) == 0
    assert json.loads((tmp_path / "found.json").read_text(encoding="utf-8")) == first
    assert first["replications"] == 30
    assert first["alpha"] == 0.1
    assert {"mcnemar", "paired-t"} <= {row["procedure"] for row in first["rows"]}


def test_outcomes_of_a_study_that_was_run_are_exchanged(study: str, capsys: Capture) -> None:
    assert main(["run", study, "--quiet"]) == 0
    capsys.readouterr()
    asked = ["calibrate", study, "--learner", "bayes", "--learner", "tree", "--replications", "30", "--quiet"]
    code = main([*asked, "--delta", "0.1"])
    told = capsys.readouterr()
    assert code == 0, told.err
    text = " ".join(told.out.split())
    assert "exchanged at random within each of" in text
    assert "instances of one task" in text
    assert "mcnemar" in text


def test_a_run_that_is_stopped_says_how_to_go_on(study: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*given: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(choosing, "experiments_for", stopped)
    assert main(["calibrate", study, "--learner", "tree"]) == 130
    assert "the same command goes on from there" in capsys.readouterr().err


def test_flags_reach_the_question(study: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, object] = {}

    def told(study: object, asked: object, **options: object) -> None:
        seen.update(options, asked=asked)
        raise KeyboardInterrupt

    monkeypatch.setattr(choosing, "experiments_for", told)
    flags = ["--learner", "tree", "--task", "iris", "--measure", "error", "--null", "copies", "--seed", "2", "-j", "2"]
    assert main(["calibrate", study, *flags, "--replications", "60", "--delta", "0.2", "--quiet"]) == 130
    assert seen["asked"] == choosing.Asked(("tree",), "iris", "error", "copies", 60, 2, 0.2, 0.05)
    assert (seen["workers"], seen["progress"]) == (2, False)
    assert str(seen["results"]).endswith("study.sqlite")
    assert str(seen["store"]).endswith("study.calibration.sqlite")
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "A study is calibrated, or a design by name"),
        (["STUDY", "--design", "cv:10"], "A study is calibrated, or a design by name"),
        (["--design", "vc:10"], "Known are: answers, competition, cv, draws"),
        (["--design", "cv:10", "--learner", "tree"], "--learner is about a study"),
        (["--design", "cv:10", "--replications", "5"], "at least 20"),
        (["--design", "cv:10", "--seed", "-1"], "not negative"),
        (["--design", "cv:10", "--alpha", "2"], "strictly between 0 and 1"),
        (["--design", "cv:10", "--delta", "-1"], "positive number"),
        (["--design", "cv:10", "--with", "kfolt-t"], "Did you mean 'kfold-t'"),
        (["--design", "cv:10", "-j", "0"], "must be positive"),
        (["STUDY", "--n", "50", "--learner", "tree"], "--n is the size of a sample of --design"),
        (["STUDY"], "Name a learner, or two"),
        (["STUDY", "--learner", "tre"], "Did you mean 'tree'"),
    ],
)
def test_a_mistake_is_a_sentence(arguments: list[str], message: str, study: str, capsys: Capture) -> None:
    assert main(["calibrate", *(study if part == "STUDY" else part for part in arguments)]) == 2
    told = capsys.readouterr()
    assert message in told.err
    assert told.out == ""


def test_what_does_not_fit_is_refused_with_what_does(capsys: Capture) -> None:
    assert main(["calibrate", "--design", "cv:5", "--replications", "20", "--with", "wilcoxon"]) == 3
    assert "What would fit instead" in capsys.readouterr().err
