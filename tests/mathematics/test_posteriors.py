from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.mathematics.posteriors import (
    draws,
    in_order,
    largest,
    largest_shares,
    median_quantiles,
    pseudomedian_quantiles,
)


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


# ----------------------------------------------------------------------------------------------------------------------
# Walsh posterior


D = np.array([0.3, -0.1, 0.2, 0.0, -0.4, 0.7, 0.2, 0.5])


def brute(d: np.ndarray, prior: float, rope: float, count: int) -> np.ndarray:
    """Benavoli et al. (2014) as written: all pairs, one draw at a time."""
    z = np.append(d, 0.0)
    sums = z[:, None] + z
    right = (sums > 2 * rope + 1e-12) + 0.5 * (np.abs(sums - 2 * rope) <= 1e-12)
    left = (sums < -2 * rope - 1e-12) + 0.5 * (np.abs(sums + 2 * rope) <= 1e-12)
    w = np.random.default_rng(0).dirichlet([*np.ones(len(d)), prior], count)
    theta = np.stack([np.einsum("ni,ij,nj->n", w, part, w) for part in (left, 1 - left - right, right)])
    if rope == 0:
        theta[1] = -1
    return np.bincount(theta.argmax(axis=0), minlength=3) / count


@pytest.mark.parametrize("rope", [0.0, 0.05, 0.1, 0.25])
def test_all_pairs_agree(rope: float) -> None:
    found = largest_shares(in_order(D, 0.5, 0.0), rope, 100_000, 1)
    assert [found.left, found.rope, found.right] == pytest.approx(brute(D, 0.5, rope, 100_000), abs=0.008)


def test_mirrored_differences_mirror_the_shares() -> None:
    there = largest_shares(in_order(D, 0.5, 0.0), 0.05, 2000, 3)
    back = largest_shares(in_order(-D, 0.5, 0.0), 0.05, 2000, 3)
    assert (there.left, there.rope, there.right) == (back.right, back.rope, back.left)


def test_symmetric_differences_are_undecided() -> None:
    found = largest_shares(in_order(np.array([-2.0, -1.0, 1.0, 2.0]), 0.5, 0.0), 0.0, 1000, 1)
    assert found.left == found.right == 0.5


def test_draws_are_dirichlet_weights() -> None:
    data = in_order(D, 2.0, 0.0)
    drawn = np.concatenate(list(draws(data, 40_000, np.random.default_rng(0))), axis=1)
    share = drawn / drawn.sum(axis=0)
    assert drawn.shape == (9, 40_000)
    assert share.mean(axis=1) == pytest.approx(np.where(np.arange(9) == data.place, 0.2, 0.1), abs=0.005)


def test_batches_are_bounded() -> None:
    data = in_order(np.arange(5000.0), 0.5, 0.0)
    assert all(batch.size <= 1 << 17 for batch in draws(data, 100, np.random.default_rng(0)))


def test_the_standard_error_is_that_of_the_share() -> None:
    data = in_order(D, 0.5, 0.0)
    rights = [largest_shares(data, 0.1, 2000, seed) for seed in range(60)]
    assert np.std([r.right for r in rights]) == pytest.approx(np.mean([r.standard_error for r in rights]), rel=0.4)


def test_quantiles_of_the_pseudomedian() -> None:
    data = in_order(D, 0.0, 0.0)
    ((lower, upper),) = pseudomedian_quantiles(data, [0.05], 1)
    z = np.sort(D)
    means, rows = [], np.triu_indices(len(z))
    pair_means = (z[rows[0]] + z[rows[1]]) / 2
    order = np.argsort(pair_means)
    for w in np.random.default_rng(5).dirichlet(np.ones(len(z)), 4000):
        weight = w[rows[0]] * w[rows[1]] * np.where(rows[0] == rows[1], 1, 2)
        means.append(pair_means[order][np.argmax(np.cumsum(weight[order]) >= 0.5)])
    assert (lower, upper) == pytest.approx(tuple(np.quantile(means, [0.05, 0.95])), abs=0.051)


def test_draws_that_all_agree_are_not_certain() -> None:
    found = largest_shares(in_order(np.linspace(1, 2, 30), 0.5, 0.0), 0.01, 1000, 1)
    assert found.right == 1.0
    assert found.standard_error == pytest.approx(1.5 / found.draws)
