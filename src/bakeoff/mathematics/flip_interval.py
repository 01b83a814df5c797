"""Which shifts of matched differences a sign-flip test would not reject: its interval.

The test of d − θ compares Σ(d_i − θ) with all Σ ±(d_i − θ). Flipping the signs of the set A changes the sum by
−2 Σ_A (d_i − θ), so that the upper tail is P(S ≥ s) = (1 + number of sets A with mean_A ≤ θ) / 2^n, and the ends of the
interval are order statistics of the means of all subsets (Hartigan 1969). For more differences than can be enumerated
the tail is Lugannani and Rice's saddlepoint approximation (Robinson 1982), with K(t) = Σ log cosh(t x_i).
"""

from __future__ import annotations

from math import exp, inf, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.mathematics.laws import normal_quantile

Array = NDArray[np.float64]

FEW = 14  # differences of which all subsets are made


def lowest_shift(d: Array, tail: float) -> float:
    """The lower end of the interval that leaves `tail` out on its left; −∞ if the level is out of reach.

    >>> lowest_shift(np.array([1.0, 2.0, 4.0, 7.0]), 0.125)  # the smallest but one of 15 means
    1.5
    """
    n = len(d)
    if 2.0**-n > tail * (1 + 1e-12):
        return -inf
    if n <= FEW:
        cut = int(tail * 2**n * (1 + 1e-12)) - 1  # means that may be left out
        return float(np.partition(_subset_means(d), cut)[cut])
    return _by_saddlepoint(d, tail)


def _subset_means(d: Array) -> Array:
    sums, sizes = np.zeros(1), np.zeros(1)
    for one in d.tolist():
        sums, sizes = np.concatenate([sums, sums + one]), np.concatenate([sizes, sizes + 1])
    return np.asarray(sums[1:] / sizes[1:])


def _by_saddlepoint(d: Array, tail: float) -> float:
    """θ with P(S ≥ s) = tail, by false position on the scale of normal quantiles, where the tail is almost linear."""
    low, high = float(d.min()), float(d.mean())
    if not low < high:
        return low
    goal = normal_quantile(tail)

    def excess(theta: float) -> float:
        return normal_quantile(max(flip_tail(d - theta), 1e-300)) - goal

    at_low, at_high = normal_quantile(max(0.5 ** len(d), 1e-300)) - goal, -goal  # at `low` no difference is negative
    # Start where the normal approximation puts the end, then keep the two sides of the root apart.
    z2 = goal**2
    unit = high - low  # in which squares stay in the range of numbers
    spread = float(np.sum(((d - high) / unit) ** 2))
    theta = high - unit * sqrt(z2 * spread / (len(d) * (len(d) - z2))) if len(d) > z2 else low
    theta = min(max(theta, low + 1e-3 * (high - low)), high - 1e-3 * (high - low))
    for _ in range(60):
        at = excess(theta)
        if abs(at) < 1e-6 or high - low <= 1e-13 * max(abs(low), abs(high)):
            break
        if at < 0:
            low, at_low = theta, at
        else:
            high, at_high = theta, at
        step = low - at_low * (high - low) / (at_high - at_low)
        edge = 1e-3 * (high - low)
        theta = min(max(step, low + edge), high - edge)
    return theta


def flip_tail(x: Array) -> float:
    """P(Σ ±x_i ≥ Σ x_i) for a positive sum, signs being fair coins, by the saddlepoint approximation.

    >>> round(flip_tail(np.array([1.3, 2.1, 3.4, -1.2, 2.2, 4.7, 1.8, 2.5, -2.6, 3.9])), 4)  # exact: 0.0186
    0.0175
    """
    unit = float(np.abs(x).max(initial=0.0))
    s = float(x.sum())
    if unit == 0 or s <= 1e-12 * unit:
        return 0.5
    x, s = np.abs(x) / unit, s / unit
    if s >= float(x.sum()) * (1 - 1e-12):
        return float(0.5 ** np.count_nonzero(x))
    squared = x * x
    t, curvature = _saddlepoint(x, squared, s)
    # log cosh(y) = y + log(1 + e^(−2y)) − log 2
    cumulant = float(np.sum(t * x + np.log1p(np.exp(-2 * t * x)) - log(2)))
    r = sqrt(max(2 * (t * s - cumulant), 0.0))
    u = t * sqrt(curvature)
    if r < 1e-3:
        return float(special.ndtr(-r))
    density = exp(-r * r / 2) / sqrt(2 * pi)
    return min(max(float(special.ndtr(-r)) + density * (1 / u - 1 / r), 0.0), 0.5)


def _saddlepoint(x: Array, squared: Array, s: float) -> tuple[float, float]:
    """t with K'(t) = Σ x tanh(t x) = s, by Newton's method, and K''(t) there."""
    second, fourth = float(squared.sum()), float(squared @ squared)
    t = s / second
    t *= 1 + min(t * t * fourth / (3 * second), 0.5)  # K'(t) = t Σx² − t³ Σx⁴ / 3 + …
    for _ in range(50):
        tanh = np.tanh(t * x)
        curvature = second - float(squared @ (tanh * tanh))
        step = (s - float(x @ tanh)) / curvature
        if abs(step) <= 1e-6 * t:
            break
        t += max(step, -t / 2)  # K' is concave for t > 0: from the right a step may go too far
    return t, curvature
