"""Confusion matrices: against counting by hand, and what 0/0 becomes."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.measures.confusion import (
    cheapest_class,
    confusion_matrix,
    decision_threshold,
    many_class_measures,
    one_versus_rest,
    risk,
    two_class_measures,
)

COUNTS = st.integers(0, 50)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_two_classes_are_the_matrix_of_two_classes(tp: int, fn: int, fp: int, tn: int) -> None:
    if tp + fn + fp + tn == 0:
        return
    ours, table = two_class_measures(tp, fn, fp, tn), many_class_measures([[tp, fn], [fp, tn]])
    assert ours.accuracy == pytest.approx(table.accuracy)
    assert ours.error == pytest.approx(table.error)
    np.testing.assert_allclose(
        [ours.recall, ours.precision, ours.f1], [table.recall[0], table.precision[0], table.f1[0]]
    )
    assert one_versus_rest([[tp, fn], [fp, tn]], 0) == pytest.approx(ours, nan_ok=True)


def test_nothing_assigned_to_the_positive_class_has_no_precision_and_an_f_of_zero() -> None:
    found = two_class_measures(tp=0, fn=10, fp=0, tn=90)
    assert isnan(found.precision)
    assert isnan(found.lift)
    assert (found.f1, found.recall, found.specificity) == (0, 0, 1)


def test_without_positives_there_is_no_recall() -> None:
    found = two_class_measures(tp=0, fn=0, fp=5, tn=5)
    assert isnan(found.recall)
    assert isnan(found.sensitivity)
    assert found.fp_rate == 0.5


def test_kappa_is_zero_for_chance_and_one_for_agreement() -> None:
    assert many_class_measures([[20, 20], [10, 10]]).kappa == pytest.approx(0)
    assert many_class_measures([[3, 0, 0], [0, 4, 0], [0, 0, 5]]).kappa == 1
    assert isnan(many_class_measures([[3, 0], [0, 0]]).kappa)


def test_counting_follows_the_classes_given() -> None:
    names, matrix = confusion_matrix([1, 0, 1], [1, 1, 0], classes=[1, 0, 2])
    assert names == (1, 0, 2)
    assert matrix.tolist() == [[1, 1, 0], [1, 0, 0], [0, 0, 0]]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_counting_is_counting(pairs: list[tuple[int, int]]) -> None:
    names, matrix = confusion_matrix([a for a, _ in pairs], [b for _, b in pairs])
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            assert matrix[i, j] == pairs.count((a, b))


def test_zero_one_loss_has_the_error_as_risk() -> None:
    matrix = [[50, 3, 2], [4, 40, 6], [1, 7, 37]]
    assert risk(matrix, 1 - np.eye(3)) == pytest.approx(many_class_measures(matrix).error)


@pytest.mark.parametrize("alpha", [0.1, 1.0, 4.0])
def test_the_threshold_of_the_exercise(alpha: float) -> None:
    """Alpaydın's exercise 1: α/(1 + α), where taking the second class for the first costs α."""
    loss = [[0, 1], [alpha, 0]]
    threshold = decision_threshold(loss)
    assert threshold == pytest.approx(alpha / (1 + alpha))
    above, below = threshold + 1e-6, threshold - 1e-6
    assert cheapest_class([[above, 1 - above], [below, 1 - below]], loss).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: two_class_measures(0, 0, 0, 0), "at least one instance"),
        (lambda: two_class_measures(-1, 0, 0, 2), "'tp' must be a whole number"),
        (lambda: two_class_measures(0.5, 0, 0, 2), "whole number"),
        (lambda: two_class_measures(float("nan"), 0, 0, 2), "whole number"),
        (lambda: many_class_measures([[1, 2, 3], [4, 5, 6]]), "as many rows as columns"),
        (lambda: many_class_measures([[0, 0], [0, 0]]), "only zeros"),
        (lambda: many_class_measures([[1.5, 0], [0, 1]]), "whole number"),
        (lambda: one_versus_rest([[1, 0], [0, 1]], 2), "one of 0 to 1"),
        (lambda: confusion_matrix([1], [1, 2]), "found 1 and 2"),
        (lambda: confusion_matrix([], []), "found none"),
        (lambda: confusion_matrix(["a"], ["b"], classes=["a"]), "'b' is not among the classes 'a'"),
        (lambda: risk([[1, 0], [0, 1]], [[0, 1, 2]]), "must have the shape"),
        (lambda: cheapest_class([[0.5, 0.5]], [[0, 1, 1]]), "2 classes have probabilities"),
        (lambda: decision_threshold(np.eye(3)), "two classes"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=sentence):
        call()


def test_no_threshold_where_errors_cost_nothing() -> None:
    with pytest.raises(DegenerateError, match="must cost more"):
        decision_threshold([[0, 0], [1, 0]])
