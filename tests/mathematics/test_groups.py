"""Independent samples: what is refused, and how the sums of squares behave at the edges."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.mathematics.groups import f_ratio, number_samples, partition


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
