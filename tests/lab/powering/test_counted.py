"""Exact power of tests that count, against R and against outcomes counted one by one."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.lab.powering.counted import (
    critical_counts,
    power_binomial,
    power_mcnemar,
    power_normal_approximation,
    power_sign,
)
from bakeoff.mathematics.signs import critical_wins
from bakeoff.procedures.normal_approximation import normal_approximation


@pytest.mark.parametrize(
    ("power", "call"),
    [
        (power_sign(20, 0.75), "sign(20, .75"),
        (power_sign(33, 0.7), "sign(33, .7"),
        (power_sign(15, 0.9, sides=1), "sign(15, .9"),
        (power_binomial(100, 0.2, 0.1), 'rate(100, .2, .1, "two'),
        (power_binomial(250, 0.1, 0.06), "rate(250"),
        (power_binomial(100, 0.2, 0.1, sides=1), 'rate(100, .2, .1, "less'),
        (power_mcnemar(300, 0.05, 0.1), "discordant(300, .05, .1, exact = 25)"),
        (power_mcnemar(300, 0.05, 0.1, method="exact"), "discordant(300, .05, .1, exact = Inf)"),
        (power_mcnemar(200, 0.06, 0.2), "discordant(200"),
        (power_mcnemar(60, 0.1, 0.2), "discordant(60"),
    ],
)
def test_as_r_adds_it_up(power: float, call: str, from_r: Callable[[str], float]) -> None:
    assert power == pytest.approx(from_r(call), abs=2e-12)


def test_critical_counts_are_those_of_the_sign_test() -> None:
    n = np.arange(1, 60)
    wanted = [min(critical_wins(int(each)), int(each) + 1) for each in n]
    assert critical_counts(n, 0.025).tolist() == wanted


def test_mcnemar_by_all_outcomes_one_by_one() -> None:
    n, favour, against = 9, 0.5, 0.1
    total = 0.0
    for x in range(n + 1):
        for y in range(n + 1 - x):
            p = min(1.0, 2 * sum(comb(x + y, k) for k in range(x, x + y + 1)) / 2 ** (x + y))
            chance = comb(n, x) * comb(n - x, y) * favour**x * against**y * (1 - favour - against) ** (n - x - y)
            total += chance * (p <= 0.05 and x > y)
    assert power_mcnemar(n, favour - against, favour + against) == pytest.approx(total)


def test_ends() -> None:
    assert power_sign(5, 1.0) == 0  # 1/16 is the smallest p
    assert power_sign(6, 1.0) == 1
    assert power_mcnemar(10, 0.0, 0.0) == 0
    assert power_mcnemar(10, 1.0, 1.0) == 1
    assert power_binomial(1, 0.01, 0.0) == 0
    assert power_sign(100, 0.5) <= 0.025
    assert power_mcnemar(1000, 0, 0.1) <= 0.025
    assert 0.99 < power_mcnemar(10**6, 0.01, 0.2) <= 1 + 1e-12


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: power_sign(0, 0.5), "one at least"),
        (lambda: power_sign(5.5, 0.5), "whole number"),
        (lambda: power_sign(5, 1.5), "chance to win"),
        (lambda: power_sign(5, 0.5, sides=3), "one or two sides"),
        (lambda: power_sign(5, 0.5, alpha=0), "α"),
        (lambda: power_binomial(5, 0.0, 0.5), "tested against"),
        (lambda: power_binomial(5, 0.1, -0.5), "error rate"),
        (lambda: power_mcnemar(5, 0.2, 0.1), "cannot differ by more"),
        (lambda: power_mcnemar(5, 0.2, 0.3, method="exat"), "Did you mean 'exact'"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=sentence):
        call()


@pytest.mark.parametrize("sides", [1, 2])
def test_the_normal_approximation_rejects_as_often_as_its_procedure(sides: int) -> None:
    side = "two-sided" if sides == 2 else "less"
    for n, p0, rate in ((30, 0.2, 0.05), (57, 0.35, 0.2)):
        counts = [x for x in range(n + 1) if x < n * p0 and normal_approximation(x, n, p0, alternative=side).p <= 0.05]
        expected = sum(float(stats.binom.pmf(x, n, rate)) for x in counts)
        assert power_normal_approximation(n, p0, rate, sides=sides) == pytest.approx(expected, rel=1e-9)


def test_the_normal_approximation_can_exceed_its_level() -> None:
    assert max(power_normal_approximation(n, 0.3, 0.3, sides=1) for n in range(10, 60)) > 0.05
    with pytest.raises(UsageError, match="tested against lies strictly between 0 and 1"):
        power_normal_approximation(20, 1.0, 0.2)
