"""The F test of two error variances: R, Monte Carlo, swapping, and data without errors."""

from __future__ import annotations

from math import inf, log

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.judging import analyse
from bakeoff.measures import known_measure
from bakeoff.procedures.variance_ratio import E1, E2, compute, variance_ratio
from bakeoff.scores import Scores, unpaired

# R 4.2.2: r <- var.test(e1, e2, alternative = side, conf.level = .9); c(r$p.value, r$conf.int)
R = {
    "two-sided": (0.334186087651683, 0.765173229595765, 2.828865656800385),
    "greater": (0.167093043825842, 0.883203337836806, inf),
    "less": (0.832906956174158, 0.0, 2.437737867791059),
}


@pytest.mark.parametrize("alternative", list(R))
def test_r(alternative: str) -> None:
    found = variance_ratio(E1, E2, alternative=alternative, confidence=0.9)
    assert (found.p, found.lower, found.upper) == pytest.approx(R[alternative], rel=1e-8)
    assert found.df == (24.0, 29.0)


def test_squared_errors_have_a_known_mean() -> None:
    a, b = np.square(E1), np.square(E2)
    found = compute(a, b)
    f = a.mean() / b.mean()
    assert (found.statistic, found.estimate) == pytest.approx((f, log(f)))
    assert found.df == (25.0, 30.0)
    assert found.p == pytest.approx(2 * min(stats.f.sf(f, 25, 30), stats.f.cdf(f, 25, 30)))
    assert found.details["ratio_lower"] == pytest.approx(f / stats.f.ppf(0.975, 25, 30))


def test_swapping_turns_the_ratio_over() -> None:
    there, back = compute(np.square(E1), np.square(E2)), compute(np.square(E2), np.square(E1))
    assert (there.estimate, there.lower, there.upper) == pytest.approx((-back.estimate, -back.upper, -back.lower))
    assert there.p == pytest.approx(back.p)


def test_sides_leave_an_end_open() -> None:
    assert compute(np.square(E1), np.square(E2), alternative="greater").upper == inf
    assert compute(np.square(E1), np.square(E2), alternative="less").lower == -inf


def test_no_errors() -> None:
    found = compute([0.0, 0.0], [0.0, 0.0, 0.0])
    assert (found.estimate, found.p) == (0.0, 1.0)
    with pytest.raises(DegenerateError, match="makes no errors at all"):
        compute([0.0, 0.0], [0.1, 0.2])
    with pytest.raises(DegenerateError, match="makes no errors at all"):
        variance_ratio([0.3, 0.3], [0.1, 0.2])


@pytest.mark.parametrize("unit", [1e-250, 1e250])
def test_any_unit(unit: float) -> None:
    found = variance_ratio(np.array(E1) * unit, np.array(E2) * unit)
    assert found.statistic == pytest.approx(variance_ratio(E1, E2).statistic)


def test_bad_values() -> None:
    with pytest.raises(UsageError, match="not negative"):
        compute([1.0, -1.0], [1.0, 2.0])
    with pytest.raises(UsageError, match="at least two errors; found 1 and 2"):
        variance_ratio([1.0], [1.0, 2.0])


def scores(name: str) -> Scores:
    measure = known_measure(name)
    assert measure is not None
    instances = [str(i) for i in range(6)] * 2
    return Scores.of(np.arange(1.0, 13.0), learner=["a"] * 6 + ["b"] * 6, instance=instances, measures={name: measure})


def test_shared_instances_and_other_losses_are_refused() -> None:
    with pytest.raises(MisfitError, match="share their blocks"):
        analyse(scores("squared_error"), "variance-ratio")
    with pytest.raises(MisfitError, match="not squared_error"):
        analyse(unpaired(scores("absolute_error")), "variance-ratio")
    assert analyse(scores("mse"), "variance-ratio", anyway=True).against_advice


def test_error_rates_are_as_the_card_says() -> None:
    rng, runs, n = np.random.default_rng(1), 4000, 100
    for draw, expected in ((rng.standard_normal, 0.05), (rng.laplace, 0.21)):
        a, b = draw(size=(runs, n)), draw(size=(runs, n))
        f = np.mean(a**2, axis=1) / np.mean(b**2, axis=1)
        p = [compute([one] * n, [1.0] * n).p for one in f]
        assert np.mean(np.array(p) <= 0.05) == pytest.approx(expected, abs=0.02)
