"""The ceiling of a comparison; Holte's table is among the oracles."""

from __future__ import annotations

import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.ceiling import ceiling, is_columnwise_best


def test_wins_ties_and_room() -> None:
    found = ceiling([[1, 2, 3, 4], [1, 3, 2, 5]])
    assert (found.wins, found.ties) == ((1, 2), 1)
    assert found.best.tolist() == [1, 3, 3, 5]
    assert found.room.tolist() == [0.5, 0.25]


def test_a_misprinted_row_is_found() -> None:
    assert not is_columnwise_best([2, 2], [[1, 3], [2, 1]])


def test_refusals() -> None:
    with pytest.raises(UsageError, match="two methods"):
        ceiling([[1, 2], [1, 2], [1, 2]])
    with pytest.raises(UsageError, match="at least 2 rows"):
        ceiling([[1, 2]])
