from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.scores import Level, blocks, layout, read_scores


def test_a_loss_per_learner_and_instance(read: Any) -> None:
    scores = read("id,y_true,svm,knn\nq1,cat,cat,dog\nq2,dog,cat,dog\n")
    assert blocks(scores).values.tolist() == [[0, 1], [1, 0]]
    assert scores.instance.labels == ("q1", "q2")
    assert layout(scores).level is Level.INSTANCES
    assert layout(scores).binary
    assert scores.notes[:3] == (
        "read as predictions, a column per learner beside the truth",
        "column 'y_true' read as truth",
        "column 'id' read as instance",
    )


def test_instances_are_numbered_if_nothing_tells_them_apart(read: Any) -> None:
    scores = read("truth,svm\n1,1\n0,1\n")
    assert scores.instance.labels == ("1", "2")
    assert "instances are numbered from 1" in scores.notes
    doubled = read("id,truth,svm\nx,1,1\nx,0,1\n")
    assert doubled.instance.labels == ("1", "2")
    assert doubled.learners == ("svm",)


def test_an_instance_column_that_repeats_itself_is_an_error(read: Any) -> None:
    with pytest.raises(InputError, match="line 3: There is a second value for learner 'svm', instance 'x'"):
        read("instance,truth,svm\nx,1,1\nx,0,1\n")


def test_tasks_and_folds(read: Any) -> None:
    scores = read("dataset,fold,id,label,svm\na,1,1,x,x\na,2,1,y,x\nb,1,1,x,y\n")
    assert scores.tasks == ("a", "b")
    assert scores.fold.values() == ["1", "2", "1"]
    assert scores.value.tolist() == [0, 1, 1]
    assert layout(scores).level is Level.TASKS


def test_a_prediction_that_is_missing(read: Any) -> None:
    labels = read("truth,svm,knn\ncat,,cat\ndog,dog,NA\n")
    assert np.isnan(labels.value).tolist() == [True, False, False, True]
    assert labels.status.values() == ["missing", "ok", "ok", "missing"]
    numbers = read("truth,svm\n1.5,\n2.5,2\n")
    assert np.isnan(numbers.value).tolist() == [True, False]


def test_a_missing_truth(read: Any) -> None:
    with pytest.raises(InputError, match=r"scores.csv, line 3, column 'label': The truth is missing in this row"):
        read("label,svm\n1,1\n,1\n")


def test_no_predictions_at_all(read: Any) -> None:
    with pytest.raises(InputError, match=r"Beside the truth \('label'\) a column of predictions for each learner was"):
        read("id,label\n1,0\n2,1\n")
    with pytest.raises(InputError, match="Predictions need a column 'truth'"):
        read("svm,knn\n1,0\n", shape="predictions")


def test_an_infinite_prediction_names_its_line(read: Any) -> None:
    with pytest.raises(InputError, match="line 2: The value for learner 'svm', instance '1' is infinite"):
        read("truth,svm\n1.5,inf\n2.5,2\n")


def test_weak_names_for_the_truth(read: Any) -> None:
    scores = read("reference,svm\nx,x\ny,x\n")
    assert scores.value.tolist() == [0, 1]
    assert "column 'reference' read as truth" in scores.notes


def test_the_direction_of_a_loss_can_be_contradicted_and_it_shows(read: Any) -> None:
    scores = read("truth,svm\n1,1\n0,1\n", larger_is_better=True)
    assert scores.measures["error"].origin == "as you said; usually smaller is better"


def test_decimal_commas(read: Any) -> None:
    scores = read("truth;svm\n1;0,5\n0;0,25\n")
    assert scores.measure.labels == ("brier",)
    assert scores.value.tolist() == [0.25, 0.0625]


def test_numbers_from_parquet_and_text_from_csv_give_the_same(write: Any) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 50)
    frame = pd.DataFrame({"truth": truth, "a": rng.random(50).round(3), "b": rng.random(50) < 0.5})
    frame.to_csv("p.csv", index=False)
    frame.to_parquet("p.parquet", index=False)
    text, numbers = read_scores("p.csv"), read_scores("p.parquet")
    assert numbers.measure.labels == ("brier",)
    np.testing.assert_array_equal(text.value, numbers.value)
    expected = np.column_stack([(frame.a - truth) ** 2, (frame.b.astype(float) - truth) ** 2]).ravel()
    np.testing.assert_allclose(numbers.value, expected)


def test_one_loss_at_a_time(read: Any) -> None:
    with pytest.raises(
        UsageError, match=r"Say one measure, not 2 \(error, brier\): predictions are scored by one loss"
    ):
        read("truth,svm\n1,0\n0,1\n", measure=["error", "brier"])


@pytest.mark.parametrize("measure", ["squared_error", "absolute_error"])
def test_a_loss_beyond_all_numbers_names_its_cell(read: Any, measure: str) -> None:
    """In a sentence, and without a warning that shows a line of the source."""
    with pytest.raises(
        InputError,
        match=rf"line 3, column 'b': The {measure} of -1e\+308 where the truth is 1e\+308 leaves the range of numbers",
    ):
        read("truth,a,b\n1,2,3.5\n1e308,1e308,-1e308\n", measure=measure)
    assert read("truth,a\n1.5,\n2.5,3\n", measure=measure).value.tolist()[1] > 0  # a missing one is no overflow
