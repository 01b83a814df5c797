"""The Studentized range, maximum modulus and maximum: tails to full precision, and quantiles.

All are expectations over s, the estimated standard deviation in units of the true one, of a law for known σ:

    range    P(max Zi − min Zi > q s)    k normal variables      Tukey, Nemenyi
    modulus  P(max |Zi| > q s)           k normal variables      Hochberg–Tamhane
    maximum  P(max Zi > q s)             k normal variables      the same, one-sided

The integrals are analytic and die off at both ends, where the trapezoid rule converges exponentially: about a
hundred points give 1e-13. Tails are integrated as tails, so that a p of 1e-30 is as precise as one of 0.5.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from math import inf, lgamma, log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.errors import UsageError
from bakeoff.mathematics.laws import check_alpha, chi2_sf, f_sf, t_quantile, t_sf

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

    >>> round(modulus_quantile(0.10, 6, 105), 4), round(maximum_quantile(0.10, 6, 105), 4)
    (2.4127, 2.1358)
    """
    return upper_point(lambda q: float(modulus_sf(q, k, df)), alpha)


def maximum_sf(q: ArrayLike, k: int, df: float = inf) -> Array:
    """P(M > q) for the Studentized maximum of k variables with df degrees of freedom; q may be negative.

    >>> round(float(maximum_sf(2.1358, 6, 105)), 4)
    0.1
    """
    _check(k, df, least=1)
    points = np.asarray(q, dtype=float)
    if df == inf:
        return _any_of(np.asarray(special.ndtr(-points)), k)
    s, weights = _scale_nodes(df)
    return np.asarray(_any_of(special.ndtr(-points[..., None] * s), k) @ weights)


def maximum_quantile(alpha: float, k: int, df: float = inf) -> float:
    """The upper α point of the Studentized maximum: for one variable Student's t, and at most Bonferroni's for k.

    >>> round(maximum_quantile(0.05, 1, 10), 4), round(maximum_quantile(0.05, 3, 10), 4)
    (1.8125, 2.4386)
    """
    from scipy.optimize import brentq

    _check(k, df, least=1)
    ends = (t_quantile(1 - level, df) for level in (check_alpha(alpha), alpha / k))
    low, high = (end + side * 1e-6 * max(1.0, abs(end)) for end, side in zip(ends, (-1, 1), strict=True))
    return float(brentq(lambda q: float(maximum_sf(q, k, df)) - alpha, low, high, xtol=1e-13, rtol=1e-14))


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


# ----------------------------------------------------------------------------------------------------------------------
# The largest |t| of any family of contrasts with one estimated variance: the multivariate t law, two-sided.
#
# The statistics are t_i = a_i'z / s, with z standard normal, rows a_i of length one, and s = χ_df / √df. What is known
# of the rows decides how the tail P(max |t_i| > q) is found:
#
# one direction Student's t a_i'a_j = λ_i λ_j comparisons with a control (Dunnett), any two contrasts: one integral over
# what they share otherwise z = r u with u on the unit sphere: max |t| = r M(u) / s with M(u) = max |a_i'u|. r²/s² has
# the law d F(d, df), so P = E_u P(F > q² / (d M²)), and only u is left to be averaged over: by an even grid of angles
# for d = 2, by a lattice with eight shifts from a fixed seed above. All pairs of means with unequal variances are
# averaged together with all pairs of equal ones, whose tail is known (the Studentized range); what it misses by is
# taken off.
#
# The first two are precise to about 1e-10, d = 2 to 1e-8, the rest to about 1e-4 (standard error; less where p is
# small).


Tail = Callable[[Array], Array]

SEED = 20
SHIFTS, GROUPS = 8, 512
KEPT = 2**21  # numbers that directions may be made of to be kept for the next table: 8 MB
MOST_FOR_PRODUCT = 400  # contrasts; above that their correlation matrix is not looked at


class LargestT:
    """The law of the largest |t| of contrasts with weights `rows` on estimates with this covariance.

    >>> law = LargestT(np.array([[1.0, -1.0, 0.0], [1.0, 0.0, -1.0]]), np.eye(3), df=12)
    >>> round(law.critical(0.05), 3)  # Dunnett (1964), two-sided, two comparisons with a control
    2.502
    """

    def __init__(self, rows: ArrayLike, covariance: ArrayLike, df: float = inf) -> None:
        self.df = df
        weights = np.asarray(rows, dtype=float)
        directions = unit_rows(weights, np.asarray(covariance, dtype=float))
        self.size = len(directions)
        self._tail = _tail_of(weights, directions, df)

    def sf(self, q: ArrayLike) -> Array:
        """P(max |t| > q), never outside the bounds that one contrast and Bonferroni set."""
        size = np.abs(np.asarray(q, dtype=float))
        one = np.minimum(2 * t_sf(size, self.df), 1.0)
        joint = self._tail(np.atleast_1d(size)).reshape(size.shape)
        return np.asarray(np.clip(joint, one, np.minimum(max(self.size, 1) * one, 1.0)))

    def critical(self, alpha: float) -> float:
        """The q that max |t| exceeds with probability α."""
        return upper_point(lambda q: float(self.sf(q)), alpha)


def unit_rows(rows: Array, covariance: Array) -> Array:
    """The contrasts as directions of length one in as few dimensions as they span; constant ones are left out.

    >>> unit_rows(np.array([[1.0, -1.0], [2.0, -2.0]]), np.eye(2)).round(6).tolist()
    [[1.0], [1.0]]
    """
    values, vectors = np.linalg.eigh(covariance)
    directions = rows @ (vectors * np.sqrt(np.maximum(values, 0.0)))  # A A' = C V C'
    length = np.linalg.norm(directions, axis=1)
    directions = directions[length > 1e-12 * max(length.max(initial=0.0), 1e-300)]
    if not len(directions):
        return np.empty((0, 1))
    directions = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    spread, basis = np.linalg.eigh(directions.T @ directions)
    reduced = directions @ basis[:, spread > 1e-10 * spread[-1]][:, ::-1]
    reduced = reduced / np.linalg.norm(reduced, axis=1, keepdims=True)
    return np.asarray(reduced * np.sign(reduced[0, 0]) if reduced.shape[1] == 1 else reduced)


def _is_all_pairs(rows: Array) -> bool:
    m, k = rows.shape
    pairs = {tuple(np.flatnonzero(row).tolist()) for row in rows if np.array_equal(np.sort(row[row != 0]), [-1.0, 1.0])}
    return m == k * (k - 1) // 2 and pairs == set(combinations(range(k), 2))


def _tail_of(rows: Array, directions: Array, df: float) -> Tail:
    m, d = directions.shape
    if m == 0 or d == 1:
        return lambda q: np.minimum(2 * t_sf(q, df), 1.0)
    shared = product_loadings(directions @ directions.T) if m <= MOST_FOR_PRODUCT else None
    if shared is not None:
        return _product_tail(shared, df)
    if d > 2 and m == len(rows) and rows.shape[1] == d + 1 and _is_all_pairs(rows):
        return _beside_the_range(directions, unit_rows(rows, np.eye(d + 1)), df)
    return _sphere_tail(_grouped(_largest_squares([directions])[0]), d, df)


# --- correlations that are products --------------------------------------------------------------------------------


def product_loadings(correlation: Array) -> Array | None:
    """λ with correlations λ_i λ_j between different contrasts, if there is such a λ with all |λ_i| well below one.

    >>> product_loadings(np.array([[1, 0.5, 0.5], [0.5, 1, 0.5], [0.5, 0.5, 1]])).round(6).tolist()
    [0.707107, 0.707107, 0.707107]
    """
    m = len(correlation)
    off = correlation - np.diag(np.diag(correlation))
    if m == 2:
        root = sqrt(abs(off[0, 1]))
        loadings = np.array([root, np.copysign(root, off[0, 1])])
    else:
        # With the strongest correlation at (i, j): λ_i² = r_ij r_il / r_jl for any third l.
        i, j = np.unravel_index(np.abs(off).argmax(), off.shape)
        weight = np.abs(off[i] * off[j])
        weight[[i, j]] = -1
        third = int(weight.argmax())
        if off[i, j] == 0:
            loadings = np.zeros(m)
        elif abs(off[j, third]) < 1e-12 or off[i, j] * off[i, third] / off[j, third] <= 0:
            return None
        else:
            first = sqrt(off[i, j] * off[i, third] / off[j, third])
            loadings = off[i] / first
            loadings[i] = first
    fits = np.abs(np.outer(loadings, loadings) - correlation)[~np.eye(m, dtype=bool)].max() < 1e-9
    return loadings if fits and np.abs(loadings).max() < 0.995 else None


def _product_tail(loadings: Array, df: float) -> Tail:
    """P = E_s ∫ φ(z) {1 − Π [Φ((qs − λ_i z)/c_i) − Φ((−qs − λ_i z)/c_i)]} dz with c_i = √(1 − λ_i²)."""
    # Signs do not matter two-sidedly, and equal loadings are one factor with an exponent.
    size, count = np.unique(np.abs(loadings).round(12), return_counts=True)
    c = np.sqrt(1 - size**2)
    step = 0.1 * min(1.0, 2 * float(c.min()))
    z = np.arange(step / 2, 14.0, step)  # the integrand is even: the midpoint rule on one half
    weight = np.exp(-0.5 * z * z) * (2 * step / sqrt(2 * np.pi))

    def tail_of_known_sigma(q: Array) -> Array:
        flat = np.atleast_1d(q).ravel()
        tail = np.empty(len(flat))
        for row in range(0, len(flat), 64):
            none = np.zeros((len(flat[row : row + 64]), len(z)))
            for a, b, n in zip(size.tolist(), c.tolist(), count.tolist(), strict=True):
                x = flat[row : row + 64, None]
                out = special.ndtr((a * z - x) / b) + special.ndtr((-a * z - x) / b)
                none += n * np.log1p(-np.minimum(out, 1 - 1e-16))
            tail[row : row + 64] = -np.expm1(none) @ weight
        return np.minimum(tail, 1.0).reshape(np.shape(q))

    if df == inf:
        return tail_of_known_sigma
    pieces = tail_pieces(tail_of_known_sigma)
    return lambda q: studentize(lambda scaled: read_pieces(pieces, scaled), q, df)


# --- any correlation -------------------------------------------------------------------------------------------------


def _sphere_tail(square: Array, d: int, df: float) -> Tail:
    """E_u P(F(d, df) > q² / (d M²)), from a sample of M²."""

    def tail(q: Array) -> Array:
        result = np.empty(len(q))
        for row in range(0, len(q), 256):
            ratio = q[row : row + 256, None] ** 2 / square
            above = chi2_sf(ratio, d) if df == inf else f_sf(ratio / d, d, df)
            result[row : row + 256] = above.mean(axis=1)
        return result

    return tail


def _beside_the_range(directions: Array, equal: Array, df: float) -> Tail:
    """All pairs of d + 1 means, with all pairs of as many means of equal variance as a control variate."""
    d = directions.shape[1]
    # Both sets of rows in the directions in which they agree most.
    u, _, v = np.linalg.svd(equal.T @ directions)
    ours, theirs = _largest_squares([directions, equal @ (u @ v)])
    share = float(np.cov(ours, theirs)[0, 1] / theirs.var())
    ours_tail, theirs_tail = (_sphere_tail(_grouped(square), d, df) for square in (ours, theirs))
    return lambda q: ours_tail(q) - share * (theirs_tail(q) - range_sf(sqrt(2.0) * q, d + 1, df))


def _grouped(square: Array) -> Array:
    """A sample sorted, and averaged within small groups: what is computed of it is smooth."""
    return np.asarray(np.sort(square).reshape(GROUPS, -1).mean(axis=1))


def _largest_squares(families: list[Array]) -> list[Array]:
    """M² of each family over the same directions u. Single precision is ten thousand times finer than the lattice."""
    d, m = families[0].shape[1], sum(len(rows) for rows in families)
    rows_of = [np.ascontiguousarray(rows, dtype=np.float32) for rows in families]
    largest_squares: list[list[Array]] = [[] for _ in families]
    points = 2**18 if m * d < 2000 else 2**17 if m * d < 100_000 else 2**15
    for shifted in range(1 if d == 2 else SHIFTS):
        every, length = (_kept_directions if d * points <= KEPT else _directions)(d, points, shifted)
        for start in range(0, len(length), 1_000_000 // m + 1):
            part = slice(start, start + 1_000_000 // m + 1)
            for rows, squares in zip(rows_of, largest_squares, strict=True):
                product = rows @ every[:, part]
                largest = np.maximum(product.max(axis=0), -product.min(axis=0))
                squares.append(np.asarray(largest * largest / length[part], dtype=float))
    return [np.concatenate(squares) for squares in largest_squares]


def _directions(d: int, points: int, shifted: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Directions spread evenly in d dimensions, one a column, and their squared lengths; opposite ones are the same.

    In more than two dimensions they are those of one of SHIFTS shifts of a lattice.
    """
    if d == 2:
        angle = (np.arange(points) + 0.5) * (np.pi / points)
        z = np.stack([np.cos(angle), np.sin(angle)]).astype(np.float32)
    else:
        shift = np.random.default_rng(SEED).random((SHIFTS, d))[shifted]
        number = np.arange(points // SHIFTS) + 1
        lattice = np.mod(np.outer(np.sqrt(_primes(d)), number) + shift[:, None], 1.0)
        z = special.ndtri(np.clip(lattice, 1e-7, 1 - 1e-7).astype(np.float32))
    return z, np.einsum("ij,ij->j", z, z)


_kept_directions = lru_cache(maxsize=2 * SHIFTS)(_directions)  # the same for all tables of as many contrasts


def _primes(n: int) -> Array:
    """
    >>> _primes(5).tolist()
    [2.0, 3.0, 5.0, 7.0, 11.0]
    """
    primes: list[int] = []
    candidate = 2
    while len(primes) < n:
        if all(candidate % prime for prime in primes if prime * prime <= candidate):
            primes.append(candidate)
        candidate += 1
    return np.array(primes, dtype=float)
