"""Student's t for paired differences: against scipy, at the edges of floating point, and bad input."""

from __future__ import annotations

from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.procedures.mean_difference import mean_difference

COLUMN = st.lists(st.integers(-1000, 1000), min_size=2, max_size=40)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Two columns whose differences are not all the same."""
    a = np.array(draw(COLUMN)) / 8
    d = np.array(
        draw(st.lists(st.integers(-50, 50), min_size=len(a), max_size=len(a)).filter(lambda x: len(set(x)) > 1))
    )
    return a, a - d / 8


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@given(columns=pairs(), confidence=st.floats(0.5, 0.999))
def test_agrees_with_scipy(alternative: str, columns: tuple[np.ndarray, np.ndarray], confidence: float) -> None:
    ours = mean_difference(*columns, confidence=confidence, alternative=alternative)
    theirs = stats.ttest_rel(*columns, alternative=alternative)
    interval = theirs.confidence_interval(confidence)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-12)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-8, abs=1e-14)
    assert ours.df == (theirs.df,)
    assert (ours.lower, ours.upper) == pytest.approx((interval.low, interval.high), rel=1e-8, abs=1e-9)


@given(columns=pairs(), alpha=st.floats(0.001, 0.4), alternative=st.sampled_from(["two-sided", "greater", "less"]))
def test_interval_leaves_the_null_out_when_p_rejects(
    columns: tuple[np.ndarray, np.ndarray], alpha: float, alternative: str
) -> None:
    ours = mean_difference(*columns, confidence=1 - alpha, alternative=alternative, inflation=0.25)
    if abs(ours.p - alpha) > 1e-9:
        assert (ours.lower > 0 or ours.upper < 0) == (ours.p < alpha)


@given(columns=pairs(), factor=st.sampled_from([1e-200, 1e-9, 3.0, 1e9, 1e150]))
def test_scale_does_not_matter(columns: tuple[np.ndarray, np.ndarray], factor: float) -> None:
    plain = mean_difference(*columns)
    scaled = mean_difference(columns[0] * factor, columns[1] * factor)
    assert scaled.statistic == pytest.approx(plain.statistic, rel=1e-9, abs=1e-12)
    assert scaled.estimate == pytest.approx(plain.estimate * factor, rel=1e-9)


def test_null_value_and_inflation_are_in_the_formula() -> None:
    d = np.array([0.3, 0.1, 0.4, 0.2, 0.6])
    ours = mean_difference(d, np.zeros(5), null=0.1, inflation=0.5)
    assert ours.statistic == pytest.approx((d.mean() - 0.1) / np.sqrt((1 / 5 + 0.5) * d.var(ddof=1)))
    assert ours.details["standard_error"] == pytest.approx(np.sqrt(0.7 * d.var(ddof=1)))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_same_columns_show_no_difference(alternative: str) -> None:
    ours = mean_difference([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], alternative=alternative)
    assert (ours.estimate, ours.statistic, ours.p, ours.df) == (0.0, 0.0, 1.0, (2.0,))
    assert isnan(ours.lower)
    assert isnan(ours.upper)
    assert ours.note == "the two columns are the same"


def test_rounding_error_is_no_difference() -> None:
    ours = mean_difference([0.1 + 0.2, 0.6, 0.7], [0.3, 0.6, 0.7])
    assert (ours.statistic, ours.p) == (0.0, 1.0)
    assert isnan(ours.lower)
    assert isnan(ours.upper)


def test_small_differences_are_data() -> None:
    ours = mean_difference([1e-9, 3e-9, 2e-9, 5e-9], [0, 1e-9, 3e-9, 2e-9])
    assert ours.statistic == pytest.approx(1.4638501094228, rel=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "null"),
    [
        ([0.1, 0.2, 0.3, 0.4], [0.05, 0.15, 0.25, 0.35], 0.0),
        ([1e9 + 1, 2e9 + 1], [1e9, 2e9], 0.0),
        ([0.1, 0.2], [0.1, 0.2], -0.05),
    ],
)
def test_constant_differences_are_refused(a: list[float], b: list[float], null: float) -> None:
    with pytest.raises(DegenerateError, match=r"in every block, so its standard error is zero"):
        mean_difference(a, b, null=null)


def test_a_constant_difference_that_is_the_null_value_is_none() -> None:
    ours = mean_difference([1.5, 2.5], [1.0, 2.0], null=0.5)
    assert (ours.estimate, ours.statistic, ours.p) == (0.5, 0.0, 1.0)
    assert "null value" in ours.note


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ([1.0], [2.0], "at least two paired values"),
        ([], [], "at least one value"),
        ([1.0, 2.0], [1.0], "equally long"),
        ([1.0, nan], [1.0, 2.0], "'first' must be a finite number"),
        ([1.0, 2.0], [1.0, inf], "'second' must be a finite number"),
        (["a", "b"], [1.0, 2.0], "column of numbers"),
    ],
)
def test_bad_columns_are_refused(a: list[float], b: list[float], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        mean_difference(a, b)


def test_bad_choices_are_refused() -> None:
    with pytest.raises(UsageError, match="alternative must be one of"):
        mean_difference([1, 2], [2, 4], alternative="bigger")
    with pytest.raises(UsageError, match="confidence level"):
        mean_difference([1, 2], [2, 4], confidence=95)
