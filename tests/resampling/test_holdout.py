"""Splits into a learning and a test part."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.resampling.holdout import first_rows, random_split


@given(st.integers(2, 200), st.integers(0, 2**32 - 1))
def test_every_row_is_in_one_part(n: int, seed: int) -> None:
    train, test = random_split(n, np.random.default_rng(seed))
    assert sorted([*train, *test]) == list(range(n))
    assert len(test) == round(n / 3)


def test_the_seed_decides() -> None:
    one, two, other = (random_split(30, np.random.default_rng(seed))[1].tolist() for seed in (1, 1, 2))
    assert one == two != other


def test_refusals() -> None:
    for n_train in (0, 5, 6, -1):
        with pytest.raises(UsageError, match="at least one of the 5 rows"):
            first_rows(5, n_train)
    with pytest.raises(UsageError, match="strictly between 0 and 1"):
        random_split(5, np.random.default_rng(), test_share=1)
    with pytest.raises(UsageError, match="at least one"):
        random_split(5, np.random.default_rng(), test_share=0.01)
