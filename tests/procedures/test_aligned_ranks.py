"""Friedman's test on aligned ranks: against R's coin, against all orders, with ties, and at its limits."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.procedures.aligned_ranks import aligned_ranks


def test_the_formula_of_the_papers_without_ties() -> None:
    """T = (k−1)(Σ R_j² − (k n²/4)(kn+1)²) / (kn(kn+1)(2kn+1)/6 − Σ R_i²/k), Hodges and Lehmann (1962)."""
    n, k = 9, 4
    table = np.random.default_rng(1).random((n, k))
    ranks = stats.rankdata(table - table.mean(axis=1, keepdims=True)).reshape(n, k)
    above = np.sum(ranks.sum(axis=0) ** 2) - k * n**2 / 4 * (k * n + 1) ** 2
    below = k * n * (k * n + 1) * (2 * k * n + 1) / 6 - np.sum(ranks.sum(axis=1) ** 2) / k
    assert aligned_ranks(table).tests[0].statistic == pytest.approx((k - 1) * above / below)


def test_the_variance_of_pairs_is_that_of_all_orders() -> None:
    table = np.array([[1.0, 2.0, 4.0], [2.0, 2.5, 2.0], [1.0, 5.0, 9.0]])
    estimates = aligned_ranks(table).estimates
    assert estimates is not None
    rows = product(*map(permutations, table.tolist()))
    every = np.array([aligned_ranks(np.array(row)).details["mean_aligned_ranks"] for row in rows])
    difference = every[:, 0] - every[:, 1]
    assert difference.mean() == pytest.approx(0, abs=1e-12)
    assert np.mean(difference**2) == pytest.approx(2 * estimates.covariance[0, 0])


def test_a_task_s_own_level_does_not_matter() -> None:
    table = np.round(np.random.default_rng(3).random((8, 3)), 3)
    moved = table + np.arange(8)[:, None] / 4
    assert aligned_ranks(moved).tests[0].statistic == pytest.approx(aligned_ranks(table).tests[0].statistic)


def test_pairs_keep_their_level() -> None:
    """With the printed variance k(N+1)/6 more than a third of these would be rejected."""
    rng = np.random.default_rng(4)
    wrong = 0
    for _ in range(1500):
        estimates = aligned_ranks(rng.normal(size=(12, 5))).estimates
        assert estimates is not None
        z = (estimates.values[0] - estimates.values[1]) / np.sqrt(2 * estimates.covariance[0, 0])
        wrong += abs(z) > 1.96
    assert wrong / 1500 == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 1500))


def test_the_limits() -> None:
    alike = aligned_ranks(np.repeat(np.arange(4.0)[:, None], 3, axis=1))
    assert (alike.tests[0].statistic, alike.tests[0].p) == (0.0, 1.0)
    assert alike.details["mean_aligned_ranks"].tolist() == [6.5, 6.5, 6.5]
    tiny = np.random.default_rng(5).random((6, 3))
    for factor in (1e-250, 1e250):
        assert aligned_ranks(tiny * factor).tests[0].p == pytest.approx(aligned_ranks(tiny).tests[0].p)
    for bad in ([[1.0], [2.0]], [[1.0, float("nan")]], [1.0, 2.0]):
        with pytest.raises(UsageError):
            aligned_ranks(bad)
