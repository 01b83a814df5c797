"""The grid of a study: places × learners, read in the order of an index."""

from __future__ import annotations

import numpy as np
from store_contract import SCHEME, Registered, failed, folds, ok, rows, task_record

from bakeoff.resampling.split import Split, Splits
from bakeoff.stores.grid import Failure, fetched, study_grid
from bakeoff.stores.schema import cell
from bakeoff.stores.store import Store


def test_names_and_order_are_those_of_the_study(store: Store) -> None:
    ours = Registered(store)
    store.link(
        ours.study,
        [(ours.task, "first", SCHEME), (ours.task, "second", SCHEME)],
        [(ours.learners[1], "z"), (ours.learners[0], "a")],
        [("auc", {}), ("cost", {"name": "cost"})],
    )
    grid = study_grid(store, ours.key)
    assert grid.learners == ("z", "a")
    assert [task.name for task in grid.tasks] == ["first", "second"]
    assert list(grid.measures) == ["auc", "cost"]
    assert grid.measures["cost"][1] == {"name": "cost"}
    assert grid.tasks[0].notes == ("a note",)


def test_a_full_and_a_patchy_grid_are_read_alike(store: Store) -> None:
    ours = Registered(store)
    (task,) = study_grid(store, ours.key).tasks
    for full, cells in ((False, [(1, 2), (0, 0), (1, 0)]), (True, [(0, 1), (1, 1), (0, 2)])):
        ours.write(*((learner, split, ok(learner + split / 10)) for learner, split in cells))
        number = study_grid(store, ours.key).measures["error"][0]
        with store.snapshot() as connection:
            stored = task.stored(connection)
            values = task.spread(stored, task.values(connection, number), np.nan)
        expected = np.array([[learner + split / 10 for learner in (0, 1)] for split in (0, 1, 2)])
        if not full:
            expected[[0, 1, 1, 2], [0, 0, 1, 0]] = [0.0, np.nan, np.nan, np.nan]
        np.testing.assert_array_equal(values, expected)


def test_another_measure_and_another_study_do_not_show(store: Store) -> None:
    ours = Registered(store)
    other = store.add_task(task_record("another"))
    store.add_splits(other, SCHEME, {}, 1, folds(4))
    ours.write((0, 0, ok(0.5)))
    grid = study_grid(store, ours.key)
    (task,) = grid.tasks
    with store.snapshot() as connection:
        assert np.isnan(task.values(connection, grid.measures["auc"][0])).all()
        assert task.stored(connection).tolist() == [0]


def test_failures_are_those_of_the_latest_attempt(store: Store) -> None:
    ours = Registered(store)
    ours.write((0, 0, failed("first")), (1, 1, failed("only")), (0, 2, failed("mended")))
    ours.write((0, 0, failed("second")), (0, 2, ok()))
    (task,) = study_grid(store, ours.key).tasks
    with store.snapshot() as connection:
        assert task.failures(connection) == {0: Failure("error", "second"), 3: Failure("error", "only")}


def test_the_index_of_failed_cells_is_used(store: Store) -> None:
    from sqlalchemy import select

    from bakeoff.stores.grid import FAILED

    ours = Registered(store)
    (task,) = study_grid(store, ours.key).tasks
    query = select(cell.c.id).where(task.condition, FAILED)
    statement = str(query.compile(store._engine, compile_kwargs={"literal_binds": True}))
    with store.snapshot() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}").all()
    assert any("cell_failed" in row[-1] for row in plan), plan


def test_a_split_at_two_places_and_a_learner_under_two_names(store: Store) -> None:
    twice = Splits((Split(1, 1, rows(0, 1), rows(2, 3)), Split(2, 1, rows(0, 1), rows(2, 3))))
    ours = Registered(store, splits=twice)
    store.link(ours.study, [(ours.task, "t", SCHEME)], [(ours.learners[0], "a"), (ours.learners[0], "b")])
    ours.write((0, 0, ok(0.5)))
    (task,) = study_grid(store, ours.key).tasks
    with store.snapshot() as connection:
        stored = task.stored(connection)
        assert task.spread(stored, np.ones(len(stored)), 0.0).tolist() == [[1, 1], [1, 1]]


def test_nothing_is_fetched_from_nothing(store: Store) -> None:
    from sqlalchemy import select

    with store.snapshot() as connection:
        assert fetched(connection, select(cell.c.id), np.int64).tolist() == []
