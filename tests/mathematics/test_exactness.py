"""Differences and ranks that floating point does not fool."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.mathematics.exactness import differences, midranks, rounded, whole_steps

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
