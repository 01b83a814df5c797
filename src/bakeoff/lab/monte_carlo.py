"""How exact a simulated probability is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError


def monte_carlo_se(p: ArrayLike, replications: ArrayLike) -> Any:
    """The standard error √(p(1 − p)/R) of a proportion of R independent replications.

    >>> round(float(monte_carlo_se(0.05, 5000)), 4)
    0.0031
    """
    chance, runs = np.asarray(p, dtype=float), np.asarray(replications, dtype=float)
    if not ((chance >= 0) & (chance <= 1)).all():
        raise UsageError(f"A probability lies between 0 and 1; found {p!r}.")
    if not (runs >= 1).all():
        raise UsageError(f"There must be at least one replication; found {replications!r}.")
    return np.sqrt(chance * (1 - chance) / runs)
