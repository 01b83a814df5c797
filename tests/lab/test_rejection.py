"""Exact rejection rates of the binomial and the normal test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.lab.rejection import binomial_rejects, normal_rejects, rejection_chance


@given(st.integers(1, 200), st.floats(0.01, 0.99), st.sampled_from([0.01, 0.05, 0.1]))
def test_the_binomial_test_keeps_its_level_and_agrees_with_scipy(n: int, p0: float, alpha: float) -> None:
    rejects = binomial_rejects(n, p0, alpha)
    assert rejection_chance(rejects, p0) <= alpha + 1e-12
    tail = stats.binom.sf(np.arange(n + 1) - 1, n, p0)
    sure = np.abs(tail - alpha) > 1e-12
    assert (rejects == (tail < alpha))[sure].all()


def test_power_grows_with_the_error_rate() -> None:
    rejects = normal_rejects(50, 0.2)
    chances = [rejection_chance(rejects, p) for p in (0.0, 0.2, 0.3, 0.5, 1.0)]
    assert chances == sorted(chances)
    assert (chances[0], chances[-1]) == (0, 1)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: binomial_rejects(0, 0.5), "at least one instance"),
        (lambda: binomial_rejects(1.5, 0.5), "whole number"),  # type: ignore[arg-type]
        (lambda: normal_rejects(10, 0.0), "p₀"),
        (lambda: normal_rejects(10, 0.5, alpha=0), "α"),
        (lambda: rejection_chance(np.array([True, False]), 1.5), "between 0 and 1"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=sentence):
        call()
