"""Which scores an analysis is about: those of splits, or of test rows where there is one split only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.naive_bayes import GaussianNB

from bakeoff.errors import MisfitError
from bakeoff.scores import Level, layout
from bakeoff.stores.reader import Reader
from bakeoff.studies.file import read_study
from bakeoff.studies.scoring import leaves_one_out, one_test_sample, scores_for, with_test_rows
from bakeoff.studies.study import Study


@pytest.fixture(scope="module")
def held_out(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    store = tmp_path_factory.mktemp("held-out") / "study.sqlite"
    learners = {"majority": DummyClassifier(), "bayes": GaussianNB()}
    study = Study("wdbc", learners, resampling="hold-out", measures=["error", "auc"])
    study.run(store=store)
    return store, study.key


def test_a_single_test_sample_is_compared_row_by_row(held_out: tuple[Path, str]) -> None:
    path, key = held_out
    with Reader(path) as store:
        assert one_test_sample(store, key)
        scores = scores_for(store, key, "error")
        assert len(scores.instance.labels) > 100
        assert set(scores.value.tolist()) == {0.0, 1.0}


def test_a_measure_of_all_rows_together_stays_one_score(held_out: tuple[Path, str]) -> None:
    path, key = held_out
    with Reader(path) as store:
        assert len(scores_for(store, key, "auc")) == 2
        with pytest.raises(MisfitError, match="auc belongs to all test rows together"):
            scores_for(store, key, "auc", level="instances")


def test_who_asks_for_another_level_gets_it(held_out: tuple[Path, str]) -> None:
    path, key = held_out
    with Reader(path) as store:
        assert len(scores_for(store, key, "error", level="resamples")) == 2


def test_folds_are_compared_fold_by_fold(finished_study: Path) -> None:
    key = read_study(finished_study).key
    with Reader(finished_study.with_suffix(".sqlite")) as store:
        assert not one_test_sample(store, key)
        assert len(scores_for(store, key, "error")) == 6
        with pytest.raises(MisfitError, match="tasks with one test sample"):
            scores_for(store, key, "error", level="instances")


def test_scores_of_one_test_sample_bring_its_rows_along(held_out: tuple[Path, str]) -> None:
    path, key = held_out
    with Reader(path) as store:
        both = with_test_rows(store, key)
        assert len(both) == 4
        assert both.by_instance is not None
        assert both.by_instance.measure.labels == ("error",), "the AUC belongs to all rows together"
        auc = with_test_rows(store, key, ["auc"])
        assert auc.by_instance is not None
        assert auc.by_instance.predictions is not None, "what ROC curves are made of"
        fewer = both.only(learners=["bayes"], measure="error").by_instance
        assert fewer is not None
        assert fewer.learners == ("bayes",)
        assert float(np.mean(fewer.value)) == both.only(learners=["bayes"], measure="error").value[0]


def test_folds_and_numbers_without_losses_bring_nothing(finished_study: Path, tmp_path: Path) -> None:
    with Reader(finished_study.with_suffix(".sqlite")) as store:
        assert with_test_rows(store, read_study(finished_study).key).by_instance is None
    learners = {"mean": DummyRegressor(), "median": DummyRegressor(strategy="median")}
    study = Study("mtcars", learners, resampling="hold-out", measures=["r2"])
    study.run(store=tmp_path / "cars.sqlite")
    with Reader(tmp_path / "cars.sqlite") as store:
        assert with_test_rows(store, study.key).by_instance is None


def test_leave_one_out_is_compared_row_by_row(tmp_path: Path) -> None:
    learners = {"majority": DummyClassifier(), "bayes": GaussianNB()}
    data = {"mine": (np.arange(24).reshape(12, 2) % 7, np.arange(12) % 2)}
    study = Study(data, learners, resampling="leave-one-out", measures=["error"])
    study.run(store=tmp_path / "study.sqlite")
    with Reader(tmp_path / "study.sqlite") as store:
        assert leaves_one_out(store, study.key)
        for level in (None, "instances"):
            assert layout(scores_for(store, study.key, "error", level=level)).leave_one_out
        folds = scores_for(store, study.key, "error", level="resamples")
        assert layout(folds, level=Level.RESAMPLES).n_blocks == 12


def test_rows_of_a_unit_are_not_independent_when_left_out_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    rows = [f"{i % 5},{i % 3},p{i // 2},{'ab'[i % 2]}" for i in range(12)]
    path.write_text("x,z,patient,y\n" + "\n".join(rows) + "\n")
    (tmp_path / "study.toml").write_text("""
measures = ["error"]
resampling = { scheme = "leave-one-out" }
task = [ { file = "visits.csv", target = "y", cluster = "patient" } ]
[[learner]]
path = "sklearn.dummy.DummyClassifier"
[[learner]]
path = "sklearn.naive_bayes.GaussianNB"
""")
    study = read_study(tmp_path / "study.toml")
    study.run(store=tmp_path / "study.sqlite")
    with Reader(tmp_path / "study.sqlite") as store:
        scores = scores_for(store, study.key, "error")
        beside = with_test_rows(store, study.key).by_instance
    assert len(scores.instance.labels) == 6
    assert layout(scores).level is Level.INSTANCES
    assert beside is not None
    assert beside.value.tolist() == scores.value.tolist()


def test_a_hold_out_of_single_rows_is_no_leave_one_out(tmp_path: Path) -> None:
    data = {"mine": (np.arange(24).reshape(12, 2) % 7, np.arange(12) % 2)}
    resampling = {"scheme": "hold-out", "test_share": 0.08, "repeats": 3, "stratify": False}
    study = Study(data, {"majority": DummyClassifier()}, resampling=resampling, measures=["error"])
    study.run(store=tmp_path / "study.sqlite")
    with Reader(tmp_path / "study.sqlite") as store:
        assert not leaves_one_out(store, study.key)
