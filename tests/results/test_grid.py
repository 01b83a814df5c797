"""The grid of a study: places × learners, read in the order of an index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from store_contract import SCHEME, TRUTH, Registered, add_splits, failed, folds, ok, rows, task_record

from bakeoff.errors import UsageError
from bakeoff.measures.response import Prediction
from bakeoff.measures.responses import COMPUTED, response_from
from bakeoff.resampling.split import APPARENT, Split, Splits
from bakeoff.results.grid import (
    CellFailure,
    MeasureRequest,
    StudyGrid,
    check_names,
    fetched,
    predictions,
    resolve_measures,
    study_grid,
    truth,
)
from bakeoff.store.reader import Reader
from bakeoff.store.schema import cell
from bakeoff.store.writer import Store
from bakeoff.study.file import read_study


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
            values = task.to_grid(stored, task.values(connection, number), np.nan)
        expected = np.array([[learner + split / 10 for learner in (0, 1)] for split in (0, 1, 2)])
        if not full:
            expected[[0, 1, 1, 2], [0, 0, 1, 0]] = [0.0, np.nan, np.nan, np.nan]
        np.testing.assert_array_equal(values, expected)


def test_another_measure_and_another_study_do_not_show(store: Store) -> None:
    ours = Registered(store)
    other = store.add_task(task_record("another"))
    add_splits(store, other, SCHEME, {}, 1, folds(4))
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
        assert task.failures(connection) == {0: CellFailure("error", "second"), 3: CellFailure("error", "only")}


def test_the_index_of_failed_cells_is_used(store: Store) -> None:
    from sqlalchemy import select

    from bakeoff.results.grid import FAILED

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
        assert task.to_grid(stored, np.ones(len(stored)), 0.0).tolist() == [[1, 1], [1, 1]]


def test_nothing_is_fetched_from_nothing(store: Store) -> None:
    from sqlalchemy import select

    with store.snapshot() as connection:
        assert fetched(connection, select(cell.c.id), np.int64).tolist() == []


# ----------------------------------------------------------------------------------------------------------------------
# Which measures are asked for.


COSTS = {"name": "cost", "loss_matrix": [[0, 1], [5, 0]]}
SCORERS: tuple[Any, ...] = (
    "jaccard_macro",
    {"name": "path", "scorer": "m.g", "larger_is_better": False},
)


def grid_with(store: Store, *specs: Any) -> StudyGrid:
    ours = Registered(store)
    responses = [response_from(spec) for spec in specs]
    named = [(response.name, response.describe()) for response in responses]
    store.link(ours.study, [(ours.task, "t", SCHEME)], [(ours.learners[0], "a")], named)
    return study_grid(store, ours.key)


def one(grid: StudyGrid, spec: Any) -> MeasureRequest:
    (made,) = resolve_measures(grid, [spec])
    return made


def test_all_of_the_study(store: Store) -> None:
    grid = grid_with(store, "error", "fit_time", COSTS, *SCORERS)
    asked = resolve_measures(grid, None)
    assert [each.name for each in asked] == ["error", "fit_time", "cost", "jaccard_macro", "path"]
    assert [each.measure.larger_is_better for each in asked] == [False, False, False, True, False]
    assert [each.computable for each in asked] == [True, True, True, False, False]
    assert [each.is_resource for each in asked] == [False, True, False, False, False]
    assert all(each.stored for each in asked)


def test_one_of_the_study_and_another(store: Store) -> None:
    grid = grid_with(store, "error", COSTS)
    assert one(grid, "error").stored is not None
    assert one(grid, "cost").stored is not None
    assert one(grid, COSTS).stored is not None
    assert one(grid, "auc").stored is None


def test_the_same_name_with_another_definition_is_another_measure(store: Store) -> None:
    changed = {**COSTS, "loss_matrix": [[0, 1], [50, 0]]}
    assert one(grid_with(store, COSTS), changed).stored is None


@pytest.mark.parametrize(
    ("measures", "sentence"),
    [
        ("error", r"A list of measures was expected; found 'error'. Write \['error'\]"),
        (["error", "error"], "'error' is asked for twice"),
        (["eror"], "Did you mean 'error'"),
        (["jaccard_macro"], "needs the fitted estimator, which is not stored"),
    ],
)
def test_refusals(store: Store, measures: Any, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        resolve_measures(grid_with(store, "error"), measures)


@pytest.mark.parametrize(
    "spec",
    [
        *COMPUTED,
        "sensitivity",
        "MSE",
        "neg_log_loss",
        COSTS,
        {"name": "q95", "loss": "absolute_error", "functional": "q0.95"},
        {"name": "dear", "loss_matrix": [[0, 1], [5, 0]], "classes": ["yes", "no"]},
    ],
    ids=str,
)
def test_every_measure_comes_back_from_its_definition(store: Store, spec: Any) -> None:
    """What was stored when the study was run must mean the same when it is read."""
    made = response_from(spec)
    (found,) = resolve_measures(grid_with(store, spec), None)
    assert found.measure == made.measure
    assert found.response is not None
    assert found.response.describe() == made.describe()


# ----------------------------------------------------------------------------------------------------------------------
# Names of tasks and learners that a study does not know.


def test_unknown_names_are_refused_with_the_nearest(finished_study: Path) -> None:
    with Reader(finished_study.with_suffix(".sqlite")) as store:
        grid = study_grid(store, read_study(finished_study).key)
    check_names(grid, None, None)
    check_names(grid, ["iris"], ["bayes"])
    with pytest.raises(UsageError, match=r"no task 'irsi'\. Did you mean 'iris'"):
        check_names(grid, ["irsi"], None)
    with pytest.raises(UsageError, match=r"no learner 'bays'\. Did you mean 'bayes'"):
        check_names(grid, None, ["bays"])


# ----------------------------------------------------------------------------------------------------------------------
# Predictions come back exactly, at their places.


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


def test_a_split_at_two_places_and_a_learner_under_two_names_predictions(store: Store) -> None:
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
