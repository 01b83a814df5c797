"""Intervals for a rate: against other implementations, their defining equations, and bad input."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.procedures.wilson import METHODS, compute, proportion_interval

KEEPS_RANGE = [name for name in METHODS if name not in ("wald", "agresti_coull")]


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 400))
    return draw(st.integers(0, n)), n


@pytest.mark.parametrize(
    ("method", "theirs"), [("wilson", "wilson"), ("clopper_pearson", "exact"), ("wilson_cc", "wilsoncc")]
)
@given(xn=counts(), confidence=st.floats(0.5, 0.999))
def test_agrees_with_scipy(method: str, theirs: str, xn: tuple[int, int], confidence: float) -> None:
    x, n = xn
    found = stats.binomtest(x, n).proportion_ci(confidence, method=theirs)
    ours = proportion_interval(x, n, confidence=confidence, method=method)
    assert ours == pytest.approx((max(found.low, 0.0), min(found.high, 1.0)), abs=1e-9)


@pytest.mark.parametrize("alternative", ["greater", "less"])
@given(xn=counts())
def test_one_sided_clopper_pearson_agrees_with_scipy(alternative: str, xn: tuple[int, int]) -> None:
    x, n = xn
    found = stats.binomtest(x, n, alternative=alternative).proportion_ci(0.9)
    ours = proportion_interval(x, n, confidence=0.9, method="clopper_pearson", alternative=alternative)
    assert ours == pytest.approx((found.low, found.high), abs=1e-9)


@given(xn=counts(), confidence=st.floats(0.6, 0.999))
def test_wilson_ends_are_where_the_score_test_rejects(xn: tuple[int, int], confidence: float) -> None:
    x, n = xn
    z = stats.norm.ppf((1 + confidence) / 2)
    for end in proportion_interval(x, n, confidence=confidence):
        if 0 < end < 1:
            assert abs(x / n - end) / sqrt(end * (1 - end) / n) == pytest.approx(z, rel=1e-6)


@given(xn=counts(), low=st.floats(0.5, 0.9), more=st.floats(0.001, 0.099))
def test_a_higher_level_widens_the_interval(xn: tuple[int, int], low: float, more: float) -> None:
    x, n = xn
    for method in METHODS:
        if method == "agresti_coull":  # moves to the middle as the level rises: not monotone next to 0 and n
            continue
        inner = proportion_interval(x, n, confidence=low, method=method)
        outer = proportion_interval(x, n, confidence=low + more, method=method)
        assert outer[0] <= inner[0] + 1e-12, method
        assert outer[1] >= inner[1] - 1e-12, method


@given(xn=counts())
def test_failures_mirror_successes(xn: tuple[int, int]) -> None:
    x, n = xn
    for method in METHODS:
        low, high = proportion_interval(x, n, confidence=0.95, method=method)
        assert proportion_interval(n - x, n, confidence=0.95, method=method) == pytest.approx(
            (1 - high, 1 - low), abs=1e-9
        ), method


@given(xn=counts())
def test_intervals_hold_the_rate_and_most_stay_in_range(xn: tuple[int, int]) -> None:
    x, n = xn
    for method in METHODS:
        low, high = proportion_interval(x, n, confidence=0.95, method=method)
        assert low - 1e-12 <= x / n <= high + 1e-12, method
        if method in KEEPS_RANGE:
            assert 0 <= low < high <= 1, method


def test_coverage_is_what_the_card_says() -> None:
    n, p = 30, 0.9
    x = np.arange(n + 1)
    chance = stats.binom.pmf(x, n, p)

    def coverage(method: str) -> float:
        ends = [proportion_interval(float(k), n, confidence=0.95, method=method) for k in x]
        return float(sum(c for (low, high), c in zip(ends, chance, strict=True) if low <= p <= high))

    assert coverage("wald") == pytest.approx(0.81, abs=0.005)
    assert coverage("wilson") == pytest.approx(0.97, abs=0.005)


def test_wald_and_agresti_coull_are_not_clipped() -> None:
    assert proportion_interval(1, 20, confidence=0.95, method="wald")[0] < 0
    assert proportion_interval(20, 20, confidence=0.95, method="agresti_coull")[1] > 1
    assert proportion_interval(0, 5, confidence=0.95, method="wald") == (0.0, 0.0)


def test_rates_that_are_no_counts_are_allowed() -> None:
    low, high = proportion_interval(0.15 * 30, 30, confidence=0.95)
    assert low < 0.15 < high


def test_the_yates_correction_stays_at_one_half() -> None:
    """R's prop.test drops it there, because its null hypothesis is met."""
    low, high = proportion_interval(10, 20, confidence=0.95, method="wilson_cc")
    plain = proportion_interval(10, 20, confidence=0.95)
    assert low < plain[0] < plain[1] < high


def test_a_column_gives_rate_and_interval_but_no_p() -> None:
    result = compute([0] * 20 + [1] * 80, confidence=0.95, alternative="two-sided")
    assert result.estimate == 0.8
    assert (round(result.lower, 4), round(result.upper, 4)) == (0.7112, 0.8666)
    assert np.isnan(result.p)
    assert result.details == {"x": 80, "n": 100, "method": "wilson"}


def test_one_sided_intervals_end_at_the_limit() -> None:
    two = compute([1, 0, 1, 1], confidence=0.9)
    greater = compute([1, 0, 1, 1], confidence=0.95, alternative="greater")
    less = compute([1, 0, 1, 1], confidence=0.95, alternative="less")
    assert (greater.lower, greater.upper) == pytest.approx((two.lower, 1.0))
    assert (less.lower, less.upper) == pytest.approx((0.0, two.upper))


@pytest.mark.parametrize(
    ("x", "n", "options", "says"),
    [
        (-1, 10, {}, "between 0 and n"),
        (11, 10, {}, "between 0 and n"),
        (float("nan"), 10, {}, "between 0 and n"),
        (1, 0, {}, "at least one trial"),
        (1, float("inf"), {}, "at least one trial"),
        (1, 10, {"confidence": 1.0}, "strictly between 0 and 1"),
        (1, 10, {"confidence": 0.0}, "strictly between 0 and 1"),
        (1, 10, {"method": "wilsn"}, "Did you mean 'wilson'"),
        (1, 10, {"alternative": "larger"}, "alternative must be one of"),
    ],
)
def test_bad_counts_are_refused_in_words(x: float, n: float, options: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        proportion_interval(x, n, **{"confidence": 0.95, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([], "at least one value"),
        ([[0, 1], [1, 0]], "one column"),
        ([0, 1, 0.5], "0 or 1 .* found 0.5 at position 3"),
        ([0, float("nan")], "found nan at position 2"),
        (["right", "wrong"], "column of numbers"),
    ],
)
def test_bad_columns_are_refused_in_words(values: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        compute(values)  # type: ignore[arg-type]
