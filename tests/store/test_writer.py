"""A batch of results as rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from store_contract import Registered, StoreContract, ok

from bakeoff.errors import InputError
from bakeoff.measures.response import Prediction
from bakeoff.running.work import Outcome, Status
from bakeoff.store.reader import CellRecord, Reader, score_checksums, storable
from bakeoff.store.writer import Batch, KnownCell, Store


def batch(known: dict[bytes, KnownCell] | None = None) -> Batch:
    return Batch(run_id=5, now="now", next_cell=10, measures={"error": 1, "auc": 2}, cells_before=known or {})


def record(key: bytes = b"k") -> CellRecord:
    return CellRecord(key, learner_id=3, split_id=4, seed=6)


def test_a_new_cell() -> None:
    made = batch()
    made.add(record(), Outcome(0, Status.OK, scores={"error": 0.5}, notes=("C = 1",), resources={"fit_time": 2.0}))
    assert made.cells == [{"id": 10, "key": b"k", "learner": 3, "split": 4, "seed": 6, "status": "ok"}]
    (attempt,) = made.attempts
    assert (attempt["cell"], attempt["number"], attempt["run"], attempt["notes"]) == (10, 1, 5, '["C = 1"]')
    assert (attempt["fit_time"], attempt["peak_memory"]) == (2.0, None)
    made.add_checksums()
    (score,) = made.scores
    assert score.pop("checksum") == score_checksums(np.array([0.5]), 1)[0]
    assert score == {"cell": 10, "measure": 1, "value": 0.5, "reason": None}


def test_a_failed_attempt_has_neither_scores_nor_prediction() -> None:
    made = batch()
    made.add(record(), Outcome(0, Status.INVALID, scores={"error": 0.5}, prediction=Prediction(np.array([0])).packed()))
    assert made.attempts[0]["status"] == "invalid"
    assert not made.scores
    assert not made.predictions


def test_a_second_attempt() -> None:
    made = batch({b"k": KnownCell(7, "timeout", 2)})
    made.add(record(), Outcome(0, Status.OK))
    assert not made.cells
    assert made.changed == {7: "ok"}
    assert (made.attempts[0]["cell"], made.attempts[0]["number"]) == (7, 3)


def test_ok_is_final() -> None:
    made = batch({b"k": KnownCell(7, "ok", 1)})
    made.add(record(), Outcome(0, Status.OK))
    assert not made.attempts
    assert not made.changed


def test_undefined_scores() -> None:
    made = batch()
    made.add(record(), Outcome(0, Status.OK, scores={"error": float("nan")}, undefined={"auc": "one class"}))
    assert [(row["measure"], row["value"], row["reason"]) for row in made.scores] == [
        (1, None, "the value is not a number"),
        (2, None, "one class"),
    ]


def test_scores_of_several_classes_keep_their_columns() -> None:
    made = batch()
    made.add(record(), Outcome(0, Status.OK, prediction=Prediction(np.array([0, 1]), np.ones((2, 3)), True).packed()))
    made.add(record(b"l"), Outcome(0, Status.OK, prediction=Prediction(np.array([0, 1]), np.ones(2)).packed()))
    made.add(record(b"m"), Outcome(0, Status.OK, prediction=Prediction(np.array([0.5, 1])).packed()))
    assert [row["columns"] for row in made.predictions] == [3, None, None]
    assert [row["scores"] is None for row in made.predictions] == [False, False, True]


def test_an_unknown_resource_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="no column for warmth; known are fit_time"):
        batch().add(record(), Outcome(0, Status.OK, resources={"warmth": 1.0}))


@pytest.mark.parametrize(
    ("text", "kept"), [("plain", "plain"), ("größer 💥", "größer 💥"), ("a\0b", "a\\0b"), ("\ud800", "\\ud800")]
)
def test_texts_are_made_storable(text: str, kept: str) -> None:
    assert storable(text) == kept
    kept.encode()


# ----------------------------------------------------------------------------------------------------------------------
# The store in a SQLite file meets the contract of all stores.


class TestSQLite(StoreContract):
    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        return tmp_path / "a study's #1 100% store?.db"

    def writer(self, place: Path) -> Store:
        return Store.open(place)

    def reader(self, place: Path) -> Reader:
        return Store.read(place)

    def test_one_writer(self, place: Path) -> None:
        with self.writer(place):
            with pytest.raises(InputError, match="Another run is writing to this store"):
                self.writer(place)
            with pytest.raises(InputError, match="Another run is writing"):
                self.writer(place)
        self.writer(place).close()


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
        store.delete_if_empty()
    assert list(tmp_path.iterdir()) == []
    with Store.open(tmp_path / "new.sqlite") as store:
        assert store.studies() == []


def test_one_in_which_something_was_run_is_kept(store: Store) -> None:
    ours = Registered(store)
    ours.write((0, 0, ok()))
    store.delete_if_empty()
    assert list(ours.states().values()) == ["ok"]
