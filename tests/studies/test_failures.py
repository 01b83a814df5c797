"""What Python is told of cells that failed."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from bakeoff import FailedCellsWarning, Study
from bakeoff.stores.failures import FailureGroup
from bakeoff.studies.failures import about_failures

X = np.random.default_rng(5).normal(size=(30, 2))
LABELS = np.where(X[:, 0] > 0, "yes", "no")
BROKEN = {"bad priors": GaussianNB(priors=[1.0]), "no strategy": DummyClassifier(strategy="guess")}


def study(**learners: Any) -> Study:
    return Study({"toy": (X, LABELS)}, {"bayes": GaussianNB(), **learners}, resampling=3)


def group(count: int, learner: str = "svm", message: str = "no") -> FailureGroup:
    return FailureGroup(learner, "error", message, count, ("iris",), ())


def test_nothing_is_said_where_nothing_failed() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study().run()


def test_how_many_of_which_and_why() -> None:
    with pytest.warns(FailedCellsWarning) as caught:
        scores = study(**BROKEN).run()
    (said,) = [str(each.message) for each in caught]
    assert said.startswith("6 of 9 cells failed, and their scores have no value: 3 × bad priors (error: ValueError: ")
    assert " and 3 × no strategy (error: " in said
    assert "The column message of the scores says why." in said
    assert caught[0].filename == __file__, "it points at the line that ran the study"
    assert np.isnan(scores.only(learners=["no strategy"]).value).all()
    assert not np.isnan(scores.only(learners=["bayes"]).value).any()


def test_with_a_store_they_can_be_looked_up_and_are_told_again(tmp_path: Path) -> None:
    made, store = study(**BROKEN), tmp_path / "s.sqlite"
    with pytest.warns(FailedCellsWarning, match=r"study\.failures\(store\) shows all of them"):
        made.run(store=store)
    assert [(each.learner, each.count) for each in made.failures(store)] == [("bad priors", 3), ("no strategy", 3)]
    with pytest.warns(FailedCellsWarning, match=r"^6 of 9 cells failed.*retry_failed=True\) tries them again"):
        made.run(store=store)
    with pytest.warns(FailedCellsWarning, match=r"^6 of 9 cells failed"):
        made.run(store=store, retry_failed=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study().run(store=store)  # of the same store, without the learners that fail
    assert study().failures(store) == []


def test_all_of_them_failed() -> None:
    with pytest.warns(FailedCellsWarning, match=r"^All 3 cells failed, and their scores have no value: 3 × alone"):
        Study({"toy": (X, LABELS)}, {"alone": GaussianNB(priors=[1.0])}, resampling=3).run()


def test_many_groups_and_long_messages_are_cut_short() -> None:
    said = str(about_failures([group(9 - i, f"l{i}", "x" * 500) for i in range(6)], 39, 1234, kept=True))
    assert said.startswith("39 of 1,234 cells failed")
    assert "and 2 more" in said
    assert len(said) < 900


def test_one_cell() -> None:
    said = str(about_failures([group(1, message="Done.")], 1, 8, kept=True))
    assert said.startswith("1 of 8 cells failed, and its scores have no value: 1 × svm (error: Done). study")
