"""Values as stored, or computed from predictions; and why there is none."""

from __future__ import annotations

import numpy as np
import pytest
from store_contract import SCHEME, Registered, failed, ok

from bakeoff.errors import UsageError
from bakeoff.measures.responses import response_from
from bakeoff.running.outcome import Outcome, Status
from bakeoff.stores.asked import asked_for
from bakeoff.stores.grid import Failure, study_grid
from bakeoff.stores.store import Store
from bakeoff.stores.values import TaskValues, task_values


def values(store: Store, *measures: object, key: str = "study key") -> TaskValues:
    grid = study_grid(store, key)
    (task,) = grid.tasks
    return task_values(store, grid, task, asked_for(grid, list(measures) or None))  # type: ignore[arg-type]


def test_stored_values_are_taken_as_they_are(store: Store) -> None:
    ours = Registered(store)
    ours.write((0, 0, ok(0.123)), (1, 2, ok(0.456)))
    found = values(store, "error")
    expected = np.full((3, 2), np.nan)
    expected[0, 0], expected[2, 1] = 0.123, 0.456
    np.testing.assert_array_equal(found.values["error"], expected)
    assert found.tried.sum() == 2
    assert found.trouble["error"] == {}
    assert found.computed == frozenset()


def test_a_measure_thought_of_later(store: Store) -> None:
    ours = Registered(store)
    ours.fill([0, 2])
    found = values(store, "accuracy", "log_loss", "fit_time")
    assert found.values["accuracy"].tolist() == [[1.0, 0.5]] * 3
    np.testing.assert_allclose(found.values["log_loss"], [[-np.log(0.75), -np.log(0.75 * 0.25) / 2]] * 3)
    assert found.values["fit_time"].tolist() == [[0.5, 0.5]] * 3
    assert found.computed == {"accuracy", "log_loss", "fit_time"}


def test_stored_and_computed_values_agree_to_the_last_bit(store: Store) -> None:
    ours = Registered(store)
    ours.fill([1, 3])
    stored = values(store, "error").values["error"]
    renamed = values(store, "err").values["err"]
    np.testing.assert_array_equal(stored, renamed)


def test_cells_of_an_earlier_study_get_the_measures_that_a_later_one_added(store: Store) -> None:
    ours = Registered(store)
    ours.fill([0, 2])
    later = store.add_study("later", "later", {})
    store.link(
        later,
        [(ours.task, "ours", SCHEME)],
        [(number, str(number)) for number in ours.learners],
        [("error", {}), ("mcc", response_from("mcc").describe())],
    )
    found = values(store, key="later")
    assert found.computed == {"mcc"}
    assert found.values["mcc"][:, 0].tolist() == [1.0] * 3
    assert found.values["error"].tolist() == [[0.0, 0.5]] * 3


def test_a_changed_loss_matrix_is_computed_anew(store: Store) -> None:
    """The same name is not the same measure."""

    def costs(price: float) -> dict[str, object]:
        return {"name": "cost", "loss_matrix": [[0, price], [price, 0]]}

    ours = Registered(store)
    for key, price in (("one", 1.0), ("ten", 10.0)):
        study = store.add_study(key, key, {})
        measures = [("cost", response_from(costs(price)).describe())]
        store.link(study, [(ours.task, "t", SCHEME)], [(ours.learners[0], "a")], measures)
        run = store.start_run(study, {}, 1, 1)
        outcome = ours.wrong_in(0, 2)
        stored = Outcome(0, Status.OK, scores={"cost": 0.5 * price}, prediction=outcome.prediction)
        store.write(run, [(ours.cell(0, 0), stored)])
        assert values(store, key=key).values["cost"][0, 0] == 0.5 * price


def test_why_there_is_no_value(store: Store) -> None:
    ours = Registered(store)
    ours.write(
        (0, 0, failed("it broke", Status.CRASH)),
        (0, 1, Outcome(0, Status.OK, undefined={"error": "no rows"})),
        (1, 0, Outcome(0, Status.OK, scores={"error": float("inf")})),
        (1, 1, Outcome(0, Status.OK, scores={"error": float("nan")})),
        (1, 2, Outcome(0, Status.OK)),
    )
    assert values(store, "error").trouble["error"] == {
        (0, 0): Failure("crash", "it broke"),
        (1, 0): Failure("undefined", "no rows"),
        (0, 1): Failure("undefined", "the value is inf"),
        (1, 1): Failure("undefined", "the value is not a number"),
        (2, 1): Failure("undefined", "error was not asked for when this cell was run, and needs a rerun."),
    }
    assert np.isnan(values(store, "error").values["error"]).all()


def test_a_learner_without_scores_has_no_auc(store: Store) -> None:
    ours = Registered(store)
    ours.write((0, 0, ours.wrong_in(0, 1, scores=False)))
    (why,) = values(store, "brier").trouble["brier"].values()
    assert why.status == "undefined"
    assert "labels only" in why.message


def test_a_measure_of_another_kind_is_refused(store: Store) -> None:
    Registered(store).fill([0, 1])
    with pytest.raises(UsageError, match=r"Task 'ours': 'rmse' is a measure of regression, not of classification"):
        values(store, "rmse")
