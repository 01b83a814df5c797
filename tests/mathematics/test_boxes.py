"""Tukey's box, against R 4.2.2: boxplot.stats(x)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.mathematics.boxes import box


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


def test_refusals() -> None:
    with pytest.raises(UsageError, match="reach"):
        box([1], reach=-1)
    with pytest.raises(UsageError, match="finite"):
        box([float("nan")])
