"""Step-down p-values and the quantile of the largest statistic, by their definitions."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.mathematics.step_down import JointTest, StepDown, check_draws, check_weights, in_chunks, upper_quantile


@given(seed=st.integers(0, 10_000), p=st.integers(1, 6), exact=st.booleans())
def test_counts_are_those_of_the_definition(seed: int, p: int, exact: bool) -> None:
    rng = np.random.default_rng(seed)
    z, drawn = rng.integers(0, 5, p).astype(float), rng.integers(0, 5, (p, 40)).astype(float)
    counts = StepDown(z)
    for part in (drawn[:, :15], drawn[:, 15:]):
        counts.add(part[counts.order].copy())
    alone, adjusted = counts.shares(exact)
    one = 0 if exact else 1
    wanted, before = np.empty(p), 0.0
    for r in np.argsort(-z, kind="stable"):
        reached = drawn[z <= z[r]].max(axis=0) >= z[r]
        before = wanted[r] = max(before, (one + reached.sum()) / (one + 40))
    assert adjusted == pytest.approx(wanted)
    assert alone == pytest.approx((one + (drawn >= z[:, None]).sum(axis=1)) / (one + 40))
    assert counts.largest.tolist() == drawn.max(axis=0).tolist()


@given(
    seed=st.integers(0, 10_000), n=st.integers(1, 60), alpha=st.sampled_from([0.01, 0.05, 0.1, 0.5]), ok=st.booleans()
)
def test_the_quantile_is_where_the_single_step_p_comes_down_to_alpha(seed: int, n: int, alpha: float, ok: bool) -> None:
    largest = np.random.default_rng(seed).integers(1, 12, n).astype(float)
    c = upper_quantile(largest, alpha, exact=ok)
    for z in np.unique(largest):
        count = int(np.sum(largest >= z))
        p = count / n if ok else (1 + count) / (1 + n)
        assert (p <= alpha + 1e-12) == (z > c)


def test_rounding_does_not_break_a_tie() -> None:
    counts = StepDown(np.array([0.3]))
    counts.add(np.array([[0.1 + 0.2, 0.3 - 1e-13, 0.2]]))
    assert counts.shares(exact=True)[0].tolist() == pytest.approx([2 / 3])


def test_results_of_the_same_numbers_are_equal() -> None:
    p = np.array([0.04, 1.0])
    drawn = JointTest(p, p, p, 2.0, 2.0, False, 9_999)
    assert drawn == JointTest(p, p.copy(), p, 2.0, 2.0, False, 9_999)


def test_chunks_cover_all_draws_however_large() -> None:
    assert sum(in_chunks(9_999, 1_000)) == 9_999
    assert max(in_chunks(10, 10**9)) == 1


def test_refusals() -> None:
    with pytest.raises(UsageError, match=r"no p is below 1/19.*use 19 or more"):
        check_draws(18, 0.05)
    assert check_draws(19, 0.05) == 19
    with pytest.raises(UsageError, match="whole number"):
        check_draws(-1, 0.05)
    with pytest.raises(UsageError, match="a weight for each of 3 columns; found 2"):
        check_weights([[1.0, -1.0]], 3)
    with pytest.raises(UsageError, match="not all zero; found 0 in contrast 2"):
        check_weights([[1.0, -1.0], [0.0, 0.0]], 2)
    assert upper_quantile(np.ones(5), 0.05, exact=False) == inf
