"""The table behind box plots with densities."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.figures.box_density import bandwidth, box_density

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
