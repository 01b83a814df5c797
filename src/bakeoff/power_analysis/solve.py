"""Solving for the number of blocks or for the difference, and power curves."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan

import numpy as np

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.power_analysis.methods import Method
from bakeoff.records import Record
from bakeoff.text import count, noun, number

POINTS = 9
# Relative width at which a difference is known well enough: a simulation does not know it better.
EXACT, SIMULATED = 1e-9, 5e-3


@dataclass(frozen=True, slots=True, eq=False)
class Point(Record):
    """One point of a power curve; `error` is NaN where nothing was simulated."""

    n: int
    difference: float
    power: float
    error: float = nan


def check_power(power: float) -> float:
    if not 0 < power < 1:
        raise UsageError(f"The power wanted lies strictly between 0 and 1; found {power!r}.")
    return power


def smallest_n(method: Method, difference: float, power: float) -> int:
    """The smallest number of blocks with which the difference is found with that power.

    Of a discrete test, whose power goes up and down, the number from which on it stays above for a whole tooth.
    """
    check_power(power)
    if difference <= 0:
        raise DegenerateError(f"No number of {method.blocks} finds a difference of {number(difference)}.")

    def enough(steps: int) -> bool:
        return method.reached(steps * method.step, difference, power)

    low = -(-method.least // method.step)
    if enough(low):
        return low * method.step
    high, last = 2 * low, method.most // method.step
    while not (high <= last and enough(high)):
        if high >= last:
            raise DegenerateError(_out_of_reach(method, difference, power))
        low, high = high, min(2 * high, last)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high * method.step


def _out_of_reach(method: Method, difference: float, power: float) -> str:
    most = method.most // method.step * method.step
    if method.least == method.most:
        chance = method.chance(most, difference).power
        return (
            f"{method.title} has {most} {method.blocks}, neither more nor less, and with them finds a difference of "
            f"{number(difference)} with a power of {number(chance, 3)}: {number(power)} is out of reach. Solve for the "
            "difference instead, or choose a test whose design can grow."
        )
    why = " A simulation goes no further; a closed formula (t, sign, mcnemar) does." if method.simulated else ""
    of_one = method.blocks in ("folds", "splits")
    correlated = f" {method.blocks.capitalize()} of the same data are correlated: more of them add less and less."
    correlated = correlated if of_one else ""
    return (
        f"A difference of {number(difference)} is not found with a power of {number(power)}, even with {count(most)} "
        f"{method.blocks}.{why}{correlated}"
    )


def smallest_difference(method: Method, n: int, power: float, scale: float) -> float:
    """The smallest difference that n blocks find with that power; `scale` is where to begin."""
    check_power(power)
    high = min(scale, method.largest)
    for _ in range(60):
        if _reaches(method, n, high, power):
            break
        if high >= method.largest:
            raise DegenerateError(
                f"With {count(n)} {noun(n, method.blocks)} not even the largest possible difference, "
                f"{number(method.largest)}, is found with a power of {number(power)}. Add {method.blocks}."
            )
        high = min(2 * high, method.largest)
    else:
        raise DegenerateError(
            f"With {count(n)} {noun(n, method.blocks)} no difference is found with a power of {number(power)}, however "
            f"large: {method.title} cannot reach the level. Add {method.blocks}."
        )
    low, width = 0.0, SIMULATED if method.simulated else EXACT
    while high - low > width * high:
        middle = (low + high) / 2
        low, high = (low, middle) if _reaches(method, n, middle, power) else (middle, high)
    return high


def _reaches(method: Method, n: int, difference: float, power: float) -> bool:
    """At this very n: a design that is fixed has no teeth to go through."""
    if method.reaches is not None:
        return method.reaches(n, difference, power)
    return method.chance(n, difference).power >= power


def point(method: Method, n: int, difference: float) -> Point:
    chance = method.chance(n, difference)
    return Point(n, difference, chance.power, chance.error)


def curve_over_n(method: Method, n: int, difference: float) -> tuple[Point, ...]:
    """Power at numbers of blocks from a quarter of n to its double."""
    ends = max(method.least, n / 4), min(method.most, 2 * max(n, method.least))
    steps = {round(each / method.step) for each in np.geomspace(*ends, POINTS)} | {n // method.step}
    least = -(-method.least // method.step)
    return tuple(point(method, s * method.step, difference) for s in sorted(steps) if s >= least)


def curve_over_difference(method: Method, n: int, difference: float) -> tuple[Point, ...]:
    """Power at differences from none to the double, all on n blocks."""
    last = min(2 * difference, method.largest)
    grid = sorted({*np.linspace(0.0, last, POINTS).tolist(), min(difference, last)})
    # What was to be the middle of the grid may miss the difference by rounding.
    kept = [d for d, after in zip(grid, [*grid[1:], inf], strict=True) if after - d > 1e-9 * last]
    return tuple(point(method, n, each) for each in kept)
