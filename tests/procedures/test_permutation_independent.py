"""The two-sample permutation test: against all relabellings and scipy, its interval, its limits."""

from __future__ import annotations

from itertools import combinations
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.procedures.permutation_independent import permutation_independent

SIDES = ("two-sided", "greater", "less")
COLUMN = st.lists(st.integers(-20, 20), min_size=1, max_size=5)


def by_all_labels(x: np.ndarray, y: np.ndarray, side: str) -> float:
    both = np.concatenate([x, y])
    sums = np.array([sum(draw) for draw in combinations(both.tolist(), len(x))])
    mean, w = len(x) * both.mean(), x.sum()
    tie = 1e-9 * (np.abs(both).max() + 1)
    extreme = {
        "two-sided": abs(sums - mean) >= abs(w - mean) - tie,
        "greater": sums >= w - tie,
        "less": sums <= w + tie,
    }
    return float(np.mean(extreme[side]))


@pytest.mark.parametrize("side", SIDES)
@given(x=COLUMN, y=COLUMN)
@settings(max_examples=60)
def test_exact_p_is_that_of_all_labels(side: str, x: list[int], y: list[int]) -> None:
    a, b = np.array(x) / 10, np.array(y) / 10
    assert permutation_independent(a, b, alternative=side).p == pytest.approx(by_all_labels(a, b, side))


@pytest.mark.parametrize("side", ["greater", "less"])
def test_tails_agree_with_scipy(side: str) -> None:
    rng = np.random.default_rng(1)
    x, y = np.round(rng.normal(0.3, 1, 7), 3), np.round(rng.normal(0, 1, 6), 3)
    other = stats.permutation_test((x, y), lambda a, b: a.mean() - b.mean(), n_resamples=np.inf, alternative=side)
    assert permutation_independent(x, y, alternative=side).p == pytest.approx(other.pvalue)


@pytest.mark.parametrize("side", SIDES)
def test_monte_carlo_and_asymptotic_are_near_the_exact(side: str) -> None:
    rng = np.random.default_rng(2)
    x, y = np.round(rng.normal(0.4, 1, 40), 2), np.round(rng.normal(0, 1, 50), 2)
    exact = permutation_independent(x, y, alternative=side, method="exact")
    drawn = permutation_independent(x, y, alternative=side, method="monte-carlo")
    assert drawn.p == pytest.approx(exact.p, abs=4 * drawn.details["p_standard_error"])
    assert permutation_independent(x, y, alternative=side, method="asymptotic").p == pytest.approx(exact.p, rel=0.1)
    assert permutation_independent(x + 9, y, method="monte-carlo", resamples=99).p == 0.01


@pytest.mark.parametrize("sizes", [(4, 6), (8, 3), (30, 25)])
def test_the_interval_holds_what_the_test_does_not_reject(sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    x, y = (np.round(rng.normal(shift, 1, n), 2) for shift, n in zip((0.8, 0), sizes, strict=True))
    result = permutation_independent(x, y, confidence=0.9)
    slack = 0.0 if sum(sizes) < 20 else 0.05
    # Each end is that of a one-sided test at half the level.
    for end, step, side in ((result.lower, 0.01 + slack, "greater"), (result.upper, -0.01 - slack, "less")):
        assert permutation_independent(x, y + end + step, alternative=side).p > 0.05
        assert permutation_independent(x, y + end - step, alternative=side).p <= 0.05
    assert result.lower <= result.estimate <= result.upper


def test_the_limits() -> None:
    same = permutation_independent([1.0, 1.0], [1.0, 1.0, 1.0])
    assert (same.p, same.statistic, same.estimate) == (1.0, 0.0, 0.0)
    one = permutation_independent([1.0], [2.0])
    assert (one.p, one.lower, one.upper) == (1.0, -inf, inf)
    apart = permutation_independent([1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 2.0])
    assert apart.p == pytest.approx(2 / 70)
    many = permutation_independent(np.random.default_rng(1).random(3000), np.random.default_rng(2).random(100))
    assert many.details["method"] == "asymptotic"


def test_what_is_too_much_work_is_refused_or_drawn() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.random(60), rng.random(60)
    assert permutation_independent(x, y).details["method"] == "monte-carlo"
    with pytest.raises(UsageError, match="use the method monte-carlo"):
        permutation_independent(x, y, method="exact")
    with pytest.raises(UsageError, match="at least one resample"):
        permutation_independent(x, y, method="monte-carlo", resamples=0)
    with pytest.raises(UsageError, match="finite number"):
        permutation_independent([1.0, float("nan")], [1.0])
