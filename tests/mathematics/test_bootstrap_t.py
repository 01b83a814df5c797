"""Bootstrap-t: its definition on all resamples of few blocks, degenerate contrasts, groups of blocks, and its size."""

from __future__ import annotations

from itertools import combinations, product
from math import inf, sqrt

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.mathematics import bootstrap_t as module
from bakeoff.mathematics.bootstrap_t import bootstrap_t, means_and_errors, resample_counts


def pairs(k: int) -> np.ndarray:
    rows = np.zeros((k * (k - 1) // 2, k))
    for row, (i, j) in zip(rows, combinations(range(k), 2), strict=True):
        row[i], row[j] = 1.0, -1.0
    return rows


def all_t(d: np.ndarray) -> np.ndarray:
    """t* of every resample of d, contrasts in columns; infinite without a standard error."""
    n = len(d)
    found = []
    for which in product(range(n), repeat=n):
        x = d[list(which)]
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (x.mean(axis=0) - d.mean(axis=0)) / (x.std(axis=0, ddof=1) / sqrt(n))
        found.append(np.where(x.std(axis=0) < 1e-12, inf, t))
    return np.array(found)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_p_is_the_share_of_all_resamples(alternative: str) -> None:
    y = np.array([[0.3, 1.1, 0.2], [0.9, 1.4, 0.1], [0.1, 0.9, 0.7], [0.8, 2.0, 0.6], [0.4, 0.6, 0.5]])
    d = y @ pairs(3).T
    side = {"two-sided": np.abs, "greater": lambda t: t, "less": lambda t: np.where(np.isinf(t), inf, -t)}[alternative]
    drawn, seen = side(all_t(d)), side(d.mean(axis=0) / stats.sem(d))
    adjusted, before = np.empty(3), 0.0
    for r in np.argsort(-seen):
        before = adjusted[r] = max(before, np.mean(drawn[:, seen <= seen[r]].max(axis=1) >= seen[r]))
    found = bootstrap_t(y, pairs(3), alternative=alternative, alpha=0.2, draws=40_000).test
    assert found.statistic == pytest.approx(d.mean(axis=0) / stats.sem(d))
    assert found.p == pytest.approx((drawn >= seen).mean(axis=0), abs=0.012)
    assert found.p_adjusted == pytest.approx(adjusted, abs=0.012)
    largest = drawn.max(axis=1)  # a law of steps: the quantile is on one of them
    assert np.mean(largest > found.critical) - 0.012 <= 0.2 <= np.mean(largest >= found.critical - 1e-6) + 0.012


def test_counts_are_those_of_draws_with_replacement() -> None:
    counts = resample_counts(5, 20_000, np.random.default_rng(1))
    assert counts.shape == (5, 20_000)
    assert np.all(counts.sum(axis=0) == 5)
    assert counts.var(axis=1) == pytest.approx(np.full(5, 0.8), abs=0.04)
    assert np.corrcoef(counts)[0, 1] == pytest.approx(-0.25, abs=0.03)


def test_means_and_errors_are_the_usual_ones() -> None:
    y = np.random.default_rng(2).normal(5, 2, (40, 4))
    mean, se = means_and_errors(y, pairs(4))
    assert mean == pytest.approx((y @ pairs(4).T).mean(axis=0))
    assert se == pytest.approx(stats.sem(y @ pairs(4).T))
    huge, wide = means_and_errors(y * 1e200, pairs(4))
    assert huge / 1e200 == pytest.approx(mean)
    assert wide / 1e200 == pytest.approx(se)


def test_normal_values_have_nearly_students_quantile() -> None:
    d = np.random.default_rng(3).normal(size=(300, 1))
    found = bootstrap_t(d)
    assert found.test.critical == pytest.approx(stats.t.ppf(0.975, 299), abs=0.08)
    assert found.test.p[0] == pytest.approx(stats.ttest_1samp(d[:, 0], 0).pvalue, abs=0.03)
    assert found.test.p.tolist() == found.test.p_adjusted.tolist()


def test_seeds_and_families() -> None:
    y = np.random.default_rng(3).normal(size=(30, 4))
    control = [[1, -1, 0, 0], [1, 0, -1, 0], [1, 0, 0, -1]]
    found = bootstrap_t(y, control, draws=499, seed=4)
    assert found == bootstrap_t(y, control, draws=499, seed=4)
    assert found != bootstrap_t(y, control, draws=499, seed=5)
    same = bootstrap_t(y @ np.array(control).T, draws=499, seed=4)
    assert same.test.p_adjusted == pytest.approx(found.test.p_adjusted)
    assert same.test.critical == pytest.approx(found.test.critical)


# --- tables at the edge -----------------------------------------------------------------------------------------------


def test_without_a_standard_error_there_is_no_answer() -> None:
    y = np.random.default_rng(6).normal(size=(25, 2))
    table = np.column_stack([y, y[:, 1], y[:, 1] + 0.5])
    found = bootstrap_t(table, pairs(4), draws=999)  # pairs 12 13 14 23 24 34
    assert found.test.statistic[3:].tolist() == [0.0, -inf, -inf]
    assert found.test.p[3] == found.test.p_adjusted[3] == 1
    assert np.isnan(found.test.p[4:]).all()
    assert np.isnan(found.test.p_adjusted[4:]).all()
    ends = found.intervals()
    assert np.isnan(ends.lower[3:]).all()
    assert np.isfinite(ends.lower[:3]).all()
    nothing = bootstrap_t(np.ones((8, 2)), pairs(2), draws=99)
    assert nothing.test.p.tolist() == [1.0]
    assert nothing.test.critical == inf


def test_a_contrast_of_few_blocks_claims_nothing_and_costs_the_others_nothing() -> None:
    rng = np.random.default_rng(7)
    y = rng.normal(size=(60, 2)) + np.array([0, 0.6])
    clone = y[:, 1].copy()
    clone[:4] += 0.1
    found = bootstrap_t(np.column_stack([y, clone]), pairs(3), draws=1_999, seed=1)
    assert found.fragile.tolist() == [False, False, True]
    assert found.test.p[2] > 0.018  # (1 − 4/60)^60 resamples hold none of the four
    assert found.test.p_adjusted[2] == 1
    alone = bootstrap_t(np.column_stack([y, clone]), pairs(3)[:2], draws=1_999, seed=1)
    assert found.test.critical == pytest.approx(alone.test.critical)
    assert found.test.p_adjusted[:2] == pytest.approx(alone.test.p_adjusted)
    assert (found.intervals().lower[2], found.intervals().upper[2]) == (-inf, inf)
    both = bootstrap_t(np.r_[np.ones(3), np.zeros(57)][:, None], draws=99)
    assert both.fragile.all()
    assert both.test.critical == inf


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_the_unit_does_not_matter(unit: float) -> None:
    y = np.random.default_rng(8).normal(size=(20, 3))
    plain, scaled = (bootstrap_t(x, pairs(3), draws=499) for x in (y, y * unit))
    assert scaled.test.statistic == pytest.approx(plain.test.statistic)
    assert scaled.test.p_adjusted == pytest.approx(plain.test.p_adjusted)


def test_groups_of_many_blocks_keep_the_skewness(monkeypatch: pytest.MonkeyPatch) -> None:
    """One-sided quantiles of skewed losses differ from 1.645 on both sides, and groups do not change that."""
    d = np.random.default_rng(9).lognormal(sigma=1.2, size=(1_500, 1))
    whole = {side: bootstrap_t(d, alternative=side).test.critical for side in ("greater", "less")}
    monkeypatch.setattr(module, "MANY", 300)
    grouped = {side: bootstrap_t(d, alternative=side).test.critical for side in ("greater", "less")}
    assert whole["greater"] < 1.57 < 1.72 < whole["less"]
    assert grouped["greater"] == pytest.approx(whole["greater"], abs=0.06)
    assert grouped["less"] == pytest.approx(whole["less"], abs=0.06)
    assert bootstrap_t(d).estimate[0] == pytest.approx(d.mean())


def test_refusals() -> None:
    with pytest.raises(UsageError, match="at least two blocks; found 1"):
        bootstrap_t([[1.0, 2.0]], [[1, -1]])
    with pytest.raises(UsageError, match="finite number; found nan"):
        bootstrap_t([[1.0], [np.nan]])
    with pytest.raises(UsageError, match="no p is below"):
        bootstrap_t([[1.0], [2.0]], draws=9)


# --- intervals and size -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_intervals_agree_with_the_test_of_the_largest(seed: int) -> None:
    y = np.random.default_rng(seed).exponential(size=(30, 4)) + np.array([0, 0, 0.4, 0.8])
    found = bootstrap_t(y, pairs(4), draws=999, seed=seed)
    ends = found.intervals()
    largest = int(np.argmax(np.abs(found.test.statistic)))
    without_zero = (ends.lower > 0) | (ends.upper < 0)
    assert without_zero[largest] == (found.test.p_adjusted[largest] <= 0.05)
    assert np.all(found.test.p_adjusted[without_zero] <= 0.05)
    assert found.intervals("greater").upper.tolist() == [inf] * 6
    assert found.intervals("less").lower.tolist() == [-inf] * 6


def test_few_false_claims_where_shapes_differ() -> None:
    """Losses in [0, 1] of equal mean, Beta(.1, .9) against Beta(2, 18), 50 items: t claims 10 %."""
    rng, wrong, by_t = np.random.default_rng(13), 0, 0
    for seed in range(300):
        y = np.column_stack([rng.beta(0.1, 0.9, (50, 2)), rng.beta(2, 18, (50, 2))])
        test = bootstrap_t(y, pairs(4), draws=299, seed=seed).test
        wrong += bool(test.p_adjusted.min() <= 0.05)
        by_t += bool(2 * stats.t.sf(np.abs(test.statistic), 49).min() * 6 <= 0.05)
    assert wrong <= 27  # 15 expected; standard deviation 3.8
    assert wrong <= by_t
