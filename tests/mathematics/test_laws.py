"""Tails and quantiles against scipy.stats, and the small rules built on them."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.mathematics import laws

POINTS = np.array([-40.0, -8.0, -1.96, -0.1, 0.0, 0.5, 1.0, 3.0, 12.0, 37.0])
POSITIVE = np.array([0.0, 1e-6, 0.3, 1.0, 4.0, 20.0, 300.0])


@pytest.mark.parametrize("df", [1, 2, 5, 9, 29.5, 1000, inf])
def test_t(df: float) -> None:
    law = stats.norm if df == inf else stats.t(df)
    assert laws.t_sf(POINTS, df) == pytest.approx(law.sf(POINTS), rel=1e-9, abs=1e-300)
    for p in (0.001, 0.05, 0.5, 0.9, 0.975, 0.9999):
        assert laws.t_quantile(p, df) == pytest.approx(law.ppf(p), rel=1e-9, abs=1e-12)
        assert laws.t_quantiles(np.array([p, 0.8]), df) == pytest.approx(law.ppf([p, 0.8]), rel=1e-9, abs=1e-12)


def test_normal() -> None:
    assert laws.normal_sf(POINTS) == pytest.approx(stats.norm.sf(POINTS), rel=1e-12)
    assert laws.normal_quantile(0.975) == pytest.approx(stats.norm.ppf(0.975), rel=1e-12)


@pytest.mark.parametrize(("df1", "df2"), [(1, 1), (2, 10), (10, 5), (3, 39), (19, 3781)])
def test_f(df1: float, df2: float) -> None:
    assert laws.f_sf(POSITIVE, df1, df2) == pytest.approx(stats.f.sf(POSITIVE, df1, df2), rel=1e-9, abs=1e-300)
    for p in (0.01, 0.5, 0.95, 0.999):
        assert laws.f_quantile(p, df1, df2) == pytest.approx(stats.f.ppf(p, df1, df2), rel=1e-8)


@pytest.mark.parametrize("df", [1, 3, 19, 200])
def test_chi2(df: float) -> None:
    assert laws.chi2_sf(POSITIVE, df) == pytest.approx(stats.chi2.sf(POSITIVE, df), rel=1e-9, abs=1e-300)
    assert laws.chi2_quantile(0.95, df) == pytest.approx(stats.chi2.ppf(0.95, df), rel=1e-9)


def test_infinite_statistics_have_p_zero() -> None:
    assert float(laws.f_sf(inf, 2, 10)) == 0.0
    assert float(laws.chi2_sf(inf, 3)) == 0.0
    assert laws.p_from_t(inf, 5, "two-sided") == 0.0


@given(n=st.integers(1, 300), share=st.floats(0, 1), p=st.sampled_from([0.0, 0.01, 0.3, 0.5, 0.99, 1.0]))
def test_binomial(n: int, share: float, p: float) -> None:
    x = round(share * n)
    law = stats.binom(n, p)
    # Below 1e-200 the two libraries agree to five digits only; nobody reads such a p-value.
    assert laws.binomial_cdf(x, n, p) == pytest.approx(law.cdf(x), rel=1e-6, abs=1e-200)
    assert laws.binomial_sf(x, n, p) == pytest.approx(law.sf(x - 1), rel=1e-6, abs=1e-200)
    assert laws.binomial_pmf(x, n, p) == pytest.approx(law.pmf(x), rel=1e-6, abs=1e-200)


def test_binomial_beyond_its_range() -> None:
    assert (laws.binomial_cdf(-1, 5, 0.5), laws.binomial_cdf(9, 5, 0.5)) == (0.0, 1.0)
    assert (laws.binomial_sf(-1, 5, 0.5), laws.binomial_sf(9, 5, 0.5)) == (1.0, 0.0)


def test_beta() -> None:
    assert laws.beta_quantile(0.025, 3, 8) == pytest.approx(stats.beta.ppf(0.025, 3, 8), rel=1e-10)


@given(t=st.floats(-30, 30), df=st.sampled_from([1.0, 4.0, 60.0, inf]))
def test_p_of_t(t: float, df: float) -> None:
    two, greater, less = (laws.p_from_t(t, df, side) for side in laws.ALTERNATIVES)
    assert greater + less == pytest.approx(1.0)
    assert two == pytest.approx(2 * min(greater, less), rel=1e-12)


@given(
    estimate=st.floats(-5, 5),
    se=st.floats(0.01, 3),
    df=st.sampled_from([2.0, 10.0, inf]),
    confidence=st.floats(0.5, 0.999),
    side=st.sampled_from(laws.ALTERNATIVES),
)
def test_interval_leaves_zero_out_when_p_rejects(
    estimate: float, se: float, df: float, confidence: float, side: str
) -> None:
    lower, upper = laws.symmetric_interval(estimate, se, df, confidence, side)
    p = laws.p_from_t(estimate / se, df, side)
    assert lower < upper
    if abs(p - (1 - confidence)) > 1e-9:
        assert (lower > 0 or upper < 0) == (p < 1 - confidence)


def test_one_sided_intervals_are_open_on_the_other_side() -> None:
    assert laws.symmetric_interval(1.0, 0.5, 8, 0.95, "greater")[1] == inf
    assert laws.symmetric_interval(1.0, 0.5, 8, 0.95, "less")[0] == -inf


@pytest.mark.parametrize("check", [laws.check_confidence, laws.check_alpha])
@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 95.0, float("nan")])
def test_levels_lie_between_zero_and_one(check: Callable[[float], float], value: float) -> None:
    with pytest.raises(UsageError, match="strictly between 0 and 1"):
        check(value)
    assert check(0.05) == 0.05


def test_alternatives_are_three() -> None:
    assert [laws.check_alternative(side) for side in laws.ALTERNATIVES] == list(laws.ALTERNATIVES)
    with pytest.raises(UsageError, match="two-sided, greater, less; found 'both'"):
        laws.check_alternative("both")


@pytest.mark.parametrize("wrong", [0, 1, -0.1, 2, float("nan"), None, "0.05", True])
def test_levels_are_numbers_between_zero_and_one(wrong: object) -> None:
    for check in (laws.check_alpha, laws.check_confidence):
        with pytest.raises(UsageError, match="lies strictly between 0 and 1; found"):
            check(wrong)  # type: ignore[arg-type]


def test_an_alpha_that_vanishes_beside_one() -> None:
    assert laws.check_alpha(1e-15) == 1e-15
    with pytest.raises(UsageError, match="cannot be told from 0"):
        laws.check_alpha(1e-17)
