"""Before the run: the test that a design will get, and a pilot."""

from __future__ import annotations

import json
from math import isnan
from pathlib import Path

import pytest

from bakeoff import Study
from bakeoff.cli import main
from bakeoff.conduct.outlook import outlook, pilot
from bakeoff.errors import MisfitError, UsageError
from bakeoff.power_analysis.power import power

LEARNERS = {"tree": "tree", "nb": "naive-bayes"}


def test_the_test_that_a_design_will_get_with_its_smallest_p_and_power() -> None:
    folds = outlook(Study("sonar", LEARNERS, resampling={"scheme": "cross-validation", "folds": 5, "repeats": 2}))
    assert folds.procedure == "corrected-t"
    assert folds.detectable == power("corrected-t", n=10, folds=5, power=0.8).difference
    assert "over 10 resamples" in folds.sentences[0]
    five = outlook(Study(["sonar", "iris", "wine", "glass", "heart"], LEARNERS, resampling=3))
    assert five.level.value == "tasks"
    assert not isnan(five.detectable)
    if not isnan(five.smallest_p):
        assert any("smallest p" in sentence for sentence in five.sentences)


def test_an_outlook_that_cannot_be_told_is_refused() -> None:
    with pytest.raises(MisfitError, match="pairs of learners in one measure"):
        outlook(Study("iris", {"tree": "tree"}))


def test_plan_tells_the_outlook_until_there_are_results(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    study = tmp_path / "s.toml"
    study.write_text(
        'measures = ["error"]\n[resampling]\nscheme = "cross-validation"\nfolds = 5\nrepeats = 2\n[[task]]\n'
        'data = "sonar"\n[[learner]]\nname = "nb"\npath = "naive-bayes"\n[[learner]]\nname = "knn"\npath = "knn"\n'
    )
    assert main(["plan", str(study)]) == 0
    assert "The design will be judged by corrected-t" in capsys.readouterr().out
    assert main(["pilot", str(study), "--splits", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["splits"], found["cells"], found["failed"]) == (4, 8, {})
    assert found["whole"] > 0
    assert set(found["seconds"]) == {"nb", "knn"}
    assert "is found with a power of" in found["power"] or "power of 0.8" in found["power"]
    assert not (tmp_path / "s.sqlite").exists()
    assert (tmp_path / "s.pilot.sqlite").exists()


def test_a_pilot_tells_which_learners_fail(tmp_path: Path) -> None:
    study = Study("iris", {"nb": "naive-bayes", "bad": "sklearn.neighbors.KNeighborsClassifier"}, resampling=5)
    found = pilot(study, tmp_path / "p.sqlite", splits=2)
    assert found.failed == {}
    assert "all learners work" in found.to_text()
    with pytest.raises(UsageError, match="two splits at least"):
        pilot(study, tmp_path / "p.sqlite", splits=1)
