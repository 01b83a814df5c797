"""The law of sums with random signs: against all signs one by one, by each of its ways, and against its bounds."""

from __future__ import annotations

import tracemalloc
from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.mathematics import sign_flips
from bakeoff.mathematics.sign_flips import flip_tail, flip_tails, fractional_steps, lowest_shift, random_sums

SCORES = st.lists(st.integers(0, 60), min_size=1, max_size=9)


def all_sums(scores: list[int]) -> np.ndarray:
    return np.array([sum(coin * score for coin, score in zip(coins, scores, strict=True)) for coins in
                     product((0, 1), repeat=len(scores))])  # fmt: skip


def shares(scores: list[int], w: int) -> tuple[float, float]:
    sums = all_sums(scores)
    return float(np.mean(sums >= w)), float(np.mean(sums <= w))


@given(scores=SCORES, chosen=st.integers(0, 2**9))
def test_tails_are_those_of_all_signs(scores: list[int], chosen: int) -> None:
    sums = all_sums(scores)
    w = int(sums[chosen % len(sums)])
    found = flip_tails(np.array(scores), w)
    assert (found.above, found.below) == pytest.approx(shares(scores, w), abs=1e-15)
    assert found.exact


@given(scores=SCORES, chosen=st.integers(0, 2**9))
@settings(max_examples=50)
def test_sums_of_halves_give_the_same(scores: list[int], chosen: int) -> None:
    factor = 10**9
    sums = all_sums(scores)
    w = int(sums[chosen % len(sums)])
    found = flip_tails(np.array(scores) * factor, w * factor)
    assert (found.above, found.below) == pytest.approx(shares(scores, w), abs=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_rounding_keeps_its_bounds(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(1, 10_000, 60)
    w = int(scores[rng.random(60) < 0.6].sum())
    exact = flip_tails(scores, w)
    monkeypatch.setattr(sign_flips, "LARGEST_WORK", 1.0)
    monkeypatch.setattr(sign_flips, "GRID", 2**12)
    rounded = flip_tails(scores, w)
    smaller = min(exact.above, exact.below)
    assert not rounded.exact
    assert rounded.lowest <= smaller <= rounded.highest
    assert min(rounded.above, rounded.below) == pytest.approx(smaller, rel=0.02)
    assert rounded.above + rounded.below >= 1


def test_many_scores_do_not_overflow() -> None:
    ones = np.ones(3000, dtype=np.int64)
    found = flip_tails(ones, 1500)
    assert found.above == pytest.approx(0.5072827, abs=1e-6)  # half, and half of P(W = 1500)
    assert flip_tails(ones, 3000).above == pytest.approx(2.0**-3000, abs=1e-300)


def test_the_extremes() -> None:
    assert flip_tails(np.array([0, 0]), 0).above == 1.0
    assert flip_tails(np.array([5]), 5) == sign_flips.Tails(0.5, 1.0, 0.5, 0.5)
    assert flip_tails(np.array([5]), 0) == sign_flips.Tails(1.0, 0.5, 0.5, 0.5)


@pytest.mark.parametrize("big", [1, 10**12])
def test_random_sums_are_near_the_law(big: int) -> None:
    scores = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7]) * big
    w = 47 * big
    n = 200_000
    above, below, far = random_sums(scores, w, n, seed=3)
    exact = flip_tails(scores, w)
    for found, share in ((above, exact.above), (below, exact.below), (far, 2 * exact.above)):
        assert found / n == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / n) + 1e-6)
    assert random_sums(scores, w, n, seed=3) == (above, below, far)
    assert random_sums(scores, w, n, seed=4) != (above, below, far)


@given(steps=st.lists(st.integers(-40, 40), min_size=1, max_size=12), unit=st.sampled_from([1 / 3, 1 / 30, 0.1, 1 / 7]))
def test_common_fractions_are_found(steps: list[int], unit: float) -> None:
    found = fractional_steps(np.array(steps) * unit, 1e6)
    common = np.gcd.reduce(np.abs(steps))
    if common == 0:
        assert found is None
    else:
        assert found is not None
        assert found.tolist() == [step // common for step in steps]


def test_numbers_without_a_common_fraction_have_none() -> None:
    assert fractional_steps(np.random.default_rng(1).random(30), 1e6) is None
    assert fractional_steps(np.array([1.0, np.sqrt(2)]), 1e5) is None


def test_memory_is_bounded_for_many_scores() -> None:
    scores = np.random.default_rng(1).integers(1, 9, 60_000)
    w = int(scores.sum()) // 2
    tracemalloc.start()
    above, below, _ = random_sums(scores, w, 500, seed=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6, "tables of twelve signs would be 160 MB"
    assert 0.35 < above / 500 < 0.65  # half of the sums are on either side; a standard error is 0.022
    assert 0.35 < below / 500 < 0.65


# ----------------------------------------------------------------------------------------------------------------------
# The interval of the sign-flip test: against the test itself at shifted values.


def upper_tail(d: np.ndarray) -> float:
    """P(Σ ±d ≥ Σ d), exactly, for values of four decimals."""
    scores = np.rint(10_000 * d).astype(np.int64)
    return flip_tails(np.abs(scores), int(scores[scores > 0].sum())).above


def some_differences(n: int) -> np.ndarray:
    return np.round(np.random.default_rng(n).normal(0.5, 1, n), 3)


def test_a_test_that_can_never_reject_has_no_end() -> None:
    assert 0.5**4 > 0.025
    assert lowest_shift(some_differences(4), 0.025) == -inf


@pytest.mark.parametrize(("n", "tail"), [(4, 0.2), (4, 0.1), *product([9, 14], [0.2, 0.1, 0.025])])
def test_the_end_is_where_the_test_begins_to_reject(n: int, tail: float) -> None:
    d = some_differences(n)
    end = lowest_shift(d, tail)
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
    monkeypatch.setattr(sign_flips, "FEW_VALUES", 3)
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
