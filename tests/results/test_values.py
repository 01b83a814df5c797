"""Values as stored, or computed from predictions; and why there is none."""

from __future__ import annotations

import numpy as np
import pytest
from store_contract import SCHEME, TRUTH, N, Registered, failed, ok, rows

from bakeoff.errors import UsageError
from bakeoff.measures.response import Prediction, Truth
from bakeoff.measures.responses import response_from
from bakeoff.resampling.bootstrap import combine_632
from bakeoff.resampling.split import APPARENT, Split, Splits
from bakeoff.results.grid import CellFailure, resolve_measures, study_grid
from bakeoff.results.scores import scores_of
from bakeoff.results.values import TaskValues, loss_without_information, task_values
from bakeoff.running.work import Outcome, Status
from bakeoff.scores import Scores, blocks
from bakeoff.store.writer import Store


def values(store: Store, *measures: object, key: str = "study key") -> TaskValues:
    grid = study_grid(store, key)
    (task,) = grid.tasks
    return task_values(store, grid, task, resolve_measures(grid, list(measures) or None))  # type: ignore[arg-type]


def test_stored_values_are_taken_as_they_are(store: Store) -> None:
    ours = Registered(store)
    ours.write((0, 0, ok(0.123)), (1, 2, ok(0.456)))
    found = values(store, "error")
    expected = np.full((3, 2), np.nan)
    expected[0, 0], expected[2, 1] = 0.123, 0.456
    np.testing.assert_array_equal(found.values["error"], expected)
    assert found.tried.sum() == 2
    assert found.missing_reasons["error"] == {}
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
    assert values(store, "error").missing_reasons["error"] == {
        (0, 0): CellFailure("crash", "it broke"),
        (1, 0): CellFailure("undefined", "no rows"),
        (0, 1): CellFailure("undefined", "the value is inf"),
        (1, 1): CellFailure("undefined", "the value is not a number"),
        (2, 1): CellFailure("undefined", "error was not asked for when this cell was run, and needs a rerun."),
    }
    assert np.isnan(values(store, "error").values["error"]).all()


def test_a_learner_without_scores_has_no_auc(store: Store) -> None:
    ours = Registered(store)
    ours.write((0, 0, ours.wrong_in(0, 1, scores=False)))
    (why,) = values(store, "brier").missing_reasons["brier"].values()
    assert why.status == "undefined"
    assert "labels only" in why.message


def test_a_measure_of_another_kind_is_refused(store: Store) -> None:
    Registered(store).fill([0, 1])
    with pytest.raises(UsageError, match=r"Task 'ours': 'rmse' is a measure of regression, not of classification"):
        values(store, "rmse")


# ----------------------------------------------------------------------------------------------------------------------
# What schemes make of the scores of their splits.


EVERYTHING = np.arange(N, dtype=np.int32)
BOOTSTRAP = Splits(
    (
        Split(0, 1, EVERYTHING, EVERYTHING, APPARENT),
        Split(1, 1, rows(0, 0, 1, 2, 3, 4, 5, 6), rows(8, 9, 10, 11)),
        Split(2, 1, rows(4, 5, 6, 7, 8, 8, 9), rows(0, 1, 2, 3)),
    )
)


def values_combining(scores: Scores) -> list[list[float]]:
    return [list(map(float, row)) for row in blocks(scores).values]


def test_632(store: Store) -> None:
    ours = Registered(store, splits=BOOTSTRAP, scheme="632")
    ours.write(*((0, split, ours.wrong_in(split, wrong)) for split, wrong in enumerate([3, 1, 2])))
    ours.write(*((1, split, ours.wrong_in(split, 0)) for split in range(3)))
    scores = scores_of(store, ours.key, ["error", "fit_time"])
    expected = combine_632(3 / 12, [1 / 4, 2 / 4]).tolist()
    assert values_combining(scores.only(measure="error")) == [[expected[0], 0.0], [expected[1], 0.0]]
    assert scores.repeat.labels == ("1", "2")
    # A time is what it is: no share of it was "apparent".
    assert values_combining(scores.only(measure="fit_time")) == [[0.5, 0.5]] * 2
    assert "Each score is .368 of the apparent one" in " ".join(scores.notes)


def test_632_plus(store: Store) -> None:
    ours = Registered(store, learners=1, splits=BOOTSTRAP, scheme="632+")
    ours.write(*((0, split, ours.wrong_in(split, wrong)) for split, wrong in enumerate([2, 2, 3])))
    predicted = np.where(np.arange(N) < 2, 1 - TRUTH, TRUTH)
    gamma = float((TRUTH[:, None] != predicted).mean())
    expected = combine_632(2 / 12, [2 / 4, 3 / 4], gamma, plus=True)
    found = values_combining(scores_of(store, ours.key, ["error"]))
    assert np.ravel(found) == pytest.approx(expected, rel=1e-14)


def test_632_plus_of_accuracy_is_that_of_error_turned_round(store: Store) -> None:
    ours = Registered(store, learners=1, splits=BOOTSTRAP, scheme="632+")
    ours.write(*((0, split, ours.wrong_in(split, wrong)) for split, wrong in enumerate([2, 2, 3])))
    error, accuracy = (np.ravel(values_combining(scores_of(store, ours.key, [name]))) for name in ("error", "accuracy"))
    assert accuracy == pytest.approx(1 - error, rel=1e-14)


@pytest.mark.parametrize("measure", ["auc", "mcc"])
def test_632_plus_is_for_losses(store: Store, measure: str) -> None:
    ours = Registered(store, learners=1, splits=BOOTSTRAP, scheme="632+")
    ours.fill([1])
    scores = scores_of(store, ours.key, [measure])
    assert np.isnan(scores.value).all()
    assert set(scores.status.values()) == {"undefined"}
    assert f"and {measure} is none; the scheme '632'" in scores.message.values()[0]


def test_without_the_apparent_score_there_is_no_estimate(store: Store) -> None:
    ours = Registered(store, splits=BOOTSTRAP, scheme="632")
    ours.write((0, 0, failed("it broke")), (0, 1, ours.wrong_in(1, 0)), (0, 2, failed("this too")))
    ours.write((1, 1, ours.wrong_in(1, 0)))
    scores = scores_of(store, ours.key, ["error"])
    assert np.isnan(scores.value).all()
    told = dict(
        zip(zip(scores.learner.values(), scores.repeat.values(), strict=True), scores.message.values(), strict=True)
    )
    assert told["learner 0", "1"] == "in the fit to all rows, which the estimate needs: it broke"
    assert told["learner 0", "2"] == "this too"
    assert told["learner 1", "1"] == "the fit to all rows, which the estimate needs, was not run yet"


def test_a_failed_replicate_stays_failed(store: Store) -> None:
    ours = Registered(store, learners=1, splits=BOOTSTRAP, scheme="632")
    ours.write((0, 0, ours.wrong_in(0, 0)), (0, 1, failed("it broke")), (0, 2, ours.wrong_in(2, 2)))
    scores = scores_of(store, ours.key, ["error"])
    np.testing.assert_allclose(scores.value, [np.nan, 0.632 * 0.5])
    assert scores.message.values() == ["it broke", ""]


FOLDS = Splits(
    (
        Split(1, 1, rows(0, 1, 2, 3), rows(8, 9)),
        Split(1, 2, rows(8, 9, 10), rows(0, 1, 2, 3)),
        Split(2, 2, rows(4, 5, 6, 7, 8), rows(0, 1)),
    )
)


def test_averages_over_folds(store: Store) -> None:
    ours = Registered(store, learners=1, splits=FOLDS, scheme="bootstrap-cv")
    ours.write(*((0, split, ours.wrong_in(split, wrong)) for split, wrong in enumerate([1, 1, 2])))
    scores = scores_of(store, ours.key, ["error"])
    assert scores.value.tolist() == [(1 / 2 + 1 / 4) / 2, 1.0]
    assert scores.fold.labels == ("1",)
    assert scores.n_train.tolist() == [3.5, 5.0]
    assert scores.n_test.tolist() == [6.0, 2.0]


def test_a_repeat_has_no_average_if_a_fold_has_no_score(store: Store) -> None:
    ours = Registered(store, learners=2, splits=FOLDS, scheme="bootstrap-cv")
    ours.write((0, 0, ok(0.5)), (0, 1, failed("it broke")), (0, 2, ok(0.25)), (1, 0, ok(0.5)))
    scores = scores_of(store, ours.key, ["error"])
    assert scores.learner.values() == ["learner 0", "learner 0"]  # repeat 1 of the other is not whole yet
    np.testing.assert_array_equal(scores.value, [np.nan, 0.25])
    assert scores.message.values() == ["fold 2: it broke", ""]


@pytest.mark.parametrize("scheme", ["cross-validation", "of another version"])
def test_other_schemes_leave_scores_as_they_are(store: Store, scheme: str) -> None:
    ours = Registered(store, learners=1, splits=BOOTSTRAP, scheme=scheme)
    ours.fill([1])
    assert scores_of(store, ours.key, ["error"]).value.tolist() == [0.25, 0.25]  # the apparent one is no score


def test_loss_without_information() -> None:
    rng = np.random.default_rng(2)
    truth, predicted = rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    classes = Truth("classification", truth, ("a", "b", "c"))
    found = loss_without_information(response_from("error"), classes, Prediction(predicted))
    assert found == pytest.approx((truth[:, None] != predicted).mean(), rel=1e-12)
    numbers, guesses = rng.normal(size=40), rng.normal(size=40)
    squared = loss_without_information(
        response_from("squared_error"), Truth("regression", numbers), Prediction(guesses)
    )
    assert squared == pytest.approx(np.mean((numbers[:, None] - guesses[None, :]) ** 2), rel=1e-12)


def test_loss_without_information_of_a_large_sample_is_close() -> None:
    rng = np.random.default_rng(3)
    truth, predicted = rng.integers(0, 2, 5000), rng.integers(0, 2, 5000)
    found = loss_without_information(
        response_from("error"), Truth("classification", truth, (0, 1)), Prediction(predicted)
    )
    # 500 of 5000 predictions for each truth: 2.5 million pairs.
    assert found == pytest.approx((truth[:, None] != predicted).mean(), abs=0.001)
