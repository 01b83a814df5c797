from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bakeoff.errors import UsageError
from bakeoff.learners.learner import Learner, Step
from bakeoff.studies.conducting import conduct
from bakeoff.studies.file import read_study
from bakeoff.studies.unchanged import of_own_code

CLASS = """
from sklearn.dummy import DummyClassifier

class Mine(DummyClassifier):
    def __init__(self, strategy="prior", k={k}):
        super().__init__(strategy=strategy)
        self.k = k
"""
STUDY = """
resampling = {{ scheme = "cross-validation", folds = {folds} }}
[[task]]
data = "iris"
[[learner]]
name = "mine"
path = "an_own_module.Mine"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "an_own_module.py").write_text(CLASS.format(k=5))
    (tmp_path / "study.toml").write_text(STUDY.format(folds=2))
    conduct(read_study(tmp_path / "study.toml"), tmp_path / "study.sqlite")
    return tmp_path


def again(folder: Path) -> tuple[str, ...]:
    return conduct(read_study(folder / "study.toml"), folder / "study.sqlite").notes


def test_nothing_changed_nothing_said(folder: Path) -> None:
    assert not any("changed" in note for note in again(folder))


def test_a_default_of_the_users_own_class_that_changed_is_refused_even_if_all_cells_are_stored(folder: Path) -> None:
    (folder / "an_own_module.py").write_text(CLASS.format(k=1))
    with pytest.raises(UsageError, match=r"'mine' is not what it was .*: learner\.parameters\.k was 5 and is 1\."):
        again(folder)


def test_a_comment_is_told_and_goes_on(folder: Path) -> None:
    (folder / "an_own_module.py").write_text("# a comment" + CLASS.format(k=5))
    (folder / "study.toml").write_text(STUDY.format(folds=3))
    assert any(note.startswith("mine: changed since its first cells were stored: packages") for note in again(folder))


def test_own_code_is_told_from_installed_packages_without_importing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "another_own_module.py").write_text("raise SystemExit")
    monkeypatch.syspath_prepend(str(tmp_path))

    def of(path: str) -> bool:
        return of_own_code(Learner("x", steps=(Step(path),)))

    assert of("another_own_module.Mine")
    assert of("no_such_module_anywhere.Mine")
    assert not of("sklearn.svm.SVC")
    assert not of("bakeoff.learners.one_r.OneR")
    assert of_own_code(Learner("program", command=("perl", "x.pl")))
    assert "another_own_module" not in sys.modules
