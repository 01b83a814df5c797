"""Statistics of ranks: the exact law of dealing by brute force, and identities between the tables' statistics."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.mathematics.checks import midranks, rounded
from bakeoff.mathematics.rank_tables import (
    chi2_from_mean_ranks,
    count_wins,
    dealing_tail,
    friedman_chi2,
    skillings_mack_ranks,
)


@settings(max_examples=20)
@given(sizes=st.sampled_from([(2, 2), (3, 2, 2), (1, 3, 2), (2, 2, 2), (4, 3)]), seed=st.integers(0, 10**6))
def test_exact_p_by_all_permutations(sizes: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    ranks = midranks(rng.integers(0, 5, sum(sizes)).astype(float))
    ends = np.cumsum(sizes)[:-1]
    n = np.array(sizes)

    def statistic(order: Any) -> float:
        return float(sum(part.sum() ** 2 / len(part) for part in np.split(np.array(order), ends)))

    values = np.array([statistic(order) for order in permutations(ranks)])
    expected = np.mean(values >= statistic(ranks) * (1 - 1e-12))
    assert dealing_tail(ranks, n) == pytest.approx(expected, rel=1e-12)


def test_chi2_of_printed_mean_ranks() -> None:
    """Demšar (2006), section 3.2.2."""
    assert chi2_from_mean_ranks([3.143, 2.000, 2.893, 1.964], 14) == pytest.approx(9.28, abs=5e-3)


@given(seed=st.integers(0, 10**6), n=st.integers(2, 9), k=st.integers(2, 6))
def test_without_holes_skillings_and_mack_are_friedman(seed: int, n: int, k: int) -> None:
    table = np.random.default_rng(seed).integers(0, 4, (n, k)) / 10
    ranks = midranks(rounded(table))
    found = skillings_mack_ranks(table)
    assert (found.raw, found.chi2) == pytest.approx(friedman_chi2(ranks), abs=1e-9)
    assert found.means == pytest.approx(ranks.mean(axis=0))
    wins, shared = count_wins(table)
    assert (shared == n).all()
    # A rank is one, and one more for each learner that is better, half for each that is as good.
    assert ranks.mean(axis=0) == pytest.approx((n + (wins + (n - wins.T)).sum(axis=0) / 2 - n / 2) / n)
