"""Williams' orders balance positions, and who follows whom."""

from __future__ import annotations

import numpy as np
import pytest
from balance import followed_by, is_latin

from bakeoff.designs.factorial import williams
from bakeoff.errors import UsageError


@pytest.mark.parametrize("treatments", range(2, 12))
def test_balance(treatments: int) -> None:
    rows = williams(treatments)
    assert is_latin(rows)
    assert is_latin(rows[:treatments])  # of an odd number the first square by itself
    assert len(rows) == treatments * (1 if treatments % 2 == 0 else 2)
    off_diagonal = followed_by(rows)[~np.eye(treatments, dtype=bool)]
    assert set(off_diagonal.tolist()) == {1 if treatments % 2 == 0 else 2}


def test_one_treatment_has_no_order() -> None:
    with pytest.raises(UsageError, match="two treatments"):
        williams(1)
