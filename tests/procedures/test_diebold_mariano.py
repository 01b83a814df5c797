"""Diebold and Mariano's test: R's forecast::dm.test, the paired t test at h = 1, and series that cannot be tested."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.procedures.paired_t import paired_t
from bakeoff.procedures.time_order import compute, diebold_mariano
from bakeoff.procedures.variance_ratio import E1, E2

_E1, _E2 = E1, E2[: len(E1)]


def test_r_bartlett() -> None:
    """forecast 8.20: dm.test(e1, e2, h = 3, power = 1, varestimator = "bartlett")."""
    found = diebold_mariano(_E1, _E2, h=3, power=1, kernel="bartlett")
    assert (found.statistic, found.p) == pytest.approx((0.331516733212, 0.743131696498), rel=1e-10)


def test_r_falls_back_to_horizon_one_where_the_variance_is_negative() -> None:
    """forecast 8.20, with a warning: y1 <- sqrt(c(2,1,2,1,2,1,2.2,1)); dm.test(y1, rep(sqrt(1.4), 8), h = 2)."""
    found = diebold_mariano(np.sqrt([2, 1, 2, 1, 2, 1, 2.2, 1]), np.full(8, np.sqrt(1.4)), h=2)
    assert (found.statistic, found.p) == pytest.approx((0.625698714584, 0.551359153457), rel=1e-9)
    assert "came out negative: h = 1 was used" in found.note
    assert found.details["h"] == 1


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_with_horizon_one_it_is_the_paired_t_test(alternative: str) -> None:
    a, b = np.square(_E1), np.square(_E2)
    ours, theirs = compute(a, b, alternative=alternative), paired_t(a, b, alternative=alternative)
    for name in ("estimate", "statistic", "p", "lower", "upper"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name))


def test_without_correction_it_is_z() -> None:
    d = np.square(_E1) - np.square(_E2)
    n, c = len(d), d - d.mean()
    variance = (c @ c + 2 * c[1:] @ c[:-1]) / n
    found = diebold_mariano(_E1, _E2, h=2, correction=False)
    z = d.mean() / np.sqrt(variance / n)
    assert (found.statistic, found.p) == pytest.approx((z, 2 * stats.norm.sf(abs(z))))
    assert found.df == ()


def test_the_order_of_time_matters() -> None:
    turned = np.argsort(_E1)
    shuffled = diebold_mariano(np.array(_E1)[turned], np.array(_E2)[turned], h=4)
    assert shuffled.p != pytest.approx(diebold_mariano(_E1, _E2, h=4).p, rel=1e-3)


def test_series_without_a_difference() -> None:
    with pytest.raises(DegenerateError, match="variance is zero"):
        diebold_mariano([0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.4])
    found = compute([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    assert (found.statistic, found.p) == (0, 1)
    assert isnan(found.lower)
    assert isnan(found.upper)
    with pytest.raises(DegenerateError, match=r"The difference is 0\.1 at every time"):
        compute([0.2, 0.3, 0.4], [0.1, 0.2, 0.3])


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_any_unit(unit: float) -> None:
    a, b = np.square(_E1), np.square(_E2)
    assert compute(a * unit, b * unit, h=2).p == pytest.approx(compute(a, b, h=2).p)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"h": 0}, "at least 1 and less than the number of times"),
        ({"h": 25}, "less than the number of times .25.; found 25"),
        ({"h": 1.5}, "'h' must be a whole number"),
        ({"power": 0}, "must be positive"),
        ({"kernel": "parzen"}, "no kernel 'parzen'"),
    ],
)
def test_bad_options(options: dict[str, float], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        diebold_mariano(_E1, _E2, **options)  # type: ignore[arg-type]


def test_one_time_is_not_enough() -> None:
    with pytest.raises(UsageError, match="at least two times"):
        compute([0.1], [0.2])


def test_size_with_forecasts_two_steps_ahead() -> None:
    """Differences that are correlated at lag one: h = 2 keeps the level, h = 1 does not."""
    rng, runs = np.random.default_rng(2), 1500
    rejected = np.zeros(2)
    for _ in range(runs):
        noise = rng.standard_normal(101)
        d = noise[1:] + noise[:-1]
        rejected += [compute(d, np.zeros(100), h=h).p <= 0.05 for h in (1, 2)]
    assert rejected[0] / runs > 0.12
    assert rejected[1] / runs == pytest.approx(0.055, abs=0.02)
