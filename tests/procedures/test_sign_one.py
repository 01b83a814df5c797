"""The sign test of one learner against a constant."""

from __future__ import annotations

from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.procedures.sign_one import sign_one

ERRORS = [0.012, 0.018, 0.025, 0.011, 0.019, 0.031, 0.015, 0.017, 0.009, 0.016]


@pytest.mark.parametrize(
    ("alternative", "p"), [("less", 56 / 1024), ("greater", 1013 / 1024), ("two-sided", 112 / 1024)]
)
def test_eight_of_ten_below(alternative: str, p: float) -> None:
    assert sign_one(ERRORS, constant=0.02, alternative=alternative).p == pytest.approx(p)


@given(x=st.lists(st.integers(0, 6), min_size=1, max_size=30), constant=st.integers(0, 6),
       side=st.sampled_from(("two-sided", "greater", "less")))  # fmt: skip
def test_interval_and_test_agree_about_the_constant(x: list[int], constant: int, side: str) -> None:
    found = sign_one(x, constant=constant, alternative=side, confidence=0.9)
    assert (found.p <= 0.1) == (not found.lower <= constant <= found.upper)


def test_equal_on_paper_is_a_tie() -> None:
    assert sign_one([0.1 + 0.2, 0.4, 0.2], constant=0.3).details["ties"] == 1


def test_without_a_constant_there_is_an_interval_and_no_test() -> None:
    found = sign_one(np.arange(1.0, 13.0))
    assert isnan(found.p)
    assert (found.estimate, found.lower, found.upper) == (6.5, 3.0, 10.0)
    assert sign_one(np.arange(1.0, 13.0), alternative="less").lower == -inf


def test_the_constant_is_a_number() -> None:
    with pytest.raises(UsageError, match="must be a finite number"):
        sign_one(ERRORS, constant=inf)
