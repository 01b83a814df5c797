"""Learners that are misspelt or of the wrong kind are refused before anything is run, and nothing is kept of it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity

from bakeoff import Study, as_task
from bakeoff.cli import main
from bakeoff.errors import UsageError
from bakeoff.learners.learner import Learner, Step, Tuning
from bakeoff.stores.progress import progress
from bakeoff.stores.reader import Reader
from bakeoff.stores.store import Store
from bakeoff.studies.conducting import conduct
from bakeoff.studies.preparing import prepare
from bakeoff.studies.suited import check_suited

RNG = np.random.default_rng(5)
X = RNG.normal(size=(30, 2))
LABELS, NUMBERS = np.where(X[:, 0] > 0, "yes", "no"), X[:, 0] + 1
CLASSES, LINE = {"bayes": GaussianNB()}, {"line": LinearRegression()}
DENSITY = as_task("clouds", X, kind="density")


def refused(tmp_path: Path, tasks: Any, learners: Any, measure: str) -> str:
    store = tmp_path / "s.sqlite"
    with pytest.raises(UsageError) as error:
        Study(tasks, learners, resampling=3, measures=measure).run(store=store)
    assert not list(tmp_path.iterdir()), "neither a store nor what belongs to one is left"
    return str(error.value)


def test_a_regressor_for_classes(tmp_path: Path) -> None:
    assert refused(tmp_path, {"toy": (X, LABELS)}, {**CLASSES, **LINE}, "error") == (
        "learner 'line': LinearRegression is not made for classification, and 'toy' is a classification task. "
        "Nothing was run."
    )


def test_a_classifier_for_numbers(tmp_path: Path) -> None:
    said = refused(tmp_path, {"toy": (X, NUMBERS)}, {**CLASSES, **LINE}, "squared_error")
    assert said.startswith("learner 'bayes': GaussianNB is not made for regression, and 'toy' is a regression task.")


def test_no_density(tmp_path: Path) -> None:
    said = refused(tmp_path, {"clouds": DENSITY}, {"one": GaussianMixture(1), **LINE}, "log_likelihood")
    assert "learner 'line': a density is to be learned from 'clouds'" in said
    assert "'one'" not in said


def test_all_of_them_are_named_with_the_first_task_that_they_do_not_fit(tmp_path: Path) -> None:
    tasks = {"a": (X, NUMBERS), "b": (X, LABELS), "c": (X, LABELS)}
    said = refused(tmp_path, tasks, {**CLASSES, **LINE, "kernel": KernelDensity()}, "fit_time")
    assert "learner 'bayes': GaussianNB is not made for regression, and 'a' is" in said
    assert "learner 'line': LinearRegression is not made for classification, and 'b' is" in said
    assert "learner 'kernel': KernelDensity cannot predict, and 'a' is" in said


def test_a_store_that_was_there_keeps_what_it_has(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    good = Study({"toy": (X, LABELS)}, CLASSES, resampling=3)
    before = good.run(store=store)
    with pytest.raises(UsageError, match="'line'"):
        Study({"toy": (X, LABELS)}, {**CLASSES, **LINE}, resampling=3).run(store=store)
    assert good.scores(store).value.tolist() == before.value.tolist()
    with Reader(store) as stored:
        found = progress(stored, Study({"toy": (X, LABELS)}, {**CLASSES, **LINE}, resampling=3).key)
    assert (found.ok, found.failed, found.runs) == (3, 0, ()), "no cell was tried, and no run was begun"


def test_planning_imports_nothing_and_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        'resampling = { scheme = "cv", folds = 2 }\n[[task]]\ndata = "iris"\n'
        '[[learner]]\nname = "line"\npath = "sklearn.linear_model.LinearRegression"\n'
    )
    assert main(["plan", str(path)]) == 0
    assert main(["run", str(path), "--quiet"]) == 2
    told = capsys.readouterr().err
    assert "learner 'line': LinearRegression is not made for classification, and 'iris' is" in told
    assert "Traceback" not in told
    assert [file.name for file in tmp_path.iterdir()] == ["study.toml"]


SVC = "sklearn.svm.SVC"


@pytest.mark.parametrize(
    ("learner", "said"),
    [
        (
            Learner("it", (Step("no_such_module.X"),)),
            "there is no module 'no_such_module', which 'no_such_module.X' needs",
        ),
        (
            Learner("it", (Step("sklearn.svm.SCV"),)),
            "the module 'sklearn.svm' has no 'SCV'. Did you mean 'SVR' or 'SVC'?",
        ),
        (Learner("it", (Step(SVC, {"kernal": "rbf"}),)), "has no parameter 'kernal'. Did you mean 'kernel'?"),
        (
            Learner("it", (Step(SVC),), tuning=Tuning({"gama": (1, 2)}, 2)),
            "cannot tune 'gama': there is no such parameter",
        ),
    ],
)
def test_what_is_misspelt_is_refused_once(learner: Learner, said: str, tmp_path: Path) -> None:
    told = refused(tmp_path, {"toy": (X, LABELS)}, {**CLASSES, "it": learner}, "error")
    assert told.startswith("learner 'it': ")
    assert told.count("learner 'it'") == 1
    assert said in told
    assert told.endswith("Nothing was run.")


def test_a_program_is_not_asked(tmp_path: Path) -> None:
    if shutil.which("false") is None:
        pytest.skip("there is no `false` here")
    summary = conduct(Study({"toy": (X, LABELS)}, {"program": ["false", "{train}"]}, resampling=2), tmp_path / "s")
    assert summary.failed == 2


class NoEngine:
    """Whoever asks it anything fails the test."""


def test_who_has_nothing_left_to_run_or_cannot_be_made_is_not_asked(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite") as store:
        prepared = prepare(Study({"toy": (X, LABELS)}, {**CLASSES, **LINE}, resampling=2), store)
        check_suited(prepared, NoEngine(), [{}, {}], {})
        check_suited(prepared, NoEngine(), [{}, None], {(1, 0): 2})
        with pytest.raises(AttributeError):
            check_suited(prepared, NoEngine(), [{}, {}], {(1, 0): 2})
