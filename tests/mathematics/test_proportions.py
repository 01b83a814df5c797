"""Rates, their intervals and tests: against other implementations, their defining equations, and bad input."""

from __future__ import annotations

from math import nan, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.proportions import (
    INTERVALS,
    TwoRates,
    binomial_p,
    checked_rate_of,
    count_of,
    proportion_interval,
    rate_of,
    x_of,
)

ALTERNATIVES = ("two-sided", "greater", "less")
ANSWERS = np.repeat([1.0, 0.0], [750, 250])
KEEPS_RANGE = [name for name in INTERVALS if name not in ("wald", "agresti_coull")]
WIDENING = [name for name in INTERVALS if name != "agresti_coull"]  # which moves to the middle as the level rises
some_rates = st.one_of(st.sampled_from([0.5, 0.1, 0.25, 1 / 3, 0.02]), st.floats(0.001, 0.999))


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 300))
    return draw(st.integers(0, n)), n


def test_rates_and_counts() -> None:
    assert rate_of(ANSWERS, nan) == (0.75, 1000)
    assert rate_of([1], nan) == (1, 1)
    assert rate_of([1.0000001], 30) == (1, 30)  # rounded in single precision
    assert x_of([0.15], 30) == (4.5, 30)
    assert count_of([0.8533], 150) == (128, 150, "0.8533 of 150 is counted as 128")
    for rate, n in ((1.5, 30), (-0.5, 30), (nan, 30)):
        with pytest.raises(UsageError, match="A rate lies between 0 and 1; the first is"):
            checked_rate_of(rate, n, "first")
    for n in (0, -3, float("inf")):
        with pytest.raises(UsageError, match="The rate needs the size of its test set, at least one instance"):
            rate_of([0.5], n)
    with pytest.raises(UsageError, match="A test set has a whole number of instances"):
        count_of([0.5], 2.5)
    with pytest.raises(DegenerateError, match="Give the counts"):
        count_of([0.15], 30)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(xn=counts(), p0=some_rates)
def test_agrees_with_scipy(alternative: str, xn: tuple[int, int], p0: float) -> None:
    x, n = xn
    theirs = stats.binomtest(x, n, p0, alternative=alternative).pvalue
    assert binomial_p(x, n, p0, alternative) == pytest.approx(theirs, rel=1e-8, abs=1e-300)


@given(xn=counts().filter(lambda xn: xn[1] <= 40), p0=some_rates)
def test_two_sided_sums_what_is_no_more_likely(xn: tuple[int, int], p0: float) -> None:
    x, n = xn
    chance = stats.binom.pmf(range(n + 1), n, p0)
    assert binomial_p(x, n, p0) == pytest.approx(chance[chance <= chance[x] * (1 + 1e-7)].sum(), rel=1e-7)


@given(xn=counts(), p0=st.sampled_from([0.5, 0.25, 0.125]))
def test_failures_mirror_successes(xn: tuple[int, int], p0: float) -> None:
    x, n = xn
    assert binomial_p(x, n, p0) == pytest.approx(binomial_p(n - x, n, 1 - p0), rel=1e-9)
    assert binomial_p(x, n, p0, "less") == pytest.approx(binomial_p(n - x, n, 1 - p0, "greater"), rel=1e-9)


def test_ten_million_trials_take_no_time() -> None:
    assert binomial_p(5_001_200, 10_000_000, 0.5, "greater") == pytest.approx(0.224036838677599, rel=1e-9)
    assert binomial_p(5_001_200, 10_000_000, 0.5) == pytest.approx(2 * 0.224036838677599, rel=1e-9)


@pytest.mark.parametrize("n", [2 * 10**9, 4 * 10**12])  # below and above what fits in 32 bits
def test_who_counts_every_outcome_does_not_live_to_see_the_end_of_this(n: int) -> None:
    above = n // 2 + round(sqrt(n) / 2)  # one standard deviation
    assert binomial_p(above, n, 0.5, "greater") == pytest.approx(stats.norm.sf(1), abs=2e-5)
    assert binomial_p(n - above, n, 0.5, "less") == pytest.approx(stats.norm.sf(1), abs=2e-5)


@st.composite
def small_counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 400))
    return draw(st.integers(0, n)), n


@pytest.mark.parametrize(
    ("method", "theirs"), [("wilson", "wilson"), ("clopper_pearson", "exact"), ("wilson_cc", "wilsoncc")]
)
@given(xn=small_counts(), confidence=st.floats(0.5, 0.999))
def test_intervals_agree_with_scipy(method: str, theirs: str, xn: tuple[int, int], confidence: float) -> None:
    x, n = xn
    found = stats.binomtest(x, n).proportion_ci(confidence, method=theirs)
    ours = proportion_interval(x, n, confidence=confidence, method=method)
    assert ours == pytest.approx((max(found.low, 0.0), min(found.high, 1.0)), abs=1e-9)


@pytest.mark.parametrize("alternative", ["greater", "less"])
@given(xn=small_counts())
def test_one_sided_clopper_pearson_agrees_with_scipy(alternative: str, xn: tuple[int, int]) -> None:
    x, n = xn
    found = stats.binomtest(x, n, alternative=alternative).proportion_ci(0.9)
    ours = proportion_interval(x, n, confidence=0.9, method="clopper_pearson", alternative=alternative)
    assert ours == pytest.approx((found.low, found.high), abs=1e-9)


@given(xn=small_counts(), confidence=st.floats(0.6, 0.999))
def test_wilson_ends_are_where_the_score_test_rejects(xn: tuple[int, int], confidence: float) -> None:
    x, n = xn
    z = stats.norm.ppf((1 + confidence) / 2)
    for end in proportion_interval(x, n, confidence=confidence):
        if 0 < end < 1:
            assert abs(x / n - end) / sqrt(end * (1 - end) / n) == pytest.approx(z, rel=1e-6)


@given(xn=small_counts(), low=st.floats(0.5, 0.9), more=st.floats(0.001, 0.099))
def test_a_higher_level_widens_the_interval(xn: tuple[int, int], low: float, more: float) -> None:
    x, n = xn
    for method in WIDENING:
        inner = proportion_interval(x, n, confidence=low, method=method)
        outer = proportion_interval(x, n, confidence=low + more, method=method)
        assert outer[0] <= inner[0] + 1e-12, method
        assert outer[1] >= inner[1] - 1e-12, method


@given(xn=small_counts())
def test_intervals_of_failures_mirror_those_of_successes(xn: tuple[int, int]) -> None:
    x, n = xn
    for method in INTERVALS:
        low, high = proportion_interval(x, n, confidence=0.95, method=method)
        assert proportion_interval(n - x, n, confidence=0.95, method=method) == pytest.approx(
            (1 - high, 1 - low), abs=1e-9
        ), method


@given(xn=small_counts())
def test_intervals_hold_the_rate_and_most_stay_in_range(xn: tuple[int, int]) -> None:
    x, n = xn
    for method in INTERVALS:
        low, high = proportion_interval(x, n, confidence=0.95, method=method)
        assert low - 1e-12 <= x / n <= high + 1e-12, method
        if method in KEEPS_RANGE:
            assert 0 <= low < high <= 1, method


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


def test_coverage_is_what_the_card_says() -> None:
    n, p = 30, 0.9
    x = np.arange(n + 1)
    chance = stats.binom.pmf(x, n, p)

    def coverage(method: str) -> float:
        ends = [proportion_interval(float(k), n, confidence=0.95, method=method) for k in x]
        return float(sum(c for (low, high), c in zip(ends, chance, strict=True) if low <= p <= high))

    assert coverage("wald") == pytest.approx(0.81, abs=0.005)
    assert coverage("wilson") == pytest.approx(0.97, abs=0.005)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("first", "second"), [(0.0, 1.0), (1.0, 0.0)])
def test_nothing_and_all_have_no_z_without_pooling(first: float, second: float, alternative: str) -> None:
    with pytest.raises(DegenerateError, match="z does not exist without pooling"):
        TwoRates(first, 30, second, 50).z_test(alternative, False)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(a=st.integers(0, 30), b=st.integers(0, 50), pooled=st.booleans())
def test_exchanging_two_rates_turns_the_sign(alternative: str, a: int, b: int, pooled: bool) -> None:
    there, back = TwoRates(a / 30, 30, b / 50, 50), TwoRates(b / 50, 50, a / 30, 30)
    other = {"greater": "less", "less": "greater"}.get(alternative, alternative)
    assume(pooled or {a / 30, b / 50} != {0.0, 1.0})
    (z, p), (turned, same) = there.z_test(alternative, pooled), back.z_test(other, pooled)
    assert (turned, same) == pytest.approx((-z, p), abs=1e-12)
    for interval in (TwoRates.wald, TwoRates.newcombe):
        low, high = interval(back, 0.05)
        assert interval(there, 0.05) == pytest.approx((-high, -low), abs=1e-12)
