"""Friedman's test: against scipy, against the analysis of variance of ranks, and at its limits."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product
from math import inf, isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.inference.contrasts import against, all_pairs
from bakeoff.inference.evidence import compare_estimates
from bakeoff.inference.joint_laws import RangeLaw
from bakeoff.procedures import procedure_named
from bakeoff.procedures.friedman import (
    DEMSAR,
    critical_difference,
    exact_p,
    friedman,
    iman_davenport,
    ranked_alike,
)

Make = Callable[[int, int, int], np.ndarray]
TABLES = st.tuples(st.integers(0, 10**6), st.integers(1, 12), st.integers(3, 7))
# Demšar (2006), Table 5(a), k = 2 … 10.
DEMSAR_CRITICAL = {
    0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
}


def tied(seed: int, n: int, k: int) -> np.ndarray:
    """A table of few different values, not all alike."""
    table = np.random.default_rng(seed).integers(0, 4, size=(n, k)) / 10
    assume(np.ptp(table, axis=1).any())
    return table


def untied(seed: int, n: int, k: int) -> np.ndarray:
    return np.random.default_rng(seed).permuted(np.tile(np.arange(k) / 10, (n, 1)), axis=1)


@pytest.mark.parametrize("make", [tied, untied])
@given(shape=TABLES)
def test_chi2_agrees_with_scipy(make: Make, shape: tuple[int, int, int]) -> None:
    table = make(*shape)
    chi2, _ = friedman(table).tests
    reference = stats.friedmanchisquare(*table.T)
    assert chi2.statistic == pytest.approx(reference.statistic, rel=1e-9, abs=1e-9)
    assert chi2.p == pytest.approx(reference.pvalue, rel=1e-9)
    assert chi2.df == (shape[2] - 1,)


@pytest.mark.parametrize("make", [tied, untied])
@given(shape=TABLES)
def test_f_is_the_analysis_of_variance_of_the_ranks(make: Make, shape: tuple[int, int, int]) -> None:
    table = make(*shape)
    n, k = table.shape
    assume(n > 1)
    ranks = stats.rankdata(table, axis=1)
    between = n * np.sum((ranks.mean(axis=0) - (k + 1) / 2) ** 2)
    residual = np.sum((ranks - (k + 1) / 2) ** 2) - between
    assume(residual > 1e-9)
    expected = between / (k - 1) / (residual / ((k - 1) * (n - 1)))
    _, f = friedman(table).tests
    assert f.df == (k - 1, (k - 1) * (n - 1))
    assert f.statistic == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert f.p == pytest.approx(stats.f.sf(expected, *f.df), rel=1e-7, abs=1e-300)


@given(shape=TABLES)
def test_without_ties_there_is_nothing_to_correct(shape: tuple[int, int, int]) -> None:
    many = friedman(untied(*shape))
    assert many.details["chi2_raw"] == pytest.approx(many.details["chi2"])
    assert many.details["p_raw"] == pytest.approx(many.tests[0].p)
    assert "tie correction" not in many.tests[0].note


def test_with_ties_the_raw_chi2_is_noted() -> None:
    many = friedman(-np.array(DEMSAR))
    assert many.details["chi2"] > many.details["chi2_raw"]
    assert many.details["chi2_raw"] == pytest.approx(9.857, abs=5e-4)
    assert many.details["f_raw"].statistic == pytest.approx(3.987, abs=5e-4)
    assert many.tests[0].note == "without tie correction χ² = 9.857"


@given(shape=TABLES)
def test_only_the_order_within_tasks_matters(shape: tuple[int, int, int]) -> None:
    table = tied(*shape)
    scale = np.random.default_rng(shape[0]).uniform(0.5, 50, size=(len(table), 1))
    one, other = friedman(table), friedman(np.exp(table) * scale)
    assert one.details["mean_ranks"].tolist() == other.details["mean_ranks"].tolist()
    assert one.tests == other.tests


@given(shape=TABLES)
def test_mean_ranks_follow_their_learners(shape: tuple[int, int, int]) -> None:
    table = tied(*shape)
    order = np.random.default_rng(shape[0]).permutation(table.shape[1])
    one, other = friedman(table), friedman(table[:, order])
    assert other.details["mean_ranks"] == pytest.approx(one.details["mean_ranks"][order])
    assert other.details["chi2"] == pytest.approx(one.details["chi2"])
    assert one.details["mean_ranks"].sum() == pytest.approx(table.shape[1] * (table.shape[1] + 1) / 2)


def test_rank_one_is_the_smallest_value() -> None:
    assert friedman([[0.1, 0.2, 0.3]] * 3).details["mean_ranks"].tolist() == [1, 2, 3]


def test_ties_that_floating_point_breaks_are_ties() -> None:
    assert 0.1 + 0.2 != 0.3
    many = friedman([[0.1 + 0.2, 0.3, 0.5]] * 2)
    assert many.details["mean_ranks"].tolist() == [1.5, 1.5, 3.0]


def test_two_learners_are_counted_as_in_the_sign_test() -> None:
    table = [[0, 1]] * 9 + [[1, 0]] * 3
    chi2, _ = friedman(table).tests
    assert chi2.statistic == pytest.approx((9 - 3) ** 2 / 12)
    # Tasks on which both are alike say nothing, once ties are corrected for.
    assert friedman([*table, [1, 1]]).tests[0].statistic == pytest.approx((9 - 3) ** 2 / 12)


@pytest.mark.parametrize("row", [[1, 2, 3], [1, 1, 2], [3, 1, 2, 2], [1, 2, 3, 4, 5, 6, 7]])
@pytest.mark.parametrize("n", [2, 3, 5, 10, 50])  # seven learners on five tasks: χ² falls short by a rounding error
def test_perfect_agreement(row: list[int], n: int) -> None:
    chi2, f = friedman([row] * n).tests
    assert chi2.statistic == pytest.approx(n * (len(row) - 1))
    assert (f.statistic, f.p) == (inf, 0.0)
    assert f.note == "every task ranks the learners alike"


def test_nearly_perfect_agreement_is_not_perfect() -> None:
    _, f = friedman([[1, 2, 3]] * 40 + [[1, 3, 2]]).tests
    assert np.isfinite(f.statistic)
    assert 0 < f.p < 1e-50
    assert f.note == ""


def test_one_task_has_no_f() -> None:
    chi2, f = friedman([[0.1, 0.2, 0.3]]).tests
    assert chi2.statistic == pytest.approx(2)
    assert isnan(f.statistic)
    assert isnan(f.p)
    assert f.note == "needs two tasks: 0/0"


@pytest.mark.parametrize("n", [2, 5])
def test_all_ties(n: int) -> None:
    many = friedman(np.full((n, 4), 0.7))
    assert [(test.statistic, test.p, test.note) for test in many.tests] == [(0, 1, ""), (0, 1, "")]
    assert many.details["chi2_raw"] == 0
    assert many.details["mean_ranks"].tolist() == [2.5] * 4


def test_tasks_that_balance_each_other() -> None:
    chi2, f = friedman([[1, 2, 3], [3, 2, 1]]).tests
    assert (chi2.statistic, chi2.p, f.statistic, f.p) == (0, 1, 0, 1)


def test_f_from_the_published_chi2() -> None:
    found = iman_davenport(9.28, 14, 4)  # Demšar (2006), section 3.2.2
    assert round(found.statistic, 2) == 3.69
    assert found.df == (3.0, 39.0)
    assert found.p == pytest.approx(stats.f.sf(found.statistic, 3, 39), rel=1e-9)


def test_pairs_are_compared_by_z() -> None:
    table = -np.array(DEMSAR)
    many = friedman(table)
    n, k = table.shape
    assert many.details["tasks"] == n
    assert many.estimates is not None
    assert many.estimates.df == inf
    for row, (i, j) in zip(
        compare_estimates(many.estimates, all_pairs(range(k)), "none", 0.05, "two-sided"),
        all_pairs(range(k)).pairs,
        strict=True,
    ):
        difference = many.details["mean_ranks"][i] - many.details["mean_ranks"][j]
        z = difference / sqrt(k * (k + 1) / (6 * n))
        assert row.estimate == pytest.approx(difference)
        assert row.statistic == pytest.approx(z)
        assert row.p == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-9)


def test_nemenyi_rejects_beyond_the_critical_difference() -> None:
    many = friedman(-np.array(DEMSAR))
    assert many.estimates is not None
    for alpha in (0.05, 0.10):
        distance = critical_difference(4, 14, alpha)
        rows = compare_estimates(many.estimates, all_pairs(range(4)), "single-step", alpha, "two-sided")
        for row in rows:
            assert (row.p_adjusted <= alpha) == (abs(row.estimate) >= distance)
            assert (row.upper - row.lower) / 2 == pytest.approx(distance)
    # Demšar: at 0.05 no pair can be told apart from C4.5; at 0.10 the smallest difference needed is 1.12.
    assert max(abs(row.estimate) for row in rows) > critical_difference(4, 14, 0.10)


@pytest.mark.parametrize(("alpha", "printed"), [(0.05, 1.25), (0.10, 1.12)])
def test_critical_difference_as_published(alpha: float, printed: float) -> None:
    assert round(critical_difference(4, 14, alpha), 2) == printed


@pytest.mark.parametrize("alpha", DEMSAR_CRITICAL)
def test_critical_values_as_published(alpha: float) -> None:
    for k, printed in enumerate(DEMSAR_CRITICAL[alpha], 2):
        q = critical_difference(k, 30, alpha) / sqrt(k * (k + 1) / (6 * 30))
        assert q == pytest.approx(printed, abs=1e-3), k  # printed from rounded values
        assert RangeLaw(k).critical(alpha, k * (k - 1) // 2) == pytest.approx(q)


def test_critical_difference_shrinks_with_the_root_of_tasks() -> None:
    assert critical_difference(5, 40, 0.05) == pytest.approx(critical_difference(5, 10, 0.05) / 2)


@pytest.mark.parametrize(
    ("table", "shape"),
    [
        ([1.0, 2.0, 3.0], r"\(3,\)"),
        ([[1.0], [2.0]], r"\(2, 1\)"),
        (np.empty((0, 3)), r"\(0, 3\)"),
        (np.zeros((2, 3, 2)), r"\(2, 3, 2\)"),
    ],
)
def test_tables_of_a_bad_shape_are_refused(table: object, shape: str) -> None:
    with pytest.raises(UsageError, match=shape):
        friedman(table)  # type: ignore[arg-type]


@pytest.mark.parametrize("table", [[[1.0, nan, 2.0], [1.0, 2.0, 3.0]], [[1.0, inf], [2.0, 1.0]], [[1.0, 2.0], [1.0]]])
def test_what_is_no_table_of_finite_numbers_is_refused(table: object) -> None:
    with pytest.raises(UsageError):
        friedman(table)  # type: ignore[arg-type]


def test_the_procedure_is_on_ranks() -> None:
    assert procedure_named("friedman").card.ranks
    assert procedure_named("friedman").compute is friedman
    assert procedure_named("friedman").card.default_adjust == "single-step"
    assert procedure_named("friedman").card.single_step == "Nemenyi"


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ([[1, 2, 3]] * 4, 6 / 6**4),
        ([[1, 2, 3], [1, 3, 2], [2, 1, 3], [1, 2, 3]], None),
        ([[1, 1, 3], [1, 3, 3], [2, 1, 2], [1, 2, 3]], None),
        ([[1, 2, 3, 4], [1, 2, 3, 3], [4, 2, 2, 2]], None),
    ],
)
def test_exact_p_is_that_of_all_orders(table: list[list[float]], expected: float | None) -> None:
    ranks = stats.rankdata(table, axis=1)
    orders = [np.array(list(permutations(row))) for row in ranks]
    spreads = [np.sum(sum(rows) ** 2) for rows in product(*orders)]
    p = float(np.mean(np.array(spreads) >= np.sum(ranks.sum(axis=0) ** 2) - 1e-9))
    many = friedman(table, method="exact")
    assert many.tests[0].p == pytest.approx(p)
    assert many.tests[0].note.endswith("exact")
    assert many.details["p_exact"] == pytest.approx(expected or p)
    assert friedman(table).tests[0].p == pytest.approx(stats.chi2.sf(many.details["chi2"], len(table[0]) - 1))
    assert "exact p" in friedman(table).tests[0].note


def test_exact_p_of_a_statistic() -> None:
    """Friedman's own table for k = 3 and N = 4 (Hollander and Wolfe, Table A.22): 6.5 has p = .042, 8 has .005."""
    assert [round(exact_p(x, 4, 3), 3) for x in (0, 4.5, 6, 6.5, 8, 9)] == [1, 0.125, 0.069, 0.042, 0.005, 0]
    # SuppDists::pFriedman(x, 4, 4, lower.tail = FALSE), which is P(> x): 7.2 and 9
    assert exact_p(7.2 + 1e-6, 4, 4) == pytest.approx(0.05172164, abs=1e-8)
    assert exact_p(9, 4, 4) == pytest.approx(0.01150174, abs=1e-8)


def test_the_exact_law_is_for_small_tables() -> None:
    with pytest.raises(UsageError, match="for small tables; 50 tasks and 8 learners"):
        friedman(untied(1, 50, 8), method="exact")
    with pytest.raises(UsageError, match="50 × 8 is too large"):
        exact_p(3.0, 50, 8)
    with pytest.raises(UsageError, match="no method of Friedman's test 'exat'"):
        friedman(untied(1, 5, 3), method="exat")
    assert friedman(untied(1, 50, 8)).details["p_exact"] is None


def test_differences_from_a_control() -> None:
    """Demšar (2006), section 3.2.2: q = 2.394 for four learners, and a critical difference of 1.16 (rounded down)."""
    estimates = friedman(DEMSAR).estimates
    assert estimates is not None
    rows = compare_estimates(estimates, against(0, range(4)), "bonferroni", 0.05, "two-sided")
    assert [(row.upper - row.lower) / 2 for row in rows] == pytest.approx([2.394 * 0.488] * 3, abs=1e-3)


def test_few_tasks_that_agree_show_nothing() -> None:
    # Two tasks of three learners agree in one case of six, whatever F has to say.
    agreeing = [[0.9, 0.8, 0.7], [0.95, 0.85, 0.6]]
    chi2, f = ranked_alike(agreeing)
    assert (f.statistic, f.p) == (inf, pytest.approx(1 / 6))
    assert chi2.p == pytest.approx(stats.chi2.sf(4, 2))
    # Four tasks with χ² = 6.5: 0.042 by the exact law, 0.007 by that of F.
    found = ranked_alike([[1, 2, 3], [1, 2, 3], [1, 2, 3], [2, 1, 3]])
    assert (found[0].statistic, iman_davenport(6.5, 4, 3).p) == (pytest.approx(6.5), pytest.approx(0.0066, abs=1e-4))
    assert found[1].p == pytest.approx(exact_p(6.5, 4, 3)) == pytest.approx(0.0417, abs=1e-4)
    assert ranked_alike(np.random.default_rng(1).random((40, 6)))[1].note == ""
