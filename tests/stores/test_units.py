"""Rows that come from one unit are averaged before learners are compared on them."""

from __future__ import annotations

import numpy as np
import pytest
from store_contract import SCHEME, N, Registered, folds, task_record

from bakeoff.resampling.split import Splits
from bakeoff.scores import Level, layout
from bakeoff.scores.table import UNITS_COMPARED
from bakeoff.stores.scores import scores_of
from bakeoff.stores.store import Store
from bakeoff.stores.units import averaged_over_units, units_of

ONE = Splits(folds(2).splits[:1])
UNITS = np.arange(N) // 3


def clustered(store: Store) -> Registered:
    """The study of the contract, with units of three rows each."""
    ours = Registered(store, splits=ONE)
    ours.task = store.add_task(task_record("clustered", units=UNITS))
    ours.splits = store.add_splits(ours.task, SCHEME, {"scheme": "hold-out"}, 1, ONE)
    names = [(learner, f"learner {i}") for i, learner in enumerate(ours.learners)]
    ours.key = "clustered study"
    ours.study = store.add_study(ours.key, "clustered", {"question": "which?"})
    store.link(ours.study, [(ours.task, "ours", SCHEME)], names, [("error", {}), ("auc", {})])
    ours.run = store.start_run(ours.study, {}, workers=1, threads=1)
    return ours


def test_the_mean_of_each_unit(store: Store) -> None:
    ours = clustered(store)
    ours.fill([0, 2])
    rows = scores_of(store, ours.key, ["error"], instances=True)
    made = averaged_over_units(rows, units_of(store, ours.key))
    test = ours.splits[0][1].test
    wrong = np.arange(len(test)) < 2
    expected = {str(unit + 1): wrong[UNITS[test] == unit].mean() for unit in np.unique(UNITS[test])}
    second = made.only(learners=["learner 1"])
    assert dict(zip(second.instance.values(), second.value.tolist(), strict=True)) == pytest.approx(expected)
    assert made.only(learners=["learner 0"]).value.tolist() == [0.0] * len(expected)
    assert len(made) == 2 * len(expected) < len(rows)
    assert layout(made).level is Level.INSTANCES
    assert made.predictions is None
    assert made.notes[-1].endswith(UNITS_COMPARED)
    assert f"{len(test)} test rows of ours come from {len(expected)} units" in made.notes[-1]


def test_a_failed_learner_stays_without_values(store: Store) -> None:
    from store_contract import failed

    ours = clustered(store)
    ours.write((0, 0, ours.wrong_in(0, 1)), (1, 0, failed()))
    rows = scores_of(store, ours.key, ["error"], instances=True)
    made = averaged_over_units(rows, units_of(store, ours.key)).only(learners=["learner 1"])
    assert np.isnan(made.value).all()
    assert set(made.status.values()) == {"error"}


def test_without_units_nothing_changes(store: Store) -> None:
    ours = Registered(store, splits=ONE)
    ours.fill([0, 2])
    rows = scores_of(store, ours.key, ["error"], instances=True)
    assert units_of(store, ours.key) == {}
    assert averaged_over_units(rows, {}) is rows


def test_units_come_back(store: Store) -> None:
    np.testing.assert_array_equal(store.task(store.add_task(task_record("u", units=UNITS))).units, UNITS)
    assert store.task(store.add_task(task_record("none"))).units is None
