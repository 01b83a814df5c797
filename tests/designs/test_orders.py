"""Orders balance positions, and Williams' also who follows whom."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.designs.orders import followed_by, is_latin, latin_square, random_orders, williams
from bakeoff.errors import UsageError


@pytest.mark.parametrize("treatments", range(2, 12))
def test_balance(treatments: int) -> None:
    assert is_latin(latin_square(treatments))
    rows = williams(treatments)
    assert is_latin(rows)
    assert len(rows) == treatments * (1 if treatments % 2 == 0 else 2)
    off_diagonal = followed_by(rows)[~np.eye(treatments, dtype=bool)]
    assert set(off_diagonal.tolist()) == {1 if treatments % 2 == 0 else 2}


def test_random_orders_are_orders_and_the_seed_decides() -> None:
    rows = random_orders(5, 20, np.random.default_rng(1))
    assert (np.sort(rows, axis=1) == np.arange(5)).all()
    assert (rows == random_orders(5, 20, np.random.default_rng(1))).all()
    assert not is_latin(rows)


def test_refusals() -> None:
    for make in (latin_square, williams):
        with pytest.raises(UsageError, match="two treatments"):
            make(1)
    with pytest.raises(UsageError, match="at least one row"):
        random_orders(3, 0, np.random.default_rng())
