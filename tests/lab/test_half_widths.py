"""Sample sizes that printed half-widths imply; Riddle's table is among the oracles."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.lab.half_widths import implied_sizes


@given(st.integers(20, 5000), st.lists(st.floats(0.05, 0.95), min_size=1, max_size=4))
def test_the_true_size_is_always_in_the_range(n: int, rates: list[float]) -> None:
    widths = [1.959963984540054 * sqrt(rate * (1 - rate) / n) for rate in rates]
    low, high = implied_sizes([round(rate, 4) for rate in rates], [round(width, 4) for width in widths])
    assert low - 1e-6 * n <= n <= high + 1e-6 * n


def test_refusals() -> None:
    with pytest.raises(UsageError, match="rates between 0 and 1"):
        implied_sizes([1.2], [0.1])
    with pytest.raises(UsageError, match="exceed the rounding"):
        implied_sizes([0.2], [0.0])
    with pytest.raises(UsageError, match="equally long"):
        implied_sizes([0.2, 0.3], [0.1])
