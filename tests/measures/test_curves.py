"""Curves over thresholds: against counting at every threshold."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.auc import auc
from bakeoff.measures.curves import (
    auc_interval,
    auc_variance,
    cheapest_class,
    cost_curve,
    decision_threshold,
    expected_cost,
    f_curve,
    lift_curve,
    many_class_measures,
    one_versus_rest,
    precision_recall_curve,
    risk,
    roc_curve,
    sensitivity_specificity_curve,
    two_class_measures,
)

# Scores from a few values, so that ties are common; both classes occur.
SCORED = st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=2, max_size=25).filter(
    lambda rows: len({label for label, _ in rows}) == 2
)


@given(SCORED)
def test_points_are_what_counting_gives(rows: list[tuple[bool, int]]) -> None:
    truth, score = np.array([y for y, _ in rows]), np.array([s for _, s in rows], dtype=float)
    roc, pr = roc_curve(truth, score), precision_recall_curve(truth, score)
    f, lift = f_curve(truth, score), lift_curve(truth, score)
    assert pr.thresholds.tolist() == sorted(set(score.tolist()), reverse=True)
    for i, threshold in enumerate(pr.thresholds):
        given_ = score >= threshold
        found = two_class_measures(
            int((truth & given_).sum()),
            int((truth & ~given_).sum()),
            int((~truth & given_).sum()),
            int((~truth & ~given_).sum()),
        )
        assert (roc.x[i + 1], roc.y[i + 1]) == pytest.approx((found.fp_rate, found.tp_rate))
        assert (pr.x[i], pr.y[i]) == pytest.approx((found.recall, found.precision))
        assert f.y[i] == pytest.approx(found.f1)
        assert (lift.x[i], lift.y[i]) == pytest.approx((given_.mean(), found.lift))


@given(SCORED)
def test_the_area_below_the_roc_curve_is_the_chance_to_outscore(rows: list[tuple[bool, int]]) -> None:
    truth, score = [y for y, _ in rows], [s for _, s in rows]
    curve = roc_curve(truth, score)
    assert np.trapezoid(curve.y, curve.x) == pytest.approx(auc(truth, score))
    assert (curve.x[0], curve.y[0], curve.x[-1], curve.y[-1]) == (0, 0, 1, 1)


def test_order_of_the_data_does_not_matter() -> None:
    truth, score = [1, 0, 1, 0], [0.5, 0.5, 0.2, 0.7]
    turned = roc_curve(truth[::-1], score[::-1])
    np.testing.assert_array_equal(roc_curve(truth, score).x, turned.x)


def test_sensitivity_and_specificity_are_the_roc_curve_turned() -> None:
    curve = sensitivity_specificity_curve([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1])
    assert curve.names == ("sensitivity", "specificity")
    assert curve.y.tolist() == [1.0, 1.0, 0.5, 0.5, 0.0]


def test_beta_moves_f_towards_recall() -> None:
    truth, score = [1, 0, 1], [0.9, 0.8, 0.7]
    precision_recall = precision_recall_curve(truth, score)
    np.testing.assert_allclose(f_curve(truth, score, beta=1e-6).y, precision_recall.y, atol=1e-6)
    np.testing.assert_allclose(f_curve(truth, score, beta=1e6).y, precision_recall.x, atol=1e-6)


def test_what_needs_positives_or_both_classes_says_so() -> None:
    with pytest.raises(DegenerateError, match="both classes"):
        roc_curve([1, 1], [0.1, 0.2])
    with pytest.raises(DegenerateError, match="at least one positive"):
        lift_curve([0, 0], [0.1, 0.2])
    assert precision_recall_curve([1, 1], [0.1, 0.2]).y.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("truth", "score", "sentence"),
    [
        ([0, 1], [0.1], "equally long"),
        ([0, 2], [0.1, 0.2], "must be 0 or 1"),
        ([0, 1], [0.1, float("nan")], "finite number"),
        ([], [], "at least one value"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(truth: list[float], score: list[float], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        roc_curve(truth, score)
    with pytest.raises(UsageError, match="β"):
        f_curve([0, 1], [0.1, 0.2], beta=0)


@given(SCORED)
def test_the_cost_curve_is_the_cheapest_threshold_everywhere(rows: list[tuple[bool, int]]) -> None:
    truth, score = np.array([y for y, _ in rows]), np.array([s for _, s in rows], dtype=float)
    curve = cost_curve(truth, score, points=11)
    for x, y in zip(curve.x, curve.y, strict=True):
        costs = [
            (1 - x) * (score[~truth] >= threshold).mean() + x * (score[truth] < threshold).mean()
            for threshold in (np.inf, *set(score))
        ]
        assert y == pytest.approx(min(costs), abs=1e-12)
    assert (curve.y <= np.minimum(curve.x, 1 - curve.x) + 1e-12).all(), "answering always the same costs no more"


# ----------------------------------------------------------------------------------------------------------------------
# DeLong's variance and interval of one AUC; values of pROC are among the oracles.


def test_the_variance_is_that_of_all_comparisons() -> None:
    rng = np.random.default_rng(1)
    truth, score = rng.integers(0, 2, 40), rng.integers(0, 8, 40)
    positive, negative = score[truth == 1], score[truth == 0]
    wins = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
    v10, v01 = wins.mean(axis=1), wins.mean(axis=0)
    expected = v10.var(ddof=1) / len(v10) + v01.var(ddof=1) / len(v01)
    assert auc_variance(truth, score) == pytest.approx(expected, rel=1e-12)


def test_the_interval_stays_inside_and_grows_with_confidence() -> None:
    truth, score = [0, 1, 0, 1, 1], [0.1, 0.4, 0.5, 0.6, 0.7]
    low, high = auc_interval(truth, score, 0.5)
    lower, higher = auc_interval(truth, score, 0.99)
    assert 0 <= lower < low < high <= higher == 1


def test_a_perfect_score_has_an_interval_without_width() -> None:
    assert auc_interval([0, 0, 1, 1], [1, 2, 3, 4]) == (1, 1)


def test_refusals_auc() -> None:
    with pytest.raises(DegenerateError, match="one positive instance"):
        auc_variance([0, 0, 1], [0.1, 0.2, 0.3])
    with pytest.raises(DegenerateError, match="both classes"):
        auc_variance([1, 1, 1], [0.1, 0.2, 0.3])
    with pytest.raises(UsageError, match="confidence"):
        auc_interval([0, 0, 1, 1], [1, 2, 3, 4], 1.0)


# ----------------------------------------------------------------------------------------------------------------------
# Confusion matrices: against counting by hand, and what 0/0 becomes.


COUNTS = st.integers(0, 50)


@given(st.tuples(COUNTS, COUNTS, COUNTS, COUNTS).filter(any))
def test_two_classes_are_the_matrix_of_two_classes(cells: tuple[int, int, int, int]) -> None:
    tp, fn, fp, tn = cells
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
        (lambda: risk([[1, 0], [0, 1]], [[0, 1, 2]]), "must have the shape"),
        (lambda: cheapest_class([[0.5, 0.5]], [[0, 1, 1]]), "2 classes have probabilities"),
        (lambda: decision_threshold(np.eye(3)), "two classes"),
    ],
)
def test_bad_input_is_refused_in_a_sentence_confusion(call, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=sentence):
        call()


def test_no_threshold_where_errors_cost_nothing() -> None:
    with pytest.raises(DegenerateError, match="must cost more"):
        decision_threshold([[0, 0], [1, 0]])


# --- costs and improvements -------------------------------------------------------------------------------------------


def test_costs_by_threshold_are_rocr_s() -> None:
    """R: ROCR's performance(prediction(s, y), "cost", cost.fp = 1, cost.fn = 5)."""
    y, s = [1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.8, 0.6, 0.5, 0.4, 0.3, 0.1]
    found = expected_cost(y, s, cost_fp=1, cost_fn=5)
    assert found.thresholds.tolist() == [np.inf, 0.9, 0.8, 0.6, 0.5, 0.4, 0.3, 0.1]
    assert found.costs == pytest.approx([2.5, 1.875, 1.375, 0.75, 0.875, 1.0, 0.375, 0.5])
    assert (found.best, found.least) == (0.3, 0.375)


def test_of_thresholds_that_cost_the_same_the_largest_is_best() -> None:
    found = expected_cost([1, 0, 1, 0], [4, 3, 2, 1])
    assert found.costs.tolist() == [0.5, 0.25, 0.5, 0.25, 0.5]
    assert found.best == 4


def test_if_false_alarms_cost_nothing_everybody_is_called_and_if_misses_do_nobody() -> None:
    y, s = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.2]
    assert expected_cost(y, s, cost_fp=0, cost_fn=1).least == 0
    assert expected_cost(y, s, cost_fp=1, cost_fn=0).best == np.inf


@pytest.mark.parametrize("costs", [(-1, 1), (1, np.nan), (np.inf, 1)])
def test_costs_are_finite_and_not_negative(costs: tuple[float, float]) -> None:
    with pytest.raises(UsageError, match="must be finite and not negative"):
        expected_cost([1, 0], [1, 0], *costs)
