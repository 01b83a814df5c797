"""Full factorials and one factor at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.designs.factorial import full_factorial, full_factorial_runs, one_at_a_time, one_at_a_time_runs
from bakeoff.errors import UsageError

LEVELS = st.lists(st.integers(1, 4), min_size=1, max_size=4)


@given(LEVELS)
def test_every_combination_once(levels: list[int]) -> None:
    design = full_factorial(levels)
    assert design.shape == (full_factorial_runs(levels), len(levels))
    assert len({tuple(row) for row in design.tolist()}) == len(design)
    assert (design.max(axis=0) == np.array(levels) - 1).all()


@given(LEVELS)
def test_coded_levels_are_balanced_around_zero(levels: list[int]) -> None:
    design = full_factorial(levels, coded=True)
    np.testing.assert_allclose(design.sum(axis=0), 0, atol=1e-9)
    assert np.abs(design).max() <= 1


@given(LEVELS)
def test_one_at_a_time_changes_one_factor(levels: list[int]) -> None:
    design = one_at_a_time(levels, baseline=[n - 1 for n in levels])
    assert len(design) == one_at_a_time_runs(levels)
    assert ((design != design[0]).sum(axis=1) <= 1).all()
    assert len({tuple(row) for row in design.tolist()}) == len(design)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: full_factorial([]), "at least one factor"),
        (lambda: full_factorial([2, 0]), "at least one; found 0"),
        (lambda: full_factorial([2.5]), "whole number"),  # type: ignore[list-item]
        (lambda: full_factorial([10] * 7), "10,000,000 runs"),
        (lambda: one_at_a_time([2, 2], [0]), "one level of each factor"),
        (lambda: one_at_a_time([2, 2], [0, 2]), "one level of each factor"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=sentence):
        call()
