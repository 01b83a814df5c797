"""Cells as people write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bakeoff import InputError, read_scores


def cells(*values: str, header: str = "accuracy") -> np.ndarray:
    frame = pd.DataFrame({"model": ["a"] * len(values), "fold": range(len(values)), header: values})
    return read_scores(frame, measure=header).value


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["90.0%", "85 %"], [90.0, 85.0]),
        (["87.2 ± 0.5", "86.1±0.4"], [87.2, 86.1]),
        (["87.2 +/- 0.5", "86.1"], [87.2, 86.1]),
        (["0.97 (0.01)", "0.95 [0.02]"], [0.97, 0.95]),
        (["0.97 (±0.01)", "0.95"], [0.97, 0.95]),
        (["95.3*", "94.1†"], [95.3, 94.1]),
        (["True", "False"], [1, 0]),
        (["yes", "no"], [1, 0]),
        (["C", "I"], [1, 0]),
        (["PASS", "fail"], [1, 0]),
    ],
)
def test_numbers_with_something_around_them(texts: list[str], numbers: list[float]) -> None:
    assert cells(*texts).tolist() == numbers


def test_thousands_and_minus_signs() -> None:
    assert cells("1,200.5", "980", header="rmse").tolist() == [1200.5, 980]
    assert cells("\u22120.5", "0.25", header="r2").tolist() == [-0.5, 0.25]


@pytest.mark.parametrize("word", ["OOM", "timeout", "crashed", "DNF"])
def test_failures_in_words_have_no_value(word: str) -> None:
    values = cells("0.5", word, "—")
    assert values[0] == 0.5
    assert np.isnan(values[1:]).all()


def test_what_was_done_is_told() -> None:
    frame = pd.DataFrame({"model": ["a", "b", "c"], "accuracy": ["87.2 ± 0.5", "OOM", "90%"]})
    notes = " / ".join(read_scores(frame).notes)
    assert "'accuracy': the mean is read; what stands beside it is not used, as it does not say what varies" in notes
    assert "OOM read as a failure, without a value" in notes


def test_a_word_among_numbers_is_still_an_error() -> None:
    with pytest.raises(InputError, match="A number was expected, but 'good' was found"):
        cells("0.5", "good")


def test_names_and_answers_stay_what_they_are() -> None:
    frame = pd.DataFrame({"model": ["50%", "10%"], "dataset": ["1,200", "1,300"], "accuracy": [0.5, 0.6]})
    assert read_scores(frame).learners == ("50%", "10%")
    assert read_scores(frame).tasks == ("1,200", "1,300")
    answers = pd.DataFrame({"truth": ["yes", "no", "yes"], "a": ["yes", "yes", "no"], "b": ["no", "no", "yes"]})
    assert read_scores(answers).value.tolist() == [0, 1, 1, 0, 1, 0]


def test_right_and_wrong_of_each_learner() -> None:
    frame = pd.DataFrame({"item": ["1", "2", "3"], "a": ["True", "False", "True"], "b": ["False", "False", "True"]})
    assert read_scores(frame, measure="accuracy").value.tolist() == [1, 0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    "text",
    [
        "dataset,tree,svm\na,90.0%,0.87\nb,85.1%,0.90\n",
        "dataset,tree,svm\na,90.0%,0.87 (0.01)\nb,85.1%,0.90 (0.02)\n",
        "model,dataset,accuracy\na,x,90.0%\nb,x,0.87\n",
    ],
)
def test_shares_beside_per_cent_are_asked_about(text: str, tmp_path: Path) -> None:
    """Ranked as they stand, whoever wrote shares would be the worst on every task."""
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(InputError, match="shares, or less than one per cent"):
        read_scores(path, measure="accuracy")


def test_another_measure_may_have_another_unit(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("model,dataset,accuracy,auc\na,x,90.0%,0.8\nb,x,87%,0.9\na,y,80%,0.7\nb,y,0.5%,0.6\n")
    assert read_scores(path, measure="auc").to_frame()["value"].max() == 0.9
    assert read_scores(path, measure="accuracy").to_frame()["value"].min() == 0.5
