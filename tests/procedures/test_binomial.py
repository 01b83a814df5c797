"""The binomial test: against scipy, enumeration, its own interval, and bad input."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.procedures.binomial import binomial_p, binomial_test, compute

ALTERNATIVES = ("two-sided", "greater", "less")
rates = st.one_of(st.sampled_from([0.5, 0.1, 0.25, 1 / 3, 0.02]), st.floats(0.001, 0.999))


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 300))
    return draw(st.integers(0, n)), n


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(xn=counts(), p0=rates)
def test_agrees_with_scipy(alternative: str, xn: tuple[int, int], p0: float) -> None:
    x, n = xn
    theirs = stats.binomtest(x, n, p0, alternative=alternative).pvalue
    assert binomial_p(x, n, p0, alternative) == pytest.approx(theirs, rel=1e-8, abs=1e-300)


@given(xn=counts().filter(lambda xn: xn[1] <= 40), p0=rates)
def test_two_sided_sums_what_is_no_more_likely(xn: tuple[int, int], p0: float) -> None:
    x, n = xn
    chance = stats.binom.pmf(range(n + 1), n, p0)
    assert binomial_p(x, n, p0) == pytest.approx(chance[chance <= chance[x] * (1 + 1e-7)].sum(), rel=1e-7)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(xn=counts(), p0=rates, confidence=st.floats(0.5, 0.999))
@example(xn=(3, 20), p0=0.3, confidence=0.78)
def test_interval_leaves_p0_out_exactly_when_the_test_rejects(
    alternative: str, xn: tuple[int, int], p0: float, confidence: float
) -> None:
    result = binomial_test(*xn, p0, confidence=confidence, alternative=alternative)
    rejected = result.p <= (1 - confidence) * (1 + 1e-12)
    assert (result.lower <= p0 <= result.upper) is not rejected
    assert 0 <= result.lower <= result.upper <= 1


@given(xn=counts(), p0=rates, low=st.floats(0.5, 0.9), more=st.floats(0.001, 0.099))
def test_a_higher_level_widens_the_interval(xn: tuple[int, int], p0: float, low: float, more: float) -> None:
    inner = binomial_test(*xn, p0, confidence=low)
    outer = binomial_test(*xn, p0, confidence=low + more)
    assert outer.lower <= inner.lower
    assert outer.upper >= inner.upper


@given(xn=counts(), p0=st.sampled_from([0.5, 0.25, 0.125]))
def test_failures_mirror_successes(xn: tuple[int, int], p0: float) -> None:
    x, n = xn
    assert binomial_p(x, n, p0) == pytest.approx(binomial_p(n - x, n, 1 - p0), rel=1e-9)
    assert binomial_p(x, n, p0, "less") == pytest.approx(binomial_p(n - x, n, 1 - p0, "greater"), rel=1e-9)


def test_ten_million_trials_take_no_time() -> None:
    start = perf_counter()
    assert binomial_p(5_001_200, 10_000_000, 0.5, "greater") == pytest.approx(0.224036838677599, rel=1e-9)
    assert binomial_p(5_001_200, 10_000_000, 0.5) == pytest.approx(2 * 0.224036838677599, rel=1e-9)
    assert perf_counter() - start < 0.5


def test_a_column_is_counted() -> None:
    result = compute([1] * 12 + [0] * 88, p0=0.08, alternative="greater")
    assert (result.statistic, result.estimate) == (12.0, 0.12)
    assert result.p == pytest.approx(0.102845239598966, rel=1e-9)
    assert "p0 = 0.08" in result.note


@pytest.mark.parametrize(
    ("arguments", "options", "says"),
    [
        ((21, 20, 0.5), {}, "at most 20 can be errors; found 21"),
        ((-1, 20, 0.5), {}, "not negative; found -1"),
        ((1.5, 20, 0.5), {}, "whole number"),
        ((1, float("nan"), 0.5), {}, "whole number"),
        ((0, 0, 0.5), {}, "at least one trial"),
        ((1, 20, None), {}, "give p0"),
        ((1, 20, 0.0), {}, "strictly between 0 and 1; found 0.0"),
        ((1, 20, 1.0), {}, "strictly between 0 and 1"),
        ((1, 20, float("nan")), {}, "strictly between 0 and 1"),
        ((1, 20, 0.5), {"confidence": 1.0}, "confidence level"),
        ((1, 20, 0.5), {"alternative": "up"}, "alternative must be one of"),
    ],
)
def test_bad_arguments_are_refused_in_words(
    arguments: tuple[float, float, float], options: dict[str, object], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        binomial_test(*arguments, **options)  # type: ignore[arg-type]


def test_a_missing_p0_is_asked_for() -> None:
    with pytest.raises(UsageError, match="fixed in advance: give p0"):
        compute([0, 1])
    with pytest.raises(UsageError, match="0 or 1"):
        compute([0, 3], p0=0.5)
