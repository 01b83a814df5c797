"""The power curve, drawn."""

from __future__ import annotations

from math import nan
from pathlib import Path

from matplotlib.figure import Figure

from bakeoff.figures.power_curve import PowerCurve, draw, save

ABOUT = {"wanted": 0.8, "alpha": 0.05, "axis": "tasks", "title": "Power of sign", "caption": "As an example."}
EXACT = PowerCurve(((5.0, 0.3, nan, nan), (10.0, 0.8, nan, nan)), (10.0, 0.8), **ABOUT)  # type: ignore[arg-type]
SIMULATED = PowerCurve(((5.0, 0.3, 0.2, 0.4), (10.0, 0.8, 0.7, 0.9)), (10.0, 0.8), **ABOUT)  # type: ignore[arg-type]


def test_it_is_drawn_on_an_ax_with_a_band_if_simulated() -> None:
    ax, plain = Figure().add_subplot(), Figure().add_subplot()
    draw(SIMULATED, ax)
    draw(EXACT, plain)
    assert (len(ax.collections), len(plain.collections)) == (1, 0)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("tasks", "power", "Power of sign")
    levels = {float(line.get_ydata()[0]) for line in plain.lines if len(set(line.get_ydata())) == 1}
    assert {0.8, 0.05} <= levels


def test_the_record() -> None:
    assert SIMULATED.banded
    assert not EXACT.banded
    assert list(EXACT.to_frame().columns) == ["x", "power", "lower", "upper"]


def test_files_are_the_same_each_time(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        save(EXACT, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert "As an example." in (tmp_path / "a.svg").read_text(encoding="utf-8")
