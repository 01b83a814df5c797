"""Tukey's intervals on aligned performances: R's values, its degrees of freedom, edges."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from bakeoff.contrasts import all_pairs
from bakeoff.errors import UsageError
from bakeoff.evidence import compare_estimates
from bakeoff.procedures.aligned_tukey import aligned_tukey
from bakeoff.procedures.anova import anova
from bakeoff.procedures.rm_anova import FOLDS, rm_anova


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
