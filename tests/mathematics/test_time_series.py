"""Means of time series: their variance is positive, and that of independent values without correlation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.mathematics.time_series import cosine_means, long_run_variance, mean_of_series


@pytest.mark.parametrize("kernel", ["rectangular", "bartlett"])
def test_the_variance_is_positive_whatever_the_series(kernel: str) -> None:
    rng = np.random.default_rng(1)
    for n in (2, 3, 7, 40):
        for h in range(1, n):
            assert long_run_variance(rng.standard_normal(n), h, kernel)[0] > 0


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200])
def test_with_horizon_one_it_is_the_usual_standard_error(unit: float) -> None:
    x = np.array([0.2, -0.4, 0.7, 0.1, -0.2])
    found = mean_of_series(x * unit, 1, "rectangular")
    assert found.value / unit == pytest.approx(x.mean())
    assert found.standard_error / unit == pytest.approx(stats.sem(x))


# --- equal-weighted cosines -------------------------------------------------------------------------------------------


def test_worked_value_of_cosines() -> None:
    t = np.arange(1, 201)
    found = cosine_means((np.sin(0.37 * t**2) + 0.2)[:, None])
    assert found.autocorrelation[0] == pytest.approx(0.0247641332, abs=5e-11)
    assert found.corrected[0] == pytest.approx(0.0301355952, abs=5e-11)
    assert found.waves.tolist() == [14]
    assert found.means.standard_error[0] == pytest.approx(0.0425907220, abs=5e-11)
    assert found.means.t[0] == pytest.approx(5.9168950, abs=5e-8)
    assert found.means.p()[0] == pytest.approx(3.7565e-5, rel=1e-4)
    assert not found.refused[0]
    assert not found.doubtful[0]


def test_worked_value_of_a_refusal() -> None:
    t = np.arange(1, 61)
    found = cosine_means((np.sin(t / 5) + 0.3 * np.cos(1.7 * t) + 0.25)[:, None])
    assert found.autocorrelation[0] == pytest.approx(0.8904026, abs=5e-8)
    assert found.corrected[0] == pytest.approx(0.9515894, abs=5e-8)
    assert found.waves.tolist() == [0]
    assert found.refused.tolist() == [True]
    assert np.isnan([found.means.standard_error[0], found.means.p()[0], found.means.intervals(0.95).lower[0]]).all()


def by_sums(d: np.ndarray, nu: int) -> float:
    n, t = len(d), np.arange(1, len(d) + 1)
    a = [np.sqrt(2 / n) * np.sum(np.cos(np.pi * k * (t - 0.5) / n) * d) for k in range(1, nu + 1)]
    return float(np.sqrt(np.mean(np.square(a)) / n))


@pytest.mark.parametrize("n", [50, 201, 1000])
def test_cosines_by_their_sums_each_series_with_its_own_number(n: int) -> None:
    rng = np.random.default_rng(n)
    y = rng.normal(size=(n, 3))
    for t in range(1, n):
        y[t] += np.array([0.0, 0.6, 0.97]) * y[t - 1]
    weights = np.array([[1.0, -1.0, 0.0], [1.0, 0.0, -1.0], [0.0, 1.0, -1.0]])
    found = cosine_means(1e-3 * y + 5, weights)
    for column, d in enumerate((1e-3 * y @ weights.T).T):
        nu = int(found.waves[column])
        if found.refused[column]:
            assert nu < 4
            continue
        assert found.means.standard_error[column] == pytest.approx(by_sums(d, nu))
        assert found.means.df[column] == nu <= round(0.4 * n ** (2 / 3))
        assert found.means.estimate[column] == pytest.approx(d.mean())
    assert n == 50 or len(set(found.waves.tolist())) > 1


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_the_unit_of_a_series_does_not_matter(unit: float) -> None:
    d = np.random.default_rng(3).normal(0.2, 1, (80, 1))
    plain, scaled = cosine_means(d).means, cosine_means(d * unit).means
    assert scaled.t == pytest.approx(plain.t)
    assert scaled.standard_error / unit == pytest.approx(plain.standard_error)


def test_constant_series_have_no_error() -> None:
    found = cosine_means(np.column_stack([np.zeros(60), np.full(60, 0.1)]))
    assert found.means.standard_error.tolist() == [0.0, 0.0]
    assert found.means.p()[0] == 1.0
    assert np.isnan(found.means.p()[1])
    assert not found.refused.any()


def test_short_series_are_refused() -> None:
    assert cosine_means(np.random.default_rng(1).normal(size=(15, 1))).refused.all()
    with pytest.raises(UsageError, match="at least three times; found 2"):
        cosine_means([[1.0], [2.0]])
    with pytest.raises(UsageError, match="finite number; found nan"):
        cosine_means([[1.0], [np.nan], [2.0]])


def test_a_long_series_is_quick() -> None:
    found = cosine_means(np.random.default_rng(1).normal(size=(100_000, 2)))
    assert found.means.standard_error == pytest.approx(np.full(2, 100_000**-0.5), rel=0.1)


def test_few_false_claims_under_autocorrelation() -> None:
    """AR(1) with .5 and 200 times: the paired t test claims in 26 % of them."""
    rng = np.random.default_rng(6)
    e = rng.normal(size=(200, 1_000))
    for t in range(1, 200):
        e[t] += 0.5 * e[t - 1]
    found = cosine_means(e)
    wrong = int(np.sum(found.means.p() <= 0.05))  # refused ones are NaN, and claim nothing
    assert 30 <= wrong <= 80  # 50 to 57 expected; standard deviation 7
    assert np.sum(stats.ttest_1samp(e, 0).pvalue <= 0.05) > 200


def drifting(rng: np.random.Generator, n: int, share: float, decay: float, series: int) -> np.ndarray:
    """Series with mean 0: a share of their variance is a slow part, the rest noise."""
    slow = rng.standard_normal((n, series))
    for t in range(1, n):
        slow[t] = decay * slow[t - 1] + np.sqrt(1 - decay**2) * slow[t]
    return np.sqrt(share) * slow + np.sqrt(1 - share) * rng.standard_normal((n, series))


@pytest.mark.parametrize(("n", "share", "decay", "most"), [(500, 0.5, 0.9, 0.08), (500, 0.2, 0.9, 0.08),
                                                            (200, 0.5, 0.9, 0.10)])  # fmt: skip
def test_noise_does_not_hide_a_slow_part(n: int, share: float, decay: float, most: float) -> None:
    """Lag 1 alone leads to 10 to 14 % false claims there; of 1,000 series the rate has a standard error of 0.7 %."""
    found = cosine_means(drifting(np.random.default_rng(5), n, share, decay, 1000))
    claimed = 2 * stats.t.sf(np.abs(found.means.t), found.means.df) < 0.05
    assert np.mean(claimed & ~found.refused) < most
    assert found.slow.mean() < 0.7


def test_noise_alone_has_all_its_waves() -> None:
    found = cosine_means(np.random.default_rng(6).standard_normal((200, 1000)))
    assert np.mean(found.waves == 14) > 0.9
    assert found.slow.mean() < 0.06
    assert not found.refused.any()


def test_a_slow_part_that_these_times_cannot_tell_is_said_to_be_there() -> None:
    found = cosine_means(drifting(np.random.default_rng(7), 200, 0.5, 0.97, 300))
    assert np.mean(found.slow | found.refused) > 0.8
    assert (found.waves[found.slow] == 4).all()


@pytest.mark.parametrize("n", range(3, 12))
def test_the_fewest_times_are_refused(n: int) -> None:
    found = cosine_means(np.random.default_rng(n).standard_normal((n, 5)))
    assert found.refused.all()
    assert np.isnan(found.means.standard_error).all()
