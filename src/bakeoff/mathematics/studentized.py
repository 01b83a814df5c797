"""The Studentized range and the Studentized maximum modulus: tails to full precision, and quantiles.

Both are expectations over s, the estimated standard deviation in units of the true one, of a law for known σ:

    range    P(max Zi − min Zi > q s)    k normal variables      Tukey, Nemenyi
    modulus  P(max |Zi| > q s)           k normal variables      Hochberg–Tamhane

The integrals are analytic and die off at both ends, where the trapezoid rule converges exponentially: about a
hundred points give 1e-13. Tails are integrated as tails, so that a p of 1e-30 is as precise as one of 0.5.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import inf, lgamma, log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.errors import UsageError

Array = NDArray[np.float64]


def range_sf(q: ArrayLike, k: int, df: float = inf) -> Array:
    """P(Q > q) for the Studentized range of k means with df degrees of freedom.

    >>> round(float(range_sf(3.633, 4)), 4)
    0.05
    """
    _check(k, df, least=2)
    # With known σ every point is integrated; with s, where each takes some two hundred, a table of that tail is read.
    if df == inf:
        return studentize(lambda known: _range_tail(known, k), q, df)
    return studentize(lambda scaled: read_pieces(_range_pieces(k), scaled), q, df)


def modulus_sf(q: ArrayLike, k: int, df: float = inf) -> Array:
    """P(|M| > q) for the Studentized maximum modulus of k variables with df degrees of freedom.

    >>> round(float(modulus_sf(2.4127, 6, 105)), 4)
    0.1
    """
    _check(k, df, least=1)
    return studentize(lambda scaled: _modulus_tail(scaled, k), q, df)


def range_quantile(alpha: float, k: int, df: float = inf) -> float:
    """The upper α point of the Studentized range.

    >>> round(range_quantile(0.05, 10) / 2**0.5, 3)
    3.164
    """
    return upper_point(lambda q: float(range_sf(q, k, df)), alpha)


def modulus_quantile(alpha: float, k: int, df: float = inf) -> float:
    """The upper α point of the Studentized maximum modulus.

    Feelders and Verkooijen print 2.135 for k = 6, 105 df, α = .10, which is the one-sided Studentized maximum.

    >>> round(modulus_quantile(0.10, 6, 105), 4)
    2.4127
    """
    return upper_point(lambda q: float(modulus_sf(q, k, df)), alpha)


def _check(k: int, df: float, least: int) -> None:
    if k < least:
        raise UsageError(f"At least {least} variables are needed; found k = {k}.")
    if not df > 0:
        raise UsageError(f"Degrees of freedom must be positive; found {df}.")


def _modulus_tail(q: Array, k: int) -> Array:
    """1 − (1 − 2Φ(−q))^k."""
    return np.asarray(-np.expm1(k * np.log1p(-np.minimum(2 * special.ndtr(-q), 1 - 1e-16))))


@lru_cache(maxsize=64)
def _range_nodes(k: int) -> tuple[float, Array, Array, Array]:
    """The step, points z from 25 down, Φ(z), and k φ(z) Φ(z)^(k−1) dz, the law of the largest of k normal variables.

    That law narrows as k grows, and the step with it. Below its mode, a weight of 1e-18 of the largest adds nothing.
    """
    step = min(0.2, 0.65 / log(k))
    z = np.arange(25.0, -8.6, -step)
    below = special.ndtr(z)
    weight = k * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) * below ** (k - 1) * step
    mode = int(weight.argmax())
    keep = (weight > 1e-18 * weight[mode]) | (z > z[mode])
    return step, z[keep], below[keep], weight[keep]


def _range_tail(q: Array, k: int) -> Array:
    """k ∫ φ(z) [Φ(z)^(k−1) − (Φ(z) − Φ(z−q))^(k−1)] dz, with z the largest of the k variables."""
    flat = np.atleast_1d(q).ravel()
    step, z, below, weight = _range_nodes(k)
    # The tail of a large q comes from z about q/2; of a small one from wherever the largest variable may be.
    highest = min(25.0, max(9.5, float(flat.max(initial=0.0)) / 2 + 6))
    start = int((25.0 - highest) / step)
    z, below, weight = z[start:], below[start:], weight[start:]
    tail = np.empty(len(flat))
    chunk = 128  # rows that fit the processor's cache
    for row in range(0, len(flat), chunk):
        share = special.ndtr(z - flat[row : row + chunk, None]) / below
        tail[row : row + chunk] = _any_of(share, k - 1) @ weight
    return tail.reshape(np.shape(q))


LARGEST, PIECES, NODES = 38.0, 76, 14


def tail_pieces(tail: Callable[[Array], Array]) -> Array:
    """The logarithm of a tail for known σ as polynomials on short pieces of [0, 38], by Chebyshev's points.

    Beyond 38 the tail is below 1e-150. The logarithm keeps small tails precise: to about 1e-13 of themselves.
    """
    points = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)
    q = (np.arange(PIECES)[:, None] + 0.5 * (1 + points)) * (LARGEST / PIECES)
    log_tail = np.log(np.maximum(tail(q), 1e-300))
    return np.ascontiguousarray(np.linalg.solve(np.vander(points, NODES), log_tail.T))


def read_pieces(pieces: Array, q: Array) -> Array:
    """The tail that those pieces stand for, in a fraction of the time that integrating it takes."""
    place = np.minimum(q, LARGEST * (1 - 1e-15)) * (PIECES / LARGEST)
    piece = place.astype(np.intp)
    x = 2 * (place - piece) - 1
    value = pieces[0][piece]
    for coefficients in pieces[1:]:  # Horner
        value *= x
        value += coefficients[piece]
    return np.where(q < LARGEST, np.exp(np.minimum(value, 0.0)), 0.0)


@lru_cache(maxsize=64)
def _range_pieces(k: int) -> Array:
    return tail_pieces(lambda q: _range_tail(q, k))


def _any_of(p: Array, n: int) -> Array:
    """1 − (1 − p)^n by repeated doubling, n ≥ 1. Nothing cancels, so a small p keeps all its digits."""
    result = p.copy()
    for bit in bin(n)[3:]:
        result *= 2.0 - result
        if bit == "1":
            result += p * (1.0 - result)
    return result


@lru_cache(maxsize=64)
def _scale_nodes(df: float) -> tuple[Array, Array]:
    """Points and weights for the expectation over s = χ_df / √df, by the trapezoid rule in log s."""
    # log s has standard deviation of about 1/√(2 df); for few degrees of freedom its lower tail is long, s^df.
    width = 1 / np.sqrt(2 * df)
    u = np.linspace(max(-42.0 * width - 36.0 / df, -700 / df), 14.0 * width, 401)
    log_density = log(2.0) + 0.5 * df * log(0.5 * df) - lgamma(0.5 * df) + df * u - 0.5 * df * np.exp(2 * u)
    weights = np.exp(log_density) * (u[1] - u[0])
    keep = weights > 1e-30
    return np.exp(u[keep]), weights[keep] / weights[keep].sum()


def studentize(tail: Callable[[Array], Array], q: ArrayLike, df: float) -> Array:
    """P(X > q s): the tail for known σ, averaged over s. As many values at a time as a cache holds."""
    q = np.asarray(q, dtype=float)
    positive = np.maximum(q, 0.0).ravel()
    if df == inf:
        result = tail(positive)
    else:
        s, weights = _scale_nodes(df)
        result = np.empty(len(positive))
        for row in range(0, len(positive), 256):
            result[row : row + 256] = tail(positive[row : row + 256, None] * s) @ weights
    return np.asarray(np.where(q <= 0, 1.0, np.minimum(result.reshape(q.shape), 1.0)))


def upper_point(tail: Callable[[float], float], alpha: float) -> float:
    """The q with tail(q) = α: false position on log tail over q², which is nearly a straight line.

    When one end stays in place twice, its value is shrunk as Anderson and Björck (1973) do.
    """
    if not 0 < alpha < 1:
        raise UsageError(f"α, the error rate, lies strictly between 0 and 1; found {alpha!r}.")

    def excess(square: float) -> float:
        return log(max(tail(sqrt(square)), 1e-300) / alpha)

    low, at_low = 0.0, -log(alpha)
    high = 16.0
    while (at_high := excess(high)) > 0:
        low, at_low, high = high, at_high, 4 * high
    moved = 0
    for step in range(100):
        # Near α = 1 the log tail is flat at one end and false position creeps: halving the bracket always arrives.
        square = (low * at_high - high * at_low) / (at_high - at_low) if step < 20 else (low + high) / 2
        at = excess(square)
        if abs(at) < 1e-13 or high - low < 1e-14 * high:
            break
        if at < 0:
            if moved < 0:
                at_low *= 1 - at / at_high if at > at_high else 0.5
            high, at_high, moved = square, at, -1
        else:
            if moved > 0:
                at_high *= 1 - at / at_low if at < at_low else 0.5
            low, at_low, moved = square, at, 1
    return sqrt(square)
