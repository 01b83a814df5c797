"""Power of the ratio of two mean squared errors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.lab.powering.spreads import power_variance_ratio
from bakeoff.procedures.variance_ratio import compute


@pytest.mark.parametrize("sides", [1, 2])
def test_the_law_of_the_ratio(sides: int) -> None:
    for n, d in ((10, 1.0), (80, 0.3)):
        expected = stats.f.cdf(stats.f.ppf(0.05 / sides, n, n) * np.exp(d), n, n)
        assert power_variance_ratio(n, d, sides=sides) == pytest.approx(expected, rel=1e-9)
    assert power_variance_ratio(20, 0.0, sides=sides) == pytest.approx(0.05 / sides)
    assert power_variance_ratio(20, 5000.0, sides=sides) == pytest.approx(1.0)


def test_the_procedure_finds_it_as_often() -> None:
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(1000):
        result = compute(0.6 * rng.standard_normal(40) ** 2, rng.standard_normal(40) ** 2)
        found += result.p <= 0.05 and result.estimate < 0
    expected = power_variance_ratio(40, -np.log(0.6))
    assert found / 1000 == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 1000))


def test_one_instance_is_none() -> None:
    with pytest.raises(UsageError, match="two instances at least"):
        power_variance_ratio(1, 0.5)
