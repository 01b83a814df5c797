"""Curves over thresholds: against counting at every threshold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.auc import auc
from bakeoff.measures.confusion import two_class_measures
from bakeoff.measures.curves import (
    cost_curve,
    f_curve,
    lift_curve,
    precision_recall_curve,
    roc_curve,
    sensitivity_specificity_curve,
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
