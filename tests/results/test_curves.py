"""Curves from stored predictions: of one sample as it is, of several their mean."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from bakeoff import Study
from bakeoff.errors import MisfitError, UsageError
from bakeoff.results.curves import KINDS, confusions, study_curves
from bakeoff.store.reader import Reader


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    store = tmp_path_factory.mktemp("curves") / "study.sqlite"
    learners = {"majority": DummyClassifier(), "bayes": GaussianNB(), "svm": LinearSVC()}
    study = Study(["sonar", "iris"], learners, resampling=4)
    study.run(store=store)
    return study, store


def test_the_area_under_the_mean_curve_is_the_mean_area(ran: tuple[Study, Path]) -> None:
    """Exactly so for linear pieces; the grid of the mean leaves a little."""
    study, path = ran
    areas = study.scores(path, ["auc"])
    with Reader(path) as store:
        found = study_curves(store, study.key, "roc", tasks=["sonar"])
    assert [one.learner for one in found] == ["majority", "bayes", "svm"]
    for one in found:
        assert one.samples == 4
        assert (one.positive, one.names) == ("M", ("fp-rate", "tp-rate"))
        mean = areas.only(tasks=["sonar"], learners=[one.learner]).value.mean()
        assert np.trapezoid(one.y, one.x) == pytest.approx(mean, abs=0.01)
        assert (np.diff(one.y) >= -1e-12).all()


def test_one_test_sample_has_its_curve_as_it_is(tmp_path: Path) -> None:
    study = Study("sonar", {"bayes": GaussianNB()}, resampling="hold-out", measures="auc")
    area = study.run(store=tmp_path / "s.sqlite").value[0]
    (one,) = study.curves(tmp_path / "s.sqlite")
    assert (one.x[0], one.y[0], one.x[-1], one.y[-1]) == (0, 0, 1, 1)
    assert np.trapezoid(one.y, one.x) == pytest.approx(area, rel=1e-12)
    (other,) = study.curves(tmp_path / "s.sqlite", positive="R")
    assert np.trapezoid(other.y, other.x) == pytest.approx(area, rel=1e-12), "the first class by the same scores"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(kind: str, ran: tuple[Study, Path]) -> None:
    study, path = ran
    with Reader(path) as store:
        majority, bayes, _ = study_curves(store, study.key, kind, tasks=["sonar"])
    assert np.isfinite(bayes.y).all()
    better = bayes.y - majority.y if kind != "cost" else majority.y - bayes.y
    assert better.mean() > 0
    assert bayes.to_dict()["y"] == bayes.y.tolist()


def test_one_class_against_the_rest(ran: tuple[Study, Path]) -> None:
    study, path = ran
    with Reader(path) as store:
        with pytest.raises(MisfitError, match="'iris' has 3: setosa, versicolor, virginica") as refused:
            study_curves(store, study.key)
        assert "--positive NAME" in str(refused.value)
        with pytest.raises(UsageError, match=r"no class 'setos'\. Did you mean 'setosa'"):
            study_curves(store, study.key, tasks=["iris"], positive="setos")
        _, bayes, _ = study_curves(store, study.key, tasks=["iris"], positive="setosa")
    assert bayes.y.min() == 1.0, "setosa is told apart without a mistake"


def test_what_has_no_curve_is_refused(ran: tuple[Study, Path], tmp_path: Path) -> None:
    study, path = ran
    with Reader(path) as store, pytest.raises(UsageError, match=r"There is no curve 'rok'\. Did you mean 'roc'"):
        study_curves(store, study.key, "rok")
    numbers = Study("mtcars", {"mean": DummyRegressor()}, resampling=2, measures="mae")
    numbers.run(store=tmp_path / "n.sqlite")
    with pytest.raises(MisfitError, match="'mtcars' is a regression task"):
        numbers.curves(tmp_path / "n.sqlite")


def test_samples_of_one_class_are_left_out_and_counted(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    y = np.array(["b"] * 3 + ["a"] * 57)
    study = Study({"rare": (rng.normal(size=(60, 2)), y)}, {"bayes": GaussianNB()}, resampling=5)
    study.run(store=tmp_path / "s.sqlite")
    (one,) = study.curves(tmp_path / "s.sqlite")
    assert (one.samples, one.skipped) == (5, 2)


# ----------------------------------------------------------------------------------------------------------------------
# Confusion matrices from stored predictions: those that the stored scores belong to.


LOSS = np.array([[0.0, 1.0], [5.0, 0.0]])


@pytest.fixture(scope="module")
def ran_confusions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    store = tmp_path_factory.mktemp("confusions") / "study.sqlite"
    learners = {"majority": DummyClassifier(), "bayes": GaussianNB(), "svm": LinearSVC()}
    study = Study(["sonar", "iris"], learners, resampling=4)
    study.run(store=store)
    return study, store


def test_the_matrix_agrees_with_the_scores(ran_confusions: tuple[Study, Path]) -> None:
    study, store = ran_confusions
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


def test_the_cheapest_class_by_the_probabilities(ran_confusions: tuple[Study, Path]) -> None:
    study, path = ran_confusions
    with Reader(path) as store:
        majority, bayes, svm = confusions(store, study.key, tasks=["sonar"], loss=LOSS)
    assert svm.cheapest is None, "it gives no probabilities"
    assert bayes.cheapest is not None
    assert bayes.cheapest.sum() == bayes.matrix.sum()
    assert bayes.cheapest[:, 1].sum() > bayes.matrix[:, 1].sum(), "missing the second class costs five times as much"
    assert majority.risk(LOSS.tolist()) == pytest.approx((majority.matrix * LOSS).sum() / majority.matrix.sum())


def test_what_cannot_be_counted_is_refused(ran_confusions: tuple[Study, Path], tmp_path: Path) -> None:
    study, path = ran_confusions
    with Reader(path) as store:
        with pytest.raises(UsageError, match="9 of them; found 4"):
            confusions(store, study.key, loss=LOSS)
        with pytest.raises(UsageError, match="no learner 'bays'"):
            confusions(store, study.key, learners=["bays"])
    numbers = Study("mtcars", {"mean": DummyRegressor()}, resampling=2, measures="mae")
    numbers.run(store=tmp_path / "n.sqlite")
    with pytest.raises(MisfitError, match="'mtcars' is a regression task"):
        numbers.confusions(tmp_path / "n.sqlite")
