"""A way to compute power, whatever the test: what the solver and the curve work on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from bakeoff.lab.powering.simulation import Chance

LARGEST = 10**9
LARGEST_SIMULATED = 2000


@dataclass(frozen=True, eq=False)
class Method:
    """The chance to find a difference with n blocks, and the range in which that may be asked.

    how       in words: exact, approximate, or simulated
    blocks    what is counted, in the plural
    step      n is a multiple of it, such as the folds of a repeat; `least` and `most` are its ends
    largest   the largest difference there can be, such as an error rate
    tooth     after how many further n a discrete test has gone through its ups and downs
    reaches   a cheaper way to tell whether a power is reached, where powers are simulated
    """

    name: str
    title: str
    how: str
    blocks: str
    chance: Callable[[int, float], Chance]
    least: int = 2
    most: int = LARGEST
    step: int = 1
    largest: float = inf
    tooth: int = 0
    reaches: Callable[[int, float, float], bool] | None = None
    assumptions: tuple[str, ...] = ()

    @property
    def simulated(self) -> bool:
        return self.reaches is not None

    def reached(self, n: int, difference: float, power: float) -> bool:
        """Whether n blocks are enough, and not by the luck of a tooth."""
        if self.reaches is not None:
            return self.reaches(n, difference, power)
        return all(self.chance(more, difference).power >= power for more in range(n, n + self.tooth + 1))
