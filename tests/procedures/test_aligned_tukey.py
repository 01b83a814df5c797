from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bakeoff.contrasts import all_pairs
from bakeoff.errors import UsageError
from bakeoff.evidence import SINGLE_STEP, compare_estimates
from bakeoff.procedures.aligned_tukey import aligned_tukey

TABLE = np.random.default_rng(0).normal(size=(8, 4)) + np.arange(8)[:, None]


def test_independent_df_are_tukeys_test_on_aligned_values() -> None:
    aligned = TABLE - TABLE.mean(axis=1, keepdims=True)
    reference = stats.tukey_hsd(*aligned.T).pvalue
    estimates = aligned_tukey(TABLE, df="independent").estimates
    assert estimates is not None
    pairs = all_pairs(range(4))
    for (i, j), row in zip(
        pairs.pairs, compare_estimates(estimates, pairs, SINGLE_STEP, 0.05, "two-sided"), strict=True
    ):
        assert row.p_adjusted == pytest.approx(reference[i, j], abs=1e-6)


@pytest.mark.parametrize(("df", "expected"), [("blocks", 21.0), ("independent", 28.0), ("inf", np.inf)])
def test_degrees_of_freedom(df: str, expected: float) -> None:
    estimates = aligned_tukey(TABLE, df=df).estimates
    assert estimates is not None
    assert estimates.df == expected


def test_the_difficulty_of_a_block_does_not_matter() -> None:
    one, other = aligned_tukey(TABLE).estimates, aligned_tukey(TABLE + 100 * np.arange(8)[:, None]).estimates
    assert one is not None
    assert other is not None
    assert one.covariance == pytest.approx(other.covariance)


def test_unknown_degrees_of_freedom_are_refused() -> None:
    with pytest.raises(UsageError):
        aligned_tukey(TABLE, df="many")
