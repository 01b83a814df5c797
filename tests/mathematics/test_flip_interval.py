"""The interval of the sign-flip test: against the test itself at shifted values."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from bakeoff.mathematics import flip_interval
from bakeoff.mathematics.flip_interval import flip_tail, lowest_shift
from bakeoff.mathematics.sign_flips import flip_tails


def upper_tail(d: np.ndarray) -> float:
    """P(Σ ±d ≥ Σ d), exactly, for values of four decimals."""
    scores = np.rint(10_000 * d).astype(np.int64)
    return flip_tails(np.abs(scores), int(scores[scores > 0].sum())).above


@pytest.mark.parametrize("n", [4, 9, 14])
@pytest.mark.parametrize("tail", [0.2, 0.1, 0.025])
def test_the_end_is_where_the_test_begins_to_reject(n: int, tail: float) -> None:
    d = np.round(np.random.default_rng(n).normal(0.5, 1, n), 3)
    end = lowest_shift(d, tail)
    if 0.5**n > tail:
        assert end == -inf
        return
    assert upper_tail(d - end) > tail  # the end itself is inside
    assert upper_tail(d - (end - 1e-3)) <= tail


@pytest.mark.parametrize("n", [15, 40, 200])
@pytest.mark.parametrize("law", ["normal", "heavy"])
@pytest.mark.parametrize("tail", [0.1, 0.025, 0.005])
def test_the_saddlepoint_end_has_almost_that_tail(n: int, law: str, tail: float) -> None:
    rng = np.random.default_rng(n)
    d = rng.normal(0.3, 1, n) if law == "normal" else rng.standard_t(2, n) + 0.3
    assert upper_tail(d - lowest_shift(d, tail)) == pytest.approx(tail, rel=0.12 if n == 15 else 0.03)


def test_both_ways_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    d = np.random.default_rng(5).normal(0.2, 1, 14)
    exact = lowest_shift(d, 0.05)
    monkeypatch.setattr(flip_interval, "FEW", 3)
    assert lowest_shift(d, 0.05) == pytest.approx(exact, abs=0.02)


def test_equal_differences_are_their_own_end() -> None:
    assert lowest_shift(np.full(20, 0.5), 0.025) == 0.5
    assert lowest_shift(np.full(8, 0.5), 0.025) == 0.5
    assert lowest_shift(np.full(3, 0.5), 0.025) == -inf


def test_the_tail_at_its_limits() -> None:
    assert flip_tail(np.zeros(3)) == 0.5
    assert flip_tail(np.array([1.0, -1.0])) == 0.5
    assert flip_tail(np.ones(10)) == 2.0**-10
    assert flip_tail(np.array([1e-250, 2e-250, 3e-250])) == 0.125


@pytest.mark.parametrize("unit", [1e-250, 1e250])
def test_the_unit_does_not_matter(unit: float) -> None:
    d = np.random.default_rng(5).normal(0.3, 1, 25)
    assert lowest_shift(unit * d, 0.025) / unit == pytest.approx(lowest_shift(d, 0.025), rel=1e-9)
