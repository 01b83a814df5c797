"""The table behind box plots with densities."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import rc_context

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.figures.box_density import MOST_TOGETHER, bandwidth, box, box_density, sheather_jones
from bakeoff.figures.figure import COLOURS, Style

VALUES = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 30.0]


def test_box_whiskers_and_outliers() -> None:
    one = box_density({"OOB": {"a": VALUES}}, axis="error").panels[0].distributions[0]
    assert one.quartiles == (3.0, 5.0, 7.0)
    assert (one.lower, one.upper, one.outliers) == (1.0, 8.0, (30.0,))
    assert (one.size, one.mean) == (9, pytest.approx(66 / 9))


def test_the_density_has_area_one_and_is_a_normal_kernels() -> None:
    one = box_density({"OOB": {"a": VALUES}}, axis="error").panels[0].distributions[0]
    x, height = np.array(one.density).T
    assert np.trapezoid(height, x) == pytest.approx(1, abs=0.01)  # 3 bandwidths of tail are left out at either end
    width = bandwidth(np.array(VALUES))
    by_hand = np.mean(np.exp(-0.5 * ((x[70] - np.array(VALUES)) / width) ** 2)) / (width * np.sqrt(2 * np.pi))
    assert height[70] == pytest.approx(by_hand)


@pytest.mark.parametrize("values", [[0.25] * 6, [0.25]])
def test_equal_values_have_a_box_without_density(values: list[float]) -> None:
    one = box_density({"OOB": {"a": values}}, axis="error").panels[0].distributions[0]
    assert one.density == ()
    assert one.quartiles == (0.25, 0.25, 0.25)
    assert one.lower == one.upper == 0.25


def test_half_of_the_values_the_same_still_have_a_density() -> None:
    assert bandwidth(np.array([1.0] * 8 + [2.0])) > 0


@pytest.mark.parametrize(
    ("values", "nrd0", "nrd", "sj", "precise"),
    [  # R 4.2.2: bw.nrd0(x), bw.nrd(x), bw.SJ(x), bw.SJ(x, tol = 1e-12 * max(x))
        ([1, 1.1, 1.3, 5, 5.2, 5.3, 9], 1.826643110944871, 2.151379664001737, 0.696968011197956, 0.698053148631615),
        (
            [-3.2, -3, -2.9, -0.1, 0.2, 0.3, 4, 4.1, 4.4, 10],
            2.40115872259849, 2.82803138439377, 2.81217817731736, 2.81191041646641,
        ),
        ([1, 2, 3, 4, 5], 0.973584622850636, 1.146666333579638, 1.436440192685299, 1.439291383109641),
    ],
)  # fmt: skip
def test_rules_of_the_bandwidth(values: list[float], nrd0: float, nrd: float, sj: float, precise: float) -> None:
    x = np.array(values, dtype=float)
    assert (bandwidth(x), bandwidth(x, "nrd"), bandwidth(x, "sj")) == pytest.approx((nrd0, nrd, precise), rel=1e-9)
    assert sheather_jones(x, 0.1) == pytest.approx(sj, rel=1e-12)
    assert bandwidth(3 * x + 7, "sj") == pytest.approx(3 * precise, rel=0.01)  # up to the classes of distances


def test_a_density_by_another_rule() -> None:
    two_modes = [0.1, 0.11, 0.12, 0.13, 0.9, 0.91, 0.92, 0.93]
    smooth, rough = (
        box_density({"": {"a": two_modes, "same": [1.0] * 4}}, axis="error", bandwidth=rule).panels[0].distributions
        for rule in ("nrd0", "sj")
    )
    assert max(height for _, height in rough[0].density) > 3 * max(height for _, height in smooth[0].density)
    assert rough[1].density == ()
    with pytest.raises(UsageError, match="rule of the bandwidth"):
        box_density({"": {"a": two_modes}}, axis="error", bandwidth="silverman")
    with pytest.raises(DegenerateError, match="Use the rule nrd0"):
        bandwidth(np.array([1.0] * 8 + [2.0]), "sj")


def test_the_frame_has_a_row_a_learner_and_panel() -> None:
    made = box_density({"CV": {"a": [1, 2], "b": [2, 3]}, "OOB": {"a": [1, 2, 3]}}, axis="error", title="t")
    table = made.to_frame()
    assert table["panel"].tolist() == ["CV", "CV", "OOB"]
    assert table["median"].tolist() == [1.5, 2.5, 2.0]
    assert made.caption.startswith("CV: 2 samples; OOB: 3 samples.")


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ({}, "no performances"),
        ({"OOB": {}}, "no performances"),
        ({"OOB": {"a": []}}, "a"),
        ({"OOB": {"a": [0.1, float("nan")]}}, "performances of a"),
    ],
)
def test_refusals(samples: dict[str, dict[str, list[float]]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        box_density(samples, axis="error")


def test_it_is_saved_by_its_extension(tmp_path: Path) -> None:
    path = tmp_path / "boxes.svg"
    box_density({"OOB": {"tree": VALUES, "forest": [2.0] * 9}}, axis="error", title="A title").save(path)
    text = path.read_text(encoding="utf-8")
    assert "A title" in text
    assert ">forest<" in text
    with pytest.raises(UsageError, match=r"\.svg"):
        box_density({"OOB": {"tree": VALUES}}, axis="error").save(tmp_path / "boxes.doc")


# ----------------------------------------------------------------------------------------------------------------------
# What is drawn is what the table holds.


def test_a_row_a_panel_with_boxes_and_densities() -> None:
    rng = np.random.default_rng(1)
    learners = {name: rng.normal(size=20) for name in ("a", "b", "c")}
    made = box_density({"CV": learners, "OOB": learners}, axis="error", title="both").figure()
    boxes, densities, *_ = made.axes
    assert len(made.axes) == 4
    assert [text.get_text() for text in boxes.get_yticklabels()] == ["a", "b", "c"]
    assert boxes.yaxis_inverted()
    assert len(densities.lines) == 3
    assert [text.get_text() for text in densities.get_legend().get_texts()] == ["a", "b", "c"]
    assert box_density({"CV": learners}, axis="error", title="both").figure(caption=True).get_suptitle() == "both"


def test_many_learners_have_a_row_of_density_each() -> None:
    many = {f"l{i}": [0.1 + 0.01 * i, 0.2, 0.3] for i in range(MOST_TOGETHER + 1)}
    boxes, rows = box_density({"OOB": many}, axis="error").figure().axes
    assert rows.get_legend() is None
    assert len(rows.lines) == len(many)
    assert boxes.get_ylim() == rows.get_ylim()
    assert boxes.get_xlim() == rows.get_xlim()


def test_more_learners_than_colours_and_none_with_a_density() -> None:
    many = {f"l{i}": [0.1, 0.2, 0.3] for i in range(len(COLOURS) + 2)}
    assert len(box_density({"OOB": many}, axis="error").figure().axes[1].lines) == len(many)
    flat = box_density({"OOB": {"a": [1.0, 1.0]}}, axis="error").figure()
    assert len(flat.axes) == 1  # no panel for densities that nobody has


def test_names_with_dollars_and_control_characters_are_drawn_as_they_are() -> None:
    made = box_density({"O": {"$x_1$ \x07": [1.0, 2.0], "µ": [2.0, 3.0]}}, axis="error").figure()
    file = BytesIO()
    with rc_context({"svg.fonttype": "none"}):
        made.savefig(file, format="svg")
    assert b"$x_1$" in file.getvalue()


# ----------------------------------------------------------------------------------------------------------------------
# Tukey's box, against R 4.2.2: boxplot.stats(x).


@pytest.mark.parametrize(
    ("x", "stats", "outliers"),
    [
        ([1], [1, 1, 1, 1, 1], []),
        ([1, 2], [1, 1, 1.5, 2, 2], []),
        ([1, 2, 3], [1, 1.5, 2, 2.5, 3], []),
        ([1, 2, 3, 4], [1, 1.5, 2.5, 3.5, 4], []),
        ([9, 1, 2, 3, 4, 30, -20], [1, 1.5, 3, 6.5, 9], [30, -20]),
        ([1, 1, 1, 1, 5], [1, 1, 1, 1, 1], [5]),
    ],
)
def test_as_r(x: list[float], stats: list[float], outliers: list[float]) -> None:
    found = box(x)
    assert [found.low, found.lower_hinge, found.median, found.upper_hinge, found.high] == stats
    assert found.outliers.tolist() == outliers


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=30))
def test_parts_are_in_order_and_nothing_is_lost(x: list[float]) -> None:
    found = box(x)
    assert found.lower_hinge <= found.median <= found.upper_hinge
    assert found.low <= found.high
    kept = [value for value in x if found.low <= value <= found.high]
    assert len(kept) + len(found.outliers) == len(x)


def test_an_infinite_reach_leaves_no_outliers() -> None:
    found = box([1, 2, 3, 1000], reach=float("inf"))
    assert (found.high, found.outliers.tolist()) == (1000, [])


def test_refusals_boxes() -> None:
    with pytest.raises(UsageError, match="reach"):
        box([1], reach=-1)
    with pytest.raises(UsageError, match="finite"):
        box([float("nan")])


def test_narrow_figures_have_a_density_in_each_row_instead_of_a_legend() -> None:
    drawn = box_density({"": {"tree": [0.1, 0.2, 0.2, 0.3], "forest": [0.1, 0.1, 0.2, 0.9]}}, axis="error")
    assert drawn.figure(style=Style(width=6.0)).axes[1].get_legend() is not None
    assert drawn.figure(style=Style(width=3.4)).axes[1].get_legend() is None
