from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from math import nan
from typing import Any

import numpy as np
import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.measures import Measure, known_measure
from bakeoff.scores import Scores, long_form
from bakeoff.scores.table import Labels, cell_numbers, describe, frozen

ACC = {"acc": Measure("acc", larger_is_better=True)}


def of(value: list[float], learner: list[str], **columns: Any) -> Scores:
    return Scores.of(value, learner=learner, measures=columns.pop("measures", ACC), **columns)


def test_a_table_cannot_be_changed() -> None:
    scores = of([1, 2], ["a", "b"])
    with pytest.raises(FrozenInstanceError):
        scores.source = "other"  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        scores.value[0] = 3
    given = np.array([1.0, 2.0])
    made = Scores.of(given, learner=["a", "b"], measures=ACC)
    given[0] = 9
    assert made.value[0] == 1, "a table does not share the array it was made from"


def test_no_rows() -> None:
    with pytest.raises(InputError, match="scores: There are no scores: a table with at least one row was expected"):
        of([], [])


def test_columns_of_different_length() -> None:
    with pytest.raises(UsageError, match="Column 'learner' has 1 rows, but there are 2 values"):
        of([1, 2], ["a"])
    with pytest.raises(UsageError, match="Column 'n_train' has 3 rows, but there are 2 values"):
        of([1, 2], ["a", "b"], n_train=[1, 2, 3])


def test_an_unknown_direction() -> None:
    with pytest.raises(
        UsageError, match=r"direction of measure 'frob' is not known. .*--larger-is-better or --smaller"
    ):
        of([1, 2], ["a", "b"], measure=["frob", "frob"])
    with pytest.raises(UsageError, match="Without a measure column there must be one measure; found 2"):
        of([1], ["a"], measures=ACC | {"auc": Measure("auc", larger_is_better=True)})


def test_infinities_name_the_cell_and_the_line() -> None:
    with pytest.raises(InputError, match=r"s.csv, line 7: The value for learner 'b', task 't' is infinite") as caught:
        of([1, np.inf, -np.inf], ["a", "b", "c"], task=["t"] * 3, lines=[6, 7, 8], source="s.csv")
    assert "(1 more like it)" in str(caught.value)
    assert type(caught.value.line) is int


def test_values_whose_sums_are_no_numbers_are_refused() -> None:
    with pytest.raises(InputError, match=r"s.csv, line 7: The value for learner 'b' is -1e\+308: sums of such values"):
        of([1, -1e308], ["a", "b"], lines=[6, 7], source="s.csv")
    assert of([1e300], ["a"]).value.tolist() == [1e300]


def test_doubled_cells_name_both_lines() -> None:
    with pytest.raises(InputError) as caught:
        of([1, 2, 3, 4], ["a", "b", "a", "a"], fold=["1"] * 4, lines=np.array([2, 3, 5, 9]), source="s.csv")
    text = str(caught.value)
    assert text.startswith("s.csv, line 5: There is a second value for learner 'a', fold '1', first on line 2;")
    assert "(1 more like it)" in text


def test_the_same_learner_on_another_fold_repeat_task_instance_or_measure_is_no_double() -> None:
    two = ACC | {"auc": Measure("auc", larger_is_better=True)}
    for key in ("fold", "repeat", "task", "instance"):
        assert len(of([1, 2], ["a", "a"], **{key: ["1", "2"]})) == 2
    assert len(of([1, 2], ["a", "a"], measure=["acc", "auc"], measures=two)) == 2


def test_the_numbers_of_cells_do_not_overflow() -> None:
    # The product of the label counts is 10,000^5 > 2^63; wrapped round, different cells could share a number.
    n = 10_000
    column = Labels.of(range(n))
    scores = Scores.of(
        np.zeros(n), learner=column, task=column, repeat=column, fold=column, instance=column, measures=ACC
    )
    numbers = cell_numbers(scores)
    assert len(np.unique(numbers)) == n
    assert numbers.min() >= 0


def test_only_some_rows() -> None:
    two = ACC | {"auc": Measure("auc", larger_is_better=True)}
    scores = of(
        [1, 2, 3, 4],
        ["a", "b", "a", "b"],
        measure=["acc", "acc", "auc", "auc"],
        measures=two,
        task=["x", "x", "x", "x"],
    )
    assert scores.only(measure="auc").value.tolist() == [3, 4]
    assert set(scores.only(measure="auc").measures) == {"auc"}
    assert scores.only(learners=["b", "a"]).learners == ("b", "a"), "learners come in the order asked for"
    assert scores.only(learners=["b"]).value.tolist() == [2, 4]
    with pytest.raises(UsageError, match=r"There is no learner 'c' in scores. Known are: a, b"):
        scores.only(learners=["c"])


def test_describe_leaves_out_what_does_not_apply() -> None:
    scores = of([1, 2], ["a", "b"], task=["x", "y"])
    assert describe(scores, 1) == "learner 'b', task 'y'"


def test_as_a_frame_and_in_words() -> None:
    scores = of([1, np.nan], ["a", "<b>"], status=["ok", "timeout"], message=["", "slow"])
    frame = scores.to_frame()
    assert list(frame.columns) == ["learner", "measure", "value", "status", "message"]
    assert repr(scores) == "<Scores: 2 rows, 2 learners, 1 task, acc; 1 without a value>"
    assert repr(of([1], ["a"])) == "<Scores: 1 row, 1 learner, 1 task, acc>"
    assert "&lt;b&gt;" in scores._repr_html_()
    assert "<b>" not in scores._repr_html_()


# ----------------------------------------------------------------------------------------------------------------------
# Labels


def test_labels_in_order_of_first_appearance() -> None:
    column = Labels.of(["b", "a", "b", "c"])
    assert column.labels == ("b", "a", "c")
    assert column.codes.tolist() == [0, 1, 0, 2]
    assert column.values() == ["b", "a", "b", "c"]


def test_labels_are_text() -> None:
    assert Labels.of([1, 2.5, None, "x"]).labels == ("1", "2.5", "None", "x")


def test_a_constant_column() -> None:
    assert Labels.constant("x", 3).values() == ["x", "x", "x"]
    assert Labels.constant("x", 0).labels == (), "a label that no row has is not there"


def test_some_rows_keep_the_labels_that_are_used() -> None:
    some = Labels.of(["a", "b", "c", "b"]).where(np.array([False, True, True, True]))
    assert some.labels == ("b", "c")
    assert some.values() == ["b", "c", "b"]


def test_codes_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Labels.of(["a"]).codes[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        frozen(np.zeros(2))[0] = 1


# ----------------------------------------------------------------------------------------------------------------------
# The long form: one value for each learner on each resample of each task.


ACCURACY = {"accuracy": known_measure("accuracy")}


def test_instances_are_averaged_and_missing_values_left_out() -> None:
    made = Scores.of(
        [1, 0, 1, 1, nan, 0.5],
        learner=["a", "a", "b", "b", "a", "b"],
        task=["t", "t", "t", "t", "u", "u"],
        fold=["1", "1", "1", "1", "1", "1"],
        instance=["x", "y", "x", "y", "z", "z"],
        measures=ACCURACY,  # type: ignore[arg-type]
    )
    value, learner, task = long_form(made)
    assert value.tolist() == [0.5, 1.0, 0.5]
    assert learner.tolist() == ["a", "b", "b"]
    assert task.tolist() == ["t", "t", "u"]


def test_learners_may_have_folds_of_their_own() -> None:
    made = Scores.of(
        [0.1, 0.2, 0.3],
        learner=["a", "a", "b"],
        fold=["1", "2", "3"],
        measures=ACCURACY,  # type: ignore[arg-type]
    )
    assert long_form(made)[0].tolist() == [0.1, 0.2, 0.3]


# ----------------------------------------------------------------------------------------------------------------------
# Predictions that are numbers stay beside the losses made from them.


Read = Callable[..., Scores]
TABLE = "truth,task,a,b\n1,x,0.9,0.2\n0,x,0.1,0.3\n1,y,0.6,0.7\n0,y,0.4,0.8\n"


def test_numbers_are_kept(read: Read) -> None:
    kept = read(TABLE).predictions
    assert kept is not None
    assert kept.binary
    assert kept.truth.tolist() == [1.0, 0.0, 1.0, 0.0]
    assert kept.values[:, 1].tolist() == [0.2, 0.3, 0.7, 0.8]


def test_they_follow_the_choice_of_tasks_and_learners(read: Read) -> None:
    kept = read(TABLE).only(tasks=["y"], learners=["b"]).predictions
    assert kept is not None
    assert kept.learners == ("b",)
    assert kept.values.tolist() == [[0.7], [0.8]]
    assert np.array_equal(kept.truth, [1.0, 0.0])


def test_labels_are_kept_by_number_and_gaps_are_not(read: Read) -> None:
    kept = read("truth,a,b\ndog,dog,dog\ncat,cat,dog\n").predictions
    assert kept is not None
    assert (kept.classes, kept.truth.tolist(), kept.values.tolist()) == (("cat", "dog"), [1, 0], [[1, 1], [0, 1]])
    assert not kept.binary  # numbers of classes are no scores
    assert read("truth,a,b\n1,0.9,\n0,0.1,0.3\n").predictions is None


def test_scores_finding_and_verdict_can_be_pickled(read: Read) -> None:
    import pickle

    from bakeoff.judging import analyse, judge

    scores = read("truth,a,b\n1,0.9,0.4\n0,0.2,0.6\n1,0.7,0.8\n0,0.1,0.3\n")
    again = pickle.loads(pickle.dumps(scores))
    assert again.to_frame().equals(scores.to_frame())
    assert (again.measures, again.notes, again.source) == (scores.measures, scores.notes, scores.source)
    assert again.predictions.values.tolist() == scores.predictions.values.tolist()
    for array in (again.value, again.learner.codes, again.n_test, again.predictions.truth):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(TypeError):
        again.measures["brier"] = None
    for made in (analyse(scores, "paired-t"), judge(scores)):
        assert pickle.loads(pickle.dumps(made)) == made
