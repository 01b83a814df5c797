"""The exact law of Friedman's statistic, against all orders one by one."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from bakeoff.mathematics.rank_sum_law import spread, spread_law, spread_tail


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 4), k=st.integers(2, 4), ties=st.booleans())
def test_all_orders_are_counted(seed: int, n: int, k: int, ties: bool) -> None:
    values = np.random.default_rng(seed).integers(0, 3 if ties else 10**6, (n, k))
    ranks = rankdata(values, axis=1)
    every = [sum(rows) for rows in product(*(map(np.array, permutations(row)) for row in ranks.tolist()))]
    spreads = spread(np.rint(2 * np.array(every)).astype(np.int64))
    law = spread_law(ranks)
    assert law is not None
    found, counts = np.unique(spreads, return_counts=True)
    assert found.tolist() == law[0].tolist()
    assert law[1] == pytest.approx(counts / len(every))
    observed = spread(np.rint(2 * ranks).astype(np.int64).sum(axis=0))
    assert spread_tail(ranks) == pytest.approx(np.mean(spreads >= observed))


def test_too_many_combinations_are_none() -> None:
    assert spread_law(np.tile(np.arange(12.0), (3, 1))) is None
    assert spread_tail(np.tile(np.arange(1.0, 7), (9, 1)), most=10_000) is None
    law = spread_law(np.tile(np.arange(1.0, 5), (20, 1)))
    assert law is not None
    assert law[1].sum() == pytest.approx(1)
