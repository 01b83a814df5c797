"""Predictions come back exactly, at their places."""

from __future__ import annotations

import numpy as np
import pytest
from store_contract import SCHEME, TRUTH, Registered, failed, folds, ok, rows

from bakeoff.measures.prediction import Prediction
from bakeoff.resampling.split import APPARENT, Split, Splits
from bakeoff.stores.predictions import predictions, truth
from bakeoff.stores.store import Store


@pytest.mark.parametrize(
    "made",
    [
        Prediction(np.array([0, 1, 1, 0])),
        Prediction(np.array([0, 1, 1, 0]), np.array([0.1, 0.9, 0.5, np.nextafter(0.1, 1)]), True),
        Prediction(np.array([0, 2, 1, 0]), np.random.default_rng(1).normal(size=(4, 3)), False),
        Prediction(np.array([1e-300, -0.0, np.pi, 2.0])),
    ],
)
def test_bit_for_bit(store: Store, made: Prediction) -> None:
    ours = Registered(store)
    ours.write((1, 2, ok(prediction=made, resources={"fit_time": 0.5})))
    (found,) = predictions(store, ours.key)
    assert (found.task, found.learner, found.place, found.column) == ("ours", "learner 1", 2, 1)
    assert found.rows.tolist() == ours.splits[2][1].test.tolist()
    assert found.prediction.values.tobytes() == made.values.tobytes()
    assert found.prediction.probabilistic is made.probabilistic
    assert found.resources == {"fit_time": 0.5}
    if made.scores is None:
        assert found.prediction.scores is None
    else:
        assert found.prediction.scores is not None
        assert found.prediction.scores.shape == made.scores.shape
        assert found.prediction.scores.tobytes() == made.scores.tobytes()


def test_every_cell_in_order_and_none_that_failed(store: Store) -> None:
    ours = Registered(store, splits=folds(6, repeats=20))
    ours.fill([0, 1])
    found = [(one.place, one.column) for one in predictions(store, ours.key)]
    assert found == [(place, column) for place in range(120) for column in (0, 1)]


def test_a_failed_cell_has_none(store: Store) -> None:
    ours = Registered(store)
    ours.write((0, 0, failed()))
    assert list(predictions(store, ours.key)) == []


def test_a_split_at_two_places_and_a_learner_under_two_names(store: Store) -> None:
    twice = Splits((Split(1, 1, rows(0, 1), rows(2, 3)), Split(2, 1, rows(0, 1), rows(2, 3), APPARENT)))
    ours = Registered(store, splits=twice)
    store.link(ours.study, [(ours.task, "t", SCHEME)], [(ours.learners[0], "a"), (ours.learners[0], "b")])
    ours.write((0, 0, ok(prediction=Prediction(np.array([0, 1])))))
    found = [(one.learner, one.split.repeat, one.split.role) for one in predictions(store, ours.key)]
    assert found == [("a", 1, "test"), ("b", 1, "test"), ("a", 2, APPARENT), ("b", 2, APPARENT)]


def test_one_can_write_while_reading(store: Store) -> None:
    ours = Registered(store)
    ours.write((0, 0, ours.wrong_in(0, 0)), (0, 1, ours.wrong_in(1, 0)))
    for split, _ in enumerate(predictions(store, ours.key)):
        ours.write((1, split, ok()))
    assert len(ours.states()) == 4


def test_truth(store: Store) -> None:
    found = truth(store, Registered(store).task)
    assert (found.kind, found.classes, found.values.tolist()) == ("classification", ("no", "yes"), TRUTH.tolist())
