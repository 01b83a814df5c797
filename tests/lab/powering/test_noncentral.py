"""Powers by the noncentral F law."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.lab.power import power_anova, power_t
from bakeoff.lab.powering.noncentral import power_hotelling, power_two_way


@pytest.mark.parametrize(("n", "p", "distance", "alpha"), [(20, 2, 0.8, 0.05), (12, 3, 1.5, 0.01), (200, 5, 0.3, 0.1)])
def test_the_law_of_t2(n: int, p: int, distance: float, alpha: float) -> None:
    critical = stats.f.ppf(1 - alpha, p, n - p)
    expected = stats.ncf.sf(critical, p, n - p, n * distance**2)
    assert power_hotelling(n, p, distance, alpha=alpha) == pytest.approx(expected, rel=1e-6)


def test_one_measure_is_the_paired_t_test() -> None:
    both = power_t(15, 0.7, 1.0, kind="paired", strict=True)  # claims in either direction, as T² has none
    assert power_hotelling(15, 1, 0.7) == pytest.approx(both, rel=1e-9)


def test_without_a_distance_power_is_alpha_and_without_blocks_nothing() -> None:
    assert power_hotelling(10, 3, 0.0, alpha=0.07) == pytest.approx(0.07)
    assert power_hotelling(3, 3, 10.0) == 0.0
    powers = [power_hotelling(n, 2, 0.5) for n in (5, 20, 80)]
    assert powers == sorted(powers)


def test_two_way_is_one_way_but_for_the_degrees_of_freedom() -> None:
    critical = stats.f.ppf(0.95, 2, 4 * 3 * 9)
    expected = stats.ncf.sf(critical, 2, 4 * 3 * 9, 2 * 40 * 0.02)
    assert power_two_way(4, 10, 3, 0.02, 1.0) == pytest.approx(expected, rel=1e-6)
    assert power_two_way(4, 10, 3, 0.02, 1.0) < power_anova(40, 3, 0.02, 1.0)
    assert power_two_way(2, 2, 2, 0.0, 1.0) == pytest.approx(0.05)


@pytest.mark.parametrize(("n", "p", "distance"), [(10, 0, 1.0), (10, 2, -0.1)])
def test_strange_distances_are_refused(n: int, p: int, distance: float) -> None:
    with pytest.raises(UsageError, match="one measure at least"):
        power_hotelling(n, p, distance)


@pytest.mark.parametrize("sizes", [(1, 5, 3), (5, 1, 3), (5, 5, 1)])
def test_a_layout_has_two_of_everything(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(UsageError, match="two tasks, two runs and two learners"):
        power_two_way(*sizes, 0.1, 1.0)


def test_the_law_holds_for_drawn_differences() -> None:
    rng = np.random.default_rng(3)
    covariance = np.array([[1.0, 0.6], [0.6, 2.0]])
    mean = np.array([0.5, -0.2])
    distance = float(np.sqrt(mean @ np.linalg.solve(covariance, mean)))
    found, n = 0, 15
    for _ in range(2000):
        d = rng.multivariate_normal(mean, covariance, n)
        t2 = n * d.mean(axis=0) @ np.linalg.solve(np.cov(d, rowvar=False), d.mean(axis=0))
        found += t2 * (n - 2) / (2 * (n - 1)) > stats.f.ppf(0.95, 2, n - 2)
    expected = power_hotelling(n, 2, distance)
    assert found / 2000 == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 2000))
