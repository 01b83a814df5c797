"""Effect sizes against their definitions, counted out pair by pair."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from bakeoff.inference.effects import Effect, cliffs_deltas, independent_effects, paired_effect

EffectOf = Callable[..., Effect]
WHOLE = st.integers(-20, 20)  # few values, so that ties are common
COLUMN = st.lists(WHOLE, min_size=1, max_size=12)
PAIRED = st.lists(st.tuples(WHOLE, WHOLE), min_size=1, max_size=12)
PLACES = st.integers(0, 5)


def independent_effect(contrast: str, first: ArrayLike, second: ArrayLike, larger_is_better: bool) -> Effect:
    a, b = (np.asarray(side, dtype=float)[None] for side in (first, second))
    return independent_effects([contrast], a, b, larger_is_better)[0]


def cliffs_delta(first: ArrayLike, second: ArrayLike) -> float:
    a, b = (np.asarray(side, dtype=float)[None] for side in (first, second))
    return float(cliffs_deltas(a, b)[0])


def unzipped(pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [a for a, _ in pairs], [b for _, b in pairs]


def sign(x: Fraction | int) -> int:
    return (x > 0) - (x < 0)


def share_better(differences: list[int]) -> Fraction:
    return Fraction(sum(1 + sign(d) for d in differences), 2 * len(differences))


@given(a=COLUMN, b=COLUMN, places=PLACES)
def test_cliffs_delta_counts_all_pairs(a: list[int], b: list[int], places: int) -> None:
    counted = Fraction(sum(sign(x - y) for x, y in product(a, b)), len(a) * len(b))
    assert cliffs_delta(np.array(a) / 10**places, np.array(b) / 10**places) == pytest.approx(float(counted), abs=1e-15)


@given(pairs=PAIRED, places=PLACES, larger=st.booleans())
def test_superiority_counts_the_blocks(pairs: list[tuple[int, int]], places: int, larger: bool) -> None:
    a, b = unzipped(pairs)
    effect = paired_effect("a − b", np.array(a) / 10**places, np.array(b) / 10**places, larger)
    counted = share_better([x - y if larger else y - x for x, y in pairs])
    assert effect.superiority == pytest.approx(float(counted), abs=1e-15)


@given(pairs=PAIRED, places=PLACES)
def test_the_difference_is_the_mean_difference(pairs: list[tuple[int, int]], places: int) -> None:
    a, b = unzipped(pairs)
    exact = Fraction(sum(a) - sum(b), len(pairs) * 10**places)
    first, second = np.array(a) / 10**places, np.array(b) / 10**places
    for larger in (True, False):
        assert paired_effect("", first, second, larger).difference == pytest.approx(float(exact), abs=1e-11)
        assert independent_effect("", first, second, larger).difference == pytest.approx(float(exact), abs=1e-11)


@given(pairs=PAIRED)
def test_standardised_is_the_mean_over_the_deviation_of_the_differences(pairs: list[tuple[int, int]]) -> None:
    d = [Fraction(x - y) for x, y in pairs]
    mean = statistics.mean(d)
    spread = statistics.stdev(d) if len(d) > 1 else 0.0
    expected = float(mean) / spread if spread else sign(mean) * inf if mean else 0.0
    assert paired_effect("", *unzipped(pairs), larger_is_better=True).standardised == pytest.approx(expected, rel=1e-12)


@given(a=COLUMN, b=COLUMN)
def test_independent_samples_have_the_pooled_deviation(a: list[int], b: list[int]) -> None:
    mean = Fraction(sum(a), len(a)) - Fraction(sum(b), len(b))
    squares = sum((x - Fraction(sum(c), len(c))) ** 2 for c in (a, b) for x in c)
    df = len(a) + len(b) - 2
    expected = float(mean) / sqrt(squares / df) if squares else sign(mean) * inf if mean else 0.0
    effect = independent_effect("", a, b, larger_is_better=True)
    assert effect.standardised == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert effect.superiority == pytest.approx(float(share_better([x - y for x, y in product(a, b)])), abs=1e-15)
    assert effect.dominance == cliffs_delta(a, b)


def test_a_paired_effect_is_not_an_independent_one() -> None:
    """Blocks that differ much hide a small difference from the dominance, not from what is read within blocks."""
    a, b = [1.1, 2.2, 3.1, 4.2], [1.0, 2.0, 3.0, 4.0]
    within, across = paired_effect("", a, b, True), independent_effect("", a, b, True)
    assert within.superiority == 1.0
    assert across.superiority == 0.625
    assert within.dominance == across.dominance == 0.25
    assert within.standardised > 2 > 0.2 > across.standardised > 0


@pytest.mark.parametrize("effect_of", [paired_effect, independent_effect])
@given(pairs=PAIRED)
def test_the_direction_turns_all_but_the_difference(effect_of: EffectOf, pairs: list[tuple[int, int]]) -> None:
    a, b = unzipped(pairs)
    up, down, swapped = effect_of("", a, b, True), effect_of("", a, b, False), effect_of("", b, a, True)
    assert down.difference == up.difference == -swapped.difference
    assert down.standardised == -up.standardised == swapped.standardised
    assert down.dominance == -up.dominance == swapped.dominance
    assert down.superiority == pytest.approx(1 - up.superiority) == pytest.approx(swapped.superiority)


@given(pairs=PAIRED)
def test_ranges(pairs: list[tuple[int, int]]) -> None:
    for effect_of in (paired_effect, independent_effect):
        effect = effect_of("", *unzipped(pairs), larger_is_better=True)
        assert 0 <= effect.superiority <= 1
        assert -1 <= effect.dominance <= 1


@pytest.mark.parametrize("effect_of", [paired_effect, independent_effect])
@pytest.mark.parametrize(
    ("first", "standardised", "superiority", "dominance"),
    [(0.9, inf, 1.0, 1.0), (0.8, 0.0, 0.5, 0.0), (0.7, -inf, 0.0, -1.0)],
)
def test_one_observation(
    effect_of: EffectOf, first: float, standardised: float, superiority: float, dominance: float
) -> None:
    effect = effect_of("a − b", [first], [0.8], True)
    assert effect.contrast == "a − b"
    assert effect.difference == pytest.approx(first - 0.8)
    assert (effect.standardised, effect.superiority, effect.dominance) == (standardised, superiority, dominance)


@pytest.mark.parametrize("n", [2, 3, 7, 10, 100])
@pytest.mark.parametrize("step", [0.1, 0.3, 0.7, 1e-3, -0.1, -0.3])
def test_a_constant_difference_is_infinitely_many_deviations(n: int, step: float) -> None:
    base = np.arange(n) % 7 / 10
    effect = paired_effect("", base + step, base, larger_is_better=True)
    assert effect.standardised == (inf if step > 0 else -inf)
    assert effect.superiority == (step > 0)
    assert paired_effect("", base + step, base, larger_is_better=False).standardised == -effect.standardised


@pytest.mark.parametrize("n", [2, 3, 7, 10, 100])
@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 1e-3])
def test_two_different_constants_differ_infinitely(n: int, value: float) -> None:
    same, more = np.full(n, value), np.full(n, value + 0.25)
    assert independent_effect("", more, same, True).standardised == inf
    assert independent_effect("", same, more, True).standardised == -inf


def test_equal_constants_do_not_differ_at_all() -> None:
    for n in (2, 3, 7, 10, 100):
        for value in (0.1, 0.3, 0.7, 1e-3):
            effect = independent_effect("", np.full(n, value), np.full(n + 1, value), larger_is_better=True)
            assert (effect.standardised, effect.superiority, effect.dominance) == (0, 0.5, 0)


def test_ties_that_floating_point_breaks_are_ties() -> None:
    assert 0.1 + 0.2 != 0.3
    for larger in (True, False):
        effect = paired_effect("", [0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2], larger)
        assert (effect.standardised, effect.superiority, effect.dominance) == (0, 0.5, 0)
    assert cliffs_delta([0.1 + 0.2, 0.5], [0.3]) == 0.5


def test_the_interval_of_the_difference_is_that_of_t_tests() -> None:
    from scipy import stats

    rng = np.random.default_rng(8)
    a, b = rng.normal(size=9), rng.normal(size=9)
    ends = stats.ttest_rel(a, b).confidence_interval(0.9)
    found = paired_effect("", a, b, False, confidence=0.9)
    # Differences are rounded, to twelve digits here, before they are averaged.
    assert (found.lower, found.upper) == pytest.approx((ends.low, ends.high), rel=1e-10)
    wide = paired_effect("", a, b, False, confidence=0.9, inflation=1 / 3)
    assert (wide.upper - wide.lower) / (found.upper - found.lower) == pytest.approx(2, rel=1e-12)  # 1/9 + 1/3 = 4/9
    welch = stats.ttest_ind(a, 1e60 * b[:4], equal_var=False).confidence_interval(0.95)
    other = independent_effect("", a, 1e60 * b[:4], True)
    assert (other.lower, other.upper) == pytest.approx((welch.low, welch.high), rel=1e-12)


@pytest.mark.parametrize("effect_of", [paired_effect, independent_effect])
@pytest.mark.parametrize(("a", "b"), [([1.0], [2.0]), ([1.0, 1.0], [1.0, 1.0]), ([3.0, 3.0, 3.0], [2.0, 2.0, 2.0])])
def test_without_spread_there_is_no_interval(effect_of: EffectOf, a: list[float], b: list[float]) -> None:
    effect = effect_of("", a, b, True)
    assert np.isnan([effect.lower, effect.upper]).all()


@pytest.mark.parametrize("effect_of", [paired_effect, independent_effect])
@pytest.mark.parametrize("unit", [1e-250, 1e160, 1e250])
def test_tiny_and_huge_values_have_the_same_effect(effect_of: EffectOf, unit: float) -> None:
    rng = np.random.default_rng(9)
    a, b = rng.normal(size=8), rng.normal(size=8)
    plain, scaled = effect_of("", a, b, True), effect_of("", unit * a, unit * b, True)
    assert scaled.standardised == pytest.approx(plain.standardised, rel=1e-9)
    assert (scaled.superiority, scaled.dominance) == (plain.superiority, plain.dominance)
    assert (scaled.lower / unit, scaled.upper / unit) == pytest.approx((plain.lower, plain.upper), rel=1e-9)


def test_dominance_of_long_columns_is_that_of_their_ranks() -> None:
    rng = np.random.default_rng(3)
    first, second = np.round(rng.normal(0.1, 1, 9_800), 2), np.round(rng.normal(0, 1, 300), 2)
    wanted = float(np.sign(first[:, None] - second).mean())
    assert cliffs_delta(first, second) == pytest.approx(wanted, abs=1e-12)


def test_effects_of_many_samples_are_those_of_each_pair() -> None:
    """Some that vary, some that do not, some that are alike."""
    rng = np.random.default_rng(4)
    first, second = rng.normal(size=(6, 5)), np.round(rng.normal(size=(6, 7)), 1)
    first[1], second[1], first[2], second[2], first[3] = 0.3, 0.3, 0.3, 0.1, 0.5
    together = independent_effects(list("abcdef"), first, second, False)
    for name, a, b, effect in zip("abcdef", first, second, together, strict=True):
        alone = independent_effect(name, a, b, False)
        assert effect.contrast == name
        for field in ("difference", "standardised", "superiority", "dominance", "lower", "upper"):
            assert getattr(effect, field) == pytest.approx(getattr(alone, field), rel=1e-12, nan_ok=True)
