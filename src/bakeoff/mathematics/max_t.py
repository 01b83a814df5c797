"""The largest |t| of any family of contrasts with one estimated variance: the multivariate t law, two-sided.

The statistics are t_i = a_i'z / s, with z standard normal, rows a_i of length one, and s = χ_df / √df. What is known of
the rows decides how the tail P(max |t_i| > q) is found:

    one direction         Student's t
    a_i'a_j = λ_i λ_j     comparisons with a control (Dunnett), any two contrasts: one integral over what they share
    otherwise             z = r u with u on the unit sphere: max |t| = r M(u) / s with M(u) = max |a_i'u|. r²/s² has
                          the law d F(d, df), so P = E_u P(F > q² / (d M²)), and only u is left to be averaged over:
                          by an even grid of angles for d = 2, by a lattice with eight shifts from a fixed seed above.
                          All pairs of means with unequal variances are averaged together with all pairs of equal
                          ones, whose tail is known (the Studentized range); what it misses by is taken off.

The first two are precise to about 1e-10, d = 2 to 1e-8, the rest to about 1e-4 (standard error; less where p is small).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.mathematics.laws import chi2_sf, f_sf, t_sf
from bakeoff.mathematics.studentized import range_sf, read_pieces, studentize, tail_pieces, upper_point

Array = NDArray[np.float64]
Tail = Callable[[Array], Array]

SEED = 20
SHIFTS, GROUPS = 8, 512
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
    found = directions @ basis[:, spread > 1e-10 * spread[-1]][:, ::-1]
    found = found / np.linalg.norm(found, axis=1, keepdims=True)
    return np.asarray(found * np.sign(found[0, 0]) if found.shape[1] == 1 else found)


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

    def known(q: Array) -> Array:
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
        return known
    pieces = tail_pieces(known)
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
    turned = [np.ascontiguousarray(rows.T, dtype=np.float32) for rows in families]
    found: list[list[Array]] = [[] for _ in families]
    for z in _directions(d, 2**18 if m * d < 2000 else 2**17 if m * d < 100_000 else 2**15, 1_000_000 // m + 1):
        length = np.einsum("ij,ij->i", z, z)
        for rows, squares in zip(turned, found, strict=True):
            product = z @ rows
            largest = np.maximum(product.max(axis=1), -product.min(axis=1))
            squares.append(np.asarray(largest * largest / length, dtype=float))
    return [np.concatenate(squares) for squares in found]


def _directions(d: int, points: int, chunk: int) -> Iterator[NDArray[np.float32]]:
    """Directions spread evenly in d dimensions, of any length; opposite ones are the same."""
    if d == 2:
        angle = (np.arange(points) + 0.5) * (np.pi / points)
        yield np.column_stack([np.cos(angle), np.sin(angle)]).astype(np.float32)
        return
    generator = np.sqrt(_primes(d))
    for shift in np.random.default_rng(SEED).random((SHIFTS, d)):
        for start in range(0, points // SHIFTS, chunk):
            number = np.arange(start, min(start + chunk, points // SHIFTS)) + 1
            lattice = np.mod(np.outer(number, generator) + shift, 1.0)
            yield special.ndtri(np.clip(lattice, 1e-7, 1 - 1e-7).astype(np.float32))


def _primes(n: int) -> Array:
    """
    >>> _primes(5).tolist()
    [2.0, 3.0, 5.0, 7.0, 11.0]
    """
    found: list[int] = []
    candidate = 2
    while len(found) < n:
        if all(candidate % prime for prime in found if prime * prime <= candidate):
            found.append(candidate)
        candidate += 1
    return np.array(found, dtype=float)
