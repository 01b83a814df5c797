"""The branches of 1R's rules: where numbers are cut, how categories are told apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.learners.one_r_rules import Categories, Intervals, Rule, as_texts, intervals, majorities, make_rule


def cut(values: list[float], codes: list[int], size: int) -> tuple[float, ...]:
    return intervals(np.array(values, dtype=float), np.array(codes), np.bincount(codes, minlength=2), size)


def test_an_interval_goes_on_while_its_class_does() -> None:
    assert cut([1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 1, 1], 2) == (3.5,)


def test_equal_values_are_never_parted() -> None:
    assert cut([1, 1, 2, 2, 2, 3], [0, 0, 0, 1, 1, 1], 1) == (1.5,)


def test_too_few_cases_of_a_class_make_no_interval() -> None:
    assert cut([1, 2, 3, 4, 5, 6, 7], [0, 0, 0, 1, 0, 0, 0], 3) == ()
    assert cut([1, 2, 3, 4, 5, 6, 7], [0, 0, 0, 1, 0, 0, 0], 1) == (3.5, 4.5)


def test_nothing_is_asked_of_the_last_interval() -> None:
    assert cut([1, 2, 3, 4], [0, 0, 0, 1], 3) == (3.5,)


def test_no_values_no_cuts() -> None:
    assert cut([], [], 6) == ()


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), min_size=1, max_size=60),
    st.integers(1, 8),
)
def test_every_interval_is_justified(cases: list[tuple[int, int]], size: int) -> None:
    values, codes = np.array(cases, dtype=float).T
    codes = codes.astype(np.intp)
    rule = make_rule(values, False, codes, 3, size)
    assert rule.counts.sum() == len(cases)
    counts, predicted = rule.counts[:-1], rule.classes()[:-1]
    assert (counts[:-1].max(axis=1, initial=0) >= size).all()  # the last is free
    assert counts[:-1].any(axis=1).all()
    assert (predicted[:-1] != predicted[1:]).all()  # neighbours that agree were joined
    assert list(rule.branches.cuts) == sorted(set(rule.branches.cuts))
    assert not set(rule.branches.cuts) & set(values)


def test_a_value_on_a_cut_belongs_above() -> None:
    assert list(Intervals((2.0,)).find(np.array([1.0, 2.0, 3.0, np.nan]))) == [0, 1, 1, 2]


def test_something_else_than_numbers_is_refused() -> None:
    with pytest.raises(UsageError, match="learned from numbers"):
        Intervals((2.0,)).find(np.array(["x"], dtype=object))


def test_categories_missing_and_unseen() -> None:
    assert list(Categories(("a", "b")).find(np.array(["b", "c", None, np.nan, "a"], dtype=object))) == [1, 3, 2, 2, 0]


def test_whole_numbers_read_alike() -> None:
    assert as_texts(np.array([1.0, 2.5]))[0] == ["1", "2.5"]
    assert as_texts(np.array([1, 10**9], dtype=object))[0] == ["1", "1000000000"]


def test_of_equal_classes_the_more_frequent_one() -> None:
    assert list(majorities(np.array([[1, 1], [1, 0], [0, 0]]), np.array([5, 6]))) == [1, 0, 1]
    assert list(majorities(np.array([[1, 1, 0]]), np.array([6, 6, 9]))) == [0]


def test_an_empty_branch_has_the_overall_proportions() -> None:
    rule = Rule(Intervals((1.0,)), np.array([[3, 0], [0, 1], [0, 0]]))
    assert rule.errors == 0
    np.testing.assert_allclose(rule.probabilities(), [[1, 0], [0, 1], [0.75, 0.25]])
    assert list(rule.classes()) == [0, 1, 0]
