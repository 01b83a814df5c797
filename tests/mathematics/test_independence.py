from __future__ import annotations

import numpy as np

from bakeoff.mathematics.independence import dependence, independent_columns


def test_the_first_of_columns_that_follow_from_each_other_is_kept() -> None:
    rng = np.random.default_rng(0)
    free = rng.normal(size=(20, 3))
    d = np.column_stack([free[:, 0], free[:, 1], free[:, 0] + free[:, 1], free[:, 2], 2 * free[:, 2]])
    assert independent_columns(d - d.mean(axis=0), np.zeros(5)) == [0, 1, 3]


def test_units_do_not_matter() -> None:
    d = np.random.default_rng(1).normal(size=(20, 3)) * [1e-9, 1.0, 1e9]
    assert independent_columns(d - d.mean(axis=0), np.zeros(3)) == [0, 1, 2]


def test_the_refusal_names_what_to_keep() -> None:
    error = dependence(4, [0, 1], ["tp", "fp", "fn", "tn"], "the differences")
    assert "tp" in str(error)
    assert "fp" in str(error)
