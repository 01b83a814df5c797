from __future__ import annotations

from typing import Any

import pytest

from bakeoff.errors import InputError, UsageError

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
        ("truth,svm\nneg,0.2\npos,0.9\n", "'svm' holds predictions that are not among the labels"),
    ],
)
def test_what_is_unclear_is_asked(read: Any, text: str, why: str) -> None:
    with pytest.raises(UsageError, match=f"How should the predictions in scores.csv be scored. Column {why}") as caught:
        read(text)
    assert "--measure error (labels), brier or log_loss" in str(caught.value)


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
