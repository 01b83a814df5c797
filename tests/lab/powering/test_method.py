"""A way to compute power."""

from __future__ import annotations

from bakeoff.lab.powering.method import Method
from bakeoff.lab.powering.simulation import Chance


def test_a_power_is_reached_if_it_stays_for_a_whole_tooth() -> None:
    saw = Method("saw", "Saw", "exact", "teeth", lambda n, d: Chance(0.9 if n % 3 else 0.7), tooth=2)
    assert not saw.reached(4, 1.0, 0.8)
    assert saw.reached(4, 1.0, 0.7)
    assert not saw.simulated


def test_a_simulation_decides_in_its_own_way() -> None:
    made = Method("x", "X", "simulated", "tasks", lambda n, d: Chance(0.0), reaches=lambda n, d, power: n > 5)
    assert made.simulated
    assert [made.reached(n, 1.0, 0.8) for n in (5, 6)] == [False, True]
