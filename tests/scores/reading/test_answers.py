from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import InputError
from bakeoff.scores.factor import Factor
from bakeoff.scores.reading.answers import Answers, refuse_missing_truth, spelled_once
from bakeoff.scores.reading.raw import Column, RawTable


def answers(truth: Column | list[str], prediction: Column | list[str]) -> Answers:
    columns = tuple(Factor.of(column) if isinstance(column, list) else column for column in (truth, prediction))
    return Answers(RawTable("t.csv", ("truth", "svm"), columns, np.arange(2, 2 + len(columns[0]))), "truth", ("svm",))


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
