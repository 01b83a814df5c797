"""Checks: what is right passes unchanged, what is wrong is named in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import (
    binary_column,
    choice,
    count,
    differences,
    midranks,
    number_column,
    number_table,
    paired,
    rounded,
    squarable,
    whole_steps,
)


def test_what_is_right_passes() -> None:
    assert number_column((1, 2.5)).tolist() == [1.0, 2.5]
    assert number_table([[1, 2], [3, 4]], "x", rows=2, columns=2).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert binary_column([True, 0, 1.0]).tolist() == [1.0, 0.0, 1.0]
    assert count(np.float64(7), "n") == 7
    assert choice("exact", iter(("exact", "normal")), "method") == "exact"
    first, second = paired(np.arange(3.0), np.ones(3))
    assert (first.tolist(), second.tolist()) == ([0.0, 1.0, 2.0], [1.0, 1.0, 1.0])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: number_column([]), "at least one value; found the shape \\(0,\\)"),
        (lambda: number_column([[1.0]]), "one column of at least one value"),
        (lambda: number_column([1, "x"], "losses"), "'losses' must be a column of numbers"),
        (lambda: number_column([1, 2, -inf], "losses"), "'losses' must be a finite number; found -inf at position 3"),
        (lambda: number_table([1.0, 2.0], "t"), "'t' must have at least 1 row and 1 column; found the shape \\(2,\\)"),
        (lambda: number_table([[1.0], [2.0]], "t", columns=2), "at least 1 row and 2 columns"),
        (lambda: number_table([[1.0, "x"]], "t"), "'t' must be a table of numbers"),
        (lambda: number_table([[1.0], [1.0, 2.0]], "t"), "'t' must be a table of numbers"),
        (lambda: number_table([[1.0, 2.0], [3.0, nan]], "t"), "found nan in row 2, column 2"),
        (lambda: binary_column([0, 1, 0.5], "b"), "'b' must be 0 or 1 \\(right or wrong\\); found 0.5 at position 3"),
        (lambda: paired(np.ones(2), np.ones(3)), "equally long, a row being one block; found 2 and 3 values"),
        (lambda: count(-1, "n"), "'n' must be a whole number that is not negative; found -1"),
        (lambda: count(2.5, "n"), "found 2.5"),
        (lambda: count(nan, "n"), "found nan"),
        (lambda: count(inf, "n"), "found inf"),
        (lambda: choice("exat", ("exact", "normal"), "method"), "There is no method 'exat'. Did you mean 'exact'"),
    ],
)
def test_what_is_wrong_is_named(call: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        call()


def test_squares_out_of_range() -> None:
    for fine in ([0.0, 0.0], [1e-140, 0.0], [-1e140, 1.0], []):
        assert squarable(np.array(fine)).tolist() == fine
    for size, word in ((1e160, "large"), (1e-160, "small")):
        with pytest.raises(UsageError, match=f"as {word} as"):
            squarable(np.array([0.0, -size]))


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([[1.0, 2.0], [3.0, "x"]], "found 'x' among them"),
        ([[1.0, 2.0], [3.0]], "rows of different lengths"),
        ([[1.0, None]], "finite number; found nan in row 1, column 2"),  # numpy takes None for NaN
    ],
)
def test_what_is_no_number_is_shown(values: Any, found: str) -> None:
    with pytest.raises(UsageError, match=found):
        number_table(values)


# ----------------------------------------------------------------------------------------------------------------------
# Differences and ranks that floating point does not fool.


DECIMALS = st.lists(st.integers(-9999, 9999), min_size=1, max_size=30)


@given(values=DECIMALS)
def test_midranks_agree_with_scipy(values: list[int]) -> None:
    assert midranks(values).tolist() == stats.rankdata(values).tolist()


@given(seed=st.integers(0, 10**6))
def test_midranks_of_a_table_go_row_by_row(seed: int) -> None:
    table = np.random.default_rng(seed).integers(0, 4, size=(5, 6))
    assert midranks(table).tolist() == stats.rankdata(table, axis=1).tolist()


@given(a=DECIMALS, data=st.data(), places=st.integers(0, 6))
def test_equal_differences_on_paper_are_equal(a: list[int], data: st.DataObject, places: int) -> None:
    b = data.draw(st.lists(st.integers(-9999, 9999), min_size=len(a), max_size=len(a)))
    unit = 10**places
    found = differences(np.array(a) / unit, np.array(b) / unit)
    exact = np.array(a) - np.array(b)
    assert midranks(np.abs(found)).tolist() == midranks(np.abs(exact)).tolist()
    assert (found == 0).tolist() == (exact == 0).tolist()


def test_a_tie_that_floating_point_breaks() -> None:
    assert np.float64(0.3) - 0.2 != np.float64(0.2) - 0.1
    first, second = differences([0.3, 0.2], [0.2, 0.1])
    assert first == second == 0.1


def test_rounding_is_relative() -> None:
    tiny = np.array([1.0e-9, 3.0e-9, 2.5e-9])
    assert rounded(tiny) == pytest.approx(tiny, rel=1e-12)
    assert rounded([1e6, 1e6 + 1e-9]).tolist() == [1e6, 1e6]
    assert rounded([[1e9, 1.23456], [1.0, 1.23456]])[1, 1] == 1.23456


@given(values=st.lists(st.floats(-1e12, 1e12).filter(lambda x: x == 0 or abs(x) > 1e-200), min_size=1, max_size=20))
def test_rounding_twice_changes_nothing(values: list[float]) -> None:
    once = rounded(values)
    assert rounded(once, scale=np.abs(values).max()).tolist() == once.tolist()
    assert np.abs(once - values).max() <= 1e-11 * max(np.abs(values).max(), 1e-300)


def test_zeros_and_nothing() -> None:
    assert rounded([0.0, 0.0]).tolist() == [0.0, 0.0]
    assert differences([], []).tolist() == []


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=8), st.sampled_from([1.0, 0.001, 1e-7, 1e9]))
def test_whole_steps_are_multiples_of_what_all_share(whole: list[int], unit: float) -> None:
    common = max(int(np.gcd.reduce(np.abs(whole))), 1)
    assert whole_steps(np.array(whole) * unit).tolist() == [one // common for one in whole]
