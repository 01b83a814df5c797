from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import BakeoffError, DegenerateError
from bakeoff.procedures.anova import anova
from bakeoff.procedures.manova import manova, manova_groups


def test_one_measure_is_the_analysis_of_variance() -> None:
    rng = np.random.default_rng(0)
    samples = [rng.normal(size=n) for n in (5, 6, 7)]
    group = np.repeat([1, 2, 3], [5, 6, 7])
    found = manova_groups(np.concatenate(samples)[:, None], group)
    f = anova(samples).tests[0]
    for test in found.tests:
        assert test.f == pytest.approx(f.statistic)


@pytest.mark.parametrize("seed", range(3))
def test_wilks_is_the_ratio_of_determinants(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, group = rng.normal(size=(18, 2)), np.repeat([1, 2, 3], 6)
    means = np.array([y[group == g].mean(axis=0) for g in (1, 2, 3)])
    E = sum((y[group == g] - means[g - 1]).T @ (y[group == g] - means[g - 1]) for g in (1, 2, 3))
    total = (y - y.mean(axis=0)).T @ (y - y.mean(axis=0))
    found = manova_groups(y, group)
    assert found.tests[0].value == pytest.approx(np.linalg.det(E) / np.linalg.det(total))


def test_the_units_of_the_measures_do_not_matter() -> None:
    table = np.random.default_rng(4).normal(size=(10, 3, 2))
    one, other = manova(table), manova(table * [1e-3, 1e3])
    assert [t.p for t in one.tests] == pytest.approx([t.p for t in other.tests], rel=1e-6)


def test_measures_that_follow_from_each_other_are_explained() -> None:
    table = np.random.default_rng(5).normal(size=(10, 3, 1))
    both = np.concatenate([table, 1 - table], axis=2)
    with pytest.raises(DegenerateError):
        manova(both)
    assert manova(both, reduce="yes").tests[0].p == pytest.approx(manova(table).tests[0].p)


def test_bad_tables_are_refused() -> None:
    with pytest.raises(BakeoffError):
        manova(np.zeros((5, 3)))
