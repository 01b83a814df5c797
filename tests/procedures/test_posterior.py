from __future__ import annotations

import pytest

from bakeoff.errors import UsageError
from bakeoff.procedures.posterior import checked_correlation, checked_rope, rope_note


@pytest.mark.parametrize("rope", [-0.1, float("nan"), float("inf")])
def test_a_rope_is_a_difference(rope: float) -> None:
    with pytest.raises(UsageError, match="not negative"):
        checked_rope(rope)


def test_the_note_says_that_there_is_no_rope() -> None:
    assert "any difference counts" in rope_note(0.0)
    assert rope_note(0.025) == "rope ±0.025"


@pytest.mark.parametrize("rho", [None, float("nan")])
def test_an_unknown_correlation_is_asked_for(rho: float | None) -> None:
    with pytest.raises(UsageError, match="--rho"):
        checked_correlation(rho)


@pytest.mark.parametrize("rho", [-0.1, 1.0, 2.0])
def test_a_correlation_is_possible(rho: float) -> None:
    with pytest.raises(UsageError, match=r"\[0, 1\)"):
        checked_correlation(rho)
