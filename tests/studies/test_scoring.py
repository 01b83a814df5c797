"""Which scores an analysis is about: those of splits, or of test rows where there is one split only."""

from __future__ import annotations

from pathlib import Path

import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from bakeoff.errors import MisfitError
from bakeoff.stores.reader import Reader
from bakeoff.studies.file import read_study
from bakeoff.studies.scoring import has_losses, one_test_sample, scores_for
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
        assert has_losses(store, key, ["error"])
        scores = scores_for(store, key, "error")
        assert len(scores.instance.labels) > 100
        assert set(scores.value.tolist()) == {0.0, 1.0}


def test_a_measure_of_all_rows_together_stays_one_score(held_out: tuple[Path, str]) -> None:
    path, key = held_out
    with Reader(path) as store:
        assert not has_losses(store, key, ["auc"])
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
