"""The table behind several curves, and that it is what is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.errors import UsageError
from bakeoff.figures.several_curves import figure, several_curves

POINTS = {"OOB": [(0.1, 0.9, 0.01), (0.0, 0.05, 0.01)], "CV": [(0.0, 0.06, 0.0), (0.1, 0.8, 0.0)]}


def test_points_are_in_the_order_of_the_axis() -> None:
    made = several_curves(POINTS, x_axis="β2", title="Power", level=0.05)
    assert made.curves[0].points == ((0.0, 0.05, 0.01), (0.1, 0.9, 0.01))
    assert made.to_frame()["y"].tolist() == [0.05, 0.9, 0.06, 0.8]
    assert "standard errors" in made.caption


def test_bands_only_where_something_is_simulated() -> None:
    ax = figure(several_curves(POINTS, x_axis="β2", level=0.05)).axes[0]
    assert len(ax.collections) == 1
    assert len(ax.lines) == 3  # two curves and the level
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["OOB", "CV"]
    exact = several_curves({"CV": POINTS["CV"]}, x_axis="β2")
    assert exact.caption == ""
    assert not figure(exact).axes[0].collections


@pytest.mark.parametrize("points", [{}, {"OOB": []}])
def test_nothing_to_draw(points: dict[str, list[tuple[float, float, float]]]) -> None:
    with pytest.raises(UsageError, match="nothing to draw"):
        several_curves(points, x_axis="β2")


def test_it_is_saved_by_its_extension(tmp_path: Path) -> None:
    path = tmp_path / "curves.svg"
    several_curves(POINTS, x_axis="β2", title="Power of tests").save(path)
    assert "Power of tests" in path.read_text(encoding="utf-8")
