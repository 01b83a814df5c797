"""McNemar's test: against the binomial law, statistics by hand, its own interval, and bad input."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.mathematics.binary_tables import METHODS
from bakeoff.procedures.mcnemar import compute, mcnemar_counts

ALTERNATIVES = ("two-sided", "greater", "less")
cells = st.tuples(st.integers(0, 80), st.integers(0, 40), st.integers(0, 40), st.integers(0, 80)).filter(any)
discordant = st.tuples(st.integers(0, 60), st.integers(0, 60)).filter(any)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(bc=discordant)
def test_exact_is_the_binomial_test_of_the_discordant(alternative: str, bc: tuple[int, int]) -> None:
    e01, e10 = bc
    ours = mcnemar_counts(5, e01, e10, 7, method="exact", alternative=alternative).p
    assert ours == pytest.approx(stats.binomtest(e10, e01 + e10, alternative=alternative).pvalue, rel=1e-9)


@given(bc=discordant)
def test_mid_p_leaves_out_half_of_what_was_seen(bc: tuple[int, int]) -> None:
    e01, e10 = bc
    n = e01 + e10
    chance = stats.binom.pmf(np.arange(n + 1), n, 0.5)
    as_extreme = abs(2 * np.arange(n + 1) - n) >= abs(e10 - e01)
    both = chance[as_extreme].sum() - chance[[e10]].sum() / (2 if e01 == e10 else 1)
    assert mcnemar_counts(0, e01, e10, 0, method="mid-p").p == pytest.approx(both, rel=1e-9)
    one = chance[e10:].sum() - chance[e10] / 2
    assert mcnemar_counts(0, e01, e10, 0, method="mid-p", alternative="greater").p == pytest.approx(one, rel=1e-9)


@given(bc=discordant)
def test_chi2_by_hand(bc: tuple[int, int]) -> None:
    e01, e10 = bc
    n, distance = e01 + e10, abs(e01 - e10)
    plain = mcnemar_counts(1, e01, e10, 1, method="chi2", correction=False)
    assert plain.statistic == pytest.approx(distance**2 / n)
    assert plain.p == pytest.approx(stats.chi2.sf(distance**2 / n, 1), rel=1e-9)
    assert plain.df == (1.0,)
    corrected = mcnemar_counts(1, e01, e10, 1, method="chi2")
    assert corrected.statistic == pytest.approx(max(distance - 1, 0) ** 2 / n)
    literal = mcnemar_counts(1, e01, e10, 1, method="chi2", literal=True)
    assert literal.statistic == pytest.approx((distance - 1) ** 2 / n)


@given(bc=discordant, correction=st.booleans())
def test_one_sided_chi2_is_the_normal_tail(bc: tuple[int, int], correction: bool) -> None:
    e01, e10 = bc
    n, shift = e01 + e10, int(correction)
    greater = mcnemar_counts(0, e01, e10, 0, method="chi2", correction=correction, alternative="greater")
    less = mcnemar_counts(0, e01, e10, 0, method="chi2", correction=correction, alternative="less")
    assert greater.p == pytest.approx(stats.norm.sf((e10 - e01 - shift) / sqrt(n)), rel=1e-9)
    assert less.p == pytest.approx(stats.norm.cdf((e10 - e01 + shift) / sqrt(n)), rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(table=cells, confidence=st.floats(0.5, 0.999), correction=st.booleans())
def test_interval_leaves_zero_out_exactly_when_the_test_rejects(
    method: str, alternative: str, table: tuple[int, ...], confidence: float, correction: bool
) -> None:
    result = mcnemar_counts(
        *table, method=method, alternative=alternative, confidence=confidence, correction=correction
    )
    rejected = result.p <= (1 - confidence) * (1 + 1e-12)
    assert (result.lower <= 0 <= result.upper) is not rejected
    assert -1 <= result.lower <= result.upper <= 1
    if alternative == "two-sided":
        assert result.lower <= result.estimate <= result.upper


@pytest.mark.parametrize("method", METHODS)
@given(table=cells, low=st.floats(0.5, 0.9), more=st.floats(0.001, 0.099))
def test_a_higher_level_widens_the_interval(method: str, table: tuple[int, ...], low: float, more: float) -> None:
    inner = mcnemar_counts(*table, method=method, confidence=low)
    outer = mcnemar_counts(*table, method=method, confidence=low + more)
    assert outer.lower <= inner.lower + 1e-15
    assert outer.upper >= inner.upper - 1e-15


@pytest.mark.parametrize("method", METHODS)
@given(table=cells)
def test_swapping_flips_the_sign_and_keeps_p(method: str, table: tuple[int, ...]) -> None:
    e00, e01, e10, e11 = table
    there, back = mcnemar_counts(*table, method=method), mcnemar_counts(e00, e10, e01, e11, method=method)
    assert there.p == pytest.approx(back.p, rel=1e-9)
    assert there.statistic == back.statistic
    assert there.estimate == -back.estimate
    assert (there.lower, there.upper) == pytest.approx((-back.upper, -back.lower), abs=1e-12)
    # Calling right wrong swaps e00 with e11 and e01 with e10.
    turned = mcnemar_counts(e11, e10, e01, e00, method=method)
    assert (turned.p, turned.estimate) == (pytest.approx(there.p, rel=1e-9), -there.estimate)


def test_without_discordant_instances_nothing_is_claimed() -> None:
    for method in METHODS:
        for alternative in ALTERNATIVES:
            result = mcnemar_counts(10, 0, 0, 90, method=method, alternative=alternative)
            assert (result.p, result.statistic, result.estimate) == (1.0, 0.0, 0.0)
            assert result.lower < 0 < result.upper
            assert "agree on every instance" in result.note


def test_auto_is_exact_below_25_discordant() -> None:
    assert mcnemar_counts(9, 4, 20, 9, method="auto").p == mcnemar_counts(9, 4, 20, 9, method="exact").p
    assert mcnemar_counts(9, 5, 20, 9, method="auto").p == mcnemar_counts(9, 5, 20, 9, method="chi2").p
    assert mcnemar_counts(9, 5, 20, 9, method="auto").details["method"] == "chi2"
    assert mcnemar_counts(9, 5, 20, 9).details["method"] == "mid-p"


def test_a_quarter_million_discordant_take_no_time() -> None:
    result = mcnemar_counts(1000, 123_456, 124_000, 5_000_000, method="exact")
    assert result.p == pytest.approx(0.275022952940553, rel=1e-9)
    many = mcnemar_counts(1000, 10**12 + 10**6, 10**12, 5_000_000, method="exact")  # too many for who counts them
    assert many.p == pytest.approx(0.4795, abs=1e-4)


def test_columns_are_counted() -> None:
    first, second = [0, 0, 1, 1, 1, 0], [0, 1, 0, 0, 1, 0]
    result = compute(first, second, method="chi2")
    assert {k: result.details[k] for k in ("e00", "e01", "e10", "e11")} == {"e00": 2, "e01": 1, "e10": 2, "e11": 1}
    assert result.estimate == pytest.approx(np.mean(first) - np.mean(second))
    assert result.statistic == 0.0


@pytest.mark.parametrize(
    ("table", "options", "says"),
    [
        ((-1, 2, 3, 4), {}, "'e00' must be a whole number that is not negative"),
        ((1, 2.5, 3, 4), {}, "'e01' must be a whole number"),
        ((1, 2, float("nan"), 4), {}, "'e10' must be a whole number"),
        ((0, 0, 0, 0), {}, "at least one instance"),
        ((1, 2, 3, 4), {"method": "exat"}, "Did you mean 'exact'"),
        ((1, 2, 3, 4), {"confidence": 1.5}, "confidence level"),
        ((1, 2, 3, 4), {"alternative": "first"}, "alternative must be one of"),
    ],
)
def test_bad_counts_are_refused_in_words(table: tuple[float, ...], options: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        mcnemar_counts(*table, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        ([0, 1], [1], "equally long.*found 2 and 1"),
        ([], [], "at least one value"),
        ([0, 2], [0, 1], "'first' must be 0 or 1"),
        ([0, 1], [0, float("nan")], "'second' must be a finite number"),
    ],
)
def test_bad_columns_are_refused_in_words(a: list[float], b: list[float], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        compute(a, b)
