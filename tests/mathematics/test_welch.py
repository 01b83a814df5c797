"""Welch's t of many contrasts, and the parametric bootstrap of the smallest of their p-values."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.mathematics.linear_models import two_means
from bakeoff.mathematics.welch import smallest_welch


def pairs(k: int) -> np.ndarray:
    rows = np.zeros((k * (k - 1) // 2, k))
    for row, (i, j) in zip(rows, combinations(range(k), 2), strict=True):
        row[i], row[j] = 1.0, -1.0
    return rows


def groups(seed: int, sizes: list[int], sds: list[float]) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(0, sd, n) for n, sd in zip(sizes, sds, strict=True)]


@given(seed=st.integers(0, 1000), sizes=st.lists(st.integers(2, 9), min_size=2, max_size=5))
def test_pairs_are_scipys(seed: int, sizes: list[int]) -> None:
    samples = groups(seed, sizes, [1.0 + i for i in range(len(sizes))])
    found = smallest_welch(samples, pairs(len(sizes)), draws=99).means
    for row, (i, j) in enumerate(combinations(range(len(sizes)), 2)):
        peer, ours = stats.ttest_ind(samples[i], samples[j], equal_var=False), two_means(samples[i], samples[j])
        assert (found.t[row], found.df[row], found.p()[row]) == pytest.approx((peer.statistic, peer.df, peer.pvalue))
        assert found.standard_error[row] == pytest.approx(ours.standard_error)


def test_a_contrast_of_three_has_satterthwaites_degrees_of_freedom() -> None:
    samples = groups(1, [4, 6, 5], [1.0, 2.0, 3.0])
    v = [c**2 * x.var(ddof=1) / len(x) for c, x in zip((0.5, 0.5, -1.0), samples, strict=True)]
    found = smallest_welch(samples, [[0.5, 0.5, -1.0]], draws=99).means
    assert found.standard_error[0] == pytest.approx(np.sqrt(sum(v)))
    assert found.df[0] == pytest.approx(sum(v) ** 2 / sum(x**2 / (n - 1) for x, n in zip(v, (4, 6, 5), strict=True)))


def test_one_pair_needs_hardly_any_adjustment() -> None:
    """Welch's p is uniform but for its approximation, and so is the smallest of one."""
    samples = groups(3, [6, 9], [1.0, 3.0])
    samples[0] = samples[0] + 2.0
    found = smallest_welch(samples, [[1, -1]])
    assert found.p_adjusted[0] == pytest.approx(found.p[0], abs=0.015)
    assert found.level == pytest.approx(0.05, abs=0.008)


def test_the_definition_drawn_slowly() -> None:
    samples = groups(4, [3, 5, 4], [1.0, 2.0, 0.5])
    samples[2] = samples[2] + 2.5
    found = smallest_welch(samples, pairs(3), draws=9_999, seed=1)
    rng = np.random.default_rng(2)
    n, variances = [len(x) for x in samples], [x.var(ddof=1) for x in samples]
    means = [rng.normal(0, np.sqrt(v / m), 40_000) for v, m in zip(variances, n, strict=True)]
    sds = [np.sqrt(v * rng.chisquare(m - 1, 40_000) / (m - 1)) for v, m in zip(variances, n, strict=True)]
    smallest = np.min(
        [
            stats.ttest_ind_from_stats(means[i], sds[i], n[i], means[j], sds[j], n[j], equal_var=False).pvalue
            for i, j in combinations(range(3), 2)
        ],
        axis=0,
    )
    least = int(np.argmin(found.p))
    assert found.p_adjusted[least] == pytest.approx(np.mean(smallest <= found.p[least]), abs=0.012)
    assert found.level == pytest.approx(np.quantile(smallest, 0.05), abs=0.004)


def test_adjusted_values_are_above_and_mostly_below_holms() -> None:
    samples = groups(5, [5] * 6, [1.0, 2.0, 0.3, 1.0, 1.0, 4.0])
    samples[0] = samples[0] + 3
    found = smallest_welch(samples, pairs(6))
    assert np.all(found.p_adjusted >= found.p)
    order = np.argsort(found.p)
    assert np.all(np.diff(found.p_adjusted[order]) >= 0)
    holm = np.maximum.accumulate(np.minimum(1, found.p[order] * np.arange(15, 0, -1)))
    assert np.mean(found.p_adjusted[order] <= holm + 0.01) > 0.7
    assert found == smallest_welch(samples, pairs(6))
    assert found != smallest_welch(samples, pairs(6), seed=1)


def test_intervals_agree_with_the_smallest() -> None:
    for seed in range(8):
        samples = groups(seed, [4, 5, 6, 4], [1.0, 2.0, 0.5, 1.0])
        samples[1] = samples[1] + 3
        found = smallest_welch(samples, pairs(4), draws=1_999, seed=seed)
        ends = found.intervals()
        least = int(np.argmin(found.p))
        assert (ends.lower[least] > 0 or ends.upper[least] < 0) == (found.p_adjusted[least] <= 0.05)
        p = found.p_adjusted[least]
        assert np.sqrt(p * (1 - p) / found.draws) < 0.012  # the error that comes from drawing


def test_samples_without_variance() -> None:
    samples = [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5], [0.1, 0.1, 0.1, 0.1], [0.2, 0.9, 0.4]]
    found = smallest_welch(samples, pairs(4), draws=499)  # pairs 12 13 14 23 24 34
    assert found.p[0] == found.p_adjusted[0] == 1
    assert np.isnan(found.p[[1, 3]]).all()
    assert np.isnan(found.p_adjusted[[1, 3]]).all()
    assert np.isfinite(found.p_adjusted[[2, 4, 5]]).all()
    assert np.isnan(found.intervals().lower[:2]).all()


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided(alternative: str) -> None:
    samples = groups(6, [6, 6, 6], [1.0, 1.0, 2.0])
    samples[0] = samples[0] + (3 if alternative == "greater" else -3)
    found = smallest_welch(samples, pairs(3)[:2], alternative=alternative)
    other = smallest_welch(samples, pairs(3)[:2], alternative={"greater": "less", "less": "greater"}[alternative])
    assert found.p_adjusted.max() < 0.1
    assert other.p_adjusted.min() > 0.9


@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_the_unit_does_not_matter(unit: float) -> None:
    samples = groups(7, [4, 5, 3], [1.0, 2.0, 3.0])
    plain, scaled = (smallest_welch([x * u for x in samples], pairs(3), draws=499) for u in (1.0, unit))
    assert scaled.p == pytest.approx(plain.p)
    assert scaled.p_adjusted == pytest.approx(plain.p_adjusted)


def test_refusals() -> None:
    with pytest.raises(UsageError, match="at least two values in each sample; found 1"):
        smallest_welch([[1.0, 2.0], [3.0]], [[1, -1]])
    with pytest.raises(UsageError, match="finite"):
        smallest_welch([[1.0, np.inf], [3.0, 4.0]], [[1, -1]])
    assert smallest_welch([[1.0, np.nan, 2.0], [3.0, 4.0]], [[1, -1]]).means.df[0] == 2  # a run that failed is no value
    with pytest.raises(UsageError, match="a weight for each of 2 columns"):
        smallest_welch([[1.0, 2.0], [3.0, 4.0]], pairs(3))


def test_few_false_claims_with_unequal_variances() -> None:
    """Five learners of five runs, one five times as variable."""
    wrong = 0
    for seed in range(300):
        found = smallest_welch(groups(seed, [5] * 5, [1.0, 1.0, 1.0, 1.0, 5.0]), pairs(5), draws=299, seed=seed)
        wrong += bool(found.p_adjusted.min() <= 0.05)
    assert 3 <= wrong <= 29  # 15 to 18 expected; standard deviation 4
