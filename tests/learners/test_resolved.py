from __future__ import annotations

import json
from pathlib import Path

import pytest
import sklearn
from sklearn.ensemble import BaggingClassifier
from sklearn.svm import SVC

from bakeoff.learners.learner import Learner, Step, Tuning
from bakeoff.learners.resolved import differences, resolve


def test_all_parameters_with_their_defaults() -> None:
    found = resolve(Learner("svm", steps=(Step("sklearn.svm.SVC", {"C": 2}),), tuning=Tuning({"gamma": (1, 2)})))
    expected = {name: value for name, value in SVC(C=2).get_params().items() if name != "C"}
    assert found["learner"]["estimator"].endswith(".SVC")
    assert found["learner"]["parameters"] == {**expected, "C": 2}
    assert found["packages"] == {"sklearn": sklearn.__version__}
    assert found["tuning"]["grid"] == {"gamma": [1, 2]}
    assert json.loads(json.dumps(found)) == found


def test_a_path_and_an_object_resolve_to_the_same() -> None:
    by_path = Learner(
        "a", steps=(Step("sklearn.ensemble.BaggingClassifier", {"estimator": {"path": "sklearn.svm.SVC"}}),)
    )
    assert resolve(by_path) == resolve(Learner("b", estimator=BaggingClassifier(SVC())))


def test_a_module_without_a_version_goes_by_its_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "versionless_learner_module.py"
    source.write_text("from sklearn.svm import SVC\nclass Mine(SVC):\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    learner = Learner("m", steps=(Step("versionless_learner_module.Mine"),))
    before = resolve(learner)
    source.write_text(source.read_text() + "# changed\n")
    (change,) = differences(before, resolve(learner))
    assert change.startswith("packages.versionless_learner_module was 'sha256 ")


def test_a_command_goes_by_the_text_of_its_files(tmp_path: Path) -> None:
    script = tmp_path / "learn.pl"
    script.write_text("print 1;")
    learner = Learner("p", command=("perl", "learn.pl", "{train}", "{test}", "{output}"), folder=str(tmp_path))
    before = resolve(learner)
    assert set(before["files"]) == {"learn.pl"}
    assert resolve(learner) == before
    script.write_text("print 2;")
    (change,) = differences(before, resolve(learner))
    assert change.startswith("files.learn.pl was ")


def test_differences_name_their_places() -> None:
    then = {"a": {"b": 1, "gone": 2}, "same": [1]}
    now = {"a": {"b": 3, "new": 4}, "same": [1]}
    assert differences(then, now) == ["a.b was 1 and is 3", "a.gone was 2 and is gone", "a.new is new: 4"]
    assert differences(then, then) == []
