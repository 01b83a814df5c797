"""The table behind the figure of a power curve."""

from __future__ import annotations

from math import isnan

import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.powering.asking import power
from bakeoff.lab.powering.curves import power_curve

EXACT = power("t", difference=0.02, sd=0.05)
SIMULATED = power("t", n=8, difference="1sd", simulate=True, replications=20, curve=True)


def test_over_n() -> None:
    info = power_curve(EXACT)
    assert info.at in [(x, y) for x, y, _, _ in info.points]
    assert (info.axis, info.wanted, info.alpha) == ("pairs", 0.8, 0.05)
    assert info.title == "Power of paired-t for a difference of 0.02"
    assert not info.banded
    assert all(isnan(lower) and isnan(upper) for _, _, lower, upper in info.points)
    assert list(info.to_frame().columns) == ["x", "power", "lower", "upper"]


def test_over_the_difference() -> None:
    info = power_curve(power("t", n=20))
    assert info.axis == "difference (sd)"
    assert info.points[0][:2] == (0.0, pytest.approx(0.025))
    assert info.title == "Power of paired-t for 20 pairs"


def test_simulated_powers_have_a_band() -> None:
    info = power_curve(SIMULATED)
    assert info.banded
    for (_, y, lower, upper), point in zip(info.points, SIMULATED.curve, strict=True):
        assert 0 <= lower <= y <= upper <= 1
        assert lower == max(0, point.power - 2 * point.error)
    assert "Monte-Carlo" in info.caption


def test_an_answer_without_a_curve_is_refused() -> None:
    with pytest.raises(UsageError, match="curve=True"):
        power_curve(power("t", n=8, difference="1sd", curve=False))
