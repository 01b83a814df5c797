"""The approximate normal test of a rate: R's prop.test, Wilson's interval, and the rule of thumb."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.procedures.binomial import binomial_test
from bakeoff.procedures.normal_approximation import compute, normal_approximation

SIDES = ("two-sided", "greater", "less")

# R 4.2.2: r <- prop.test(21, 30, .5, alternative = side, correct = TRUE); c(sqrt(r$statistic), r$p.value, r$conf.int)
CORRECTED = {
    "two-sided": (2.0083160441856, 0.0446097180249, 0.5044209128688, 0.8458720263468),
    "greater": (2.0083160441856, 0.0223048590125, 0.5335171733747, 1.0),
}


@pytest.mark.parametrize("alternative", list(CORRECTED))
def test_r_with_continuity_correction(alternative: str) -> None:
    z, p, lower, upper = CORRECTED[alternative]
    found = normal_approximation(21, 30, 0.5, alternative=alternative, correction=True)
    assert (found.statistic, found.p) == pytest.approx((z, p), rel=1e-8)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), rel=1e-10)


@given(
    n=st.integers(1, 200), share=st.floats(0, 1), p0=st.floats(0.01, 0.99), side=st.sampled_from(SIDES),
    correction=st.booleans(),
)  # fmt: skip
def test_interval_and_test_agree(n: int, share: float, p0: float, side: str, correction: bool) -> None:
    found = normal_approximation(round(share * n), n, p0, alternative=side, confidence=0.9, correction=correction)
    assert 0 <= found.p <= 1
    assert (found.p <= 0.1) == (not found.lower <= p0 <= found.upper)


def test_it_says_what_the_binomial_test_says_for_large_n() -> None:
    near, exact = normal_approximation(10_250, 100_000, 0.1).p, binomial_test(10_250, 100_000, 0.1).p
    assert near == pytest.approx(exact, rel=0.05)


@pytest.mark.parametrize(
    ("n", "p0", "fine"), [(100, 0.05, True), (99, 0.05, False), (100, 0.95, True), (99, 0.95, False), (10, 0.5, True)]
)
def test_rule_of_thumb(n: int, p0: float, fine: bool) -> None:
    found = normal_approximation(n // 2, n, p0)
    assert found.details["rule_of_thumb"] is fine
    assert ("use binomial" in found.note) is not fine


def test_size_below_the_rule_is_as_the_card_says() -> None:
    errors = np.arange(21)
    rejects = [normal_approximation(int(e), 20, 0.05, alternative="greater").p <= 0.05 for e in errors]
    assert stats.binom.pmf(errors[rejects], 20, 0.05).sum() == pytest.approx(0.075, abs=0.0005)


def test_columns_and_rates() -> None:
    assert compute([1, 0, 0, 1], p0=0.4).statistic == normal_approximation(2, 4, 0.4).statistic
    assert normal_approximation(4.5, 30, 0.2).estimate == 0.15  # 15 % of 30


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((3, 10, None), "needs a rate to test against"),
        ((3, 10, 0.0), "lies strictly between 0 and 1"),
        ((3, 10, nan), "lies strictly between 0 and 1"),
        ((11, 10, 0.5), "x counts some of n ≥ 1 trials"),
        ((-1, 10, 0.5), "x counts some of n ≥ 1 trials"),
        ((0, 0, 0.5), "x counts some of n ≥ 1 trials"),
        ((nan, 10, 0.5), "x counts some of n ≥ 1 trials"),
    ],
)
def test_bad_arguments(arguments: tuple[float, float, float | None], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        normal_approximation(*arguments)


def test_columns_are_zeros_and_ones() -> None:
    with pytest.raises(UsageError, match="must be 0 or 1"):
        compute([0, 2], p0=0.5)
