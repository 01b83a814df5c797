"""Chance for splits: from a seed and the number of a repeat, and from nothing else.

numpy promises that the bits of PCG64 and of SeedSequence stay the same for ever, but not what `Generator.permutation`
makes of them. Splits are to be the same after an upgrade too, so both functions here start from the bits.
"""

from __future__ import annotations

from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError

Numbers = NDArray[np.int64]


def generator(seed: int, repeat: int) -> np.random.Generator:
    """The chance of one repeat. Each has its own, so that adding repeats leaves the earlier ones as they are."""
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise UsageError(f"A seed must be a whole number that is not negative; found {seed!r}.")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([int(seed), repeat])))


def shuffled(n: int, rng: np.random.Generator) -> Numbers:
    """The numbers 0 to n − 1 in random order.

    >>> shuffled(5, generator(1, 1)).tolist()
    [3, 0, 2, 1, 4]
    """
    return np.argsort(_bits(n, rng), kind="stable")


def drawn(n: int, times: int, rng: np.random.Generator) -> Numbers:
    """So many draws with replacement from the numbers 0 to n − 1.

    >>> drawn(5, 5, generator(1, 1)).tolist()
    [0, 1, 0, 4, 1]
    """
    # The remainder favours small numbers by less than n/2⁶⁴, which no experiment can see.
    return (_bits(times, rng) % np.uint64(n)).astype(np.int64)


def uniform(n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """So many numbers strictly between 0 and 1.

    >>> uniform(2, generator(1, 1)).round(3).tolist()
    [0.332, 0.612]
    """
    return np.asarray(((_bits(n, rng) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52)


def _bits(n: int, rng: np.random.Generator) -> NDArray[np.uint64]:
    return np.asarray(rng.bit_generator.random_raw(n), dtype=np.uint64)
