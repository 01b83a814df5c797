"""The power curve, drawn."""

from __future__ import annotations

from math import nan
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from bakeoff.errors import UsageError
from bakeoff.figures.curves import (
    PowerCurve,
    several_curves,
    threshold_curves,
)

ABOUT = {"wanted": 0.8, "alpha": 0.05, "axis": "tasks", "title": "Power of sign", "caption": "As an example."}
EXACT = PowerCurve(((5.0, 0.3, nan, nan), (10.0, 0.8, nan, nan)), (10.0, 0.8), **ABOUT)  # type: ignore[arg-type]
SIMULATED = PowerCurve(((5.0, 0.3, 0.2, 0.4), (10.0, 0.8, 0.7, 0.9)), (10.0, 0.8), **ABOUT)  # type: ignore[arg-type]


def test_it_is_drawn_on_an_ax_with_a_band_if_simulated() -> None:
    ax, plain = Figure().add_subplot(), Figure().add_subplot()
    SIMULATED.draw(ax)
    EXACT.draw(plain)
    assert (len(ax.collections), len(plain.collections)) == (1, 0)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("tasks", "power")
    assert EXACT.figure(caption=True).get_suptitle() == "Power of sign"
    assert EXACT.figure().get_suptitle() == "", "title and caption stand beside a figure, unless they are asked for"
    levels = {float(line.get_ydata()[0]) for line in plain.lines if len(set(line.get_ydata())) == 1}
    assert {0.8, 0.05} <= levels


def test_the_record() -> None:
    assert SIMULATED.banded
    assert not EXACT.banded
    assert list(EXACT.to_frame().columns) == ["x", "power", "lower", "upper"]


def test_files_are_the_same_each_time(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        EXACT.save(tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert "As an example." in (tmp_path / "a.svg").read_text(encoding="utf-8")


# ----------------------------------------------------------------------------------------------------------------------
# The table behind several curves, and that it is what is drawn.


POINTS = {"OOB": [(0.1, 0.9, 0.01), (0.0, 0.05, 0.01)], "CV": [(0.0, 0.06, 0.0), (0.1, 0.8, 0.0)]}


def test_points_are_in_the_order_of_the_axis() -> None:
    made = several_curves(POINTS, x_axis="β2", title="Power", level=0.05)
    assert made.curves[0].points == ((0.0, 0.05, 0.01), (0.1, 0.9, 0.01))
    assert made.to_frame()["y"].tolist() == [0.05, 0.9, 0.06, 0.8]
    assert "standard errors" in made.caption


def test_bands_only_where_something_is_simulated() -> None:
    ax = several_curves(POINTS, x_axis="β2", level=0.05).figure().axes[0]
    assert len(ax.collections) == 1
    assert len(ax.lines) == 3  # two curves and the level
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["OOB", "CV"]
    exact = several_curves({"CV": POINTS["CV"]}, x_axis="β2")
    assert exact.caption == ""
    assert not exact.figure().axes[0].collections


@pytest.mark.parametrize("points", [{}, {"OOB": []}])
def test_nothing_to_draw(points: dict[str, list[tuple[float, float, float]]]) -> None:
    with pytest.raises(UsageError, match="nothing to draw"):
        several_curves(points, x_axis="β2")


def test_it_is_saved_by_its_extension(tmp_path: Path) -> None:
    path = tmp_path / "curves.svg"
    several_curves(POINTS, x_axis="β2", title="Power of tests").save(path)
    assert "Power of tests" in path.read_text(encoding="utf-8")


# ----------------------------------------------------------------------------------------------------------------------
# The table behind ROC curves and their kin, and that it is what is drawn.


POINTS_THRESHOLD_CURVES = {"svm": ([0.0, 0.0, 1.0], [0.0, 1.0, 1.0]), "$x$": ([0.0, 1.0], [0.0, 1.0])}
AXES = ("fp-rate", "tp-rate")


def test_the_points_are_drawn_in_their_order() -> None:
    made = threshold_curves("roc", POINTS_THRESHOLD_CURVES, axes=AXES, title="sonar")
    assert made.to_frame()["y"].tolist() == [0.0, 1.0, 1.0, 0.0, 1.0]
    ax = made.figure().axes[0]
    assert ax.lines[0].get_xydata().tolist() == [[0, 0], [0, 1], [1, 1]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == AXES
    assert [text.get_text() for text in ax.get_legend().get_texts()][-1] == "no learning"


@pytest.mark.parametrize(("kind", "highest", "top"), [("roc", 1.0, 1.01), ("lift", 3.0, 3.24), ("cost", 0.2, 0.54)])
def test_the_axis_is_as_high_as_the_kind_needs(kind: str, highest: float, top: float) -> None:
    made = threshold_curves(kind, {"svm": ([0.0, 1.0], [highest, 0.1])}, axes=AXES, title="t")
    assert made.figure().axes[0].get_ylim() == pytest.approx((0, top))


def test_precision_has_no_line_of_no_learning() -> None:
    assert len(threshold_curves("pr", POINTS_THRESHOLD_CURVES, axes=AXES, title="t").figure().axes[0].lines) == 2


def test_nothing_to_draw_and_files_by_extension(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to draw"):
        threshold_curves("roc", {}, axes=AXES, title="t")
    threshold_curves("roc", POINTS_THRESHOLD_CURVES, axes=AXES, title="sonar", caption="Of one test sample.").save(
        tmp_path / "r.svg"
    )
    assert "Of one test sample." in (tmp_path / "r.svg").read_text()
