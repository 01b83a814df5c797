from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.measures import Measure
from bakeoff.scores import Factor, Scores
from bakeoff.scores.table import cell_numbers, describe

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
    column = Factor.of(range(n))
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
