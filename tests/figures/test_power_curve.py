"""The power curve: the table behind it, and that it is drawn."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from bakeoff.errors import UsageError
from bakeoff.figures.power_curve import draw, power_curve, save
from bakeoff.lab.powering.asking import power

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


def test_it_is_drawn_on_an_ax() -> None:
    ax = Figure().add_subplot()
    draw(power_curve(SIMULATED), ax)
    assert len(ax.collections) == 1  # the band
    assert ax.get_ylabel() == "power"
    plain = Figure().add_subplot()
    draw(power_curve(EXACT), plain)
    assert not plain.collections


def test_files(tmp_path: Path) -> None:
    save(EXACT, tmp_path / "a.svg")
    save(EXACT, tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert "Power of paired-t" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_an_answer_without_a_curve_is_refused() -> None:
    with pytest.raises(UsageError, match="curve=True"):
        power_curve(power("t", n=8, difference="1sd", curve=False))
