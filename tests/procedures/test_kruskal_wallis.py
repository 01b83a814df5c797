from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import BakeoffError
from bakeoff.procedures.kruskal_wallis import critical_difference, exact_p, kruskal_wallis


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_h_is_that_of_scipy(seed: int, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    samples = [rng.integers(0, 6, n).astype(float) if ties else rng.normal(size=n) for n in (6, 8, 7)]
    found, reference = kruskal_wallis(samples, method="asymptotic"), stats.kruskal(*samples)
    assert found.details["H"] == pytest.approx(reference.statistic)
    assert found.tests[0].p == pytest.approx(reference.pvalue)


def test_exact_p_is_that_of_all_allocations() -> None:
    ranks, sizes = np.array([1.0, 2.5, 2.5, 4.0, 5.0, 6.0]), np.array([2, 2, 2])

    def spread(order: tuple[float, ...]) -> float:
        return sum(sum(order[i : i + 2]) ** 2 for i in (0, 2, 4))

    observed = spread(tuple(ranks))
    all_ = [spread(order) for order in permutations(ranks.tolist())]
    assert exact_p(ranks, sizes) == pytest.approx(np.mean([s >= observed - 1e-9 for s in all_]))


def test_all_tied_is_no_difference() -> None:
    assert kruskal_wallis([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]).tests[0].p == 1.0


def test_the_critical_difference_of_mean_ranks_uses_the_variance_of_a_mean() -> None:
    narrow, wide = (critical_difference(25.0, 3, n, 0.05) for n in (20, 5))
    assert narrow < wide / 1.9


def test_bad_samples_are_refused() -> None:
    for bad in ([[1.0, 2.0]], [[1.0], []], [[np.inf, 1.0], [2.0, 3.0]]):
        with pytest.raises(BakeoffError):
            kruskal_wallis(bad)
