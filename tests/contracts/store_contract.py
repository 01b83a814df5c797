"""What every store promises, whatever the database: inherit `StoreContract` and say how one is opened.

A subclass gives a fixture `place` and the methods `writer(place)` and `reader(place)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from bakeoff.errors import InputError, UsageError
from bakeoff.keys import digest
from bakeoff.measures.response import Prediction
from bakeoff.resampling.split import APPARENT, Split, Splits
from bakeoff.running.work import Outcome, Status
from bakeoff.store.database import read_json
from bakeoff.store.reader import CellRecord, Reader, TaskRecord
from bakeoff.store.schema import splitting
from bakeoff.store.writer import Store

N = 12
TRUTH = np.array([0, 1] * 6)
SCHEME = "scheme and seed"


def rows(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int32)


def folds(count: int = 3, repeats: int = 1) -> Splits:
    """Cross-validation of N rows; every other repeat has folds of its own."""
    made = []
    for repeat in range(1, repeats + 1):
        order = np.random.default_rng(repeat).permutation(N)
        for fold, test in enumerate(np.array_split(order, count), 1):
            train = np.setdiff1d(np.arange(N), test)
            made.append(Split(repeat, fold, train.astype(np.int32), np.sort(test).astype(np.int32)))
    return Splits(tuple(made), ("a note",))


def task_record(key: str = "task key", **changes: Any) -> TaskRecord:
    values = {"name": "ours", "kind": "classification", "n": N, "features": ("a", "b"), "classes": ("no", "yes")}
    return TaskRecord(key=key, truth=TRUTH, **{**values, **changes})  # type: ignore[arg-type]


def add_splits(
    store: Store, task: int, scheme_key: str, scheme: dict[str, Any], seed: int, splits: Splits
) -> list[tuple[int, Split]]:
    """Put splits into a store; what it has then, with the ids."""
    store.put_splits(task, scheme_key, scheme, seed, splits)
    return splits_of(store, task, scheme_key)


def splits_of(store: Store, task: int, scheme_key: str) -> list[tuple[int, Split]]:
    """The splits of a task by a scheme with their ids and rows; none if they were not made yet."""
    index = store.splits_index(task, scheme_key)
    if index is None:
        return []
    parts = store.rows_of_splits(index.ids.tolist())
    places = zip(index.ids.tolist(), index.repeat.tolist(), index.fold.tolist(), index.role, strict=True)
    return [(number, Split(repeat, fold, *parts[number], role)) for number, repeat, fold, role in places]


def ok(error: float = 0.25, prediction: Prediction | None = None, **more: Any) -> Outcome:
    packed = None if prediction is None else prediction.packed()
    return Outcome(0, Status.OK, scores={"error": error}, prediction=packed, **more)


def failed(message: str = "ValueError: no", status: Status = Status.ERROR) -> Outcome:
    return Outcome(0, status, message=message, detail="Traceback")


class Registered:
    """A study with one task, its splits and some learners, in a store; cells are named by (learner, split) numbers."""

    def __init__(
        self,
        store: Store,
        learners: int = 2,
        splits: Splits | None = None,
        key: str = "study key",
        scheme: str = "cross-validation",
    ) -> None:
        self.store, self.key = store, key
        self.study = store.add_study(key, "our study", {"question": "which?"})
        self.task = store.add_task(task_record())
        self.splits = add_splits(store, self.task, SCHEME, {"scheme": scheme}, 1, splits or folds())
        self.learners = [store.add_learner(f"learner {i}", {"number": i}) for i in range(learners)]
        names = [(learner, f"learner {i}") for i, learner in enumerate(self.learners)]
        store.link(self.study, [(self.task, "ours", SCHEME)], names, [("error", {}), ("auc", {})])
        self.run = store.start_run(self.study, {"python": "3.11"}, workers=2, threads=1)

    def cell(self, learner: int, split: int) -> CellRecord:
        split_id, content = self.splits[split]
        return CellRecord(digest(f"learner {learner}", content.key), self.learners[learner], split_id, seed=7)

    def write(self, *results: tuple[int, int, Outcome]) -> int:
        return self.store.write(self.run, [(self.cell(learner, split), out) for learner, split, out in results])

    def states(self) -> dict[bytes, str]:
        return self.store.states(self.learners, [number for number, _ in self.splits])

    def wrong_in(self, split: int, wrong: int, *, scores: bool = True) -> Outcome:
        """A learner that errs on the first `wrong` test rows of a split, surely."""
        truth = TRUTH[self.splits[split][1].test]
        values = np.where(np.arange(len(truth)) < wrong, 1 - truth, truth)
        made = Prediction(values, np.where(values == 1, 0.75, 0.25) if scores else None, probabilistic=scores)
        return ok(wrong / len(truth), made, resources={"fit_time": 0.5, "predict_time": 0.25, "seconds": 1.0})

    def fill(self, wrong: Sequence[int]) -> None:
        """Every cell: each learner errs so often in every split."""
        for learner, times in enumerate(wrong):
            self.write(*((learner, split, self.wrong_in(split, times)) for split in range(len(self.splits))))


def counts(store: Reader) -> dict[str, int]:
    """How many rows each table holds."""
    from sqlalchemy import func, select

    from bakeoff.store.schema import metadata

    with store.snapshot() as connection:
        return {
            name: int(connection.execute(select(func.count()).select_from(table)).scalar_one())
            for name, table in metadata.tables.items()
        }


class StoreContract:
    def writer(self, place: Any) -> Store:
        raise NotImplementedError

    def reader(self, place: Any) -> Reader:
        raise NotImplementedError

    # What a study is made of

    def test_adding_twice_adds_once(self, place: Any) -> None:
        with self.writer(place) as store:
            first = Registered(store)
            before, registered = counts(store), store.studies()
            again = Registered(store)
            assert (again.study, again.task, again.learners) == (first.study, first.task, first.learners)
            assert [number for number, _ in again.splits] == [number for number, _ in first.splits]
            assert counts(store) == {**before, "run": before["run"] + 1}
            assert store.studies() == registered

    def test_what_was_added_is_there_after_reopening(self, place: Any) -> None:
        with self.writer(place) as store:
            ours = Registered(store)
            ours.write((0, 0, ok()))
        with self.writer(place) as store:
            assert Registered(store).states() == {ours.cell(0, 0).key: "ok"}

    def test_a_study_comes_back(self, place: Any) -> None:
        with self.writer(place) as store:
            store.add_study("k", "größer", {"sizes": (1, 2), "β": None})
            found = store.study("k")
        assert (found.name, found.description) == ("größer", {"sizes": [1, 2], "β": None})
        assert found.registered.startswith("2")

    def test_an_unknown_study_is_refused(self, place: Any) -> None:
        with self.writer(place) as store:
            Registered(store)
            with pytest.raises(UsageError, match=r"no study with the key 'study kay'.*Did you mean 'study key'"):
                store.study("study kay")

    @pytest.mark.parametrize(
        ("classes", "truth"),
        [
            (("no", "yes"), TRUTH),
            ((1, 2, 3), np.array([0, 2, 1])),
            ((), np.array([0.1, -0.0, 1e300, 5e-324, np.pi])),
            ((), np.zeros(5)),
            ((False, True), np.array([1, 0])),
        ],
    )
    def test_a_task_comes_back(self, place: Any, classes: tuple[object, ...], truth: np.ndarray) -> None:
        record = task_record(classes=classes, n=len(truth), notes=("two rows dropped",))
        record = TaskRecord(*(getattr(record, f) for f in ("key", "name", "kind", "n", "features", "classes")), truth)
        with self.writer(place) as store:
            found = store.task(store.add_task(record))
        assert found.classes == classes
        assert found.features == ("a", "b")
        np.testing.assert_array_equal(found.truth, truth)
        assert np.signbit(found.truth).tolist() == np.signbit(truth).tolist()

    def test_a_task_may_get_more_rows(self, place: Any) -> None:
        few, many = (replace(task_record(), n=n, truth=np.arange(n) * 100, notes=(f"{n} rows",)) for n in (3, 5))
        with self.writer(place) as store:
            numbers = {store.add_task(record) for record in (few, many, few, many)}
            assert len(numbers) == 1
            found = store.task(numbers.pop())
            assert (found.n, found.truth.tolist(), found.notes) == (5, [0, 100, 200, 300, 400], ("5 rows",))
            other = replace(few, truth=np.array([0, 100, 201]))
            with pytest.raises(InputError, match=r"Its first sample is the one that is stored, and others are not"):
                store.add_task(other)
            assert store.task(store.add_task(many)).truth.tolist() == found.truth.tolist()

    def test_a_learner_is_resolved_later(self, place: Any) -> None:
        with self.writer(place) as store:
            number = store.add_learner("k", {"path": "a.B"})
            assert store.resolved(number) is None
            store.set_resolved(number, {"C": 1.0, "limit": float("inf")})
            assert store.resolved(number) == {"C": 1.0, "limit": {"float": "inf"}}

    # Splits

    def test_splits_come_back(self, place: Any) -> None:
        made = Splits(
            (
                Split(1, 1, rows(0, 0, 5, 11), rows(1, 2)),
                Split(1, 2, rows(3, 4), rows(0, 70_000)),
                Split(1, 3, rows(0, 1, 2), rows(0, 1, 2), APPARENT),
            )
        )
        with self.writer(place) as store:
            task = store.add_task(task_record())
            assert store.splits_index(task, SCHEME) is None
            added = add_splits(store, task, SCHEME, {}, 3, made)
            index = store.splits_index(task, SCHEME)
            assert index is not None
            for (number, split), original in zip(added, made.splits, strict=True):
                for one in (split, store.split_rows(number)):
                    assert one.key == original.key
                    assert (one.repeat, one.fold, one.role) == (original.repeat, original.fold, original.role)
                    assert one.train.dtype == one.test.dtype == np.int32
        assert index.ids.tolist() == [number for number, _ in added]
        assert list(index.keys) == [split.key for split in made.splits]
        assert index.n_train.tolist() == [4, 2, 3]
        assert index.n_test.tolist() == [2, 2, 3]
        assert index.role == ("test", "test", APPARENT)

    def test_the_task_and_all_splits_behind_a_scheme(self, place: Any) -> None:
        with self.writer(place) as store:
            task = store.add_task(task_record("its key"))
            assert store.task_of(SCHEME) is None
            assert store.split_ids(task, 3) == {}
            made = add_splits(store, task, SCHEME, {}, 3, folds(3))
            more = add_splits(store, task, "another scheme", {}, 3, folds(4))
            assert store.task_of(SCHEME) == (task, "its key")
            known = {split.key: number for number, split in (*made, *more)}
            assert store.split_ids(task, 3) == known
            assert store.split_ids(task, 4) == {}

    def test_splits_are_made_once(self, place: Any) -> None:
        with self.writer(place) as store:
            task = store.add_task(task_record())
            first = add_splits(store, task, SCHEME, {}, 3, folds(3))
            later = add_splits(store, task, SCHEME, {}, 3, folds(4))
            assert [split.key for _, split in later] == [split.key for _, split in first]
            (stored,) = store.rows(select(splitting.c.notes).where(splitting.c.key == SCHEME))
            assert read_json(stored.notes) == ["a note"]

    def test_a_split_drawn_twice_is_one_split_at_two_places(self, place: Any) -> None:
        twice = Splits(tuple(Split(repeat, 1, rows(0, 1), rows(2, 3)) for repeat in (1, 2)))
        with self.writer(place) as store:
            (first, a), (second, b) = add_splits(store, store.add_task(task_record()), SCHEME, {}, 3, twice)
        assert first == second
        assert (a.repeat, b.repeat) == (1, 2)

    # Cells

    def test_states(self, place: Any) -> None:
        with self.writer(place) as store:
            ours = Registered(store)
            assert ours.states() == {}
            assert ours.write((0, 0, ok()), (0, 1, failed()), (1, 0, failed(status=Status.TIMEOUT))) == 3
            assert ours.states() == {
                ours.cell(0, 0).key: "ok",
                ours.cell(0, 1).key: "error",
                ours.cell(1, 0).key: "timeout",
            }
            some = [number for number, _ in ours.splits]
            assert set(store.states(ours.learners[:1], some)) == {ours.cell(0, 0).key, ours.cell(0, 1).key}
            assert set(store.states(ours.learners, [some[0], some[2]])) == {ours.cell(0, 0).key, ours.cell(1, 0).key}
            assert store.states([], some) == store.states(ours.learners, []) == {}

    def test_a_cell_that_is_ok_is_not_written_twice(self, place: Any) -> None:
        with self.writer(place) as store:
            ours = Registered(store)
            ours.write((0, 0, ok(0.1)))
            before = counts(store)
            assert ours.write((0, 0, ok(0.9)), (0, 0, failed())) == 0
            assert counts(store) == before
            assert ours.states() == {ours.cell(0, 0).key: "ok"}

    def test_failed_attempts_are_kept(self, place: Any) -> None:
        with self.writer(place) as store:
            ours = Registered(store)
            ours.write((0, 0, failed("first")))
            ours.write((0, 0, failed("second", Status.MEMORY)), (0, 0, ok()), (0, 0, ok()))
            assert ours.states() == {ours.cell(0, 0).key: "ok"}
            made = counts(store)
            assert (made["cell"], made["attempt"], made["score"]) == (1, 3, 1)

    def test_a_batch_is_written_whole_or_not_at_all(self, place: Any) -> None:
        with self.writer(place) as store:
            ours = Registered(store)
            before = counts(store)
            with pytest.raises(ValueError, match="no column for tune_time"):
                ours.write((0, 0, ok()), (0, 1, ok(resources={"tune_time": 1.0})))
            assert counts(store) == before
            assert ours.write((0, 0, ok()), (0, 1, ok(resources={"fit_time": 1.0}))) == 2

    def test_nothing_to_write(self, place: Any) -> None:
        with self.writer(place) as store:
            assert Registered(store).write() == 0

    def test_hostile_texts(self, place: Any) -> None:
        nasty = "a\0b \udce9 '; DROP TABLE cell; -- \x1b[31m 💥"
        with self.writer(place) as store:
            ours = Registered(store)
            ours.write((0, 0, Outcome(0, Status.ERROR, message=nasty, detail=nasty, notes=(nasty,))))
            ours.write((0, 1, Outcome(0, Status.OK, undefined={"auc": nasty})))
            store.add_study("other", "x", {"text": nasty})
            assert store.study("other").description == {"text": nasty}
            assert set(ours.states().values()) == {"error", "ok"}

    # Runs

    def test_a_run_that_was_killed_is_said_to_be_interrupted(self, place: Any) -> None:
        from sqlalchemy import select

        from bakeoff.store.schema import run

        with self.writer(place) as store:
            Registered(store)
        with self.writer(place) as store:
            ours = Registered(store)
            store.finish_run(ours.run, "finished")
            found = store.rows(select(run.c.state, run.c.finished).order_by(run.c.id))
        assert [row.state for row in found] == ["interrupted", "finished"]
        assert [row.finished is None for row in found] == [True, False]

    # Writers and readers

    def test_readers_see_each_batch_and_lock_nobody_out(self, place: Any) -> None:
        with self.writer(place) as store:
            ours = Registered(store)
            splits = [number for number, _ in ours.splits]
            with self.reader(place) as reader, self.reader(place) as another:
                for done in range(3):
                    assert len(reader.states(ours.learners, splits)) == done
                    with another.snapshot() as connection:  # in the middle of reading
                        connection.exec_driver_sql("SELECT count(*) FROM cell").scalar()
                        ours.write((0, done, ok()))
                assert len(reader.states(ours.learners, splits)) == 3

    def test_a_snapshot_does_not_move(self, place: Any) -> None:
        with self.writer(place) as store:
            ours = Registered(store)
            with self.reader(place) as reader, reader.snapshot() as connection:
                before = connection.exec_driver_sql("SELECT count(*) FROM cell").scalar()
                ours.write((0, 0, ok()))
                assert connection.exec_driver_sql("SELECT count(*) FROM cell").scalar() == before == 0

    def test_closing_twice(self, place: Any) -> None:
        store = self.writer(place)
        store.close()
        store.close()
        reader = self.reader(place)
        reader.close()
        reader.close()
