"""The store in a SQLite file meets the contract of all stores."""

from __future__ import annotations

from pathlib import Path

import pytest
from store_contract import Registered, StoreContract, ok

from bakeoff.stores.reader import Reader
from bakeoff.stores.store import Store


class TestSQLite(StoreContract):
    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        return tmp_path / "a study's #1 100% store?.db"

    def writer(self, place: Path) -> Store:
        return Store.open(place)

    def reader(self, place: Path) -> Reader:
        return Store.read(place)


def test_an_interrupt_in_the_moment_in_which_a_transaction_begins(store: Store) -> None:
    ours = Registered(store)
    store._connection.begin()
    assert ours.write((0, 0, ok())) == 1
    assert len(ours.states()) == 1


def test_an_interrupt_in_the_middle_of_a_batch(store: Store) -> None:
    ours = Registered(store)

    def interrupted() -> None:
        with store.snapshot() as connection:
            connection.exec_driver_sql("INSERT INTO meta VALUES ('a', 'b')")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert ours.write((0, 0, ok())) == 1
    with store.snapshot() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM meta WHERE name = 'a'").scalar() == 0


def test_a_store_in_which_nothing_was_run_can_be_forgotten(tmp_path: Path) -> None:
    with Store.open(tmp_path / "new.sqlite") as store:
        store.add_study("key", "refused", {})
        store.forget()
    assert list(tmp_path.iterdir()) == []
    with Store.open(tmp_path / "new.sqlite") as store:
        assert store.studies() == []


def test_one_in_which_something_was_run_is_kept(store: Store) -> None:
    ours = Registered(store)
    ours.write((0, 0, ok()))
    store.forget()
    assert list(ours.states().values()) == ["ok"]
