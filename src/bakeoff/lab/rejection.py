"""How often tests of one error rate reject, exactly: their size at p = p₀, and their power elsewhere.

Reference: Alpaydın (2014), 19.10.1–19.10.2 and exercise 2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import count
from bakeoff.mathematics.laws import binomial_pmf, check_alpha, normal_quantile


def binomial_rejects(n: int, p0: float, alpha: float = 0.05) -> NDArray[np.bool_]:
    """For e = 0 … n errors, whether the binomial test rejects p ≤ p₀: P(X ≥ e) < α."""
    n = _checked(n, p0, alpha)
    errors = np.arange(n + 1)
    tail = np.where(errors == 0, 1.0, special.bdtrc(np.maximum(errors - 1, 0), n, p0))
    return np.asarray(tail < alpha)


def normal_rejects(n: int, p0: float, alpha: float = 0.05) -> NDArray[np.bool_]:
    """The same for the approximate normal test: (e/n − p₀)/√(p₀(1 − p₀)/n) > z."""
    n = _checked(n, p0, alpha)
    z = (np.arange(n + 1) / n - p0) / np.sqrt(p0 * (1 - p0) / n)
    return np.asarray(z > normal_quantile(1 - alpha))


def rejection_chance(rejects: NDArray[np.bool_], p: float) -> float:
    """The chance that a test rejects if the error rate is p. At p = p₀ it is the size of the test.

    The binomial test keeps its level; the normal one can exceed it:

    >>> round(rejection_chance(binomial_rejects(30, 0.2), 0.2), 4)
    0.0256
    >>> round(rejection_chance(normal_rejects(30, 0.2), 0.2), 4)
    0.0611
    """
    if not 0 <= p <= 1:
        raise UsageError(f"An error rate lies between 0 and 1; found {p!r}.")
    n = len(rejects) - 1
    return float(sum(binomial_pmf(int(e), n, p) for e in np.flatnonzero(rejects)))


def _checked(n: int, p0: float, alpha: float) -> int:
    check_alpha(alpha)
    if not 0 < p0 < 1:
        raise UsageError(f"p₀ lies strictly between 0 and 1; found {p0!r}.")
    if count(n, "n") < 1:
        raise UsageError("There must be at least one instance; found none.")
    return int(n)
