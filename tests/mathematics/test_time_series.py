"""Means of time series: their variance is positive, and that of independent values without correlation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bakeoff.mathematics.time_series import long_run_variance, mean_of_series


@pytest.mark.parametrize("kernel", ["rectangular", "bartlett"])
def test_the_variance_is_positive_whatever_the_series(kernel: str) -> None:
    rng = np.random.default_rng(1)
    for n in (2, 3, 7, 40):
        for h in range(1, n):
            assert long_run_variance(rng.standard_normal(n), h, kernel)[0] > 0


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200])
def test_with_horizon_one_it_is_the_usual_standard_error(unit: float) -> None:
    x = np.array([0.2, -0.4, 0.7, 0.1, -0.2])
    found = mean_of_series(x * unit, 1, "rectangular")
    assert found.value / unit == pytest.approx(x.mean())
    assert found.standard_error / unit == pytest.approx(stats.sem(x))
