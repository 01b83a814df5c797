"""Mean, median, maximum and quantiles of losses."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.measures.functionals import functional, quantile, quantile_rank


@given(st.integers(1, 1000), st.integers(0, 100))
def test_the_rank_is_exact_for_shares_of_two_decimals(m: int, percent: int) -> None:
    """In floating point .55 · 20 exceeds 11; the rank must not notice."""
    assert quantile_rank(m, percent / 100) == max(1, ceil(Fraction(percent, 100) * m))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.floats(0, 1))
def test_a_quantile_is_a_loss_that_occurred(losses: list[float], q: float) -> None:
    found = quantile(losses, q)
    assert found in losses
    assert sum(value <= found for value in losses) >= q * len(losses) - 1e-6


def test_the_ends_are_the_smallest_and_largest() -> None:
    assert (quantile([3, 1, 2], 0), quantile([3, 1, 2], 1)) == (1, 3)
    assert functional([3, 1, 2], "maximum") == functional([3, 1, 2], "max") == 3
    assert functional([1, 2, 3, 4], "75%") == functional([1, 2, 3, 4], "0.75") == 3


@pytest.mark.parametrize("name", ["mode", "q", "q2", "q-1", "qnan"])
def test_unknown_functionals_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match=r"functional|quantile"):
        functional([1, 2], name)


def test_bad_losses_are_refused() -> None:
    with pytest.raises(UsageError, match="finite number"):
        quantile([1, float("inf")], 0.5)
    with pytest.raises(UsageError, match="at least one value"):
        functional([], "mean")
    with pytest.raises(UsageError, match="at least one value"):
        quantile_rank(0, 0.5)
