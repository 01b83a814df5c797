"""Scores of single test rows."""

from __future__ import annotations

import numpy as np
import pytest
from store_contract import SCHEME, TRUTH, N, Registered, add_splits, failed, folds, task_record

from bakeoff.errors import InputError, MisfitError, UsageError
from bakeoff.judging import analyse
from bakeoff.resampling.split import Splits
from bakeoff.results.instances import in_units, units_of
from bakeoff.results.scores import scores_of
from bakeoff.scores import Level, layout
from bakeoff.store.writer import Store

ONE = Splits(folds(2).splits[:1])


def test_a_loss_for_each_row(store: Store) -> None:
    ours = Registered(store, splits=ONE)
    ours.fill([0, 2])
    scores = scores_of(store, ours.key, instances=True)
    test = ours.splits[0][1].test
    first, second = scores.only(learners=["learner 0"]), scores.only(learners=["learner 1"])
    assert scores.measure.labels == ("error",)  # the AUC is no mean over rows
    assert first.instance.values() == [str(row + 1) for row in test]
    assert first.value.tolist() == [0.0] * 6
    assert second.value.tolist() == [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    assert layout(scores).level is Level.INSTANCES


def test_what_was_predicted_stands_beside(store: Store) -> None:
    ours = Registered(store, splits=ONE)
    ours.fill([0, 2])
    scores = scores_of(store, ours.key, ["log_loss"], instances=True)
    found = scores.predictions
    assert found is not None
    np.testing.assert_array_equal(found.truth, TRUTH[ours.splits[0][1].test])
    assert found.values.shape == (6, 2)
    assert found.learners == ("learner 0", "learner 1")


def test_mcnemar_from_a_store(store: Store) -> None:
    ours = Registered(store, splits=ONE)
    ours.fill([0, 4])
    assert analyse(scores_of(store, ours.key, instances=True), "mcnemar", anyway=True).rows


def test_without_scores_of_every_learner_there_is_no_roc_curve(store: Store) -> None:
    ours = Registered(store, splits=ONE)
    ours.write((0, 0, ours.wrong_in(0, 1)), (1, 0, ours.wrong_in(0, 1, scores=False)))
    assert scores_of(store, ours.key, instances=True).predictions is None
    scores = scores_of(store, ours.key, ["brier"], instances=True)
    lacking = scores.only(learners=["learner 1"])
    assert np.isnan(lacking.value).all()
    assert set(lacking.status.values()) == {"undefined"}


def test_a_failed_learner_has_rows_without_values(store: Store) -> None:
    ours = Registered(store, learners=3, splits=ONE)
    ours.write((0, 0, ours.wrong_in(0, 1)), (1, 0, failed("it broke")))
    scores = scores_of(store, ours.key, instances=True)
    assert scores.learners == ("learner 0", "learner 1")
    lacking = scores.only(learners=["learner 1"])
    assert len(lacking) == 6
    assert set(lacking.message.values()) == {"it broke"}


def test_refusals(store: Store) -> None:
    ours = Registered(store)
    with pytest.raises(MisfitError, match=r"'ours' was split 3 times"):
        scores_of(store, ours.key, instances=True)
    with pytest.raises(MisfitError, match="auc belongs to all test rows together"):
        scores_of(store, ours.key, ["auc"], instances=True)


def test_nothing_was_run(store: Store) -> None:
    ours = Registered(store, splits=ONE)
    with pytest.raises(InputError, match="No cell of the study has been run"):
        scores_of(store, ours.key, instances=True)
    with pytest.raises(UsageError, match="is a measure of regression"):
        scores_of(store, ours.key, ["squared_error"], instances=True)


# ----------------------------------------------------------------------------------------------------------------------
# Rows that come from one unit are averaged before learners are compared on them.


UNITS = np.arange(N) // 3


def clustered(store: Store) -> Registered:
    """The study of the contract, with units of three rows each."""
    ours = Registered(store, splits=ONE)
    ours.task = store.add_task(task_record("clustered", units=UNITS))
    ours.splits = add_splits(store, ours.task, SCHEME, {"scheme": "hold-out"}, 1, ONE)
    names = [(learner, f"learner {i}") for i, learner in enumerate(ours.learners)]
    ours.key = "clustered study"
    ours.study = store.add_study(ours.key, "clustered", {"question": "which?"})
    store.link(ours.study, [(ours.task, "ours", SCHEME)], names, [("error", {}), ("auc", {})])
    ours.run = store.start_run(ours.study, {}, workers=1, threads=1)
    return ours


def test_rows_of_a_unit_are_a_cluster(store: Store) -> None:
    ours = clustered(store)
    ours.fill([0, 2])
    rows = scores_of(store, ours.key, ["error"], instances=True)
    made = in_units(rows, units_of(store, ours.key))
    test = ours.splits[0][1].test
    assert made.clusters is not None
    assert not made.clusters.fixed
    unit = dict(zip(made.instance.values(), made.clusters.labels.values(), strict=True))
    of_row = {str(row + 1): UNITS[row] for row in test}
    together = {(a, b) for a in unit for b in unit if unit[a] == unit[b]}
    assert together == {(a, b) for a in of_row for b in of_row if of_row[a] == of_row[b]}
    assert made.value.tolist() == rows.value.tolist()
    found = layout(made)
    assert found.level is Level.INSTANCES
    assert found.clusters is not None
    assert found.clusters.n == len(set(of_row.values()))


def test_one_unit_and_a_unit_each_divide_nothing(store: Store) -> None:
    ours = clustered(store)
    ours.fill([0, 2])
    rows = scores_of(store, ours.key, ["error"], instances=True)
    for numbers in (np.zeros(len(UNITS), dtype=int), np.arange(len(UNITS))):
        assert in_units(rows, {"ours": numbers}).clusters is None


def test_without_units_nothing_changes(store: Store) -> None:
    ours = Registered(store, splits=ONE)
    ours.fill([0, 2])
    rows = scores_of(store, ours.key, ["error"], instances=True)
    assert units_of(store, ours.key) == {}
    assert in_units(rows, {}) is rows


def test_units_come_back(store: Store) -> None:
    np.testing.assert_array_equal(store.task(store.add_task(task_record("u", units=UNITS))).units, UNITS)
    assert store.task(store.add_task(task_record("none"))).units is None
