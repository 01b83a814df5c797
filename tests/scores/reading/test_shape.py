from __future__ import annotations

from typing import Any

import pytest

from bakeoff.errors import UsageError
from bakeoff.scores.factor import Factor
from bakeoff.scores.reading.raw import RawTable
from bakeoff.scores.reading.shape import shape_of


def table(header: str, *rows: str) -> RawTable:
    cells = [row.split(",") for row in rows or [",".join("1" for _ in header.split(","))]]
    return RawTable("t.csv", tuple(header.split(",")), tuple(Factor.of(column) for column in zip(*cells, strict=True)))


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
