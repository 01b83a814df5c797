"""Plackett–Burman screening: up to N − 1 two-level factors in N runs, N a multiple of four.

Main effects are estimated independently of each other, but each is partially confounded with two-factor interactions of
the others: a design to find the few factors that matter, not to estimate their effects.

Reference: Plackett and Burman (1946), doi:10.1093/biomet/33.4.305.
"""

from __future__ import annotations

import numpy as np

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array

# First rows of the cyclic designs of the paper; the other sizes come from Hadamard matrices by doubling.
_FIRST_ROWS = {
    12: "++-+++---+-",
    20: "++--++++-+-+----++-",
    24: "+++++-+-++--++--+-+----",
    36: "-+-+++---+++++-+++--+----+-+-++--+-",
}
LARGEST = 48


def plackett_burman(factors: int) -> Array:
    """The smallest design for so many factors, in coded levels; columns are orthogonal and balanced.

    >>> design = plackett_burman(5)
    >>> design.shape, bool((design.T @ design == 8 * np.eye(5)).all())
    ((8, 5), True)
    """
    if factors != int(factors) or not 1 <= factors < LARGEST:
        raise UsageError(f"Plackett–Burman designs are there for 1 to {LARGEST - 1} factors; found {factors!r}.")
    runs = next(n for n in range(4, LARGEST + 1, 4) if n > factors and n != 28 and n != 44)
    return _columns(runs)[:, : int(factors)]


def _columns(runs: int) -> Array:
    if runs in _FIRST_ROWS:
        first = np.array([1.0 if sign == "+" else -1.0 for sign in _FIRST_ROWS[runs]])
        cyclic = np.array([np.roll(first, shift) for shift in range(runs - 1)])
        return np.vstack([cyclic, -np.ones(runs - 1)])
    if runs == 1:
        return np.ones((1, 0))
    half = np.column_stack([np.ones(runs // 2), _columns(runs // 2)])  # Sylvester's doubling of a Hadamard matrix
    return np.block([[half, half], [half, -half]])[:, 1:]
