"""Independent samples: what is refused, and how the sums of squares behave at the edges."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.mathematics.groups import (
    answers,
    dependence,
    f_ratio,
    independent_columns,
    number_samples,
    partition,
    two_means,
)


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
# Which measures are free of each other, and what is said about those that are not.


def test_the_first_of_each_dependent_group_is_kept() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 12))
    d = np.column_stack([a, 2 * a + 7, b, a - 3 * b, np.full(12, 0.4)])
    assert independent_columns(d, np.full(5, 1e-14)) == [0, 2]


def test_small_units_are_no_dependence() -> None:
    rng = np.random.default_rng(2)
    d = rng.normal(size=(12, 3)) * [1e-9, 1.0, 1e9]
    assert independent_columns(d, np.zeros(3)) == [0, 1, 2]


def test_the_refusal_names_what_to_keep() -> None:
    error = dependence(3, [0, 2], ["tp", "fn", "fp"], "differences")
    assert "The differences in 3 measures vary in 2 directions only" in str(error)
    assert "fn differ by a constant" in str(error)
    assert error.alternatives[0].endswith(": tp, fp")
    assert dependence(2, [], ["a", "b"], "values").alternatives == ()


# ----------------------------------------------------------------------------------------------------------------------
# Tables of right and wrong answers: the pooled variance by its definition.


TABLES = st.tuples(st.integers(1, 25), st.integers(2, 6)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(0, 1))
)


@given(TABLES)
def test_the_variance_is_the_mean_over_pairs_of_their_discordant_share(table: np.ndarray) -> None:
    """For one pair under its null hypothesis it is (b + c) / n²; pooled, the average of that over all pairs."""
    n, k = table.shape
    pairs = [np.sum(table[:, i] != table[:, j]) / n**2 for i in range(k) for j in range(i)]
    found = answers(table)
    assert found.variance == pytest.approx(np.mean(pairs))
    assert found.rates == pytest.approx(table.mean(axis=0))
    assert found.n == n


def test_refusals() -> None:
    with pytest.raises(UsageError, match=r"must be 0 or 1 .* found 2 in row 2, column 1"):
        answers([[0, 1], [2, 0]])
    with pytest.raises(UsageError, match="at least 1 row and 2 columns"):
        answers([[0], [1]])
    with pytest.raises(UsageError, match="finite number"):
        answers([[0, float("nan")]])


# ----------------------------------------------------------------------------------------------------------------------
# Two independent means: scipy for Welch and pooled, the definition for the slides' degrees of freedom.


SAMPLE = st.lists(st.integers(-50, 50), min_size=2, max_size=20).map(lambda x: np.array(x, dtype=float))


@pytest.mark.filterwarnings("ignore:Precision loss")  # of scipy's
@given(a=SAMPLE, b=SAMPLE)
def test_scipy(a: np.ndarray, b: np.ndarray) -> None:
    if np.ptp(a) == 0 and np.ptp(b) == 0:
        return
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
