"""Plackett–Burman designs are balanced and orthogonal for every number of factors."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.designs.plackett_burman import plackett_burman
from bakeoff.errors import UsageError


@pytest.mark.parametrize("factors", range(1, 48))
def test_columns_are_orthogonal_and_balanced(factors: int) -> None:
    design = plackett_burman(factors)
    runs = len(design)
    assert runs % 4 == 0
    assert runs > factors
    assert (design.T @ design == runs * np.eye(factors)).all()
    assert (design.sum(axis=0) == 0).all()
    assert set(np.unique(design)) == {-1.0, 1.0}


def test_eleven_factors_in_twelve_runs() -> None:
    """The first row of the published design of twelve runs."""
    assert plackett_burman(11)[0].tolist() == [1, 1, -1, 1, 1, 1, -1, -1, -1, 1, -1]


@pytest.mark.parametrize("factors", [0, 48, 2.5])
def test_other_numbers_are_refused(factors: float) -> None:
    with pytest.raises(UsageError, match="1 to 47 factors"):
        plackett_burman(factors)  # type: ignore[arg-type]
