"""Which measures are free of each other, and what is said about those that are not."""

from __future__ import annotations

import numpy as np

from bakeoff.mathematics.independence import dependence, independent_columns


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
