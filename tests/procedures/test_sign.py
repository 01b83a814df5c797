"""The sign test over tasks: ties, agreement of interval and p, and Demšar's example."""

from __future__ import annotations

from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.procedures import procedure_named
from bakeoff.procedures.friedman import DEMSAR
from bakeoff.procedures.sign import compute, sign_of, sign_one

SIDES = ("two-sided", "greater", "less")
COLUMN = st.lists(st.integers(-4, 4), min_size=1, max_size=40)


@given(d=COLUMN, side=st.sampled_from(SIDES), ties=st.sampled_from(("split", "dropped")),
       method=st.sampled_from(("exact", "normal")))  # fmt: skip
def test_interval_and_p_agree_and_hold_the_estimate(d: list[int], side: str, ties: str, method: str) -> None:
    found = sign_of(d, alternative=side, ties=ties, method=method, confidence=0.9)
    assert (found.p <= 0.1) == (not found.lower <= 0 <= found.upper)
    assert found.lower <= found.estimate <= found.upper


def test_the_interval_is_made_of_order_statistics() -> None:
    found = sign_of(np.arange(1.0, 13.0))
    assert (found.estimate, found.lower, found.upper) == (6.5, 3.0, 10.0)


def test_a_level_out_of_reach_leaves_no_ends() -> None:
    found = sign_of([1.0, 2.0, 3.0, 4.0, 5.0])
    assert found.p == 0.0625
    assert (found.lower, found.upper) == (-inf, inf)


def test_ties_on_paper_are_ties_here() -> None:
    found = compute([0.3, 0.7, 0.1 + 0.2], [0.3, 0.6, 0.3])
    assert (found.details["ties"], found.details["above"]) == (2, 1)


def test_identical_columns() -> None:
    for n in (1, 2, 7):
        found = compute([0.5] * n, [0.5] * n)
        assert (found.p, found.estimate) == (1.0, 0.0)


def test_demsar() -> None:
    aucs = np.array(DEMSAR)
    found = compute(aucs[:, 1], aucs[:, 0])
    assert found.note == "exact; larger on 10, smaller on 2, equal on 2 (split evenly, an odd one dropped)"
    assert found.p == pytest.approx(2 * (1 + 14 + 91 + 364) / 2**14)


def test_only_the_order_counts() -> None:
    a, b = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert compute(a, b).p == compute([1, 2, 3, 4, 5, 1e9], b).p


def test_bad_arguments() -> None:
    with pytest.raises(UsageError, match="equally long"):
        compute([1, 2], [1])
    with pytest.raises(UsageError, match="no treatment of ties"):
        compute([1, 2], [1, 3], ties="half")
    with pytest.raises(UsageError, match="at least one value"):
        compute([], [])


def test_the_card_says_that_the_book_exchanges_the_tails() -> None:
    assert any("wrong way round" in caution for caution in procedure_named("sign").card.cautions)


# ----------------------------------------------------------------------------------------------------------------------
# The sign test of one learner against a constant.


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
