from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.mathematics.dirichlet import largest, median_quantiles


@pytest.mark.parametrize(("a", "b"), [(1, 1), (3, 7), (0.3, 0.9), (200, 180), (5000, 5100)])
def test_the_larger_of_two_is_a_beta_tail(a: float, b: float) -> None:
    assert largest([a, b]) == pytest.approx([stats.beta(a, b).sf(0.5), stats.beta(a, b).cdf(0.5)], abs=1e-9)


@pytest.mark.parametrize("alpha", [[1, 2, 3], [0.5, 0.5, 4], [30, 25, 10], [0.0001, 1.0, 1.0]])
def test_the_largest_of_three_as_simulated(alpha: list[float]) -> None:
    draws = np.random.default_rng(0).dirichlet(alpha, 300_000).argmax(axis=1)
    assert largest(alpha) == pytest.approx(np.bincount(draws, minlength=3) / len(draws), abs=0.004)


def test_equal_shares_are_equally_probable() -> None:
    assert largest([4, 4, 4, 4]) == pytest.approx([0.25] * 4)


@given(st.lists(st.floats(0.05, 500), min_size=2, max_size=4))
def test_probabilities_add_up_and_follow_the_parameters(alpha: list[float]) -> None:
    found = largest(alpha)
    assert found.sum() == pytest.approx(1.0)
    assert np.all(np.isfinite(found))
    order = np.argsort(alpha)
    assert np.all(np.diff(found[order]) >= -1e-9)


def test_quantiles_of_a_median_as_simulated() -> None:
    x = np.array([-3.0, -1.0, 0.0, 0.5, 2.0, 4.0, 7.0])
    w = np.random.default_rng(1).dirichlet(np.ones(7), 100_000)
    medians = x[np.argmax(np.cumsum(w, axis=1) >= 0.5, axis=1)]
    assert median_quantiles(x, np.ones(7), 0.1) == tuple(np.quantile(medians, [0.1, 0.9]))
    assert median_quantiles(x, np.ones(7), 0.5)[0] == np.quantile(medians, 0.5)


def test_a_single_value() -> None:
    assert median_quantiles([2.0], [1.0], 0.025) == (2.0, 2.0)
