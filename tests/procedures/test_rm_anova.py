"""Repeated-measures analysis of variance: R's values, sphericity, edges, bad input."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.inference.contrasts import all_pairs
from bakeoff.inference.evidence import compare_estimates
from bakeoff.procedures.anova import FOLDS, aligned_tukey, anova, rm_anova


@pytest.mark.parametrize("seed", range(5))
def test_two_learners_are_the_paired_t_squared(seed: int) -> None:
    table = np.random.default_rng(seed).normal(size=(9, 2))
    many, plain = rm_anova(table), stats.ttest_rel(table[:, 0], table[:, 1])
    assert many.tests[0].statistic == pytest.approx(plain.statistic**2, rel=1e-9)
    assert many.tests[0].p == pytest.approx(plain.pvalue, rel=1e-8)
    assert len(many.tests) == 1


def test_block_effects_do_not_matter() -> None:
    table = np.array(FOLDS)
    shifted = table + np.arange(10)[:, None]
    assert rm_anova(shifted).tests[0].statistic == pytest.approx(rm_anova(table).tests[0].statistic, rel=1e-9)


def test_the_corrections_keep_the_level_without_sphericity() -> None:
    """One learner is twenty times noisier: F rejects too often, Greenhouse and Geisser's correction does not."""
    rng = np.random.default_rng(6)
    tables = rng.normal(size=(2000, 12, 4)) * [1, 1, 1, 20]
    plain, corrected = np.mean([[test.p <= 0.05 for test in rm_anova(table).tests[:2]] for table in tables], axis=0)
    assert plain > 0.08
    assert corrected < 0.065


def test_pairs_by_tukey_are_those_of_r() -> None:
    """R 4.2.2: TukeyHSD(aov(y ~ fold + alg), "alg")."""
    estimates = rm_anova(FOLDS).estimates
    assert estimates is not None
    row = compare_estimates(estimates, all_pairs(range(5)), "single-step", 0.05, "two-sided")[0]
    assert (row.upper - row.lower) / 2 == pytest.approx(0.0147805834409045, rel=1e-8)


def test_the_same_values_everywhere() -> None:
    many = rm_anova(np.repeat(np.arange(5.0)[:, None], 3, axis=1))
    assert [(test.statistic, test.p) for test in many.tests] == [(0.0, 1.0)] * 3


def test_an_exact_shift() -> None:
    many = rm_anova(np.arange(5.0)[:, None] + [0, 1, 3])
    assert [(test.statistic, test.p) for test in many.tests] == [(inf, 0.0)] * 3


@pytest.mark.parametrize("table", [[[1, 2]], [[1], [2]], [[1, nan], [2, 3]], [["a", "b"], ["c", "d"]], [1, 2, 3]])
def test_bad_tables_are_refused(table: Any) -> None:
    with pytest.raises(UsageError):
        rm_anova(table)


# ----------------------------------------------------------------------------------------------------------------------
# Tukey's intervals on aligned performances: R's values, its degrees of freedom, edges.


def half_width(df: str) -> float:
    estimates = aligned_tukey(FOLDS, df=df).estimates
    assert estimates is not None
    row = compare_estimates(estimates, all_pairs(range(5)), "single-step", 0.05, "two-sided")[0]
    return (row.upper - row.lower) / 2


@pytest.mark.parametrize(
    ("df", "expected"), [("blocks", 0.0147805834409045), ("independent", 0.0130848568015), ("inf", 0.0125613815168)]
)
def test_r(df: str, expected: float) -> None:
    assert half_width(df) == pytest.approx(expected, rel=1e-8)


def test_independent_is_the_analysis_of_variance_of_aligned_values() -> None:
    many = aligned_tukey(FOLDS, df="independent")
    plain = anova(many.details["aligned"])
    assert many.details["variance"] == pytest.approx(plain.details["ms_within"], rel=1e-9)
    assert many.estimates is not None
    assert many.estimates.df == plain.tests[0].df[1] == 45


def test_blocks_is_the_repeated_measures_error() -> None:
    many = aligned_tukey(FOLDS)
    assert many.estimates is not None
    assert many.details["variance"] == pytest.approx(rm_anova(FOLDS).details["ms_error"], rel=1e-12)
    assert many.estimates.df == 36


def test_with_many_blocks_the_degrees_of_freedom_hardly_matter() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(250, 4))
    made = [aligned_tukey(table, df=df).estimates for df in ("blocks", "independent", "inf")]
    assert [estimates.df for estimates in made if estimates] == [747.0, 996.0, inf]
    widths = [e.law.critical(0.05, 6) * np.sqrt(e.covariance[0, 0]) for e in made if e]
    # What remains is the divisor of the variance, K(B−1) for (K−1)(B−1).
    assert widths[1] / widths[0] == pytest.approx(np.sqrt(3 / 4), rel=0.002)
    assert widths[2] / widths[1] == pytest.approx(1, rel=0.005)


def test_unknown_degrees_of_freedom_are_refused() -> None:
    with pytest.raises(UsageError, match="no df 'many'"):
        aligned_tukey(FOLDS, df="many")
