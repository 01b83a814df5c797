"""The long table."""

from __future__ import annotations

import numpy as np
from store_contract import Registered, failed, ok, rows

from bakeoff.resampling.split import APPARENT, Split, Splits
from bakeoff.stores.long import COLUMNS, long_table
from bakeoff.stores.store import Store


def test_a_row_for_each_cell_that_was_run_and_each_measure(store: Store) -> None:
    ours = Registered(store)
    ours.write((1, 0, ok(0.1)), (0, 1, failed("no")), (1, 2, ok(0.3)))
    table = long_table(store, ours.key, ["error"])
    shown = zip(*(getattr(table, name).values() for name in ("learner", "repeat", "fold", "status")), strict=True)
    assert list(shown) == [
        ("learner 1", "1", "1", "ok"),
        ("learner 0", "1", "2", "error"),
        ("learner 1", "1", "3", "ok"),
    ]
    assert table.learner.labels == ("learner 0", "learner 1")
    np.testing.assert_array_equal(table.value, [0.1, np.nan, 0.3])
    assert table.message.values() == ["", "no", ""]
    assert table.n_train.tolist() == [8, 8, 8]
    assert table.n_test.tolist() == [4, 4, 4]


def test_measures_stand_one_after_the_other(store: Store) -> None:
    ours = Registered(store)
    ours.fill([0, 1])
    table = long_table(store, ours.key)
    assert table.measure.values() == ["error"] * 6 + ["auc"] * 6
    assert set(table.task.values()) == {"ours"}
    assert len(table) == 12


def test_labels_that_no_row_has_are_left_out(store: Store) -> None:
    ours = Registered(store)
    ours.write((1, 2, ok()))
    table = long_table(store, ours.key, ["error"])
    assert table.learner.labels == ("learner 1",)
    assert table.fold.labels == ("3",)
    assert all(len(getattr(table, name)) == 1 for name in COLUMNS)


def test_roles(store: Store) -> None:
    both = Splits((Split(0, 1, rows(0, 1), rows(0, 1), APPARENT), Split(1, 1, rows(0, 1), rows(2, 3))))
    ours = Registered(store, learners=1, splits=both)
    ours.fill([1])
    table = long_table(store, ours.key, ["error"])
    assert table.role.values() == [APPARENT, "test"]
    assert table.repeat.values() == ["0", "1"]


def test_an_empty_table(store: Store) -> None:
    assert len(long_table(store, Registered(store).key)) == 0
