"""The sign test's counts, law and order statistics, against scipy and by counting."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.mathematics.signs import critical_wins, median_interval, sign_test

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
