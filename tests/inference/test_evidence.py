"""Adjusted p and interval come from one place, and agree."""

from __future__ import annotations

from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from bakeoff.errors import MisfitError, UsageError
from bakeoff.inference.adjustments import ADJUSTMENTS, adjust
from bakeoff.inference.contrasts import against, all_pairs, between_groups
from bakeoff.inference.evidence import (
    CONSTANT_NOTE,
    SAME_NOTE,
    SINGLE_STEP,
    Comparison,
    DecidedPairs,
    Estimates,
    Interval,
    adjusted_levels,
    align_interval_with_p,
    compare_decided,
    compare_each,
    compare_estimates,
)
from bakeoff.inference.joint_laws import ModulusLaw, RangeLaw
from bakeoff.mathematics.laws import ALTERNATIVES, p_from_t, symmetric_interval
from bakeoff.mathematics.ranges import range_quantile

ALPHA = 0.05
METHODS = [SINGLE_STEP, *ADJUSTMENTS]


def estimates(k: int = 5, df: float = inf, seed: int = 0) -> Estimates:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(k, k))
    return Estimates(rng.normal(size=k) * 3, root @ root.T, df, ModulusLaw(df))


def rejects(row: Comparison) -> bool:
    return row.p_adjusted <= ALPHA


@pytest.mark.parametrize("df", [inf, 12.0])
@pytest.mark.parametrize(
    ("adjustment", "alternative"),
    [(SINGLE_STEP, "two-sided"), *((name, side) for name in ADJUSTMENTS for side in ALTERNATIVES)],
)
def test_the_interval_leaves_zero_out_where_the_adjusted_p_rejects(
    adjustment: str, alternative: str, df: float
) -> None:
    decided = set()
    for seed in range(20):
        for row in compare_estimates(estimates(df=df, seed=seed), all_pairs(range(5)), adjustment, ALPHA, alternative):
            assert rejects(row) == (row.lower > 0 or row.upper < 0)
            assert row.p <= row.p_adjusted
            decided.add(rejects(row))
    assert decided == {True, False}


def test_one_contrast_by_hand() -> None:
    made = Estimates(np.array([3.0, 1.0]), np.array([[2.0, 0.5], [0.5, 1.0]]), 8.0, ModulusLaw(8.0))
    (row,) = compare_estimates(made, all_pairs([0, 1]), "none", ALPHA, "two-sided")
    t = 2.0 / np.sqrt(2.0 + 1.0 - 2 * 0.5)
    assert row.statistic == pytest.approx(t)
    assert row.p == row.p_adjusted == pytest.approx(p_from_t(t, 8.0, "two-sided"))
    assert (row.lower, row.upper) == pytest.approx(symmetric_interval(2.0, np.sqrt(2.0), 8.0, 0.95, "two-sided"))
    assert (row.df, row.statistic_name, row.confidence, row.note) == ((8.0,), "t", 0.95, "")


def test_the_normal_law_names_its_statistic_z() -> None:
    row = compare_estimates(estimates(), all_pairs(range(5)), "holm", ALPHA, "two-sided")[0]
    assert (row.statistic_name, row.df) == ("z", ())


def test_single_step_by_the_range_uses_one_critical_value() -> None:
    made = Estimates(np.array([1.0, 2.0, 4.0]), np.eye(3) * 0.5, inf, RangeLaw(3))
    rows = compare_estimates(made, all_pairs(range(3)), SINGLE_STEP, ALPHA, "two-sided")
    half = range_quantile(ALPHA, 3) / np.sqrt(2)
    assert_allclose([row.upper - row.estimate for row in rows], half, rtol=1e-12)
    assert {row.interval for row in rows} == {Interval.SIMULTANEOUS}


def test_single_step_is_two_sided() -> None:
    with pytest.raises(UsageError, match="two-sided"):
        compare_estimates(estimates(), all_pairs(range(5)), SINGLE_STEP, ALPHA, "less")


@pytest.mark.parametrize("adjustment", METHODS)
def test_a_constant_difference_is_refused_in_its_own_row_only(adjustment: str) -> None:
    covariance = np.array([[1.0, 1.0, 0.2], [1.0, 1.0, 0.2], [0.2, 0.2, 1.0]])
    made = Estimates(np.array([1.0, 2.0, 5.0]), covariance, 9.0, ModulusLaw(9.0))
    refused, *others = compare_estimates(made, all_pairs(range(3)), adjustment, ALPHA, "two-sided")
    assert (refused.note, refused.interval, refused.statistic) == (CONSTANT_NOTE, Interval.NONE, -inf)
    assert isnan(refused.p)
    assert isnan(refused.p_adjusted)
    assert not any(isnan(row.p_adjusted) or row.note for row in others)


def test_identical_learners_are_not_told_apart() -> None:
    made = Estimates(np.array([1.0, 1.0]), np.ones((2, 2)), 9.0, ModulusLaw(9.0))
    (row,) = compare_estimates(made, all_pairs([0, 1]), "holm", ALPHA, "two-sided")
    assert (row.estimate, row.statistic, row.p, row.note) == (0.0, 0.0, 1.0, SAME_NOTE)
    assert isnan(row.lower)
    assert isnan(row.upper)
    assert row.interval is Interval.NONE


def test_rows_stand_in_the_order_of_the_contrasts() -> None:
    made = estimates()
    family = against(2, [4, 3, 2, 1, 0])
    rows = compare_estimates(made, family, "holm", ALPHA, "two-sided")
    assert [row.estimate for row in rows] == [made.values[i] - made.values[j] for i, j in family.pairs]


@given(
    p=st.lists(st.floats(0, 1), min_size=1, max_size=12),
    adjustment=st.sampled_from(sorted(ADJUSTMENTS)),
    alpha=st.floats(0.001, 0.5),
)
def test_levels_reject_what_the_adjusted_p_rejects(p: list[float], adjustment: str, alpha: float) -> None:
    if ADJUSTMENTS[adjustment].of_pairs is not None:
        p = p[: {1: 1, 2: 1}.get(len(p), 3 if len(p) < 6 else 6 if len(p) < 10 else 10)]  # all pairs of some learners
    adjusted, levels, _ = adjusted_levels(np.array(p), adjustment, alpha)
    assert_allclose(adjusted, adjust(p, adjustment))
    clear = np.abs(adjusted - alpha) > 1e-9
    assert (((np.array(p) <= levels) == (adjusted <= alpha)) | ~clear).all()


@pytest.mark.parametrize(
    ("adjustment", "kind"),
    [
        ("none", Interval.POINTWISE),
        ("bonferroni", Interval.SIMULTANEOUS),
        ("sidak", Interval.SIMULTANEOUS),
        ("holm", Interval.STEPWISE),
        ("bh", Interval.STEPWISE),
    ],
)
def test_an_interval_says_what_kind_it_is(adjustment: str, kind: Interval) -> None:
    assert adjusted_levels(np.array([0.01, 0.2, 0.9]), adjustment, ALPHA)[2] is kind
    assert adjusted_levels(np.array([0.01]), adjustment, ALPHA)[2] is Interval.POINTWISE


def shifted(first: int, second: int, confidence: float) -> Comparison:
    """A z test of the difference of the two numbers, with standard error one."""
    difference = float(first - second)
    low, high = symmetric_interval(difference, 1.0, inf, confidence, "two-sided")
    p = p_from_t(difference, inf, "two-sided")
    return Comparison(difference, low, high, confidence, Interval.POINTWISE, difference, "z", (), p, p)


@pytest.mark.parametrize("adjustment", sorted(ADJUSTMENTS))
def test_pairs_and_estimates_give_the_same(adjustment: str) -> None:
    family = all_pairs([0, 1, 2, 4])
    made = Estimates(np.arange(5.0), np.eye(5) / 2, inf, ModulusLaw())
    one = compare_estimates(made, family, adjustment, ALPHA, "two-sided")
    other = compare_each(
        len(family), lambda i, level: shifted(*family.pairs[i], level), adjustment, ALPHA, family.pairs
    )
    for a, b in zip(one, other, strict=True):
        assert a.interval is b.interval
        assert_allclose([a.lower, a.upper, a.p, a.p_adjusted], [b.lower, b.upper, b.p, b.p_adjusted], rtol=1e-9)


def test_pairs_know_no_joint_law() -> None:
    with pytest.raises(UsageError, match="holm or bonferroni instead of single-step"):
        compare_each(1, lambda _i, level: shifted(0, 1, level), SINGLE_STEP, ALPHA)


def test_pairs_that_all_fail_are_a_misfit() -> None:
    def refuse(_item: int, confidence: float) -> Comparison:
        return Comparison(nan, nan, nan, confidence, Interval.NONE, nan, "t", (), nan, nan, note="refused: no.")

    with pytest.raises(MisfitError, match=r"None of the 2 comparisons could be made\. refused: no\."):
        compare_each(2, refuse, "holm", ALPHA)


@given(
    centre=st.floats(-3, 3),
    half=st.floats(0.01, 3),
    p=st.floats(0, 1),
    confidence=st.floats(0.5, 0.999),
)
def test_an_agreeing_interval_never_contradicts_its_test(
    centre: float, half: float, p: float, confidence: float
) -> None:
    low, high = align_interval_with_p(centre - half, centre + half, p, confidence, estimate=centre)
    assert low <= high
    assert (p <= (1 - confidence) * (1 + 1e-12)) == (low > 0 or high < 0)


def test_an_interval_that_agrees_is_left_alone() -> None:
    assert align_interval_with_p(0.1, 0.3, 0.01, 0.95) == (0.1, 0.3)
    assert align_interval_with_p(-0.1, 0.3, 0.2, 0.95) == (-0.1, 0.3)
    assert all(isnan(end) for end in align_interval_with_p(nan, nan, 0.01, 0.95))


def test_pairs_that_a_procedure_decided() -> None:
    p = np.array([[1.0, 0.01, 0.2], [0.01, 1.0, 0.03], [0.2, 0.03, 1.0]])
    difference = np.subtract.outer(np.arange(3.0), np.arange(3.0))
    decided = DecidedPairs(difference, p, np.minimum(2 * p, 1), difference, "z", {(2, 0): "by hand"})
    family = all_pairs([2, 0, 1])
    own, holm = compare_decided(decided, family), compare_decided(decided, family, "holm")
    assert [row.p_adjusted for row in own] == [0.4, 0.06, 0.02]
    assert_allclose([row.p_adjusted for row in holm], adjust([0.2, 0.03, 0.01], "holm"))
    assert [(row.estimate, row.statistic, row.note) for row in own] == [(2, 2, "by hand"), (1, 1, ""), (-1, -1, "")]
    assert {row.interval for row in own} == {Interval.NONE}
    with pytest.raises(UsageError, match="contrasts between groups need another one"):
        compare_decided(decided, between_groups(["a + b vs c"], ["a", "b", "c"]))


@pytest.mark.parametrize("adjustment", ["single-step", "holm", "none"])
def test_a_refused_row_has_no_interval(adjustment: str) -> None:
    made = Estimates(np.array([0.1, 0.2, 0.35]), np.zeros((3, 3)), 4.0, RangeLaw(3, 4.0))
    for row in compare_estimates(made, all_pairs(range(3)), adjustment, 0.05, "two-sided"):
        assert row.interval is Interval.NONE
        assert all(map(isnan, (row.lower, row.upper, row.confidence, row.p_adjusted)))
