"""Confusion matrices from stored predictions: those that the stored scores belong to."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from bakeoff import Study
from bakeoff.errors import MisfitError, UsageError
from bakeoff.stores.confusions import confusions
from bakeoff.stores.reader import Reader

LOSS = np.array([[0.0, 1.0], [5.0, 0.0]])


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    store = tmp_path_factory.mktemp("confusions") / "study.sqlite"
    learners = {"majority": DummyClassifier(), "bayes": GaussianNB(), "svm": LinearSVC()}
    study = Study(["sonar", "iris"], learners, resampling=4)
    study.run(store=store)
    return study, store


def test_the_matrix_agrees_with_the_scores(ran: tuple[Study, Path]) -> None:
    study, store = ran
    scores = study.scores(store, ["error", "kappa"])
    found = study.confusions(store)
    assert [(one.task, one.learner) for one in found] == [(t, k) for t in scores.tasks for k in scores.learners]
    for one in found:
        part = scores.only(tasks=[one.task], learners=[one.learner], measure="error")
        assert one.samples == 4
        assert int(one.matrix.sum()) == int(part.n_test.sum())
        errors = float((part.value * part.n_test).sum())
        assert int(one.matrix.sum() - np.trace(one.matrix)) == pytest.approx(errors)
    assert found[3].classes == ("setosa", "versicolor", "virginica")
    assert found[3].to_dict()["matrix"] == found[3].matrix.tolist()


def test_the_apparent_fit_is_not_counted(tmp_path: Path) -> None:
    study = Study("iris", {"bayes": GaussianNB()}, resampling={"scheme": "632", "repeats": 3})
    study.run(store=tmp_path / "s.sqlite")
    (one,) = study.confusions(tmp_path / "s.sqlite")
    assert one.samples == 3


def test_the_cheapest_class_by_the_probabilities(ran: tuple[Study, Path]) -> None:
    study, path = ran
    with Reader(path) as store:
        majority, bayes, svm = confusions(store, study.key, tasks=["sonar"], loss=LOSS)
    assert svm.cheapest is None, "it gives no probabilities"
    assert bayes.cheapest is not None
    assert bayes.cheapest.sum() == bayes.matrix.sum()
    assert bayes.cheapest[:, 1].sum() > bayes.matrix[:, 1].sum(), "missing the second class costs five times as much"
    assert majority.risk(LOSS.tolist()) == pytest.approx((majority.matrix * LOSS).sum() / majority.matrix.sum())


def test_what_cannot_be_counted_is_refused(ran: tuple[Study, Path], tmp_path: Path) -> None:
    study, path = ran
    with Reader(path) as store:
        with pytest.raises(UsageError, match="9 of them; found 4"):
            confusions(store, study.key, loss=LOSS)
        with pytest.raises(UsageError, match="no learner 'bays'"):
            confusions(store, study.key, learners=["bays"])
    numbers = Study("mtcars", {"mean": DummyRegressor()}, resampling=2, measures="mae")
    numbers.run(store=tmp_path / "n.sqlite")
    with pytest.raises(MisfitError, match="'mtcars' is a regression task"):
        numbers.confusions(tmp_path / "n.sqlite")
