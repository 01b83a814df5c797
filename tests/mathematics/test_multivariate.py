"""Several measures at once: R's values, scipy's eigenvalues, dependent measures, and T² of two learners."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg, stats

from bakeoff.errors import UsageError
from bakeoff.mathematics.multivariate import (
    dependence,
    eigen,
    independent_columns,
    manova_blocks,
    manova_groups,
    paired_t2,
    pairwise_t2,
    root_of,
    root_of_residuals,
    statistics,
)

Y = np.array(
    [[0.717, 0.669], [-0.042, 1.665], [1.391, 0.456], [1.096, 0.4], [2.636, 0.717], [1.689, 2.541], [-0.281, 1.165],
     [0.787, 2.308], [2.897, 2.288], [2.777, 1.593], [2.067, 1.217], [1.516, 2.756], [1.883, 2.41], [1.455, 0.572],
     [1.534, 2.74]]
)  # fmt: skip
GROUP = [1] * 4 + [2] * 6 + [3] * 5


def cube(seed: int, n: int = 8, k: int = 3, p: int = 2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, k, p)) + rng.normal(size=(n, 1, p))


def test_r_on_unequal_groups() -> None:
    """R 4.2.2: summary(manova(y ~ factor(group)), test = …)."""
    expected = {
        "Wilks": (0.55716051914024, 1.86838860583276, (4, 22), 0.151860577714776),
        "Pillai": (0.445859313899875, 1.72130869960823, (4, 24), 0.178155722724521),
        "Hotelling–Lawley": (0.789394856079063, 1.97348714019766, (4, 20), 0.137529920881184),
        "Roy": (0.782468002442671, 4.69480801465603, (2, 12), 0.031179528628818),
    }
    for test in manova_groups(Y, GROUP).tests:
        value, f, df, p = expected[test.name]
        assert (test.value, test.f, test.p) == pytest.approx((value, f, p), rel=1e-9)
        assert test.df == df


@given(seed=st.integers(0, 10**6))
def test_other_units_and_mixtures_of_measures_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = cube(seed, p=3)
    plain = [test.value for test in manova_blocks(table).tests]
    mixed = rng.normal(size=(3, 3)) + 3 * np.eye(3)
    for other in (table @ mixed, table * [1e-8, 1, 1e8], table + 5, table + rng.normal(size=(8, 1, 3))):
        assert [test.value for test in manova_blocks(other).tests] == pytest.approx(plain, rel=1e-6)


def test_the_first_direction_separates_the_learners_most() -> None:
    table = cube(3, n=10, k=4, p=3)
    found = manova_blocks(table)
    rng = np.random.default_rng(4)

    def ratio(w: np.ndarray) -> float:
        return float(w @ found.H @ w / (w @ found.E @ w))

    assert ratio(found.eigenvectors[:, 0]) == pytest.approx(found.eigenvalues[0], rel=1e-9)
    assert max(ratio(w) for w in rng.normal(size=(300, 3))) <= found.eigenvalues[0] * (1 + 1e-9)
    assert found.projection.shape == (40, 3)


def test_error_rate_at_a_true_null() -> None:
    p = [[test.p for test in manova_blocks(cube(seed, n=10, k=3, p=2)).tests[:3]] for seed in range(1500)]
    for column in np.array(p).T:
        assert stats.kstest(column, "uniform").pvalue > 1e-3


def test_bad_groups_are_refused() -> None:
    with pytest.raises(UsageError, match="label of its group"):
        manova_groups(Y, [1, 2])
    with pytest.raises(UsageError, match="two groups"):
        manova_groups(Y, [1] * 15)


@pytest.mark.parametrize("seed", range(4))
def test_two_learners_in_blocks_are_paired(seed: int) -> None:
    table = cube(seed, k=2, p=3)
    paired = paired_t2(table[:, 0], table[:, 1], ["a", "b", "c"])
    t2, p, df = pairwise_t2(manova_blocks(table))
    assert t2[0, 1] == pytest.approx(paired.value, rel=1e-8)
    assert df == paired.df
    assert p[0, 1] == pytest.approx(stats.f.sf(paired.value / paired.factor, *df), rel=1e-8)
    t, each = paired.t_of_each()
    theirs = stats.ttest_rel(table[:, 0], table[:, 1])
    assert t == pytest.approx(theirs.statistic)
    assert each == pytest.approx(theirs.pvalue)


# ----------------------------------------------------------------------------------------------------------------------
# The eigenproblem of H against E, and the four statistics made of it.


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
