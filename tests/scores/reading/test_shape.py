from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.scores.reading.headers import directed
from bakeoff.scores.reading.raw import Column, RawTable
from bakeoff.scores.reading.shape import (
    PredictionColumns,
    combinations,
    numbered_within,
    refuse_missing_truth,
    scores_of_matrix,
    shape_of,
    spelled_once,
    status_of,
)
from bakeoff.scores.table import Labels


def table(header: str, *rows: str) -> RawTable:
    cells = [row.split(",") for row in rows or [",".join("1" for _ in header.split(","))]]
    return RawTable("t.csv", tuple(header.split(",")), tuple(Labels.of(column) for column in zip(*cells, strict=True)))


@pytest.mark.parametrize(
    ("header", "shape"),
    [
        ("model,dataset,acc", "long"),
        ("Algorithm,value", "long"),
        ("dataset,svm,knn", "wide"),
        ("DB,Rep,Fold,AlgA,AlgB", "wide"),
        ("svm,knn", "wide"),
        ("y_true,svm,knn", "predictions"),
        ("id,label,svm,knn", "predictions"),
        ("fold,truth,svm", "predictions"),
        ("reference,svm", "predictions"),
        ("question,reference,svm", "predictions"),
    ],
)
def test_headers_tell_the_shape(header: str, shape: str) -> None:
    assert shape_of(table(header)) == shape


def test_a_learner_called_reference_in_a_table_of_tasks() -> None:
    assert shape_of(table("dataset,reference,new", "iris,0.5,0.6", "wine,0.4,0.7")) == "wide"
    assert shape_of(table("fold,reference,new", "1,0.5,0.6", "2,0.4,0.7")) == "wide"
    assert shape_of(table("dataset,reference,new", "iris,0,1", "iris,1,1")) == "predictions"


def test_saying_what_the_rows_are_makes_the_table_wide() -> None:
    assert shape_of(table("target,actual"), rows="folds") == "wide"
    assert shape_of(table("target,svm"), rows="instances") == "predictions"


def test_rows_of_a_long_table_are_not_asked_for(read: Any) -> None:
    with pytest.raises(
        UsageError, match=r"--rows tasks says what the rows of a wide table are, but scores.csv was read"
    ):
        read("model,acc\nsvm,1\n", rows="tasks")
    with pytest.raises(UsageError, match="read as predictions"):
        read("truth,svm\n1,1\n", rows="folds", shape="predictions")


def test_the_shape_can_be_said(read: Any) -> None:
    scores = read("dataset,model,system\na,0.5,0.6\nb,0.7,0.8\n", shape="wide", measure="acc")
    assert scores.learners == ("model", "system")
    with pytest.raises(UsageError, match=r"shape cannot be 'wyde'. Did you mean 'wide'"):
        read("a,b\n1,2\n", shape="wyde")
    with pytest.raises(UsageError, match=r"rows cannot be 'task'. Did you mean 'tasks'"):
        read("a,b\n1,2\n", rows="task")


@pytest.mark.parametrize("name", ["y", "label", "target", "true"])
def test_numbers_for_each_task_beside_a_column_that_may_be_a_learner(read: Any, name: str) -> None:
    text = f"dataset,{name},svm\niris,0.25,0.5\nwine,0.125,0.25\n"
    with pytest.raises(
        UsageError, match=f"Is column '{name}' of scores.csv a learner, or the truth. Every row is another dataset"
    ) as caught:
        read(text)
    assert "Say --shape wide if it is a learner, or --shape predictions" in str(caught.value)
    assert read(text, measure="error", shape="wide").learners == (name, "svm")
    assert read(text, measure="error", rows="tasks").learners == (name, "svm")
    assert read(text, shape="predictions").learners == ("svm",)


def test_answers_to_problems_are_predictions() -> None:
    """A row per problem is no table of scores if the rows hold labels, or text, or several share their problem."""
    assert shape_of(table("problem,answer,gold,gpt", "a,7,7,7", "b,8,8,7")) == "predictions"
    assert shape_of(table("problem,gold,gpt", "a,7,7", "b,8,7")) == "predictions"
    assert shape_of(table("problem,gold,gpt", "a,cat,dog", "b,dog,0.5")) == "predictions"
    assert shape_of(table("dataset,y,svm", "a,0.5,0.6", "a,0.7,0.6")) == "predictions"
    assert shape_of(table("dataset,instance,y,svm", "a,1,0.5,0.6", "b,1,0.7,0.6")) == "predictions"


# ----------------------------------------------------------------------------------------------------------------------
# Answers


def answers(truth: Column | list[str], prediction: Column | list[str]) -> PredictionColumns:
    columns = tuple(Labels.of(column) if isinstance(column, list) else column for column in (truth, prediction))
    return PredictionColumns(
        RawTable("t.csv", ("truth", "svm"), columns, np.arange(2, 2 + len(columns[0]))), "truth", ("svm",)
    )


@pytest.mark.parametrize(
    ("label", "spelling"),
    [
        ("1", "1"),
        ("1.0", "1"),
        ("+1", "1"),
        ("1e0", "1"),
        ("2.50", "2.5"),
        ("cat", "cat"),
        ("inf", "inf"),
        ("1_0", "1_0"),
    ],
)
def test_equal_numbers_have_one_spelling(label: str, spelling: str) -> None:
    assert spelled_once(label) == spelling


@pytest.mark.parametrize(
    ("truth", "prediction", "labels"),
    [
        (["0", "1"], ["0.0", "1.0"], True),
        (["0", "1"], ["0", "2"], False),
        (["0", "1"], ["0", "0.5"], False),
        (["0", "1"], ["True", "False"], True),
        (["True", "False"], ["1", "0"], True),
        (["cat", "dog"], ["dog", ""], True),
        (["cat", "dog"], ["dog", "cow"], False),
        (["cat", "dog"], ["Cat", "dog"], False),
        (["0.5", "1.5"], ["0.5", "1.5"], False),
        (np.array([0, 1]), np.array([1.0, 0.0]), True),
        (np.array([0, 1]), np.array([1.0, 0.5]), False),
        (np.array([0, 1]), np.array([True, False]), True),
        (np.array([True, False]), ["1", "0"], True),
    ],
)
def test_whether_predictions_are_labels(truth: Column, prediction: Column, labels: bool) -> None:
    assert answers(truth, prediction).are_labels("svm") is labels


def test_codes_agree_where_labels_do() -> None:
    both = answers(["1", "None", "2", "3"], ["1.0", "None", "NA", "7"])
    numbering: dict[str, int] = {}
    truth, prediction = both.codes("truth", numbering), both.codes("svm", numbering)
    # "None" is a label here, because the truth has it; "NA" is a prediction that was not made.
    assert (truth == prediction).tolist() == [True, True, False, False]
    assert np.isnan(prediction).tolist() == [False, False, True, False]


def test_true_and_false_are_numbers_only_where_the_truth_is_two_valued() -> None:
    two = answers(["True", "False"], ["0.25", "true"])
    assert two.numbers("truth").tolist() == [1, 0]
    assert two.numbers("svm").tolist() == [0.25, 1]
    assert answers(["1", "2"], ["0.25", "true"]).numbers("svm") is None


@pytest.mark.parametrize(
    ("truth", "line"),
    [(["1", ""], 3), (["1", "NA"], 3), (["?", "2"], 2), (["cat", "nan"], 3), (np.array([1.0, np.nan]), 3)],
)
def test_a_truth_that_is_missing(truth: Column, line: int) -> None:
    both = answers(truth, ["1", "1"])
    with pytest.raises(InputError, match=f"t.csv, line {line}, column 'truth': The truth is missing in this row"):
        refuse_missing_truth(both.table, "truth")


def test_a_class_may_be_called_none() -> None:
    refuse_missing_truth(answers(["cat", "None", "-", "?"], ["cat"] * 4).table, "truth")


# ----------------------------------------------------------------------------------------------------------------------
# Matrix


def test_scores_stand_row_by_row() -> None:
    raw = RawTable("t", ("x",), (Labels.of(["a", "b"]),), np.array([2, 3]))
    scores = scores_of_matrix(
        raw,
        np.array([[1.0, 2.0], [3.0, np.nan]]),
        ["svm", "knn"],
        {"task": Labels.of(["iris", "wine"])},
        measure=Labels.constant("acc", 2),
        measures=directed(["acc"], None),
        n_train=np.array([10.0, 20.0]),
    )
    frame = scores.to_frame()
    assert frame.task.tolist() == ["iris", "iris", "wine", "wine"]
    assert frame.learner.tolist() == ["svm", "knn", "svm", "knn"]
    assert frame.n_train.tolist() == [10, 10, 20, 20]
    assert frame.status.tolist() == ["ok", "ok", "ok", "missing"]
    assert scores.repeat.labels == ("",)


def test_status_labels_are_in_order_of_appearance() -> None:
    assert status_of(np.array([np.nan, 1.0])).labels == ("missing", "ok")
    assert status_of(np.array([np.nan])).labels == ("missing",)
    assert status_of(np.array([1.0])).labels == ("ok",)


def test_numbers_within_groups_that_are_mixed() -> None:
    groups = [Labels.of(["a", "b", "a", "a", "b"]), Labels.of(["x", "x", "x", "y", "x"])]
    assert numbered_within(groups, 5).values() == ["1", "1", "2", "1", "2"]
    assert combinations(groups, 5) == 3
    assert numbered_within([], 3).values() == ["1", "2", "3"]
