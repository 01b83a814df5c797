"""Cochran's Q: its own formula, McNemar's χ² for two, and permutations."""

from __future__ import annotations

from itertools import permutations, product
from math import inf, sqrt

import numpy as np
import pytest
import zoo
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import MisfitError, UsageError
from bakeoff.inference.contrasts import all_pairs
from bakeoff.inference.evidence import SINGLE_STEP, Interval, compare_estimates
from bakeoff.judging import advise, analyse
from bakeoff.procedures import procedure_named
from bakeoff.procedures.mcnemar import mcnemar_counts
from bakeoff.procedures.right_or_wrong import cochran_q, dunn, from_summary


def cochran(table: np.ndarray) -> float:
    """Q = (k − 1) (k Σ C² − N²) / (k N − Σ R²), as Cochran prints it."""
    k, c, r = table.shape[1], table.sum(axis=0), table.sum(axis=1)
    return float((k - 1) * (k * np.sum(c**2) - r.sum() ** 2) / (k * r.sum() - np.sum(r**2)))


@given(seed=st.integers(0, 2**32), n=st.integers(1, 40), k=st.integers(2, 6))
def test_cochrans_formula(seed: int, n: int, k: int) -> None:
    table = np.random.default_rng(seed).integers(0, 2, (n, k))
    found = cochran_q(table).tests[0]
    if np.all(np.ptp(table, axis=1) == 0):
        assert (found.statistic, found.p) == (0, 1)
    else:
        assert found.statistic == pytest.approx(cochran(table), abs=1e-12)


def test_for_two_it_is_mcnemar_without_correction() -> None:
    table = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [61, 23, 32, 268], axis=0)
    found = cochran_q(table).tests[0]
    theirs = mcnemar_counts(61, 23, 32, 268, method="chi2", correction=False)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.p))


def test_the_law_is_near_that_of_all_relabellings() -> None:
    table = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]])
    observed = cochran(table)
    orders = list(permutations(range(3)))
    each = [sorted({tuple(row[list(o)]) for o in orders}) for row in table]  # equally many orders give each
    drawn = [cochran(np.array(rows)) for rows in product(*each)]
    exact = np.mean(np.array(drawn) >= observed - 1e-9)
    assert cochran_q(table).tests[0].p == pytest.approx(exact, abs=0.05)


def test_all_agree() -> None:
    many = cochran_q([[1, 1, 1], [0, 0, 0], [1, 1, 1]])
    assert (many.tests[0].statistic, many.tests[0].p, many.details["sigma_diff"]) == (0, 1, 0)
    assert many.tests[0].note == "all agree on every instance"


def test_one_classifier_is_refused() -> None:
    with pytest.raises(UsageError, match="2 columns"):
        cochran_q([[1], [0]])


# ----------------------------------------------------------------------------------------------------------------------
# Dunn's intervals: the document's Table 5, the pooled variance, and when it is recommended.


TABLE = np.random.default_rng(1).integers(0, 2, (50, 4))


def test_table_5_from_unrounded_rates_differs_by_a_thousandth_at_most() -> None:
    rates = np.array([300, 295, 265, 303, 296]) / 384
    estimates = from_summary(rates, 0.0205).estimates
    assert estimates is not None
    rows = compare_estimates(estimates, all_pairs(range(5)), SINGLE_STEP, 0.05, "two-sided")
    printed = [(-0.045, 0.071), (0.033, 0.149), (-0.066, 0.05), (-0.048, 0.068), (0.02, 0.136), (-0.079, 0.037),
               (-0.061, 0.055), (-0.157, -0.041), (-0.139, -0.023), (-0.04, 0.076)]  # fmt: skip
    for row, (lower, upper) in zip(rows, printed, strict=True):
        assert (row.lower, row.upper) == pytest.approx((lower, upper), abs=0.0016)
        assert row.interval is Interval.SIMULTANEOUS


@pytest.mark.parametrize(("df", "law"), [("inf", stats.norm()), ("n-1", stats.t(49))])
def test_quantile_and_adjusted_p(df: str, law: stats.rv_continuous) -> None:
    estimates = dunn(TABLE, df=df).estimates
    assert estimates is not None
    rows = compare_estimates(estimates, all_pairs(range(4)), SINGLE_STEP, 0.1, "two-sided")
    sigma = dunn(TABLE).details["sigma_diff"]
    for row in rows:
        assert row.upper - row.lower == pytest.approx(2 * sigma * law.ppf(1 - 0.1 / 12))
        assert row.p_adjusted == pytest.approx(min(1, 6 * 2 * law.sf(abs(row.estimate) / sigma)))


def test_for_two_the_variance_is_mcnemars() -> None:
    table = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [61, 23, 32, 268], axis=0)
    assert dunn(table).details["sigma_diff"] == pytest.approx(sqrt(55) / 384)


def test_all_agree_dunn() -> None:
    estimates = dunn([[1, 1, 1], [0, 0, 0]]).estimates
    assert estimates is not None
    for row in compare_estimates(estimates, all_pairs(range(3)), SINGLE_STEP, 0.05, "two-sided"):
        assert (row.statistic, row.p, row.p_adjusted) == (0, 1, 1)


def test_it_fits_three_classifiers_by_name_and_is_refused_for_losses() -> None:
    values = zoo.values_for(procedure_named("dunn").card, 3, np.random.default_rng(2))
    scores = zoo.table(values, kind="instances")
    assert advise(scores).recommended == "item-flips"
    assert "dunn" in {candidate.procedure for candidate in advise(scores).fitting}
    assert "dunn" not in advise(scores).ranked
    assert analyse(scores, "dunn").adjust_title == "Dunn adjustment"
    assert advise(scores.only(learners=["ada", "bob"])).recommended == "mcnemar"
    with pytest.raises(MisfitError, match="not 0 or 1 per instance"):
        analyse(zoo.table(values * 0.3, kind="instances"), "dunn")


def test_bad_arguments() -> None:
    with pytest.raises(UsageError, match="no count of degrees of freedom 'n'"):
        dunn(TABLE, df="n")
    assert from_summary([0.1, 0.2], 0.1).estimates.df == inf  # type: ignore[union-attr]
