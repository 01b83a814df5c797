"""Cochran's Q: its own formula, McNemar's χ² for two, and permutations."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.procedures.cochran_q import cochran_q
from bakeoff.procedures.mcnemar import mcnemar_counts


def cochran(table: np.ndarray) -> float:
    """Q = (k − 1) (k Σ C² − N²) / (k N − Σ R²), as Cochran prints it."""
    k, c, r = table.shape[1], table.sum(axis=0), table.sum(axis=1)
    return float((k - 1) * (k * np.sum(c**2) - r.sum() ** 2) / (k * r.sum() - np.sum(r**2)))


@given(seed=st.integers(0, 2**32), n=st.integers(1, 40), k=st.integers(2, 6))
def test_cochrans_formula(seed: int, n: int, k: int) -> None:
    table = np.random.default_rng(seed).integers(0, 2, (n, k))
    found = cochran_q(table).tests[0]
    if np.all(np.ptp(table, axis=1) == 0):
        assert (found.statistic, found.p) == (0, 1)
    else:
        assert found.statistic == pytest.approx(cochran(table), abs=1e-12)


def test_for_two_it_is_mcnemar_without_correction() -> None:
    table = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [61, 23, 32, 268], axis=0)
    found = cochran_q(table).tests[0]
    theirs = mcnemar_counts(61, 23, 32, 268, method="chi2", correction=False)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.p))


def test_the_law_is_near_that_of_all_relabellings() -> None:
    table = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]])
    observed = cochran(table)
    orders = list(permutations(range(3)))
    each = [sorted({tuple(row[list(o)]) for o in orders}) for row in table]  # equally many orders give each
    drawn = [cochran(np.array(rows)) for rows in product(*each)]
    exact = np.mean(np.array(drawn) >= observed - 1e-9)
    assert cochran_q(table).tests[0].p == pytest.approx(exact, abs=0.05)


def test_all_agree() -> None:
    many = cochran_q([[1, 1, 1], [0, 0, 0], [1, 1, 1]])
    assert (many.tests[0].statistic, many.tests[0].p, many.details["sigma_diff"]) == (0, 1, 0)
    assert many.tests[0].note == "all agree on every instance"


def test_one_classifier_is_refused() -> None:
    with pytest.raises(UsageError, match="2 columns"):
        cochran_q([[1], [0]])
