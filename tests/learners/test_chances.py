"""Chance in learners: several fits to one learning sample, seeds under any name, generators of other libraries."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import ExtraTreeClassifier

from bakeoff import Study, judge, read_study
from bakeoff.cli import main
from bakeoff.errors import UsageError
from bakeoff.learners.learner import SHORT_NAMES, DataInfo, Learner, Step, full_path
from bakeoff.learners.make import make
from bakeoff.learners.seeds import seed_everything, unseeded
from bakeoff.results.values import components
from bakeoff.running.environment import environment
from bakeoff.scores import layout

Capture = pytest.CaptureFixture[str]
INFO = DataInfo("t", "classification", 9, ("x",), classes=("a", "b"))
STUDY = """\
measures = ["error", "auc"]
resampling = {{ scheme = "{scheme}" }}
[[task]]
data = "sonar"
[[learner]]
name = "random tree"
path = "sklearn.tree.ExtraTreeClassifier"
{fits}
[[learner]]
name = "bayes"
path = "naive-bayes"
"""


def write(folder: Path, scheme: str, fits: str, name: str = "s.toml") -> Path:
    path = folder / name
    path.write_text(STUDY.format(scheme=scheme, fits=fits))
    return path


def said(capsys: Capture) -> str:
    out = capsys.readouterr()
    return " ".join((out.out + out.err).split())


# --- several fits -----------------------------------------------------------------------------------------------------


def test_fits_are_averaged_within_each_split_and_the_verdict_knows(tmp_path: Path, capsys: Capture) -> None:
    store = str(tmp_path / "common.sqlite")
    one, five = write(tmp_path, "3x4", "", "one.toml"), write(tmp_path, "3x4", "fits = 5", "five.toml")
    assert main(["run", str(one), "--quiet", "--store", store]) == 0
    assert main(["plan", str(five), "--store", store]) == 0
    text = said(capsys)
    assert "5 fits of sklearn.tree.ExtraTreeClassifier" in text
    assert "cells: 72; 24 stored" in text, "the first fit is the one that a single fit would be"
    assert main(["run", str(five), "--quiet", "--store", store]) == 0
    assert "48 cells run" in said(capsys)
    scores = read_study(five).scores(store).only(measure="error")
    assert scores.learners == ("random tree", "bayes")
    assert len(scores) == 24
    (fits,) = scores.fits
    assert (fits.learner, fits.fits) == ("random tree", 5)
    assert 0.2 < fits.share < 1, "a random tree varies from fit to fit"
    single = read_study(one).scores(store).only(measure="error", learners=["random tree"])
    mean = scores.only(learners=["random tree"])
    assert mean.value.var() < single.value.var()
    assert main(["judge", str(five), "--store", store]) == 0
    text = said(capsys)
    assert "random tree changed since the first results" in text, "they were looked at with one fit"
    assert "[averaged-fits] random tree has 5 fits to each learning sample" in text
    assert main(["confusion", str(five), "--store", store]) == 0
    assert "random tree on sonar: 3,120 predictions" in said(capsys), "208 rows, three times, five fits"
    for command in (["status"], ["failures"], ["export", "-o", str(tmp_path / "out"), "--format", "csv"]):
        assert main([command[0], str(five), "--store", store, *command[1:]]) == 0
    told = pd.read_csv(tmp_path / "out" / "predictions.csv")
    wrong = (told.truth != told.prediction).groupby([told.learner, told.repeat, told.fold, told.fit]).mean()
    assert wrong["bayes"].index.get_level_values("fit").tolist() == [1] * 12
    assert sorted(set(wrong["random tree"].index.get_level_values("fit"))) == [1, 2, 3, 4, 5]
    by_split = wrong["random tree"].groupby(level=["repeat", "fold"]).mean()
    assert sorted(by_split) == pytest.approx(sorted(mean.value)), "each fit's own predictions, told apart"
    tries = pd.read_csv(tmp_path / "out" / "attempts.csv")
    assert tries.groupby(["learner", "fit"]).size().to_dict() == {
        ("bayes", 1): 12, **{("random tree", fit): 12 for fit in range(1, 6)}
    }  # fmt: skip


def test_the_mean_is_that_of_the_fits(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    task = {"mine": (X, ["a", "b"] * 20)}
    tree = Learner("tree", estimator=ExtraTreeClassifier(), fits=3)
    many = Study(task, [tree], resampling=4).run()
    each = [Study(task, [fit], resampling=4).run().value for fit in tree.single_fits]
    assert many.value == pytest.approx(np.mean(each, axis=0))
    assert len({tuple(values) for values in each}) == 3
    once = Study(task, [tree, "sklearn.naive_bayes.GaussianNB"], resampling="hold-out").run()
    assert once.by_instance is not None
    assert set(np.round(once.by_instance.only(measure="error", learners=["tree"]).value * 3).tolist()) <= {0, 1, 2, 3}


@pytest.mark.parametrize("test", ["fixed", "fresh"])
def test_fits_share_the_sample_of_an_independent_design(test: str) -> None:
    from bakeoff import simulated

    learners = [Learner("tree", estimator=ExtraTreeClassifier(), fits=2), "sklearn.naive_bayes.GaussianNB"]
    scheme = {"scheme": "simulation", "repeats": 4, "independent": True}
    study = Study([simulated("twonorm", 30, 40, test=test)], learners, scheme)
    assert study.plan().cells == 12
    scores = study.run()
    assert len(scores) == 8
    assert not layout(scores).matched
    assert judge(scores).finding.n_each == (4, 4)


def test_components_of_variance() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(4000, 1)) * 2 + rng.normal(size=(4000, 5))
    between, within = components(table)
    assert between == pytest.approx(4, rel=0.1)
    assert within == pytest.approx(1, rel=0.05)
    assert components(np.ones((3, 2))) == (0, 0)
    assert np.isnan(components(np.full((2, 2), np.nan))).all()


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ("fits = 0", "fits is 0. Expected is a whole number from 1"),
        ("fits = 2.5", "A whole number was expected"),
        ("fits = 3\nparameters = { random_state = 7 }", "its 3 fits to a learning sample would all be the same"),
        ("fit = 3", "There is no key 'fit' here. Did you mean 'fits'"),
    ],
)
def test_fits_that_make_no_sense(tmp_path: Path, more: str, complaint: str, capsys: Capture) -> None:
    assert main(["plan", str(write(tmp_path, "cv", more))]) == 2
    assert complaint in said(capsys)


# --- short names ------------------------------------------------------------------------------------------------------


def test_short_names_are_listed_and_stand_for_paths(tmp_path: Path, capsys: Capture) -> None:
    assert main(["learners"]) == 0
    text = said(capsys)
    assert all(known.name in text for known in SHORT_NAMES.values())
    assert {full_path(name).rpartition(".")[2] for name in ("1R", "slda", "bundling")} == {
        "OneR", "StabilisedLDA", "Bundling",
    }  # fmt: skip
    short, long = (Study(["iris"], {"k": path}) for path in ("knn", "sklearn.neighbors.KNeighborsClassifier"))
    assert short.learners[0].key == long.learners[0].key
    path = write(tmp_path, "cv", "")
    path.write_text(path.read_text().replace("naive-bayes", "naive-bays"))
    assert main(["plan", str(path)]) == 2
    assert "Did you mean 'naive-bayes'" in said(capsys)


@pytest.mark.parametrize("name", SHORT_NAMES)
def test_every_short_name_can_be_made(name: str) -> None:
    known = SHORT_NAMES[name]
    info = DataInfo("t", known.kinds, 9, ("x",), classes=("a", "b"))
    assert make(Learner(name, steps=(Step(known.path),)), info, 1) is not None


# --- seeds ------------------------------------------------------------------------------------------------------------


class Odd(ClassifierMixin, BaseEstimator):
    """An estimator whose seeds have other names."""

    def __init__(self, seed: int | None = None, random_seed: int | None = None, inner: Any = None) -> None:
        self.seed, self.random_seed, self.inner = seed, random_seed, inner

    def fit(self, X: Any, y: Any) -> Odd:
        return self

    def predict(self, X: Any) -> Any:
        return ["a"] * len(X)


def test_seeds_under_other_names_and_in_nested_estimators() -> None:
    made = [
        make(Learner("odd", estimator=Odd(inner=Odd(inner=ExtraTreeClassifier()))), INFO, s) for s in (1, 1, 2**32 - 1)
    ]
    seeds = [
        {n: v for n, v in one.get_params().items() if n.rpartition("__")[2] in ("seed", "random_seed", "random_state")}
        for one in made
    ]
    assert seeds[0] == seeds[1] != seeds[2]
    assert all(isinstance(seed, int) for each in seeds for seed in each.values())
    assert len(set(seeds[0].values())) == 5, "each its own"
    assert all(seed < 2**31 for each in seeds for name, seed in each.items() if not name.endswith("random_state"))
    given = make(Learner("odd", estimator=Odd(seed=5)), INFO, 1)
    assert given.seed == 5
    assert unseeded({"seed": None, "unseed": None}) == ["seed"]


@pytest.fixture
def torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of that name that keeps the seeds it is given."""
    (tmp_path / "torch.py").write_text("seeds = []\ndef manual_seed(seed):\n    seeds.append(seed)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    yield tmp_path
    sys.modules.pop("torch", None)


def test_libraries_are_seeded_when_they_are_loaded_and_never_loaded_for_it(torch: Path) -> None:
    seed_everything(11)
    assert "torch" not in sys.modules
    import torch as loaded

    assert loaded.seeds == [11], "imported in the middle of a cell, it gets the seed of that cell"
    seed_everything(12)
    assert loaded.seeds == [11, 12]


def test_tensorflow_and_keras(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    tensorflow, keras = types.ModuleType("tensorflow"), types.ModuleType("keras")
    vars(tensorflow)["random"] = types.SimpleNamespace(set_seed=seen.append)
    vars(keras)["utils"] = types.SimpleNamespace(set_random_seed=seen.append)
    monkeypatch.setitem(sys.modules, "tensorflow", tensorflow)
    monkeypatch.setitem(sys.modules, "keras", keras)
    seed_everything(3)
    assert seen == [3, 3]


# --- searches, warm starts, graphics processors -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "fits"),
    [
        (GridSearchCV(SVC(), {"C": [1, 2, 3], "gamma": [0.1, 1]}, cv=4), 25),
        (GridSearchCV(SVC(), [{"C": [1, 2]}, {"gamma": [1]}], refit=False), 15),
        (RandomizedSearchCV(SVC(), {"C": [1, 2, 3]}, n_iter=2), 11),
        (make_pipeline(StandardScaler(), GridSearchCV(SVC(), {"C": [1, 2]}, cv=3)), 7),
        (SVC(), 1),
    ],
)
def test_searches_of_ones_own_are_counted(estimator: Any, fits: int) -> None:
    plan = Study(["iris"], {"mine": estimator}, resampling=2).plan()
    assert plan.learners[0].fits == fits
    assert plan.fits == 2 * fits


def test_warm_starts_are_refused(tmp_path: Path, capsys: Capture) -> None:
    with pytest.raises(UsageError, match="warm_start is True"):
        Study(["iris"], {"f": RandomForestClassifier(warm_start=True)}, resampling=2).run()
    path = write(tmp_path, "cv", "parameters = { splitter = 'best' }")
    path.write_text(path.read_text() + '[[learner]]\nname = "w"\npath = "forest"\nparameters = { warm_start = true }\n')
    assert main(["run", str(path), "--quiet"]) == 2
    assert "Nothing was run" in said(capsys)


def test_graphics_processors_are_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert environment(1, 1)["gpus"] == [] or subprocess.run(["which", "nvidia-smi"], check=False).returncode == 0
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 'Some GPU, 24576'\necho 'Some GPU, 24576'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert environment(1, 1)["gpus"] == [{"name": "Some GPU", "memory": 24576 * 2**20}] * 2


# --- early stopping ---------------------------------------------------------------------------------------------------


class Watcher(ClassifierMixin, BaseEstimator):
    """Keeps what it learned from and what it watched."""

    def fit(self, X: Any, y: Any, eval_set: Any = None) -> Watcher:
        (watched,) = eval_set
        self.rows_, self.watched_ = np.asarray(X)[:, 0], np.asarray(watched[0])[:, 0]
        assert len(watched[0]) == len(watched[1])
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[:1], len(X))


@pytest.mark.parametrize("prepare", ["none", "standard"])
def test_a_part_of_the_learning_sample_is_watched(prepare: str) -> None:
    X, y = np.arange(40.0).reshape(-1, 1), np.array(["a", "b"] * 20)
    info = DataInfo("t", "classification", 40, ("x",), classes=("a", "b"))
    learner = Learner("w", estimator=Watcher(), prepare=prepare, validation=0.25)
    groups = np.arange(40) // 4
    fitted = [make(learner, info, 3).fit(X, y, groups=groups) for _ in range(2)]
    assert fitted[0].watched_.tolist() == fitted[1].watched_.tolist(), "by the seed of the cell"
    assert (len(fitted[0].rows_), len(fitted[0].watched_)) in ((30, 10), (28, 12), (32, 8))
    assert not set(fitted[0].rows_) & set(fitted[0].watched_)
    if prepare == "none":
        assert not set(fitted[0].rows_ // 4) & set(fitted[0].watched_ // 4), "groups stay whole"
    else:
        assert fitted[0].rows_.mean() == pytest.approx(0), "what stands before is fitted to the rest"
    assert fitted[0].predict(X).tolist() == ["a"] * 40


def test_early_stopping_from_a_study_file(tmp_path: Path, capsys: Capture) -> None:
    boosting = 'path = "boosting"\nparameters = { early_stopping = true, max_iter = 30 }\nvalidation = 0.2'
    path = tmp_path / "s.toml"
    text = f'resampling = {{ scheme = "cv", folds = 2 }}\n[[task]]\ndata = "heart"\n[[learner]]\n{boosting}\n'
    path.write_text(text)
    assert main(["run", str(path), "--quiet"]) == 0
    assert read_study(path).scores(tmp_path / "s.sqlite", ["auc"]).value.min() > 0.6
    for wrong, complaint in (
        (text.replace("0.2", "1.5"), "validation is 1.5. Expected is the share to set aside"),
        (
            text.replace('"boosting"', '"knn"').replace("early_stopping = true, max_iter = 30", ""),
            "takes no validation part",
        ),
        (text + "tune = { max_depth = [1, 2] }\n", "tuning validates by folds of its own"),
    ):
        path.write_text(wrong)
        main(["run", str(path), "--quiet"])
        assert complaint in said(capsys)
