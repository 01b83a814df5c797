from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import zoo

from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging import analyse
from bakeoff.measures import Measure, known_measure
from bakeoff.scores import Level, Scores, blocks, layout, samples, unpaired
from bakeoff.scores.blocks import (
    UNDEFINED,
    Missing,
    Reason,
    grid,
    natural_level,
    reasons,
    undefined_because,
    within_tasks,
)

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
    value = [1.0, 2.0, 3.0, 5.0, 7.0, 9.0, 8.0, np.nan]
    scores = of(value, list("aabbaabb"), task=list("xxxxyyyy"), fold=list("12121212"))
    made = blocks(scores, incomplete=True)
    assert np.array_equal(made.values, [[1.5, 4], [8, np.nan]], equal_nan=True)


def test_runs_that_only_some_have_are_averaged_within_the_task() -> None:
    value = [1.0, 2.0, 3.0, 5.0, 7.0, 9.0, 8.0]
    scores = of(value, list("aabbaab"), task=list("xxxxyyy"), repeat=list("1212121"))
    assert blocks(scores).values.tolist() == [[1.5, 4], [8, 8]]
    facts = layout(scores)
    assert (facts.complete, facts.unequal_folds) == (True, True)
    assert facts.averaged == "each the mean of up to 2 runs, not all of which all learners have"
    # Whoever says what is to be done about holes is obeyed.
    assert blocks(scores, missing=Missing.DROP_BLOCK).values.tolist() == [[1.5, 4], [7, 8]]
    assert blocks(scores, missing=Missing.WORST).values.tolist() == [[1.5, 4], [8, 4.5]]


def test_a_task_that_a_learner_never_saw_is_missing() -> None:
    scores = of([1.0, 2.0, 3.0, 5.0, 7.0], list("aabba"), task=list("xxxxy"), repeat=list("12341"))
    with pytest.raises(MisfitError, match="b on task y"):
        blocks(scores)


# ----------------------------------------------------------------------------------------------------------------------
# What is said of cells without a value: why they have none, and only what helps.


ONE_CLASS = "All test rows (12) are of the class 'a'; an ROC curve needs rows of both classes."


def table(values: list[list[float]], statuses: dict[tuple[int, int], tuple[str, str]], tasks: bool = False) -> Scores:
    """A row a block, a column a learner; NaN has the status and message that are given, or is not there at all."""
    rows = [(b, k) for b, row in enumerate(values) for k, v in enumerate(row) if not np.isnan(v) or (b, k) in statuses]
    told = [statuses.get(cell, ("ok", "")) for cell in rows]
    return Scores.of(
        [values[b][k] for b, k in rows],
        learner=["abcdef"[k] for _, k in rows],
        measures={"auc": known_measure("auc")},
        status=[status for status, _ in told],
        message=[message for _, message in told],
        **{"task" if tasks else "fold": [str(b + 1) for b, _ in rows]},
    )


NAN = float("nan")
HALF = table([[NAN, NAN], [0.7, 0.6], [0.8, 0.9]], {(0, 0): (UNDEFINED, ONE_CLASS), (0, 1): (UNDEFINED, ONE_CLASS)})


def refusal(scores: Scores, missing: Missing = Missing.ERROR) -> MisfitError:
    with pytest.raises(MisfitError) as caught:
        blocks(scores, missing=missing)
    return caught.value


def test_a_measure_that_does_not_exist_is_no_failure() -> None:
    said = refusal(HALF)
    assert said.unmet == (f"2 cells, such as a on fold 1, are not defined: {ONE_CLASS}",)
    remedies = " ".join(said.alternatives)
    assert "stratify = true" in remedies
    assert "--measure NAME" in remedies
    assert "--missing drop-block" in remedies
    assert "worst" not in remedies
    assert "failed" not in remedies


def test_what_is_dropped_or_filled_keeps_its_reason() -> None:
    assert blocks(HALF, missing=Missing.DROP_BLOCK).undefined == ONE_CLASS
    assert blocks(HALF, missing=Missing.WORST).undefined == ONE_CLASS
    mixed = table([[NAN, 0.5], [0.7, NAN], [1, 1]], {(0, 0): (UNDEFINED, ONE_CLASS), (1, 1): ("timeout", "past 2 s")})
    assert blocks(mixed, missing=Missing.WORST).undefined == ""
    assert blocks(table([[0.1, 0.2]], {})).undefined == ""


def test_failures_are_told_with_what_they_said() -> None:
    said = refusal(table([[NAN, 0.5, 0.4], [0.7, 0.6, 0.5]], {(0, 0): ("error", "singular matrix")}))
    assert said.unmet == ("a on fold 1 failed (error): singular matrix",)
    remedies = " ".join(said.alternatives)
    assert "--missing worst" in remedies
    assert "--without a: leave it out, and nothing is missing" in remedies
    assert "stratify" not in remedies


def test_where_nothing_has_a_value_no_policy_is_offered() -> None:
    for status in (UNDEFINED, "error"):
        none = table([[NAN, NAN]] * 2, {(b, k): (status, "no reason") for b in range(2) for k in range(2)})
        for policy in Missing:
            said = refusal(none, policy)
            assert said.args[0].startswith("No cell of scores has a value for auc:")
            assert not [remedy for remedy in said.alternatives if "--missing" in remedy or "--without" in remedy]
            assert said.alternatives


def test_blocks_are_not_offered_to_be_dropped_if_each_has_a_hole() -> None:
    said = refusal(table([[NAN, 0.5], [NAN, 0.6]], {(b, 0): ("error", "x") for b in range(2)}))
    assert "drop-block" not in " ".join(said.alternatives)
    assert "--without" not in " ".join(said.alternatives), "one learner would be left"


@pytest.mark.parametrize(("tasks", "offered"), [(True, True), (False, False)])
def test_ranks_within_tasks_are_offered_where_a_learner_lacks_a_task(tasks: bool, offered: bool) -> None:
    said = refusal(table([[NAN, 0.5, 0.4], [0.7, 0.6, 0.5], [0.9, 0.6, 0.5]], {}, tasks))
    assert ("--with skillings-mack" in " ".join(said.alternatives)) is offered
    assert "a on " in said.unmet[0]


def test_reasons_are_counted_and_the_most_frequent_comes_first() -> None:
    mixed = table(
        [[NAN, 0.5], [NAN, NAN], [NAN, 1]],
        {(0, 0): ("error", "x"), (1, 0): (UNDEFINED, "y"), (1, 1): (UNDEFINED, "y")},
    )
    found = reasons(grid(mixed))
    assert [(reason.status, len(reason.cells)) for reason in found] == [(UNDEFINED, 2), ("error", 1), ("", 1)]
    assert undefined_because(found) == ""
    assert undefined_because(found[:1]) == "y"
    assert undefined_because(()) == ""


def test_a_reason_in_words() -> None:
    assert str(Reason("crash", "", ("a on fold 1",))) == "a on fold 1 failed (crash): no reason is told"
    assert not Reason("", "", ("a on fold 1",)).explains


# ----------------------------------------------------------------------------------------------------------------------
# Samples


def ragged() -> Scores:
    """Three folds of one learner, two of another, none of them shared; one fold failed."""
    return Scores.of(
        [0.7, 0.8, 0.9, 0.6, np.nan, 0.5],
        learner=["a", "a", "a", "b", "b", "b"],
        fold=["1", "2", "3", "4", "5", "6"],
        n_test=[10, 10, 10, 20, 20, 20],
        measures={"accuracy": zoo.measure("accuracy")},
    )


def test_each_learner_has_its_own_values() -> None:
    drawn = samples(ragged(), level=Level.RESAMPLES)
    assert [column.tolist() for column in drawn.values] == [[0.7, 0.8, 0.9], [0.6, 0.5]]
    assert drawn.means.tolist() == pytest.approx([0.8, 0.55])
    assert drawn.best_first == (0, 1)
    assert drawn.n_test == (30.0, 60.0)


def test_finer_rows_are_averaged() -> None:
    values = np.arange(12.0).reshape(6, 2)
    by_task = Scores.of(
        values.ravel(),
        learner=["a", "b"] * 6,
        task=[t for t in "xyz" for _ in range(4)],
        fold=[f for _ in range(3) for f in "1122"],
        measures={"rmse": zoo.measure("rmse")},
    )
    assert samples(by_task, level=Level.TASKS).values[0].tolist() == [1.0, 5.0, 9.0]
    assert samples(by_task, level=Level.RESAMPLES).values[1].tolist() == [1.0, 3.0, 5.0, 7.0, 9.0, 11.0]


def test_unshared_blocks_are_noticed() -> None:
    facts = layout(ragged())
    assert not facts.matched
    assert "no two learners on the same" in facts.sentence
    with pytest.raises(MisfitError, match="no two learners share a block"):
        analyse(ragged(), "corrected-t", ratio=0.1)


def test_shared_blocks_can_be_said_to_be_independent() -> None:
    scores = zoo.table(np.random.default_rng(0).random((5, 2)), kind="kfold")
    assert layout(scores).matched
    said = unpaired(scores)
    assert not layout(said).matched
    assert said.notes[-1] == "learners are independent samples, as you said"
    assert unpaired(scores).only(learners=["ada"]).independent


# ----------------------------------------------------------------------------------------------------------------------
# Within


def scores(values: list[float], **keys: list[str]) -> Scores:
    measure = known_measure("accuracy")
    assert measure is not None
    return Scores.of(values, measures={"accuracy": measure}, **keys)  # type: ignore[arg-type]


def two_learners(values: list[float]) -> Scores:
    return scores(
        values,
        learner=["a", "b"] * 6,
        task=["x"] * 6 + ["y"] * 6,
        fold=["1", "1", "2", "2", "3", "3"] * 2,
    )


def test_columns_are_cut_up_into_tasks() -> None:
    values = [0.1 * i for i in range(12)]
    found = within_tasks(two_learners(values))
    assert [part.tolist() for part in found.by_task(found.blocks.values[:, 1])] == [values[1:6:2], values[7:12:2]]


def test_rows_of_a_task_need_not_stand_together() -> None:
    found = within_tasks(scores([1, 2, 3, 4], learner=["a"] * 4, task=["x", "y", "x", "y"], fold=["1", "1", "2", "2"]))
    assert [part.tolist() for part in found.by_task(found.blocks.values[:, 0])] == [[1, 3], [2, 4]]


def test_repeats_are_folds_of_their_task_and_instances_are_averaged() -> None:
    found = within_tasks(
        scores([1, 3, 5, 7], learner=["a"] * 4, task=["x"] * 4, repeat=["1", "1", "2", "2"], instance=["i", "j"] * 2)
    )
    assert [part.tolist() for part in found.by_task(found.blocks.values[:, 0])] == [[2, 6]]


def test_missing_values_are_settled_as_ever() -> None:
    values = [0.1 * i for i in range(12)]
    values[3] = float("nan")
    with pytest.raises(MisfitError, match="no value"):
        within_tasks(two_learners(values))
    found = within_tasks(two_learners(values), missing=Missing.DROP_BLOCK)
    assert [len(part) for part in found.by_task(found.blocks.values[:, 0])] == [2, 3]
    worst = within_tasks(two_learners(values), missing=Missing.WORST)
    assert np.isfinite(worst.blocks.values).all()
