from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import BakeoffError
from bakeoff.procedures.permutation import t_star
from bakeoff.procedures.rm_anova import rm_anova, sphericity, take_apart


@pytest.mark.parametrize("seed", range(4))
def test_two_learners_are_the_paired_t(seed: int) -> None:
    table = np.random.default_rng(seed).normal(size=(9, 2))
    found = rm_anova(table).tests[0]
    reference = stats.ttest_rel(table[:, 0], table[:, 1])
    assert found.statistic == pytest.approx(reference.statistic**2)
    assert found.p == pytest.approx(reference.pvalue)


@pytest.mark.parametrize("seed", range(4))
def test_f_is_hothorns_statistic_rescaled(seed: int) -> None:
    table = np.random.default_rng(seed).normal(size=(8, 4))
    assert rm_anova(table).tests[0].statistic == pytest.approx(8 * 7 * t_star(table).value)


def test_sums_of_squares_add_up() -> None:
    table = np.random.default_rng(1).normal(size=(7, 3))
    parts = take_apart(table)
    assert parts.ss_learner + parts.ss_block + parts.ss_error == pytest.approx(np.sum((table - table.mean()) ** 2))


def test_corrections_only_make_p_larger_and_epsilon_stays_in_its_range() -> None:
    table = np.random.default_rng(2).normal(size=(10, 4)) + np.array([0.0, 0.2, 0.8, 1.0])
    plain, *corrected = rm_anova(table).tests
    assert all(test.p >= plain.p - 1e-12 for test in corrected if "Mauchly" not in test.statistic_name)
    centred = table - table.mean(axis=0)
    found = sphericity(centred)
    assert 1 / 3 <= found.greenhouse_geisser <= 1 + 1e-12


def test_identical_learners_and_bad_tables() -> None:
    assert rm_anova(np.repeat([[1.0], [2.0], [3.0]], 3, axis=1)).tests[0].p == 1.0
    for bad in ([[1.0, 2.0]], [[1.0], [2.0]], [[1.0, np.nan], [2.0, 3.0]]):
        with pytest.raises(BakeoffError):
            rm_anova(bad)
