"""Tables of right or wrong answers on the same instances: of two classifiers (McNemar, Tango), or of several.

Of two classifiers only the discordant instances count, on which one is right and the other is not: `first` is the
number of those with a one for the first only, `second` that of those with a one for the second only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array, number_table
from bakeoff.mathematics.laws import (
    binomial_cdf,
    binomial_sf,
    check_alternative,
    chi2_sf,
    normal_quantile,
    normal_sf,
    one_sided,
)
from bakeoff.records import Record

METHODS = ("auto", "chi2", "exact", "mid-p")
FEW = 25  # discordant instances: with fewer, "auto" is exact
ENOUGH = 2.0**-52  # the width to which ends of intervals are found
FEW_ENDS = 12  # that are found one by one


@dataclass(frozen=True, slots=True, eq=False)
class McNemar(Record):
    """A test of the discordant pairs: statistic, its name, degrees of freedom, p."""

    statistic: float
    name: str
    df: tuple[float, ...]
    p: float


def mcnemar_chi2(
    first: int, second: int, alternative: str = "two-sided", correction: bool = True, literal: bool = False
) -> McNemar:
    """X² = (|e01 − e10| − 1)² / (e01 + e10), eq. 19.13; one-sided its signed root, z = (e10 − e01 ∓ 1) / √(e01 + e10).

    The correction moves |e01 − e10| towards 0 by one and no further, unless `literal`.

    >>> mcnemar_chi2(32, 23).statistic, mcnemar_chi2(3, 3).statistic, mcnemar_chi2(2, 2, literal=True).statistic
    (1.1636363636363636, 0.0, 0.25)
    """
    n, difference, shift = first + second, first - second, 1 if correction else 0
    if n == 0:
        return McNemar(0.0, "McNemar X²", (1.0,), 1.0)
    if alternative == "two-sided":
        distance = abs(difference) - shift if literal else max(abs(difference) - shift, 0)
        statistic = distance**2 / n
        return McNemar(statistic, "McNemar X²", (1.0,), float(chi2_sf(statistic, 1)))
    if alternative == "greater":
        z = (difference - shift) / sqrt(n)
        return McNemar(z, "z", (), float(normal_sf(z)))
    z = (difference + shift) / sqrt(n)
    return McNemar(z, "z", (), float(normal_sf(-z)))


def mcnemar_exact(first: int, second: int, alternative: str = "two-sided", mid: bool = False) -> McNemar:
    """P(X ≥ e10) and P(X ≤ e10) for X ~ Bin(e01 + e10, ½); two-sided twice the smaller one.

    >>> mcnemar_exact(3, 0).p, mcnemar_exact(3, 0, mid=True).p
    (0.25, 0.125)
    """
    n = first + second
    if n == 0:
        return McNemar(0.0, "X", (), 1.0)
    above, below = binomial_sf(first, n, 0.5), binomial_cdf(first, n, 0.5)
    if mid:  # half of P(X = e10) is left out of each tail
        above = (above + binomial_sf(first + 1, n, 0.5)) / 2
        below = (below + binomial_cdf(first - 1, n, 0.5)) / 2
    if alternative != "two-sided":
        return McNemar(float(first), "X", (), above if alternative == "greater" else below)
    p = min(1.0, 2 * min(above, below))
    if mid and first == second:
        # Every outcome is as extreme as the one in the middle, of which half is left out: 1 − P(X = n/2) / 2.
        p = 1 - (binomial_sf(first, n, 0.5) - binomial_sf(first + 1, n, 0.5)) / 2
    return McNemar(float(min(first, second)), "X", (), p)


def tango_interval(
    first: int,
    second: int,
    total: int,
    *,
    confidence: float,
    alternative: str = "two-sided",
    correction: bool = False,
) -> tuple[float, float]:
    """Tango's score interval for the difference of two paired rates: the δ that McNemar's X² would not reject.

    `first` counts the instances with a one for the first only, `second` those with a one for the second only. With
    `correction` the score is moved towards 0 by one instance, as in McNemar's corrected X². The example is that of
    Fagerland, Lydersen and Laake (2014), who print −0.517 to −0.026.

    >>> low, high = tango_interval(1, 7, 21, confidence=0.95)
    >>> round(low, 3), round(high, 3)
    (-0.517, -0.026)
    """
    z = normal_quantile((1 + confidence) / 2 if alternative == "two-sided" else confidence)
    shift = 1 if correction else 0
    lower, upper = _lower_end(first, second, total, z, shift), -_lower_end(second, first, total, z, shift)
    return one_sided(lower, upper, alternative, -1.0, 1.0)


def tango_intervals(
    first: ArrayLike, second: ArrayLike, total: int, *, critical: ArrayLike, alternative: str = "two-sided"
) -> tuple[Array, Array]:
    """The same for many pairs at once, with a given quantile instead of a confidence: all δ with |z(δ)| ≤ critical.

    With the quantile of the largest z of all pairs the intervals are simultaneous; they leave zero out exactly where
    |b − c|/√(b + c) exceeds it. An infinite quantile excludes nothing.

    >>> low, high = tango_intervals([1, 3], [7, 3], 21, critical=1.959964)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([-0.517, -0.248], [-0.026, 0.248])
    """
    check_alternative(alternative)
    b, c, z = (np.asarray(x, dtype=float) for x in np.broadcast_arrays(first, second, critical))
    known = np.where(np.isinf(z), 0.0, z)
    lower, upper = _lower_ends(np.array([b, c]), np.array([c, b]), total, np.array([known, known]))
    upper = -upper
    lower = np.where(np.isinf(z) | (alternative == "less"), -1.0, lower)
    return lower, np.where(np.isinf(z) | (alternative == "greater"), 1.0, upper)


def tango_statistics(first: ArrayLike, second: ArrayLike, total: int, delta: float) -> Array:
    """Tango's score statistic of many pairs, were the difference of their rates `delta`; at 0 it is McNemar's z.

    >>> tango_statistics([1, 3], [7, 3], 21, 0.0).round(4).tolist()
    [-2.1213, 0.0]
    """
    b, c = (np.asarray(x, dtype=float) for x in np.broadcast_arrays(first, second))
    spread = np.sqrt(np.asarray(_tango_variance(delta, b, c, total)))
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (b - c - total * delta) / spread
    return np.where(spread > 0, z, 0.0)


def _tango_variance(
    delta: Any,
    b: Any,
    c: Any,
    total: int,
    root: Callable[[Any], Any] = np.sqrt,
    larger: Callable[..., Any] = np.maximum,
) -> Any:
    """N (2q + δ(1 − δ)). Of arrays; or of numbers, with their functions."""
    # q, the probability of c's cell given δ, by maximum likelihood: 2N q² + B q − cδ(1 − δ) = 0
    rest = 1 - delta
    linear = (2 * total - b + c) * delta - b - c
    width = root(larger(linear * linear + 8 * total * c * delta * rest, 0.0))
    q = larger(larger((width - linear) / (4 * total) + delta, 0.0) - delta, 0.0)  # the largest of it, 0 and −δ
    return total * larger(2 * q + delta * rest, 0.0)


def _lower_end(b: float, c: float, total: int, z: float, shift: int = 0) -> float:
    """Where (b − c − Nδ − shift) − z √(N (2q + δ(1 − δ))), which falls in δ, crosses 0, by halving [−1, 1].

    It is the end of the range if it does not. Zero is asked first.
    """
    low, step, away = -1.0, 1.0, b - c
    while 2 * step > ENOUGH:
        delta = low + step
        if away - total * delta - shift - z * sqrt(_tango_variance(delta, b, c, total, sqrt, max)) > 0:
            low = delta
        step /= 2
    return low


def _lower_ends(b: Array, c: Array, total: int, z: Array) -> Array:
    """The same of arrays. Few are found one by one: to ask for an array takes as long as for a dozen numbers."""
    if b.size <= FEW_ENDS:
        each = zip(*(x.ravel().tolist() for x in (b, c, z)), strict=True)
        return np.array([_lower_end(own, other, total, quantile) for own, other, quantile in each]).reshape(b.shape)
    low, step, away = np.full_like(b, -1.0), 1.0, b - c
    while 2 * step > ENOUGH:
        delta = low + step
        np.copyto(low, delta, where=away - total * delta - z * np.sqrt(_tango_variance(delta, b, c, total)) > 0)
        step /= 2
    return low


# ----------------------------------------------------------------------------------------------------------------------
# Several classifiers: what Cochran's Q and Dunn's intervals share.


@dataclass(frozen=True, slots=True, eq=False)
class BinaryRates:
    """The rates of k classifiers on n instances, and the pooled variance of a difference of any two of them."""

    rates: Array
    n: int
    variance: float

    @property
    def q(self) -> float:
        """Cochran's Q, 2 Σ (Ȳi − Ȳ)² / σ²_diff; 0 if all agree on every instance."""
        spread = float(np.sum((self.rates - self.rates.mean()) ** 2))
        return 2 * spread / self.variance if self.variance > 0 else 0.0


def answers(table: ArrayLike) -> BinaryRates:
    """Rates of ones a column, and σ²_diff = 2 (k Σ Yj. − Σ Yj.²) / (n² k (k−1)) with the row sums Yj.

    An instance on which all classifiers agree adds nothing to the variance. (Feelders and Verkooijen, section 3, after
    Marascuilo and McSweeney.)

    >>> answers([[1, 0], [1, 1], [0, 1], [1, 0]]).variance
    0.1875
    """
    y = _zeros_and_ones(table)
    n, k = y.shape
    rows = y.sum(axis=1)
    variance = 2 * float(np.sum(rows * (k - rows))) / (n**2 * k * (k - 1))
    return BinaryRates(y.mean(axis=0), n, variance)


def _zeros_and_ones(table: ArrayLike) -> Array:
    y = number_table(table, "table", columns=2)
    if not (known := (y == 0) | (y == 1)).all():
        row, column = divmod(int(np.argmin(known)), y.shape[1])
        raise UsageError(
            f"Every value of 'table' must be 0 or 1 (right or wrong); "
            f"found {y[row, column]:g} in row {row + 1}, column {column + 1}."
        )
    return y


def discordant(table: ArrayLike) -> NDArray[np.int64]:
    """Of all pairs of classifiers, the number of instances with a one for the row's only: b of (row, column).

    >>> discordant([[1, 0], [1, 1], [0, 1], [1, 0]]).tolist()
    [[0, 2], [1, 0]]
    """
    y = _zeros_and_ones(table)
    return np.rint(y.T @ (1 - y)).astype(np.int64)
