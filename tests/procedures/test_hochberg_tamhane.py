"""Hochberg and Tamhane's comparisons: Feelders and Verkooijen's table, the paired t of each pair, bad input."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.inference.contrasts import against, all_pairs
from bakeoff.inference.evidence import Estimates, compare_estimates
from bakeoff.mathematics.ranges import modulus_quantile, modulus_sf
from bakeoff.procedures import procedure_named
from bakeoff.procedures.hochberg_tamhane import from_summary, hochberg_tamhane, simultaneous_intervals

MEANS = [6.38e-3, 3.49e-3, 2.94e-3, 3.00e-3]
S = [
    [1.68e-4, 3.76e-5, 3.46e-5, 4.02e-5],
    [3.76e-5, 3.01e-5, 1.54e-5, 1.27e-5],
    [3.46e-5, 1.54e-5, 2.24e-5, 2.67e-5],
    [4.02e-5, 1.27e-5, 2.67e-5, 4.15e-5],
]
# Feelders and Verkooijen (1995), Table 3, recomputed with the right quantile.
LOWER = [2.92e-4, 8.60e-4, 7.17e-4, -5.42e-4, -1.10e-3, -8.19e-4]
UPPER = [5.49e-3, 6.02e-3, 6.04e-3, 1.64e-3, 2.08e-3, 6.99e-4]


def estimates_of(table: np.ndarray) -> Estimates:
    found = hochberg_tamhane(table).estimates
    assert found is not None
    return found


def losses(seed: int, n: int = 60, k: int = 4) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.gamma(2, size=(n, 1)) + rng.gamma(1, size=(n, k)) * (1 + np.arange(k)) / 3)


def test_table_3_with_the_right_quantile() -> None:
    found = simultaneous_intervals(from_summary(MEANS, S, 106).estimates, alpha=0.1)  # type: ignore[arg-type]
    assert found.critical == pytest.approx(2.41271918494691, rel=1e-9)
    assert found.lower == pytest.approx(LOWER, rel=5e-3)
    assert found.upper == pytest.approx(UPPER, rel=5e-3)
    assert [pair for pair, low in zip(found.pairs, found.lower, strict=True) if low > 0] == [(0, 1), (0, 2), (0, 3)]


def test_evidence_gives_the_same_intervals() -> None:
    estimates = estimates_of(losses(1))
    direct = simultaneous_intervals(estimates, alpha=0.1)
    rows = compare_estimates(estimates, all_pairs(range(4)), "single-step", 0.1, "two-sided")
    assert [row.lower for row in rows] == pytest.approx(direct.lower.tolist(), rel=1e-12)
    assert [row.upper for row in rows] == pytest.approx(direct.upper.tolist(), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_each_pair_has_the_t_of_its_paired_test(seed: int) -> None:
    table = losses(seed)
    for (first, second), row in zip(
        all_pairs(range(4)).pairs,
        compare_estimates(estimates_of(table), all_pairs(range(4)), "single-step", 0.05, "two-sided"),
        strict=True,
    ):
        plain = stats.ttest_rel(table[:, first], table[:, second])
        assert row.statistic == pytest.approx(plain.statistic, rel=1e-9)
        assert row.p == pytest.approx(plain.pvalue, rel=1e-8)
        assert row.p_adjusted == pytest.approx(float(modulus_sf(abs(plain.statistic), 6, 59)), rel=1e-8)


def test_against_a_control_fewer_comparisons_count() -> None:
    rows = compare_estimates(estimates_of(losses(2)), against(0, range(4)), "single-step", 0.05, "two-sided")
    half = (rows[0].upper - rows[0].lower) / 2
    se = abs(rows[0].estimate / rows[0].statistic)
    assert half / se == pytest.approx(modulus_quantile(0.05, 3, 59), rel=1e-9)


def test_two_models_are_the_paired_t_test() -> None:
    table = losses(3, k=2)
    (row,) = compare_estimates(estimates_of(table), all_pairs(range(2)), "single-step", 0.05, "two-sided")
    plain = stats.ttest_rel(*table.T)
    assert row.p_adjusted == pytest.approx(plain.pvalue, rel=1e-6)
    assert (row.lower, row.upper) == pytest.approx(tuple(plain.confidence_interval(0.95)), rel=1e-6)


def test_familywise_error_is_kept() -> None:
    """At a true null, any of six comparisons is significant in no more than α of the tables."""
    rng = np.random.default_rng(4)
    rejected = 0
    for _ in range(1000):
        table = rng.normal(size=(30, 1)) + rng.normal(size=(30, 4)) * [0.5, 1, 2, 1]
        found = simultaneous_intervals(estimates_of(table), alpha=0.1)
        rejected += bool(np.any((found.lower > 0) | (found.upper < 0)))
    assert 0.05 < rejected / 1000 < 0.12


def test_covariance_matrix_is_in_the_details() -> None:
    table = losses(5)
    many = hochberg_tamhane(table)
    assert many.details["S"] == pytest.approx(np.cov(table.T))
    assert many.details["instances"] == 60


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ([[1.0, 2.0]], "at least 2 rows"),
        ([[1.0], [2.0]], "2 columns"),
        ([[1.0, nan], [2.0, 3.0]], "finite number; found nan in row 1, column 2"),
    ],
)
def test_bad_tables_are_refused(table: list[list[float]], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        hochberg_tamhane(table)


@pytest.mark.parametrize(
    ("means", "covariance", "n", "sentence"),
    [
        ([1.0, 2.0], [[1.0]], 5, "k × k"),
        ([1.0, 2.0], [[1.0, 0.5], [0.4, 1.0]], 5, "symmetric"),
        ([1.0, 2.0], [[-1.0, 0.5], [0.5, 1.0]], 5, "negative"),
        ([1.0, 2.0], [[1.0, 0.5], [0.5, 1.0]], 1, "at least two instances"),
    ],
)
def test_bad_summaries_are_refused(means: list[float], covariance: list[list[float]], n: int, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        from_summary(means, covariance, n)


def test_card_mentions_the_misprint() -> None:
    text = procedure_named("hochberg-tamhane").card.to_text()
    assert "2.135" in text
    assert "2.4127" in text


def test_values_whose_squares_are_no_numbers_are_refused() -> None:
    with pytest.raises(UsageError, match=r"as large as 1e\+200 leave the range of numbers: use another unit"):
        hochberg_tamhane([[1e200, 2.0], [3.0, 4.0], [1.0, 2.0]])
