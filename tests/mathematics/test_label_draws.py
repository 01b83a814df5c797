"""Sums of draws without replacement: against all draws one by one."""

from __future__ import annotations

import tracemalloc
from itertools import combinations
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.mathematics.label_draws import can_be_exact, draw_shares, lowest_difference, random_draws


def all_shares(scores: np.ndarray, m: int, w: int) -> tuple[float, float, float]:
    sums = np.array([sum(draw) for draw in combinations(scores.tolist(), m)])
    mean = m * scores.mean()
    far = np.abs(sums - mean) >= abs(w - mean) - 1e-9 * np.abs(scores).max()
    return float(np.mean(sums >= w)), float(np.mean(sums <= w)), float(np.mean(far))


@pytest.mark.parametrize("big", [1, 10**8])
@given(seed=st.integers(0, 10**6), n=st.integers(2, 10))
@settings(max_examples=60)
def test_shares_are_those_of_all_draws(big: int, seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(-9, 12, n) * big
    m = int(rng.integers(1, n // 2 + 1))
    w = int(rng.choice(scores, m, replace=False).sum())
    found = draw_shares(scores, m, w)
    assert (found.above, found.below, found.far) == pytest.approx(all_shares(scores, m, w), abs=1e-12)


def test_random_draws_are_near_the_law() -> None:
    scores = np.array([12, 15, 11, 18, 14, 16, 10, 9, 13, 8, 12])
    exact = draw_shares(scores, 5, 52)
    n = 200_000
    for found, share in zip(random_draws(scores, 5, 52, n, seed=1), (exact.above, exact.below, exact.far), strict=True):
        assert found / n == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / n))


def test_what_is_too_much_work_is_known_beforehand() -> None:
    rng = np.random.default_rng(1)
    assert can_be_exact(rng.integers(0, 10**11, 32), 16)
    assert can_be_exact(rng.integers(0, 100, 200), 100)
    assert not can_be_exact(rng.integers(0, 10**11, 60), 30)
    assert not can_be_exact(np.ones(5000, dtype=np.int64), 2500)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("tail", [0.3, 0.1, 0.05])
def test_the_end_is_where_the_test_begins_to_reject(seed: int, tail: float) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 1000, 5).astype(float), rng.integers(0, 1000, 4).astype(float)

    def above(shift: float) -> float:
        both = np.rint(60 * np.concatenate([x - shift, y])).astype(np.int64)  # differences of means are 60ths
        return draw_shares(both, 4, int(both[5:].sum())).below  # as large a sum of x is as small a sum of y

    end = lowest_difference(x, y, tail)
    assert above(end) > tail
    assert above(end - 1) <= tail


def test_few_values_have_no_end() -> None:
    assert lowest_difference(np.array([1.0, 2.0]), np.array([0.0]), 0.05) == -inf


def test_memory_does_not_grow_with_the_draws() -> None:
    scores = np.array([1, 5, 2, 4])
    tracemalloc.start()
    above, below, far = random_draws(scores, 2, 9, 3_000_000, seed=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6, "one number a draw would be 24 MB"
    # One of six pairs has the sum 9, and one the sum 3, as far below: five standard errors of 3,000,000 draws.
    assert (above / 3e6, far / 3e6) == pytest.approx((1 / 6, 1 / 3), abs=5 * 0.00028)
    assert below == 3_000_000
