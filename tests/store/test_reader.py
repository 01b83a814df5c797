"""What is particular to readers; the rest is in the contract."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from sqlalchemy.exc import OperationalError
from store_contract import Registered, folds, ok, task_record

from bakeoff.errors import InputError, UsageError
from bakeoff.running.work import Outcome, Status
from bakeoff.store.reader import AttemptLike, CellRecord, SplitsIndex, in_portions
from bakeoff.store.writer import Store


def test_a_reader_cannot_write(store: Store) -> None:
    with Store.read(store.path) as reader:
        with pytest.raises((InputError, OperationalError)), reader.snapshot() as connection:
            connection.exec_driver_sql("DELETE FROM meta")
        assert reader.studies() == []


def test_what_is_not_there(store: Store) -> None:
    for ask in (store.task, store.resolved, store.split_rows):
        with pytest.raises(UsageError, match=r"There is no \w+ 7 in"):
            ask(7)
    assert store.task_id("unknown") is None


def test_the_id_of_a_task(store: Store) -> None:
    ours = Registered(store)
    assert store.task_id("task key") == ours.task


def test_states_among_thousands_of_learners(store: Store) -> None:
    """More than a database takes in one list."""
    ours = Registered(store)
    ours.write((1, 2, ok()))
    assert store.states([*range(100, 5000), *ours.learners], [number for number, _ in ours.splits]) == {
        ours.cell(1, 2).key: "ok"
    }


def test_states_of_splits_that_lie_apart(store: Store) -> None:
    ours = Registered(store, splits=folds(6))
    ours.fill([0, 0])
    ids = [number for number, _ in ours.splits]
    assert len(store.states(ours.learners, ids[::2])) == 6
    assert len(store.states(ours.learners, iter(ids))) == 12


@pytest.mark.parametrize(("size", "portions"), [(1, 5), (2, 3), (5, 1), (9, 1)])
def test_portions(size: int, portions: int) -> None:
    made = list(in_portions(range(5), size))
    assert len(made) == portions
    assert [item for some in made for item in some] == list(range(5))


def test_how_it_is_shown(store: Store) -> None:
    assert repr(store) == f"<Store {store.path}>"


# ----------------------------------------------------------------------------------------------------------------------
# Records are frozen, and an Outcome is what a store calls an attempt.


def test_records_do_not_change() -> None:
    for record in (task_record(), CellRecord(b"k", 1, 2, 3)):
        with pytest.raises(FrozenInstanceError):
            record.key = "other"  # type: ignore[misc,assignment]


def test_an_outcome_can_be_stored() -> None:
    attempted: AttemptLike = Outcome(0, Status.OK)
    names = [name for name in vars(AttemptLike) if not name.startswith("_")]
    assert names
    assert all(hasattr(attempted, name) for name in names)


def test_the_length_of_an_index() -> None:
    some = np.array([1, 2])
    assert len(SplitsIndex(some, (b"a", b"b"), some, some, ("test", "test"), some, some)) == 2
