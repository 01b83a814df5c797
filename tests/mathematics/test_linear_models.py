"""Sums of squares of samples, blocks and contrasts, sphericity, and the t and F of means and variances."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.mathematics.linear_models import (
    MeanErrors,
    f_ratio,
    f_test_of_variances,
    mean_and_sd,
    number_samples,
    partition,
    sphericity,
    t_test,
    take_apart,
    two_factors,
    two_means,
)
from bakeoff.procedures.anova import FOLDS


def test_columns_of_a_matrix_are_samples() -> None:
    assert [sample.tolist() for sample in number_samples(np.array([[1, 2], [3, 4]]))] == [[1, 3], [2, 4]]


@pytest.mark.parametrize(
    ("samples", "sentence"),
    [
        ([[1, 2]], "At least two samples"),
        ("ab", "At least two samples"),
        (3, "At least two samples"),
        ([[1, 2], []], "Sample 2 has no values"),
        ([[1, 2], [nan]], "Sample 2 has no values"),
        ([[1, 2], ["x", "y"]], "Sample 2 must be a column of numbers"),
        ([[1, 2], [[1, 2]]], "Sample 2 must be one column"),
        ([[1, inf], [1, 2]], "Every value of sample 1 must be a finite number"),
    ],
)
def test_bad_samples_are_refused(samples: Any, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        number_samples(samples)


def test_rounding_error_is_zero() -> None:
    same = [np.array([0.1 + 0.2, 0.3]), np.array([0.3, 0.3, 0.1 + 0.2])]
    found = partition(same)
    assert (found.ss_between, found.ss_within) == (0.0, 0.0)
    assert found.f_test() == (0.0, 1.0)
    apart = partition([np.array([1.0, 1.0]), np.array([2.0, 2.0])])
    assert apart.f_test() == (inf, 0.0)


def test_the_parts_add_up() -> None:
    rng = np.random.default_rng(1)
    samples = [rng.normal(size=n) for n in (3, 8, 1, 5)]
    found, every = partition(samples), np.concatenate(samples)
    assert found.ss_between + found.ss_within == pytest.approx(np.sum((every - every.mean()) ** 2))
    assert (found.df_between, found.df_within) == (3, 13)


def test_single_values_have_no_variance_within() -> None:
    with pytest.raises(UsageError, match="two values in one of them"):
        partition([np.array([1.0]), np.array([2.0])])


def test_squares_out_of_range_are_refused() -> None:
    for size in (1e200, 1e-200):
        with pytest.raises(UsageError, match="use another unit"):
            partition([np.array([1.0, 2.0]) * size, np.array([3.0, 5.0]) * size])


def test_f_ratio() -> None:
    f, p = f_ratio(6.0, 2, 12.0, 12)
    assert f == 3.0
    assert p == pytest.approx(0.0878, abs=1e-4)


# ----------------------------------------------------------------------------------------------------------------------
# Learners within blocks, and sphericity.


@given(seed=st.integers(0, 10**6), n=st.integers(2, 12), k=st.integers(2, 6))
def test_the_parts_of_blocks_add_up(seed: int, n: int, k: int) -> None:
    table = np.random.default_rng(seed).normal(size=(n, k))
    found = take_apart(table)
    total = np.sum((table - table.mean()) ** 2)
    assert found.ss_learner + found.ss_block + found.ss_error == pytest.approx(total, rel=1e-9)


def test_an_epsilon_above_one_is_one() -> None:
    """R car 3.1: summary(Anova(lm(M ~ 1), idata = …)) prints an HF eps of 1.299673 and the p of 1."""
    values = [0, 1.7, 1.6, 0.1, 0.1, 1.9, -1, 1.9, 1.7, 0.1, -0.6, 0.1, -0.1, -0.6, 1.4, -0.4, -1.3, 2.2, 1.8, 3, 2.4,
              0.6, 0.4, -1.1]  # fmt: skip
    found = sphericity(take_apart(np.reshape(values, (8, 3))).residuals)
    assert found.greenhouse_geisser == pytest.approx(0.9526728, abs=1e-7)
    assert found.huynh_feldt_unbounded == pytest.approx(1.299673, abs=1e-6)
    assert found.huynh_feldt == 1.0


def test_sphericity_from_the_covariance_matrix() -> None:
    """ε and W by their definitions, from orthonormal contrasts."""
    table = np.array(FOLDS)
    k = table.shape[1]
    M = np.linalg.qr(np.eye(k) - 1 / k)[0][:, : k - 1]
    S = M.T @ np.cov(table, rowvar=False) @ M
    found = sphericity(take_apart(table).residuals)
    assert found.greenhouse_geisser == pytest.approx(np.trace(S) ** 2 / ((k - 1) * np.trace(S @ S)), rel=1e-9)
    assert found.w == pytest.approx(np.linalg.det(S) / (np.trace(S) / (k - 1)) ** (k - 1), rel=1e-9)
    # R 4.2.2: mauchly.test(lm(A ~ 1), X = ~1)
    assert found.p_of_r == pytest.approx(0.345102734444905, rel=1e-9)
    assert found.p == pytest.approx(found.p_of_r, abs=5e-4)


def test_epsilon_lies_between_its_bounds() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        n, k = rng.integers(2, 9), rng.integers(3, 8)
        found = sphericity(take_apart(rng.normal(size=(n, k)) * rng.random(k)).residuals)
        assert 1 / (k - 1) - 1e-9 <= found.greenhouse_geisser <= 1 + 1e-9
        assert 0 < found.huynh_feldt <= 1
        assert np.isnan(found.p) == (n - 1 < k - 1)


def test_mauchly_keeps_its_level() -> None:
    rng = np.random.default_rng(5)
    p = [sphericity(take_apart(rng.normal(size=(12, 4))).residuals).p for _ in range(2000)]
    assert stats.kstest(p, "uniform").pvalue > 1e-3


# ----------------------------------------------------------------------------------------------------------------------
# Two factors.


@given(seed=st.integers(0, 10**6))
def test_types_agree_and_add_up_in_a_balanced_design(seed: int) -> None:
    y = np.random.default_rng(seed).normal(size=(3, 2, 4))
    a, b, _ = np.indices(y.shape)
    found = [two_factors(y.ravel(), a.ravel(), b.ravel(), ("a", "b"), ss_type) for ss_type in ("1", "2", "3")]
    for effects in found:
        assert sum(row[0] for row in effects.values()) == pytest.approx(np.sum((y - y.mean()) ** 2))
        assert [row[1] for row in effects.values()] == [2, 1, 2, 18]
        for name, row in effects.items():
            assert row[0] == pytest.approx(found[0][name][0], rel=1e-9, abs=1e-12)


# ----------------------------------------------------------------------------------------------------------------------
# Two independent means: scipy for Welch and pooled, the definition for the slides' degrees of freedom.


SAMPLE = st.lists(st.integers(-50, 50), min_size=2, max_size=20).map(lambda x: np.array(x, dtype=float))


@pytest.mark.filterwarnings("ignore:Precision loss")  # of scipy's
@given(a=SAMPLE, b=SAMPLE)
def test_scipy(a: np.ndarray, b: np.ndarray) -> None:
    assume(np.ptp(a) > 0 or np.ptp(b) > 0)
    for kind, equal in (("welch", False), ("pooled", True)):
        found, theirs = two_means(a, b, kind), stats.ttest_ind(a, b, equal_var=equal)
        assert found.difference / found.standard_error == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-12)
        assert found.df == pytest.approx(theirs.df, rel=1e-9)


def test_the_smaller_sample_counts() -> None:
    a, b = np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 3.0, 4.0])
    welch, slides = two_means(a, b), two_means(a, b, "smaller")
    assert slides.df == 2
    assert (
        slides.standard_error == welch.standard_error == pytest.approx(np.sqrt(a.var(ddof=1) / 3 + b.var(ddof=1) / 4))
    )
    assert slides.df <= welch.df


def test_no_spread() -> None:
    assert two_means(np.ones(3), np.ones(4)).standard_error == 0


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_any_unit(unit: float) -> None:
    a, b = np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 3.0, 4.0])
    assert two_means(a * unit, b * unit).standard_error / unit == pytest.approx(two_means(a, b).standard_error)


def test_refusals_two_samples() -> None:
    with pytest.raises(UsageError, match="at least two values in each sample; found 1 and 3"):
        two_means(np.ones(1), np.arange(3.0))
    assert two_means(np.ones(1), np.arange(3.0), "pooled").df == 2  # one common variance needs but one of them
    with pytest.raises(UsageError, match="no count of degrees of freedom 'satterthwaite'"):
        two_means(np.ones(2), np.ones(2), "satterthwaite")


# ----------------------------------------------------------------------------------------------------------------------
# An estimate with its standard error, and the ratio of two variances.


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_t_of_one_mean(alternative: str) -> None:
    x = np.array([0.2, 0.5, 0.4, 0.9])
    mean, sd = mean_and_sd(x)
    lower, upper, t, p = t_test(mean, sd / 2, 3, 0.9, alternative, 0.3)
    theirs = stats.ttest_1samp(x, 0.3, alternative=alternative)
    assert (t, p) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert (lower, upper) == pytest.approx(tuple(theirs.confidence_interval(0.9)))


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200])
def test_means_and_spreads_of_any_unit(unit: float) -> None:
    mean, sd = mean_and_sd(np.array([1.0, 2.0, 4.0]) * unit)
    assert (mean / unit, sd / unit) == pytest.approx((7 / 3, np.std([1, 2, 4], ddof=1)))


def test_equal_variances() -> None:
    f, lower, upper, p = f_test_of_variances(2.0, 2.0, (5.0, 5.0), 0.95, "two-sided")
    assert (f, p) == (1.0, 1.0)
    assert lower == pytest.approx(1 / upper)
    assert f_test_of_variances(0.0, 0.0, (5.0, 5.0), 0.95, "less") == (1.0, 1.0, 1.0, 1.0)


def test_many_t_statistics_are_those_of_one() -> None:
    estimate, se, df = np.array([1.0, -0.4, 0.2]), np.array([0.5, 0.3, 0.1]), np.array([4.0, 7.5, np.inf])
    found = MeanErrors(estimate, se, df)
    for alternative in ("two-sided", "greater", "less"):
        single = [t_test(*one, 0.9, alternative) for one in zip(estimate, se, df, strict=True)]
        ends = found.intervals(0.9, alternative)
        assert np.column_stack([ends.lower, ends.upper, found.t, found.p(alternative)]) == pytest.approx(
            np.array(single)
        )
    wide = found.intervals([0.9, 0.99, 0.9])
    assert wide.lower[0] == found.intervals(0.9).lower[0]
    assert wide.lower[1] < found.intervals(0.9).lower[1]


def test_without_an_error_there_is_no_t() -> None:
    found = MeanErrors(np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, np.nan]), np.full(3, 5.0))
    assert found.t[:2].tolist() == [0.0, np.inf]
    for alternative in ("two-sided", "greater", "less"):
        assert found.p(alternative)[0] == 1.0
        assert np.isnan(found.p(alternative)[1:]).all()
        assert np.isnan(found.intervals(0.95, alternative).lower).all()
