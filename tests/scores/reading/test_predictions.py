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


# ----------------------------------------------------------------------------------------------------------------------
# Choose loss


LABELS = "truth,svm,knn\n1,1,0\n0,0.0,1\n"
PROBABILITIES = "truth,svm,knn\n1,0.9,0\n0,0.2,1\n"
NUMBERS = "truth,svm,knn\n1.5,1,2\n3,2,4\n"


@pytest.mark.parametrize(
    ("text", "measure", "reason"),
    [
        (LABELS, "error", "every prediction is one of the labels of the truth"),
        ("truth,svm\ncat,cat\ndog,cat\n", "error", "every prediction is one of the labels of the truth"),
        (PROBABILITIES, "brier", "the truth is 0 or 1 and the predictions lie between them: probabilities of class 1"),
        ("truth,svm\nTrue,0.5\nFalse,0.1\n", "brier", "probabilities of class 1"),
        (NUMBERS, "squared_error", "the truth and the predictions are numbers, and not labels"),
        ("truth,svm\n3,2.5\n1,1.5\n", "squared_error", "numbers, and not labels"),
    ],
)
def test_the_rule_and_its_reason(read: Any, text: str, measure: str, reason: str) -> None:
    scores = read(text)
    assert scores.measure.labels == (measure,)
    assert not scores.measures[measure].larger_is_better
    (note,) = [note for note in scores.notes if note.startswith(f"predictions are scored by {measure}: ")]
    assert reason in note


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("truth,svm\ncat,cat\ndog,cow\n", "'svm' holds predictions that are not among the labels of the truth .*'cow'"),
        ("truth,svm\n1,0.5\n0,3.5\n", "'svm' holds neither labels of the truth nor probabilities from 0 to 1"),
        ("truth,svm\n1,4\n2,2\n3,3\n", r"'svm' holds whole numbers, but not all among those of the truth: .*'4'"),
        ("truth,svm\n1.5,high\n2,2\n", "'svm' holds text, although the truth is a number .*'high'"),
    ],
)
def test_what_is_unclear_is_asked(read: Any, text: str, why: str) -> None:
    with pytest.raises(UsageError, match=f"How should the predictions in scores.csv be scored. Column {why}") as caught:
        read(text)
    assert "--measure error (labels), brier or log_loss" in str(caught.value)


def test_whose_probabilities_stand_beside_two_labels_is_asked(read: Any) -> None:
    with pytest.raises(UsageError, match="say --positive neg or --positive pos"):
        read("truth,svm\nneg,0.2\npos,0.9\n")


@pytest.mark.parametrize(
    ("text", "measure", "values"),
    [
        (LABELS, "accuracy", [1, 0, 1, 0]),
        (LABELS, "zero_one_loss", [0, 1, 0, 1]),
        (PROBABILITIES, "brier", [0.01, 1, 0.04, 1]),
        (NUMBERS, "absolute_error", [0.5, 0.5, 1, 1]),
        (NUMBERS, "MSE", [0.25, 0.25, 1, 1]),
        ("truth,svm\ncat,cow\n", "error", [1]),
        ("truth,svm\n1,4\n2,2\n3,3\n", "squared_error", [9, 0, 0]),
    ],
)
def test_a_loss_that_is_asked_for(read: Any, text: str, measure: str, values: list[float]) -> None:
    scores = read(text, measure=measure)
    assert scores.value.tolist() == pytest.approx(values)
    assert scores.measure.labels == (measure,)
    assert any(note.endswith(": as you said") for note in scores.notes)


def test_a_loss_that_does_not_fit(read: Any) -> None:
    with pytest.raises(
        UsageError, match=r"'error' compares labels, but column 'svm' of scores.csv holds probabilities"
    ):
        read(PROBABILITIES, measure="error")
    with pytest.raises(
        UsageError, match=r"'brier' needs a truth of 0 or 1, but column 'truth' of scores.csv holds 'neg'"
    ):
        read("truth,svm\nneg,0.2\npos,0.9\n", measure="brier")
    with pytest.raises(
        InputError, match=r"line 3, column 'svm': A probability from 0 to 1 was expected, but 1.5 was found"
    ):
        read("truth,svm\n1,0.2\n0,1.5\n", measure="log_loss")
    with pytest.raises(InputError, match="line 2, column 'svm': A number was expected, but 'cat' was found"):
        read("truth,svm\n1,cat\n", measure="squared_error")
    with pytest.raises(UsageError, match=r"There is no pointwise loss named 'f1'. Known are: absolute_error"):
        read(LABELS, measure="f1")


@pytest.mark.parametrize("measure", ["auc", "ROC AUC"])
def test_areas_are_compared_by_delong(read: Any, measure: str) -> None:
    with pytest.raises(UsageError, match=f"{measure} is computed from all instances together.*--with delong"):
        read(PROBABILITIES, measure=measure)


@pytest.mark.parametrize("name", ["y", "label", "target", "true", "truth"])
def test_labels_with_fractions_may_be_scores_of_a_learner(read: Any, name: str) -> None:
    """A learner called y beside others: its scores are no truth, and every other score would be an error."""
    text = f"fold,{name},svm\n1,0.25,0.5\n2,0.125,0.25\n"
    for measure in ("error", "accuracy"):
        with pytest.raises(UsageError, match=f"compares labels, but column '{name}' of scores.csv, read as the truth"):
            read(text, measure=measure)
    assert read(text, measure="error", shape="wide").learners == (name, "svm")
    assert read(text, measure="absolute_error").value.tolist() == [0.25, 0.125]
    exact = read("truth,svm\n12.50,12.5\n2.5,2.6\n", measure="accuracy", shape="predictions")
    assert exact.value.tolist() == [1, 0]


def test_log_loss_does_not_become_infinite(read: Any) -> None:
    scores = read("truth,svm\n1,0\n0,0.5\n", measure="log_loss")
    assert 30 < scores.value[0] < 40
