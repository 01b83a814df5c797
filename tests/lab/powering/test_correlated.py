"""Power of t tests over correlated folds."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.power import power_t
from bakeoff.lab.powering.correlated import power_correlated_t
from bakeoff.mathematics.laws import t_quantile


def test_without_correlation_it_is_the_t_test() -> None:
    for n, d in ((2, 0.5), (10, 0.3), (100, 0.2)):
        assert power_correlated_t(n, d, 1.0, correlation=0) == pytest.approx(power_t(n, d, 1.0, strict=False))


@pytest.mark.parametrize("k", [2, 5, 10])
def test_the_corrected_test_keeps_its_level_if_the_correlation_is_what_it_takes_it_to_be(k: int) -> None:
    size = power_correlated_t(3 * k, 0.0, 2.0, correlation=1 / k, ratio=1 / (k - 1))
    assert size == pytest.approx(0.025)


def test_by_simulation() -> None:
    rng = np.random.default_rng(1)
    n, rho, d, ratio, runs = 30, 0.2, 0.7, 1 / 9, 40_000
    x = d + np.sqrt(rho) * rng.standard_normal((runs, 1)) + np.sqrt(1 - rho) * rng.standard_normal((runs, n))
    t = x.mean(axis=1) / np.sqrt(x.var(axis=1, ddof=1) * (1 / n + ratio))
    found = (t >= t_quantile(0.975, n - 1)).mean()
    power = power_correlated_t(n, d, 1.0, correlation=rho, ratio=ratio)
    assert power == pytest.approx(found, abs=4 * np.sqrt(0.25 / runs))


@pytest.mark.parametrize(("n", "sd", "rho"), [(1, 1.0, 0.1), (10, 0.0, 0.1), (10, 1.0, 1.0), (10, 1.0, -0.1)])
def test_bad_input(n: int, sd: float, rho: float) -> None:
    with pytest.raises(UsageError):
        power_correlated_t(n, 0.1, sd, correlation=rho)
