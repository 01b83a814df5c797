from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sklearn.ensemble import RandomForestClassifier

from bakeoff import Study
from bakeoff.learners.learner import Learner, Step, Tuning
from bakeoff.store.writer import Store
from bakeoff.study.prepare import prepare
from bakeoff.study.run import _modules_of


def test_what_all_cells_need_is_there_before_the_first_worker() -> None:
    code = "import bakeoff.running.preloaded, sys; print('sklearn.base' in sys.modules, 'pandas' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["True", "True"]


def test_what_a_first_fit_looks_up_is_known_before_the_first_worker() -> None:
    """Each worker would import it, and look through all installed packages, for itself."""
    code = """
import bakeoff.running.preloaded, sys
from sklearn.dummy import DummyClassifier
before, hits = set(sys.modules), []
sys.addaudithook(lambda event, arguments: event in ("import", "os.listdir", "open") and hits.append(arguments[0]))
DummyClassifier().fit([[0.0], [1.0]], [0, 1]).predict([[0.0]])
print(len(set(sys.modules) - before), [hit for hit in hits if hit not in before])
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["0", "[]"]


@pytest.mark.parametrize(
    ("data", "more", "pipeline", "search"),
    [
        ("iris", {}, False, False),
        ("iris", {"prepare": "standard"}, True, False),
        ("labor", {}, True, False),  # it has categories and missing values
        ("iris", {"tuning": Tuning({"var_smoothing": [1e-9, 1e-5]})}, True, True),
    ],
)
def test_what_learners_of_a_study_need_is_imported_once_for_all_workers(
    data: str, more: dict[str, Any], pipeline: bool, search: bool, tmp_path: Path
) -> None:
    bayes = Learner("bayes", steps=(Step("sklearn.naive_bayes.GaussianNB"),), **more)
    study = Study(tasks=[data], learners=[bayes], resampling=3)
    with Store.open(tmp_path / "s.sqlite") as store:
        modules = _modules_of(prepare(study, store))
    assert "sklearn.naive_bayes" in modules
    assert ("sklearn.pipeline" in modules, "sklearn.model_selection" in modules) == (pipeline, search)


def test_of_a_module_that_is_not_public_its_package_is_imported(tmp_path: Path) -> None:
    """It is another name for the same, and the server would be started anew for it."""
    study = Study(tasks=["iris"], learners={"forest": RandomForestClassifier()}, resampling=3)
    with Store.open(tmp_path / "s.sqlite") as store:
        assert _modules_of(prepare(study, store)) == ["sklearn.ensemble"]
