from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bakeoff.errors import MisfitError, UsageError
from bakeoff.measures import Measure
from bakeoff.scores import Level, Missing, Scores, blocks
from bakeoff.scores.blocks import grid, natural_level

ACC = {"acc": Measure("acc", larger_is_better=True, lower=0, upper=1)}
ERR = {"err": Measure("err", larger_is_better=False)}


def of(value: list[float], learner: list[str], measures: dict[str, Measure] = ACC, **columns: Any) -> Scores:
    return Scores.of(value, learner=learner, measures=measures, **columns)


def test_one_row_a_block_and_one_column_a_learner() -> None:
    made = blocks(of([1, 2, 3, 4], ["a", "b", "b", "a"], task=["x", "x", "y", "y"]))
    assert made.values.tolist() == [[1, 2], [4, 3]]
    assert made.learners == ("a", "b")
    assert made.labels == ("task x", "task y")
    assert made.level is Level.TASKS


def test_blocks_keep_the_order_of_the_table() -> None:
    made = blocks(of([1, 2, 3], ["a"] * 3, task=["z", "a", "m"]))
    assert made.labels == ("task z", "task a", "task m")
    assert made.values.ravel().tolist() == [1, 2, 3]


def test_blocks_keep_the_order_of_the_table_under_several_keys() -> None:
    made = blocks(of([1, 2, 3], ["a"] * 3, task=["x", "y", "x"], fold=["2", "1", "1"]), level=Level.RESAMPLES)
    assert made.labels == ("task x, fold 2", "task y, fold 1", "task x, fold 1")
    assert made.values.ravel().tolist() == [1, 2, 3]


def test_folds_that_run_on_through_the_repeats() -> None:
    # 5 repeats × 2 folds, numbered 1..10: most pairs of repeat and fold do not exist.
    repeat = [str(i // 2) for i in range(10)]
    fold = [str(i) for i in range(10)]
    scores = of(list(range(20)), ["a", "b"] * 10, repeat=np.repeat(repeat, 2), fold=np.repeat(fold, 2))
    made = blocks(scores)
    assert made.values.tolist() == [[2 * i, 2 * i + 1] for i in range(10)]
    assert made.labels[9] == "repeat 4, fold 9"


def test_finer_rows_are_averaged_within_tasks() -> None:
    scores = of(
        [1, 3, 10, 20, 5, 7, 0, 2],
        ["a", "a", "b", "b"] * 2,
        task=["x"] * 4 + ["y"] * 4,
        fold=["1", "2"] * 4,
        n_train=[90, 110] * 4,
    )
    made = blocks(scores)
    assert made.values.tolist() == [[2, 15], [6, 1]]
    assert made.n_train.tolist() == [100, 100]
    fine = blocks(scores, level=Level.RESAMPLES)
    assert fine.values.shape == (4, 2)
    assert fine.labels[3] == "task y, fold 2"
    assert blocks(scores, level=Level.SINGLE).values.tolist() == [[4, 8]]


@pytest.mark.parametrize(
    ("columns", "level"),
    [
        ({}, Level.SINGLE),
        ({"fold": ["1", "2"]}, Level.RESAMPLES),
        ({"repeat": ["1", "2"]}, Level.RESAMPLES),
        ({"instance": ["1", "2"]}, Level.INSTANCES),
        ({"task": ["1", "2"]}, Level.TASKS),
        ({"task": ["1", "2"], "instance": ["1", "2"]}, Level.TASKS),
        ({"fold": ["1", "2"], "instance": ["1", "2"]}, Level.INSTANCES),
    ],
)
def test_the_level_that_a_table_speaks_at(columns: dict[str, list[str]], level: Level) -> None:
    learner = ["a", "a"] if columns else ["a", "b"]
    assert natural_level(of([1, 2], learner, **columns)) is level


def holes(measures: dict[str, Measure] = ACC) -> Scores:
    """a has x and y, b has x, and an empty cell on y; z is b's alone."""
    return of([0.5, 0.6, 0.7, np.nan, 0.2], ["a", "b", "a", "b", "b"], measures, task=["x", "x", "y", "y", "z"])


def test_missing_cells_are_an_error_that_names_them() -> None:
    with pytest.raises(MisfitError) as caught:
        blocks(holes())
    assert str(caught.value).startswith("2 of 6 cells of scores have no value for acc:")
    assert caught.value.unmet == ("b on task y", "a on task z")
    assert "--missing drop-block" in str(caught.value)
    assert "--missing worst" in str(caught.value)
    assert caught.value.exit_code == 3


def test_many_missing_cells_are_counted_and_not_all_named() -> None:
    scores = of([0.5] * 31, ["a"] * 30 + ["b"], task=[*map(str, range(30)), "0"])
    with pytest.raises(MisfitError, match="29 of 60 cells") as caught:
        blocks(scores)
    assert caught.value.unmet[-1] == "and 19 more"
    assert len(caught.value.unmet) == 11


def test_incomplete_blocks_can_be_dropped() -> None:
    made = blocks(holes(), missing=Missing.DROP_BLOCK)
    assert made.values.tolist() == [[0.5, 0.6]]
    assert made.dropped == ("task y", "task z")
    assert made.labels == ("task x",)
    nothing = of([1, 2], ["a", "b"], task=["x", "y"])
    with pytest.raises(MisfitError, match="nothing is left when incomplete blocks are dropped"):
        blocks(nothing, missing=Missing.DROP_BLOCK)


@pytest.mark.parametrize(("measures", "worst"), [(ACC, 0.2), (ERR, 0.7)])
def test_the_worst_value_seen_can_take_their_place(measures: dict[str, Measure], worst: float) -> None:
    made = blocks(holes(measures), missing=Missing.WORST)
    assert made.values.tolist() == [[0.5, 0.6], [0.7, worst], [worst, 0.2]]
    assert made.filled == ("b on task y", "a on task z")
    with pytest.raises(MisfitError, match="No cell of scores has a value"):
        blocks(of([np.nan], ["a"]), missing=Missing.WORST)


def test_a_hole_in_a_fold_does_not_vanish_in_the_average() -> None:
    scores = of([1, 3, 10, np.nan], ["a", "a", "b", "b"], task=["x"] * 4, fold=["1", "2"] * 2)
    with pytest.raises(MisfitError, match="1 of 4 cells"):
        blocks(scores, level=Level.TASKS)
    dropped = blocks(scores, level=Level.TASKS, missing=Missing.DROP_BLOCK)
    assert dropped.values.tolist() == [[1, 10]], "both learners are averaged over the same folds"


def test_present_tells_failed_from_never_tried() -> None:
    fine = grid(holes())
    assert fine.present.tolist() == [[True, True], [True, True], [False, True]]
    assert np.isnan(fine.values).tolist() == [[False, False], [False, True], [True, False]]


def test_several_measures_are_not_mixed() -> None:
    scores = of([1, 2], ["a", "a"], ACC | ERR, measure=["acc", "err"])
    with pytest.raises(UsageError, match=r"The table holds 2 measures \(acc, err\).*--measure NAME"):
        blocks(scores)


@pytest.mark.parametrize(("measures", "order"), [(ACC, (1, 0, 2)), (ERR, (0, 2, 1))])
def test_best_first(measures: dict[str, Measure], order: tuple[int, ...]) -> None:
    assert blocks(of([1, 2, 1], ["a", "b", "c"], measures)).best_first == order


def test_holes_may_stay_for_those_who_can_use_them() -> None:
    scores = of([1, 2, 3, 4, 5], ["a", "b", "a", "b", "a"], task=["x", "x", "y", "y", "z"])
    made = blocks(scores, incomplete=True)
    assert np.array_equal(made.values, [[1, 2], [3, 4], [5, np.nan]], equal_nan=True)
    assert made.means.tolist() == [3, 3]
    dropped = blocks(scores, missing=Missing.DROP_BLOCK, incomplete=True)
    assert dropped.values.tolist() == [[1, 2], [3, 4]]


def test_a_cell_is_a_hole_if_any_value_behind_it_is_missing() -> None:
    value = [1.0, 2.0, 3.0, 5.0, 7.0, 9.0, 8.0]
    scores = of(value, list("aabbaab"), task=list("xxxxyyy"), fold=list("1212121"))
    made = blocks(scores, incomplete=True)
    assert np.array_equal(made.values, [[1.5, 4], [8, np.nan]], equal_nan=True)
