"""Solving for n and for the difference."""

from __future__ import annotations

from math import inf

import pytest

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.power_analysis.formulas import power_sign
from bakeoff.power_analysis.methods import Method
from bakeoff.power_analysis.simulate import Chance
from bakeoff.power_analysis.solve import curve_over_difference, curve_over_n, smallest_difference, smallest_n


def method(power, **more) -> Method:  # type: ignore[no-untyped-def]
    return Method("m", "Some test", "exact", "tasks", lambda n, d: Chance(power(n, d)), **more)


GROWS = method(lambda n, d: 1 - 1 / (1 + n * d))


def test_the_smallest_n_is_the_smallest() -> None:
    assert smallest_n(GROWS, 1.0, 0.9) == 9
    assert smallest_n(GROWS, 100.0, 0.9) == 2
    assert smallest_n(method(lambda n, d: n / 1000, step=10, least=10), 1.0, 0.85) == 850


def test_of_a_saw_the_n_from_which_on_power_stays() -> None:
    saw = method(lambda n, d: power_sign(n, 0.7), least=1, tooth=6)
    found = smallest_n(saw, 1.0, 0.8)
    brute = max(n for n in range(1, 300) if power_sign(n, 0.7) < 0.8) + 1
    assert found == brute


def test_the_smallest_difference() -> None:
    assert smallest_difference(GROWS, 9, 0.9, scale=0.01) == pytest.approx(1.0)
    assert smallest_difference(GROWS, 9, 0.9, scale=50.0) == pytest.approx(1.0)


def test_out_of_reach_is_a_sentence() -> None:
    never = method(lambda n, d: 0.5, most=100)
    with pytest.raises(DegenerateError, match="even with 100 tasks"):
        smallest_n(never, 1.0, 0.8)
    with pytest.raises(DegenerateError, match="however large"):
        smallest_difference(never, 10, 0.8, 1.0)
    with pytest.raises(DegenerateError, match=r"largest possible difference, 0\.1"):
        smallest_difference(method(lambda n, d: d, largest=0.1), 10, 0.8, 1.0)
    with pytest.raises(DegenerateError, match="neither more nor less"):
        smallest_n(method(lambda n, d: 0.3, least=10, most=10, step=10), 1.0, 0.8)
    with pytest.raises(DegenerateError, match="No number of tasks"):
        smallest_n(GROWS, 0.0, 0.8)
    with pytest.raises(UsageError, match="strictly between 0 and 1"):
        smallest_n(GROWS, 1.0, 1.0)


def test_curves_hold_what_was_asked_and_grow() -> None:
    over_n = curve_over_n(GROWS, 20, 1.0)
    assert {p.n for p in over_n} >= {5, 20, 40}
    assert [p.power for p in over_n] == sorted(p.power for p in over_n)
    steps = curve_over_n(method(lambda n, d: 0.5, step=10, least=10), 20, 1.0)
    assert all(p.n % 10 == 0 and p.n >= 10 for p in steps)
    over_d = curve_over_difference(GROWS, 20, 0.3)
    assert (over_d[0].difference, over_d[-1].difference) == (0.0, 0.6)
    assert sum(abs(p.difference - 0.3) < 1e-6 for p in over_d) == 1
    capped = curve_over_difference(method(lambda n, d: d, largest=0.4), 20, 0.3)
    assert capped[-1].difference == 0.4
    assert GROWS.largest == inf
