"""Confidence sequences against other software, at their edges, and under a rule that stops as soon as it may."""

from __future__ import annotations

import json
from math import exp, inf, log, log1p
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bakeoff.conduct.sequential import (
    bernstein_sequence,
    spread_for,
    t_radius,
    t_sequence,
)
from bakeoff.errors import UsageError

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "confidence_sequences.json").read_text())


@pytest.mark.parametrize("case", ORACLES["bernstein"], ids=lambda case: case["source"])
def test_bernstein_is_that_of_confseq(case: dict[str, Any]) -> None:
    lower, upper = bernstein_sequence(case["x"], case["alpha"])
    # confseq was asked for the ends at each time, without the best so far.
    assert (lower[case["at"]] >= np.array(case["lower"]) - 1e-12).all()
    assert lower[case["at"][-1]] == pytest.approx(np.maximum.accumulate(case["lower"])[-1], abs=2e-3)
    from bakeoff.conduct.sequential import _lower

    x = np.array(case["x"])
    plain = np.maximum(_lower(x, case["alpha"] / 2), 0)[case["at"]]
    above = np.minimum(1 - _lower(1 - x, case["alpha"] / 2), 1)[case["at"]]
    assert plain == pytest.approx(case["lower"], abs=1e-12)
    assert above == pytest.approx(case["upper"], abs=1e-12)
    assert (upper[case["at"]] <= np.array(case["upper"]) + 1e-12).all()


def log_e_value(t: float, n: int, spread: float) -> float:
    """As the radius has it: the formula of its docstring."""
    ratio, df = 1 + n * spread, n - 1
    return 0.5 * (n * (log1p(t * t / df) - log1p(t * t / (df * ratio))) - log(ratio))


@pytest.mark.parametrize("case", ORACLES["t_mixture"]["cases"], ids=lambda case: f"n={case['n']}")
def test_the_e_value_is_the_mixture_integrated_numerically(case: dict[str, Any]) -> None:
    assert exp(log_e_value(case["t"], case["n"], case["g"])) == pytest.approx(case["e_value"], rel=1e-6)


@pytest.mark.parametrize(("n", "alpha", "spread"), [(5, 0.05, 1.0), (30, 0.01, 0.2), (400, 0.05, 0.02)])
def test_the_radius_is_where_the_e_value_is_one_over_alpha(n: int, alpha: float, spread: float) -> None:
    reach = t_radius(n, 2.0, alpha, spread)
    assert log_e_value(reach * np.sqrt(n) / 2.0, n, spread) == pytest.approx(log(1 / alpha))


def test_ends() -> None:
    lower, upper = t_sequence([3.0, 3.0, 3.0, 3.0, 3.0, 3.0], 0.05, 5.0)
    assert (lower[0], upper[0]) == (-inf, inf)
    assert lower[-1] == upper[-1] == 3.0
    lower, upper = t_sequence(1e9 + np.random.default_rng(1).normal(size=50), 0.05, 0.2)
    assert 0.2 < upper[-1] - lower[-1] < 2
    assert (np.diff(lower[20:]) >= 0).all()
    assert (np.diff(upper[20:]) <= 0).all()
    assert bernstein_sequence([0.0] * 500, 0.05)[1][-1] < 0.03
    assert t_radius(100, 1.0, 0.05, spread_for(100, 0.05)) < min(t_radius(100, 1.0, 0.05, g) for g in (0.01, 0.8))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bernstein_sequence([0.5, 1.5], 0.05), "between 0 and 1; found 0.5 to 1.5"),
        (lambda: t_radius(1, 1.0, 0.05, 1.0), "at least two observations"),
        (lambda: t_radius(5, 1.0, 0.05, 0.0), "must be positive"),
        (lambda: t_radius(5, 1.0, 1.5, 1.0), "alpha|α"),
        (lambda: spread_for(0, 0.05), "positive number of observations"),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()


@pytest.mark.parametrize("law", ["normal", "skewed", "very skewed", "binary"])
def test_stopping_as_soon_as_zero_is_left_out_is_wrong_in_at_most_alpha(law: str) -> None:
    """400 sequences of 300 observations with mean 0, looked at after each; the usual t would be wrong in a third."""
    rng, wrong, usual = np.random.default_rng(5), 0, 0
    for _ in range(400):
        if law == "normal":
            x = rng.normal(size=300)
        elif law == "skewed":
            x = rng.exponential(size=300) - 1
        elif law == "very skewed":
            x = rng.lognormal(size=300) - exp(0.5)
        else:
            x = rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.8, 0.1], size=300)
        lower, upper = t_sequence(x, 0.05, spread_for(60, 0.05))
        wrong += bool((lower[9:] > 0).any() or (upper[9:] < 0).any())
        n = np.arange(10, 301)
        means = np.cumsum(x)[9:] / n
        sd = np.sqrt((np.cumsum(x * x)[9:] - n * means**2) / (n - 1))
        usual += bool((np.abs(means) > 1.96 * sd / np.sqrt(n)).any())
    assert wrong <= 27, "20 are expected at most; 27 is 1.6 sd above"
    assert usual > 100
    if law == "binary":
        x = (rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.8, 0.1], size=(400, 300)) + 1) / 2
        outside = sum(
            bool((low > 0.5).any() or (high < 0.5).any()) for low, high in (bernstein_sequence(r, 0.05) for r in x)
        )
        assert outside <= 27
