"""The exact law of Friedman's statistic, against all orders one by one."""

from __future__ import annotations

from itertools import permutations, product
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import rankdata

from bakeoff.errors import UsageError
from bakeoff.mathematics import ranks as signed_ranks
from bakeoff.mathematics.checks import midranks
from bakeoff.mathematics.ranks import (
    critical_wins,
    lower_index,
    median_interval,
    sign_test,
    spread,
    spread_law,
    spread_tail,
    sum_law,
    tails,
    walsh_order_statistics,
)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 4), k=st.integers(2, 4), ties=st.booleans())
def test_all_orders_are_counted(seed: int, n: int, k: int, ties: bool) -> None:
    values = np.random.default_rng(seed).integers(0, 3 if ties else 10**6, (n, k))
    ranks = rankdata(values, axis=1)
    every = np.zeros((1, k))  # the column sums of all orders of the rows so far
    for row in ranks.tolist():
        every = (every[:, None] + np.array(list(permutations(row)))).reshape(-1, k)
    spreads = spread(np.rint(2 * every).astype(np.int64))
    law = spread_law(ranks)
    assert law is not None
    found, counts = np.unique(spreads, return_counts=True)
    assert found.tolist() == law[0].tolist()
    assert law[1] == pytest.approx(counts / len(every))
    observed = spread(np.rint(2 * ranks).astype(np.int64).sum(axis=0))
    assert spread_tail(ranks) == pytest.approx(np.mean(spreads >= observed))


def test_too_many_combinations_are_none() -> None:
    assert spread_law(np.tile(np.arange(12.0), (3, 1))) is None
    assert spread_tail(np.tile(np.arange(1.0, 7), (9, 1)), most=10_000) is None
    law = spread_law(np.tile(np.arange(1.0, 5), (20, 1)))
    assert law is not None
    assert law[1].sum() == pytest.approx(1)


# ----------------------------------------------------------------------------------------------------------------------
# The law of a signed-rank sum and the order statistics of Walsh averages, by enumeration.


@given(st.lists(st.integers(1, 5), min_size=0, max_size=9))
def test_law_is_the_enumeration_of_all_signs(sizes: list[int]) -> None:
    ranks = midranks(sizes) if sizes else np.empty(0)
    sums = np.array([np.dot(signs, ranks) for signs in product((0, 1), repeat=len(ranks))])
    law = sum_law(ranks)
    assert len(law) == round(2 * ranks.sum()) + 1
    for w in range(len(law)):
        assert law[w] == np.mean(sums == w / 2)
    assert tails(law, sums[-1] / 2 if len(ranks) else 0.0) == (
        pytest.approx(np.mean(sums >= sums[-1] / 2)),
        pytest.approx(np.mean(sums <= sums[-1] / 2)),
    )


def test_lower_index_counts_the_outcomes_that_are_too_rare() -> None:
    law = sum_law(np.arange(1.0, 6))  # P(W ≤ 0) = 1/32, P(W ≤ 1) = 2/32
    assert lower_index(law, 0.025) == 0
    assert lower_index(law, 1 / 32) == 1
    assert lower_index(law, 2 / 32) == 2


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=40))
def test_counting_finds_the_same_as_sorting(values: list[int]) -> None:
    column = np.array(values, dtype=float) / 8
    total = len(values) * (len(values) + 1) // 2
    positions = [0, 1, (total + 1) // 2, total, total + 1]
    made = walsh_order_statistics(column, positions)
    assert made[0] == -inf
    assert made[-1] == inf
    for k in (1, (total + 1) // 2, total):
        assert signed_ranks._walsh_by_counting(np.sort(column), k) == made[positions.index(k)]


# ----------------------------------------------------------------------------------------------------------------------
# The sign test's counts, law and order statistics, against scipy and by counting.


SIDES = ("two-sided", "greater", "less")
COUNTS = st.integers(0, 60)


@given(wins=COUNTS, losses=COUNTS, ties=COUNTS, side=st.sampled_from(SIDES))
def test_the_binomial_test_after_the_ties_were_dealt_with(wins: int, losses: int, ties: int, side: str) -> None:
    found = sign_test(wins, losses, ties, alternative=side)
    assert (found.wins, found.n) == (wins + ties // 2, wins + losses + 2 * (ties // 2))
    p = stats.binomtest(int(found.wins), found.n, alternative=side).pvalue if found.n else 1.0
    assert found.p == pytest.approx(p, rel=1e-9)
    dropped = sign_test(wins, losses, ties, alternative=side, ties="dropped")
    assert dropped.p == pytest.approx(sign_test(wins, losses, alternative=side).p)


@given(wins=COUNTS, losses=COUNTS, ties=COUNTS, method=st.sampled_from(("exact", "normal")))
def test_swapping_wins_and_losses_swaps_the_sides(wins: int, losses: int, ties: int, method: str) -> None:
    there = sign_test(wins, losses, ties, method=method, alternative="greater")
    back = sign_test(losses, wins, ties, method=method, alternative="less")
    assert there.p == pytest.approx(back.p)
    assert there.z == pytest.approx(-back.z)


@pytest.mark.parametrize("correction", [False, True])
@pytest.mark.parametrize("alternative", SIDES)
def test_the_normal_approximation(correction: bool, alternative: str) -> None:
    found = sign_test(21, 9, method="normal", alternative=alternative, correction=correction)
    z = (21 - 15 - 0.5 * correction) / np.sqrt(7.5)
    p = {"greater": stats.norm.sf(z), "less": stats.norm.cdf(z), "two-sided": 2 * stats.norm.sf(z)}[alternative]
    assert (found.z, found.p) == pytest.approx((z, p))


def test_the_correction_never_turns_the_sign() -> None:
    assert sign_test(5, 5, method="normal", correction=True).z == 0
    assert sign_test(4, 5, method="normal", correction=True).z == 0


def test_a_large_count() -> None:
    assert sign_test(500_600, 499_400).p == pytest.approx(sign_test(500_600, 499_400, method="normal").p, rel=1e-2)
    assert sign_test(10**6, 0).p == 0.0


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        ((-1, 2, 0), {}, "'wins' must be a whole number that is not negative"),
        ((1, 2.5, 0), {}, "'losses' must be a whole number"),
        ((1, 2, float("nan")), {}, "'ties' must be a whole number"),
        ((1, 2, 0), {"ties": "halved"}, "no treatment of ties 'halved'"),
        ((1, 2, 0), {"method": "approximate"}, "no method of the sign test"),
        ((1, 2, 0), {"alternative": "more"}, "alternative must be one of"),
    ],
)
def test_bad_arguments(arguments: tuple[float, float, float], options: dict[str, str], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        sign_test(*arguments, **options)  # type: ignore[arg-type]


@given(n=st.integers(0, 80), alpha=st.floats(0.001, 0.5), side=st.sampled_from(("two-sided", "greater")))
def test_critical_wins_are_the_fewest_that_are_significant(n: int, alpha: float, side: str) -> None:
    found = critical_wins(n, alpha, side)
    significant = [w for w in range(n // 2 + 1, n + 1) if sign_test(w, n - w, alternative=side).p <= alpha]
    assert found == (significant[0] if significant else inf)


def test_critical_wins_have_sides_and_levels() -> None:
    with pytest.raises(UsageError, match="two-sided and greater"):
        critical_wins(10, 0.05, "less")
    with pytest.raises(UsageError, match="strictly between 0 and 1"):
        critical_wins(10, 1.0)


@given(n=st.integers(1, 60), confidence=st.floats(0.5, 0.999), side=st.sampled_from(SIDES))
def test_the_interval_holds_the_medians_that_are_not_rejected(n: int, confidence: float, side: str) -> None:
    values = np.arange(1.0, n + 1)
    lower, upper = median_interval(values, confidence, side)
    for median in np.arange(0.5, n + 1):  # between the values, where nothing is tied
        p = sign_test(int(np.sum(values > median)), int(np.sum(values < median)), alternative=side).p
        if abs(p - (1 - confidence)) > 1e-9:
            assert (lower < median < upper) == (p > 1 - confidence)
