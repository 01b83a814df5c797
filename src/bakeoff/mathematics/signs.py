"""The mathematics of the sign test: counts of wins, losses and ties, their binomial law, and order statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import choice, count
from bakeoff.mathematics.laws import binomial_cdf, binomial_sf, check_alpha, check_alternative, p_from_t

Array = NDArray[np.float64]

TIES: Mapping[str, str] = {"split": "split evenly, an odd one dropped", "dropped": "dropped"}
METHODS: Mapping[str, str] = {"exact": "exact", "normal": "normal approximation"}


@dataclass(frozen=True, slots=True)
class Counted:
    """Wins of n tasks after the ties were dealt with, and what follows from them."""

    wins: float
    n: int
    z: float
    p: float


def sign_test(
    wins: float,
    losses: float,
    n_ties: float = 0,
    *,
    alternative: str = "two-sided",
    ties: str = "split",
    method: str = "exact",
    correction: bool = False,
) -> Counted:
    """Test whether wins and losses are equally likely: X ~ Bin(n, ½).

    Ties are split evenly between wins and losses, an odd one dropped (Alpaydın, Demšar), or all are dropped (the
    classical way). "greater" is that wins are more likely. With nothing left to count, p is 1. The normal
    approximation is z = (e − n/2) / √(n/4), corrected by half a win towards 0 if asked, as R does.

    >>> found = sign_test(7, 2, 3)
    >>> found.wins, found.n, round(found.p, 4)
    (8, 11, 0.2266)
    >>> round(sign_test(7, 2, 3, ties="dropped").p, 4)
    0.1797
    """
    check_alternative(alternative)
    choice(method, METHODS, "method of the sign test")
    choice(ties, TIES, "treatment of ties")
    w, lost, tied = count(wins, "wins"), count(losses, "losses"), count(n_ties, "ties")
    shared = tied // 2 if ties == "split" else 0
    w, n = w + shared, w + lost + 2 * shared
    if n == 0:
        return Counted(0, 0, 0.0, 1.0)
    distance = w - n / 2
    if correction:
        distance -= min(0.5, abs(distance)) * (1 if distance > 0 else -1)
    z = distance / sqrt(n / 4)
    p = p_from_t(z, inf, alternative) if method == "normal" else exact_p(w, n, alternative)
    return Counted(w, n, z, p)


def exact_p(wins: int, n: int, alternative: str) -> float:
    """P(X ≥ e), P(X ≤ e), or twice the smaller of them, for X ~ Bin(n, ½).

    >>> [round(exact_p(8, 10, side), 4) for side in ("greater", "less", "two-sided")]
    [0.0547, 0.9893, 0.1094]
    """
    above, below = binomial_sf(wins, n, 0.5), binomial_cdf(wins, n, 0.5)
    return {"greater": above, "less": below, "two-sided": min(1.0, 2 * min(above, below))}[alternative]


def critical_wins(n: int, alpha: float = 0.05, alternative: str = "two-sided") -> float:
    """The smallest number of wins out of n that is significant; infinite if even n wins are not.

    >>> critical_wins(10), critical_wins(10, alternative="greater"), critical_wins(5)
    (9, 9, inf)
    """
    check_alpha(alpha)
    if alternative not in ("two-sided", "greater"):
        raise UsageError(f"Wins are counted for the alternatives two-sided and greater; found {alternative!r}.")
    tail = alpha / 2 if alternative == "two-sided" else alpha
    n = count(n, "n")
    enough = (wins for wins in range(n // 2 + 1, n + 1) if binomial_sf(wins, n, 0.5) <= tail)
    return next(enough, inf)


def median_interval(values: Array, confidence: float, alternative: str) -> tuple[float, float]:
    """The order statistics [x(c), x(n+1−c)] that the sign test would not reject as medians; c from P(X < c) ≤ tail.

    With c = 0 the level is out of reach for so few values, and the interval has no ends.

    >>> median_interval(np.arange(1.0, 11.0), 0.95, "two-sided")
    (2.0, 9.0)
    >>> median_interval(np.arange(1.0, 4.0), 0.95, "greater")
    (-inf, inf)
    """
    n, ordered = len(values), np.sort(values)
    tail = (1 - confidence) / 2 if alternative == "two-sided" else 1 - confidence
    c = _cut_off(n, tail)
    lower = float(ordered[c - 1]) if c >= 1 and alternative != "less" else -inf
    upper = float(ordered[n - c]) if c >= 1 and alternative != "greater" else inf
    return lower, upper


def _cut_off(n: int, tail: float) -> int:
    """The largest c with P(X < c) ≤ tail, by halving."""
    low, high = 0, n // 2 + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if binomial_cdf(middle - 1, n, 0.5) <= tail * (1 + 1e-12) else (low, middle)
    return low
