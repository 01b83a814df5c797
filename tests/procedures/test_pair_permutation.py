"""The matched-pairs permutation test: against all relabellings; its null distributions, interval and limits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations, product
from math import inf, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.procedures import procedure_named, procedures
from bakeoff.procedures.closed_testing import closed_testing
from bakeoff.procedures.permutations import (
    METHODS,
    checked_resamples,
    monte_carlo_p,
    paired_permutation,
    permutation,
    permutation_independent,
)

SIDES = ("two-sided", "greater", "less")
DECIMALS = st.lists(st.integers(-50, 50), min_size=1, max_size=9)


def by_all_flips(d: np.ndarray, side: str) -> float:
    sums = np.array([np.dot(signs, d) for signs in product((1, -1), repeat=len(d))])
    observed, tie = d.sum(), 1e-9 * (np.abs(d).sum() + 1)
    extreme = {
        "two-sided": np.abs(sums) >= abs(observed) - tie,
        "greater": sums >= observed - tie,
        "less": sums <= observed + tie,
    }[side]
    return float(extreme.mean())


@pytest.mark.parametrize("side", SIDES)
@given(whole=DECIMALS)
@settings(max_examples=60)
def test_exact_p_is_that_of_all_flips(side: str, whole: list[int]) -> None:
    base = np.linspace(0.3, 0.9, len(whole))
    result = paired_permutation(base + np.array(whole) / 100, base, method="exact", alternative=side)
    assert result.p == pytest.approx(by_all_flips(np.array(whole) / 100, side))
    assert result.note == "exact"


@pytest.mark.parametrize("side", SIDES)
def test_values_with_many_digits_are_exact_too(side: str) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.random(11), rng.random(11)
    assert paired_permutation(a, b, alternative=side).p == pytest.approx(by_all_flips(a - b, side))


def test_fractions_are_whole_multiples() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 30, 60) / 30, rng.integers(0, 30, 60) / 30
    whole = paired_permutation(30 * a, 30 * b)
    assert paired_permutation(a, b).p == pytest.approx(whole.p, rel=1e-12)
    assert paired_permutation(a, b).note == "exact"


def test_many_digits_and_many_blocks_are_rounded_within_bounds() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.1, 1, 250), rng.normal(0, 1, 250)
    result = paired_permutation(a, b, method="exact")
    low, high = result.details["p_smaller_tail_between"]
    assert "rounded to a grid" in result.note
    assert 2 * low <= result.p <= 2 * high
    assert high - low < 0.01 * result.p
    coarse = paired_permutation(np.round(a, 3), np.round(b, 3), method="exact")
    assert coarse.note == "exact"
    assert result.p == pytest.approx(coarse.p, rel=0.01)


@pytest.mark.parametrize("side", SIDES)
def test_monte_carlo_is_seeded_has_an_error_and_is_never_zero(side: str) -> None:
    rng = np.random.default_rng(4)
    a, b = np.round(rng.normal(0.3, 1, 30), 3), np.round(rng.normal(0, 1, 30), 3)
    exact = paired_permutation(a, b, method="exact", alternative=side).p
    drawn = paired_permutation(a, b, method="monte-carlo", alternative=side)
    assert drawn.p == pytest.approx(exact, abs=4 * drawn.details["p_standard_error"])
    assert drawn.p == paired_permutation(a, b, method="monte-carlo", alternative=side).p
    assert drawn.p != paired_permutation(a, b, method="monte-carlo", alternative=side, seed=2).p
    sure = paired_permutation(np.arange(60) + 1.0, np.zeros(60), method="monte-carlo", resamples=99)
    assert sure.p == 0.01


def test_asymptotic_is_the_normal_law_of_z() -> None:
    a, b = np.array([3.0, 5, 4, 8, 6]), np.array([2.0, 6, 1, 5, 5])
    d = a - b
    z = d.sum() / sqrt(np.sum(d**2))
    for side in SIDES:
        result = paired_permutation(a, b, method="asymptotic", alternative=side)
        tail = {"two-sided": 2 * stats.norm.sf(abs(z)), "greater": stats.norm.sf(z), "less": stats.norm.cdf(z)}
        assert result.statistic == pytest.approx(z)
        assert result.p == pytest.approx(tail[side])


def some_pairs(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    return np.round(rng.normal(0.4, 1, n), 2), np.round(rng.normal(0, 1, n), 2)


def test_a_test_that_can_never_reject_has_no_ends() -> None:
    assert 2 * 0.5**6 > 1 - 0.99
    result = paired_permutation(*some_pairs(6), confidence=0.99)
    assert (result.lower, result.upper) == (-inf, inf)


@pytest.mark.parametrize(("n", "confidence"), [(6, 0.8), (6, 0.95), *product([12, 40], [0.8, 0.95, 0.99])])
def test_the_interval_holds_what_the_test_does_not_reject(n: int, confidence: float) -> None:
    a, b = some_pairs(n)
    result = paired_permutation(a, b, confidence=confidence)
    margin = 0.0 if n <= 14 else 0.03 * (result.upper - result.lower)
    for end, step in ((result.lower, 0.01), (result.upper, -0.01)):
        inside = paired_permutation(a, b + round(end, 3) + step + np.sign(step) * margin).p
        outside = paired_permutation(a, b + round(end, 3) - step - np.sign(step) * margin).p
        assert inside > 1 - confidence >= outside
    assert result.lower <= result.estimate <= result.upper


def test_t_of_the_paper_orders_flips_alike() -> None:
    a, b = np.array([3.0, 5, 4, 8, 6]), np.array([2.0, 6, 1, 5, 5])
    result = paired_permutation(a, b)
    t, n = result.details["t"], 5
    assert t == pytest.approx(stats.ttest_rel(a, b).statistic)
    assert result.statistic == pytest.approx(t * sqrt(n / (n - 1 + t**2)))


def test_it_is_t_star_of_two_learners() -> None:
    rng = np.random.default_rng(6)
    table = np.round(rng.normal(size=(9, 2)), 2)
    assert paired_permutation(*table.T).p == pytest.approx(permutation(table, method="exact").tests[0].p)


def test_the_limits() -> None:
    same = paired_permutation([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    assert (same.p, same.statistic, same.estimate) == (1.0, 0.0, 0.0)
    one = paired_permutation([0.3], [0.1])
    assert (one.p, one.lower, one.upper) == (1.0, -inf, inf)
    shifted = paired_permutation([0.2, 0.3, 0.4, 0.5, 0.6], [0.1, 0.2, 0.3, 0.4, 0.5])
    assert shifted.p == 2 / 32
    assert shifted.details["t"] == inf
    assert paired_permutation([1.0, 2.0], [1.0, 2.0], method="monte-carlo").p == 1.0
    assert paired_permutation([1.0, 2.0], [1.0, 2.0], method="asymptotic").p == 1.0


def test_many_blocks_are_drawn() -> None:
    rng = np.random.default_rng(7)
    result = paired_permutation(rng.random(2000), rng.random(2000))
    assert result.details["method"] == "monte-carlo"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"method": "exat"}, "Did you mean 'exact'"),
        ({"alternative": "better"}, "alternative must be one of"),
        ({"confidence": 95}, "between 0 and 1"),
        ({"method": "monte-carlo", "resamples": 0}, "at least one resample"),
        ({"method": "monte-carlo", "seed": -1}, "'seed' must be a whole number"),
    ],
)
def test_bad_requests_are_refused(bad: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        paired_permutation([1.0, 2.0], [2.0, 1.0], **bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("second", [[1.0], [1.0, float("nan")], [], ["x", "y"]])
def test_bad_columns_are_refused(second: list[object]) -> None:
    with pytest.raises(UsageError):
        paired_permutation([1.0, 2.0], second)  # type: ignore[arg-type]


def test_the_card_knows_the_smallest_p() -> None:
    assert procedure_named("paired-permutation").card.smallest_p is not None


# ----------------------------------------------------------------------------------------------------------------------
# The two-sample permutation test: against all relabellings and scipy, its interval, its limits.


COLUMN = st.lists(st.integers(-20, 20), min_size=1, max_size=5)


def by_all_labels(x: np.ndarray, y: np.ndarray, side: str) -> float:
    both = np.concatenate([x, y])
    sums = np.array([sum(draw) for draw in combinations(both.tolist(), len(x))])
    mean, w = len(x) * both.mean(), x.sum()
    tie = 1e-9 * (np.abs(both).max() + 1)
    extreme = {
        "two-sided": abs(sums - mean) >= abs(w - mean) - tie,
        "greater": sums >= w - tie,
        "less": sums <= w + tie,
    }
    return float(np.mean(extreme[side]))


@pytest.mark.parametrize("side", SIDES)
@given(x=COLUMN, y=COLUMN)
@settings(max_examples=60)
def test_exact_p_is_that_of_all_labels(side: str, x: list[int], y: list[int]) -> None:
    a, b = np.array(x) / 10, np.array(y) / 10
    assert permutation_independent(a, b, alternative=side).p == pytest.approx(by_all_labels(a, b, side))


@pytest.mark.parametrize("side", ["greater", "less"])
def test_tails_agree_with_scipy(side: str) -> None:
    rng = np.random.default_rng(1)
    x, y = np.round(rng.normal(0.3, 1, 7), 3), np.round(rng.normal(0, 1, 6), 3)
    other = stats.permutation_test((x, y), lambda a, b: a.mean() - b.mean(), n_resamples=np.inf, alternative=side)
    assert permutation_independent(x, y, alternative=side).p == pytest.approx(other.pvalue)


@pytest.mark.parametrize("side", SIDES)
def test_monte_carlo_and_asymptotic_are_near_the_exact(side: str) -> None:
    rng = np.random.default_rng(2)
    x, y = np.round(rng.normal(0.4, 1, 40), 2), np.round(rng.normal(0, 1, 50), 2)
    exact = permutation_independent(x, y, alternative=side, method="exact")
    drawn = permutation_independent(x, y, alternative=side, method="monte-carlo")
    assert drawn.p == pytest.approx(exact.p, abs=4 * drawn.details["p_standard_error"])
    assert permutation_independent(x, y, alternative=side, method="asymptotic").p == pytest.approx(exact.p, rel=0.1)
    assert permutation_independent(x + 9, y, method="monte-carlo", resamples=99).p == 0.01


@pytest.mark.parametrize("sizes", [(4, 6), (8, 3), (30, 25)])
def test_the_interval_holds_what_the_test_does_not_reject_permutation_independent(sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    x, y = (np.round(rng.normal(shift, 1, n), 2) for shift, n in zip((0.8, 0), sizes, strict=True))
    result = permutation_independent(x, y, confidence=0.9)
    slack = 0.0 if sum(sizes) < 20 else 0.05
    # Each end is that of a one-sided test at half the level.
    for end, step, side in ((result.lower, 0.01 + slack, "greater"), (result.upper, -0.01 - slack, "less")):
        assert permutation_independent(x, y + end + step, alternative=side).p > 0.05
        assert permutation_independent(x, y + end - step, alternative=side).p <= 0.05
    assert result.lower <= result.estimate <= result.upper


def test_the_limits_permutation_independent() -> None:
    same = permutation_independent([1.0, 1.0], [1.0, 1.0, 1.0])
    assert (same.p, same.statistic, same.estimate) == (1.0, 0.0, 0.0)
    one = permutation_independent([1.0], [2.0])
    assert (one.p, one.lower, one.upper) == (1.0, -inf, inf)
    apart = permutation_independent([1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 2.0])
    assert apart.p == pytest.approx(2 / 70)
    many = permutation_independent(np.random.default_rng(1).random(3000), np.random.default_rng(2).random(100))
    assert many.details["method"] == "asymptotic"


def test_what_is_too_much_work_is_refused_or_drawn() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.random(60), rng.random(60)
    assert permutation_independent(x, y).details["method"] == "monte-carlo"
    with pytest.raises(UsageError, match="use the method monte-carlo"):
        permutation_independent(x, y, method="exact")
    with pytest.raises(UsageError, match="at least one resample"):
        permutation_independent(x, y, method="monte-carlo", resamples=0)
    with pytest.raises(UsageError, match="finite number"):
        permutation_independent([1.0, float("nan")], [1.0])


# ----------------------------------------------------------------------------------------------------------------------
# What the permutation tests share: a p that is never zero, its error, and one refusal for all of them.


COLUMNS = [0.1, 0.5, 0.3, 0.7], [0.2, 0.4, 0.6, 0.9]
ROWS = [list(row) for row in zip(*COLUMNS, [0.3, 0.1, 0.5, 0.2], strict=True)]


@pytest.mark.parametrize(("extreme", "p"), [(0, 0.01), (99, 1.0), (24, 0.25)])
def test_the_data_are_one_relabelling(extreme: int, p: float) -> None:
    details: dict[str, Any] = {}
    found, note = monte_carlo_p(extreme, 99, details)
    assert found == p
    assert details["p_standard_error"] == pytest.approx(sqrt(p * (1 - p) / 100))
    assert note.startswith("Monte Carlo, 99 relabellings; standard error of p ")


@pytest.mark.parametrize(
    "test",
    [
        partial(permutation, ROWS),
        partial(closed_testing, ROWS),
        partial(paired_permutation, *COLUMNS),
        partial(permutation_independent, *COLUMNS),
    ],
    ids=lambda test: test.func.__name__,
)
def test_every_monte_carlo_test_wants_a_resample(test: Callable[..., object]) -> None:
    for resamples, sentence in ((0, "at least one resample; found 0"), (-3, "not negative"), (1.5, "whole number")):
        with pytest.raises(UsageError, match=sentence):
            test(method="monte-carlo", resamples=resamples)
    assert checked_resamples(1) == 1


def test_whoever_draws_relabellings_has_the_same_seed_and_says_so() -> None:
    asked = [{option.name for option in each.card.options} for each in procedures()]
    drawing = [each.card for each, names in zip(procedures(), asked, strict=True) if {"resamples", "method"} <= names]
    assert len(drawing) == 4
    for card in drawing:
        options = {option.name: option for option in card.options}
        assert options["seed"].default == 1
        assert options["resamples"].default == 100_000
        assert set(options["method"].choices) <= set(METHODS)
        assert any(line.startswith("Relabellings are drawn a part at a time") for line in card.conventions)
