"""The z interval and test of one learner's mean, for a known standard deviation."""

from __future__ import annotations

from math import inf, isnan, nan, sqrt

import pytest
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.procedures.mean_t import TEN_ERRORS
from bakeoff.procedures.mean_z import mean_z


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_normal_law(confidence: float) -> None:
    found = mean_z(TEN_ERRORS, sigma=0.02, confidence=confidence)
    expected = stats.norm.interval(confidence, loc=0.195, scale=0.02 / sqrt(10))
    assert (found.lower, found.upper) == pytest.approx(expected, rel=1e-12)
    assert isnan(found.p)


def test_sides() -> None:
    less, greater = (mean_z(TEN_ERRORS, sigma=0.02, p0=0.185, alternative=side) for side in ("less", "greater"))
    assert less.p == pytest.approx(0.943076850996671, rel=1e-10)
    assert less.p + greater.p == pytest.approx(1)
    assert (less.lower, greater.upper) == (-inf, inf)
    assert less.upper == pytest.approx(0.205402967757511, rel=1e-10)


def test_one_value_is_enough() -> None:
    assert mean_z([0.2], sigma=0.1).estimate == 0.2


@pytest.mark.parametrize("sigma", [0.0, -1.0, nan, inf])
def test_sigma_is_a_positive_number(sigma: float) -> None:
    with pytest.raises(UsageError, match="must be a positive number"):
        mean_z(TEN_ERRORS, sigma=sigma)


def test_sigma_is_required() -> None:
    with pytest.raises(UsageError, match="use mean-t"):
        mean_z(TEN_ERRORS)


def test_coverage_with_an_estimated_sigma_is_as_the_card_says() -> None:
    """For normal values, (m − μ)/(s/√n) has Student's law, so the coverage is exact."""
    for n, covered in ((5, 0.88), (10, 0.92)):
        assert 1 - 2 * stats.t.sf(stats.norm.ppf(0.975), n - 1) == pytest.approx(covered, abs=0.005)
