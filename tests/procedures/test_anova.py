from __future__ import annotations

from math import inf

import numpy as np
import pytest
import zoo
from scipy import stats

from bakeoff.errors import BakeoffError
from bakeoff.judging import analyse
from bakeoff.procedures.anova import anova, contrast_sums_of_squares
from bakeoff.scores import unpaired


@pytest.mark.parametrize("seed", range(5))
def test_f_is_that_of_scipy_also_for_unequal_samples(seed: int) -> None:
    rng = np.random.default_rng(seed)
    samples = [rng.normal(size=n) for n in (4, 7, 5)]
    found, reference = anova(samples).tests[0], stats.f_oneway(*samples)
    assert found.statistic == pytest.approx(reference.statistic, rel=1e-10)
    assert found.p == pytest.approx(reference.pvalue, rel=1e-9)
    assert found.df == (2, 13)


def test_two_samples_are_the_pooled_t() -> None:
    rng = np.random.default_rng(9)
    a, b = rng.normal(size=6), rng.normal(size=9)
    assert anova([a, b]).tests[0].statistic == pytest.approx(stats.ttest_ind(a, b).statistic ** 2)


def test_no_spread_within_is_infinitely_significant_and_none_at_all_is_not() -> None:
    found = anova([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]]).tests[0]
    assert (found.statistic, found.p) == (inf, 0.0)
    same = anova([[1.0, 1.0], [1.0, 1.0]]).tests[0]
    assert same.p == 1.0


def test_orthogonal_contrasts_take_the_sum_of_squares_apart() -> None:
    rng = np.random.default_rng(3)
    samples = rng.normal(size=(3, 8))
    parts = contrast_sums_of_squares(list(samples), [[1, -1, 0], [1, 1, -2]])
    between = 8 * np.sum((samples.mean(axis=1) - samples.mean()) ** 2)
    assert parts.sum() == pytest.approx(between)


@pytest.mark.parametrize("adjust", ["tukey", "scheffe", "holm", "none"])
def test_pairs_by_every_adjustment(adjust: str) -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(10, 3)) + np.array([0.0, 0.0, 2.0])
    found = analyse(unpaired(zoo.table(values, kind="kfold", name="rmse")), "anova", adjust=adjust)
    for row in found.pairs:
        assert (row.lower > 0 or row.upper < 0) == (row.p_adjusted <= 0.05)
    if adjust == "tukey":
        reference = stats.tukey_hsd(*values.T).pvalue
        number = {"ada": 0, "bob": 1, "cyd": 2}
        for row in found.pairs:
            assert row.p_adjusted == pytest.approx(reference[number[row.first], number[row.second]], abs=1e-6)


@pytest.mark.parametrize("bad", [[[1.0, 2.0]], [[1.0], [2.0]], [[1.0, 2.0], []], [[1.0, inf], [1.0, 2.0]]])
def test_bad_samples_are_refused(bad: list[list[float]]) -> None:
    with pytest.raises(BakeoffError):
        anova(bad)
