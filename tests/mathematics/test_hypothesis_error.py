"""The eigenproblem of H against E, and the four statistics made of it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg

from bakeoff.mathematics.hypothesis_error import eigen, root_of, root_of_residuals, statistics


@pytest.mark.parametrize("seed", range(5))
def test_eigen_against_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, residuals = rng.normal(size=(3, 4)), rng.normal(size=(20, 4)) * [1, 1e-6, 1e5, 2]
    H, E = a.T @ a * np.outer([1, 1e-6, 1e5, 2], [1, 1e-6, 1e5, 2]), residuals.T @ residuals
    scale = np.diag([1, 1e6, 1e-5, 0.5])
    expected = linalg.eigh(scale @ H @ scale, scale @ E @ scale, eigvals_only=True)[::-1]
    for root in (root_of(E), root_of_residuals(residuals)):
        assert root is not None
        values, vectors = eigen(H, *root)
        assert values == pytest.approx(np.maximum(expected, 0), abs=1e-9)
        assert vectors.T @ E @ vectors == pytest.approx(np.eye(4), abs=1e-8)
        assert H @ vectors[:, :1] == pytest.approx(values[0] * E @ vectors[:, :1], rel=1e-6)


def test_measures_that_may_depend_on_each_other_have_no_quick_root() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(20, 2))
    assert root_of(np.zeros((2, 2))) is None
    for tiny in (0.0, 1e-9, 1e-6):
        residuals = np.column_stack([x, x @ [1, 2] + tiny * rng.normal(size=20)])
        assert root_of(residuals.T @ residuals) is None


def test_no_effect() -> None:
    wilks, pillai, lawley, roy = statistics(np.zeros(2), 3, 2.0, 20.0)
    assert (wilks.value, pillai.value, lawley.value, roy.value) == (1.0, 0.0, 0.0, 0.0)
    assert [test.p for test in (wilks, pillai, lawley, roy)] == [1.0, 1.0, 1.0, 1.0]


def test_two_groups_make_one_f_of_all_four() -> None:
    found = statistics(np.array([0.374525306835939]), 2, 1.0, 14.0)
    for test in found:
        assert test.f == pytest.approx(2.4344144944336, rel=1e-9)
        assert test.df == (2.0, 13.0)
        assert test.p == pytest.approx(0.126475728247859, rel=1e-8)
