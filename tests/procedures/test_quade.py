"""Quade's test: against R, with ties, its pairs against all orders, and at its limits."""

from __future__ import annotations

from itertools import permutations, product
from math import inf, isnan

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.procedures.friedman import DEMSAR
from bakeoff.procedures.quade import quade


def test_r_quade_test() -> None:
    """R 4.2.2: quade.test(round(M, 10)) of Demšar's AUCs, which have ties."""
    test = quade(-np.array(DEMSAR)).tests[0]
    assert test.statistic == pytest.approx(4.62790516224)
    assert test.p == pytest.approx(0.00730268051489)


def test_direction_does_not_matter_to_f() -> None:
    table = np.array(DEMSAR)
    assert quade(table).tests[0].statistic == pytest.approx(quade(-table).tests[0].statistic)


def test_the_variance_of_pairs_is_that_of_all_orders() -> None:
    table = np.array([[1.0, 2.0, 4.0], [2.0, 2.5, 2.0], [1.0, 5.0, 9.0]])
    estimates = quade(table).estimates
    assert estimates is not None
    every = [
        quade(np.array(rows)).details["weighted_mean_ranks"] for rows in product(*map(permutations, table.tolist()))
    ]
    difference = np.array(every)[:, 0] - np.array(every)[:, 1]
    assert difference.mean() == pytest.approx(0, abs=1e-12)
    variance = estimates.covariance[0, 0] + estimates.covariance[1, 1]
    assert np.mean(difference**2) == pytest.approx(variance)


def test_without_ties_the_variance_is_the_formula() -> None:
    n, k = 12, 5
    table = np.random.default_rng(1).random((n, k))
    estimates = quade(table).estimates
    assert estimates is not None
    assert 2 * estimates.covariance[0, 0] == pytest.approx(k * (k + 1) * (2 * n + 1) / (9 * n * (n + 1)))
    ranks, weights = stats.rankdata(table, axis=1), stats.rankdata(np.ptp(table, axis=1))
    assert estimates.values == pytest.approx(weights @ ranks / (n * (n + 1) / 2))


def test_the_limits() -> None:
    alike = quade(np.full((4, 3), 0.5)).tests[0]
    assert (alike.statistic, alike.p) == (0.0, 1.0)
    perfect = quade([[1, 2, 3], [1, 3, 5], [2, 3, 9]]).tests[0]
    assert perfect.p < 0.2
    proportional = quade([[1, 2, 3]] * 4).tests[0]
    assert (proportional.statistic, proportional.p, proportional.note[:10]) == (inf, 0.0, "every task")
    assert isnan(quade([[1, 2, 3]]).tests[0].p)
    for bad in ([[1.0], [2.0]], [[1.0, float("nan")]], [1.0, 2.0]):
        with pytest.raises(UsageError):
            quade(bad)


def test_size_at_a_true_null() -> None:
    rng = np.random.default_rng(2)
    p = [quade(rng.normal(size=(15, 4))).tests[0].p for _ in range(1500)]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 1500))
