"""A quadratic response surface: its fit, what its stationary point is, and designs that it is fitted to.

References: Box and Wilson (1951), doi:10.1111/j.2517-6161.1951.tb00067.x; Alpaydın (2014), 19.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.designs.effects import VisibleEffect, orthonormal
from bakeoff.designs.factorial import full_factorial
from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import Array, choice, count, number_column, number_table
from bakeoff.mathematics.laws import t_sf
from bakeoff.mathematics.linear_models import f_ratio


@dataclass(frozen=True, slots=True)
class Axis:
    """A numeric factor: coded from −1 (`low`) to +1 (`high`), in equal steps or in equal ratios (`scale` "log")."""

    low: float
    high: float
    scale: str = "linear"
    integer: bool = False

    def at(self, coded: float) -> float | int:
        """The level at a coded position, whole where it must be, never outside; six digits are enough of a level.

        >>> Axis(1, 31, "log", integer=True).at(0), Axis(0, 1).at(7)
        (6, 1.0)
        """
        share = (min(max(float(coded), -1.0), 1.0) + 1) / 2
        low, high = (log(self.low), log(self.high)) if self.scale == "log" else (self.low, self.high)
        value = low + share * (high - low)
        value = exp(value) if self.scale == "log" else value
        if self.integer:
            return int(min(max(round(value), self.low), self.high))
        return float(min(max(float(f"{value:.6g}"), self.low), self.high))

    def coded(self, level: float) -> float:
        """The position of a level between −1 and +1.

        >>> Axis(1, 100, "log").coded(10)
        0.0
        """
        low, high, value = (log(each) if self.scale == "log" else each for each in (self.low, self.high, level))
        return round(2 * (value - low) / (high - low) - 1, 12) + 0.0


@dataclass(frozen=True, slots=True)
class Surface:
    """y = constant + linear · x + xᵀ quadratic x, fitted by least squares.

    `kind` says what the stationary point is: maximum, minimum, saddle, or ridge where the surface is level in a
    direction (then there is no single stationary point, and `stationary` is the one nearest to the centre). On a
    "rising ridge" and on a "plane" the surface goes on rising in a direction in which it does not bend: there is no
    stationary point, and `stationary` and `value` are NaN. Only a maximum or a minimum is an optimum. `inside` tells
    whether the point lies within the range of the runs.
    """

    constant: float
    linear: Array
    quadratic: Array
    stationary: Array
    value: float
    eigenvalues: Array
    eigenvectors: Array
    kind: str
    inside: bool
    r_squared: float

    def predict(self, x: ArrayLike) -> Array:
        """The fitted response at the rows of x."""
        points = np.atleast_2d(np.asarray(x, dtype=float))
        if points.shape[1] != len(self.linear):
            raise UsageError(f"Points need {len(self.linear)} coordinates; found {points.shape[1]}.")
        return np.asarray(
            self.constant + points @ self.linear + np.einsum("ri,ij,rj->r", points, self.quadratic, points)
        )


def fit_surface(x: ArrayLike, y: ArrayLike) -> Surface:
    """Fit a quadratic surface and analyse its stationary point x₀ = −½ B⁻¹ b.

    Eigenvalues of B, the largest first, tell its nature: all negative a maximum, all positive a minimum, both signs a
    saddle. Where the surface bends by less than 1e-9 of the response's spread, it counts as straight; if it rises
    there, no point is stationary. Factors are standardised for all that, so that their units do not matter.

    >>> result = fit_surface([1, 3, 5, 7, 9, 11, 13], [0.71, 0.78, 0.82, 0.835, 0.83, 0.8, 0.76])
    >>> result.kind, result.stationary.round(3).tolist(), round(result.value, 4), result.inside
    ('maximum', [7.638], 0.8366, True)
    >>> fit_surface([1, 2, 3, 4], [2, 4, 6, 8]).kind
    'plane'
    """
    points = np.asarray(x, dtype=float)
    points = number_table(points[:, None] if points.ndim == 1 else points, "x")
    response = number_column(y, "y")
    if len(points) != len(response):
        raise UsageError(f"There must be a response for each run; found {len(points)} and {len(response)}.")
    centre, scale = points.mean(axis=0), points.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    constant, b, B, r_squared = _least_squares((points - centre) / scale, response)
    flat = 1e-9 * float(np.ptp(response)) + 1e-12 * float(np.abs(response).max())
    z, kind = _stationary(b, B, flat)
    stationary = centre + scale * z
    quadratic = B / np.outer(scale, scale)
    linear = b / scale - 2 * quadratic @ centre
    eigenvalues, eigenvectors = np.linalg.eigh(quadratic)
    return Surface(
        constant=float(constant - linear @ centre - centre @ quadratic @ centre),
        linear=linear,
        quadratic=quadratic,
        stationary=stationary,
        value=float(constant + b @ z / 2),
        eigenvalues=eigenvalues[::-1],
        eigenvectors=eigenvectors[:, ::-1],
        kind=kind,
        inside=bool(((stationary >= points.min(axis=0)) & (stationary <= points.max(axis=0))).all()),
        r_squared=r_squared,
    )


def quadratic_terms(factors: int) -> int:
    """How many coefficients a quadratic surface has: (k + 1)(k + 2)/2.

    >>> quadratic_terms(2)
    6
    """
    return (factors + 1) * (factors + 2) // 2


def _least_squares(z: Array, response: Array) -> tuple[float, Array, Array, float]:
    """Constant, b, B and R²."""
    n, k = z.shape
    pairs = [(i, j) for i in range(k) for j in range(i, k)]
    terms = _model(z)
    if np.linalg.matrix_rank(terms, tol=1e-9 * n) < terms.shape[1]:
        raise DegenerateError(
            f"A quadratic surface of {k} factor{'s' * (k != 1)} has {terms.shape[1]} coefficients, which these {n} "
            "runs do not determine: three levels of each factor are needed, and enough different runs."
        )
    coefficients = np.asarray(np.linalg.lstsq(terms, response, rcond=None)[0], dtype=float)
    B = np.zeros((k, k))
    for (i, j), value in zip(pairs, coefficients[k + 1 :], strict=True):
        B[i, j] += value / 2
        B[j, i] += value / 2
    rest, total = response - terms @ coefficients, float(((response - response.mean()) ** 2).sum())
    return float(coefficients[0]), coefficients[1 : k + 1], B, 1 - float(rest @ rest) / total if total else 1.0


def _stationary(b: Array, B: Array, flat: float) -> tuple[Array, str]:
    """−½ B⁺ b, the nearest to the centre if there are many, and what it is; NaN if there is none."""
    eigenvalues, vectors = np.linalg.eigh(B)
    bent = np.abs(eigenvalues) > flat
    inverse = np.divide(1.0, eigenvalues, out=np.zeros_like(eigenvalues), where=bent)
    point = -vectors @ (inverse * (vectors.T @ b)) / 2
    if not bent.all():
        if (np.abs(vectors.T @ b)[~bent] > flat).any():
            return np.full_like(point, np.nan), "rising ridge" if bent.any() else "plane"
        return point, "ridge"
    if (eigenvalues < 0).all():
        return point, "maximum"
    return point, "minimum" if (eigenvalues > 0).all() else "saddle"


# ----------------------------------------------------------------------------------------------------------------------
# A surface over settings that are all run in the same blocks, such as folds: what its coefficients are worth, and
# whether a quadratic surface is enough.


@dataclass(frozen=True, slots=True, eq=False)
class BlockedSurface:
    """The surface of the settings' means, with what blocks tell beside it.

    `coefficients` are (term, estimate, standard error, t, p): each is estimated in every block and held against its
    own variation from block to block. `bends` are the same (value, standard error, t, p) of the eigenvalues of the
    quadratic part, along the eigenvectors of the mean surface, the largest first. `lack_of_fit` is (F, df, df of error,
    p): what the surface leaves unexplained of the settings' means, against how settings vary within blocks; NaN where
    the settings do not exceed the coefficients.
    """

    surface: Surface
    coefficients: tuple[tuple[str, float, float, float, float], ...]
    lack_of_fit: tuple[float, float, float, float]
    bends: tuple[tuple[float, float, float, float], ...] = ()

    @property
    def lacks_fit(self) -> float:
        """The p-value of lack of fit; 1 where it cannot be tested."""
        p = self.lack_of_fit[3]
        return 1.0 if np.isnan(p) else p


def surface_in_blocks(points: ArrayLike, table: ArrayLike, names: Sequence[str], ratio: float = 0.0) -> BlockedSurface:
    """Fit a quadratic surface to settings (rows of `points`) from a table of blocks × settings.

    Lack of fit as R's anova(lm(y ~ block + surface), lm(y ~ block + setting)). Where the training sets of blocks
    overlap, variances of means are larger by 1 + n `ratio` of test to training size (Nadeau and Bengio).

    >>> x = [[-1.0], [0.0], [1.0], [2.0]]
    >>> found = surface_in_blocks(x, [[1, 0, 1, 4], [2, 1.5, 2, 5], [0, -1, 0.5, 3]], ["x"])
    >>> found.surface.kind, [term[0] for term in found.coefficients]
    ('minimum', ['constant', 'x', 'x²'])
    """
    x = number_table(points, "points")
    y = number_table(table, "table")
    surface = fit_surface(x, y.mean(axis=0))
    terms = _model(x)
    per_block = y @ np.linalg.pinv(terms).T
    held = _held_against_blocks(per_block, ratio)
    coefficients = tuple((name, *row) for name, row in zip(_term_names(names), held, strict=True))
    lack = _lack_of_fit(terms, y, per_block.mean(axis=0), ratio)
    squares = np.array([_products(axis) for axis in surface.eigenvectors.T])  # xᵀBx along each, term by term
    return BlockedSurface(surface, coefficients, lack, _held_against_blocks(per_block @ squares.T, ratio))


def _held_against_blocks(values: Array, ratio: float) -> tuple[tuple[float, float, float, float], ...]:
    """Mean, standard error, t and p of each column, a row a block."""
    n = len(values)
    mean = values.mean(axis=0)
    error = (values.std(axis=0, ddof=1) if n > 1 else np.full(len(mean), np.nan)) * np.sqrt(1 / n + ratio)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / error
    p = np.minimum(2 * t_sf(np.abs(t), n - 1), 1.0) if n > 1 else np.full(len(mean), np.nan)
    return tuple(zip(mean.tolist(), error.tolist(), t.tolist(), p.tolist(), strict=True))


def _products(axis: Array) -> Array:
    """What each term adds to xᵀBx along an axis: nothing but the squares and products."""
    k = len(axis)
    return np.array([0.0] * (k + 1) + [axis[i] * axis[j] for i in range(k) for j in range(i, k)])


def _lack_of_fit(terms: Array, y: Array, mean: Array, ratio: float) -> tuple[float, float, float, float]:
    n, settings = y.shape
    df, df_error = settings - terms.shape[1], (n - 1) * (settings - 1)
    if df < 1 or df_error < 1:
        return float("nan"), float(max(df, 0)), float(df_error), float("nan")
    means = y.mean(axis=0)
    lack = n * float(((means - terms @ mean) ** 2).sum())
    within = y - means - y.mean(axis=1)[:, None] + y.mean()
    f, p = f_ratio(lack / (1 + n * ratio), df, float((within**2).sum()), df_error)
    return f, float(df), float(df_error), p


def _model(x: Array) -> Array:
    """The constant, the factors, and their products."""
    k = x.shape[1]
    pairs = [(i, j) for i in range(k) for j in range(i, k)]
    return np.column_stack([np.ones(len(x)), x, *(x[:, i] * x[:, j] for i, j in pairs)])


def surface_effects(points: ArrayLike, names: Sequence[str]) -> tuple[VisibleEffect, ...]:
    """What the points of a quadratic surface see of each factor, its slope and its bend together, and of each pair of
    factors, by the fit of all of them.

    >>> [(effect.name, effect.df) for effect in surface_effects(full_factorial([3, 3], coded=True), ["a", "b"])]
    [('a', 2), ('b', 2), ('a × b', 1)]
    """
    x = number_table(points, "points")
    k, terms = len(names), _model(x)
    if np.linalg.matrix_rank(terms, tol=1e-9 * len(x)) < terms.shape[1]:
        return ()
    solved = np.asarray(np.linalg.pinv(terms), dtype=float)
    pairs = [(i, j) for i in range(k) for j in range(i, k)]
    effects = []
    for i, j in [*((i, i) for i in range(k)), *combinations(range(k), 2)]:
        product = k + 1 + pairs.index((i, j))
        numbers, factors = ([i + 1, product], (names[i],)) if i == j else ([product], (names[i], names[j]))
        columns = orthonormal(terms[:, numbers] - terms[:, numbers].mean(axis=0))
        effects.append(VisibleEffect(factors, columns, orthonormal(solved[numbers].T)))
    return tuple(effects)


def _term_names(names: Sequence[str]) -> list[str]:
    k = len(names)
    products = [f"{names[i]}²" if i == j else f"{names[i]} × {names[j]}" for i in range(k) for j in range(i, k)]
    return ["constant", *names, *products]


def best_in_region(surface: Surface, larger_is_better: bool) -> Array:
    """Where the fitted surface is best between −1 and +1 in every factor; inside, on an edge or in a corner.

    >>> s = fit_surface([[-1.0], [-0.5], [0.0], [1.0]], [4.0, 2.25, 1.0, 0.0])
    >>> best_in_region(s, larger_is_better=False).tolist()
    [1.0]
    """
    from scipy.optimize import minimize

    k, sign = len(surface.linear), -1.0 if larger_is_better else 1.0
    starts = full_factorial([3] * k, coded=True) if k <= 5 else random_points(k, 200, seed=1)
    inside = np.nan_to_num(np.clip(surface.stationary, -1, 1))

    def height(x: Array) -> float:
        return sign * float(surface.predict(x)[0])

    def slope(x: Array) -> Array:
        return np.asarray(sign * (surface.linear + 2 * surface.quadratic @ x))

    how: Any = {"jac": slope, "bounds": [(-1, 1)] * k, "method": "L-BFGS-B"}
    candidates = [np.clip(minimize(height, start, **how).x, -1, 1) for start in np.vstack([starts, inside])]
    values = sign * surface.predict(np.array(candidates))
    return np.asarray(np.round(candidates[int(np.argmin(np.round(values, 12)))], 9) + 0.0)


# ----------------------------------------------------------------------------------------------------------------------
# Designs for a quadratic response surface: central composite and Box–Behnken.
#
# References: Box and Wilson (1951), doi:10.1111/j.2517-6161.1951.tb00067.x; Box and Behnken (1960),
# doi:10.1080/00401706.1960.10489912.


DISTANCES = ("orthogonal", "rotatable", "faced")
FACES = ("circumscribed", "inscribed", "faced")
MOST_FACTORS = 12

# Box and Behnken's own blocks for six and seven factors have three factors each; for others it is every pair.
_TRIPLES = {6: "124 235 346 145 256 136", 7: "456 167 257 124 347 135 236"}


def axial_distance(factors: int, distance: str = "rotatable", centre: Sequence[int] = (4, 4)) -> float:
    """How far from the centre the axial points of a central composite design lie, the cube being at ±1.

    *rotatable*: (2^k)^¼, so that the variance of a prediction depends on the distance from the centre alone.
    *orthogonal*: cube and axial points are blocks orthogonal to the effects, which depends on their centre points:
    √(k (1 + n_axial-centre/2k)/(1 + n_cube-centre/2^k)). *faced*: 1, in the middle of the cube's faces.

    >>> round(axial_distance(3), 4), round(axial_distance(3, "orthogonal"), 4)
    (1.6818, 1.8257)
    """
    k = _factors(factors, 1)
    cube, axial = (count(n, "centre points") for n in _two(centre))
    match choice(distance, DISTANCES, "distance of axial points"):
        case "rotatable":
            return float((2**k) ** 0.25)
        case "orthogonal":
            return float(np.sqrt(k * (1 + axial / (2 * k)) / (1 + cube / 2**k)))
    return 1.0


def central_composite(
    factors: int, distance: str = "rotatable", face: str = "circumscribed", centre: Sequence[int] = (4, 4)
) -> Array:
    """A cube, its axial points and centre points: enough for a quadratic fit in every factor.

    `centre` says how many centre points go with the cube and with the axial points. *circumscribed* leaves the cube at
    ±1, so axial points lie outside; *inscribed* shrinks all until the axial points are at ±1; *faced* puts them on
    the faces at ±1, with three levels a factor.

    >>> central_composite(2, "faced", "faced", centre=(0, 1)).tolist()[4:]
    [[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0], [0.0, 0.0]]
    """
    k = _factors(factors, 1)
    choice(face, FACES, "face")
    alpha = 1.0 if face == "faced" else axial_distance(k, distance, centre)
    cube = full_factorial([2] * k, coded=True)
    axial = np.array([sign * alpha * row for row in np.eye(k) for sign in (-1, 1)]) + 0.0  # no −0
    cube_centre, axial_centre = (np.zeros((count(n, "centre points"), k)) for n in _two(centre))
    design = np.vstack([cube, cube_centre, axial, axial_centre])
    return design / alpha if face == "inscribed" else design


def box_behnken(factors: int, centre: int = 1) -> Array:
    """Two factors at a time (three for six or seven factors) at ±1 with the others in the middle: no corner is run.

    >>> box_behnken(3).shape
    (13, 3)
    """
    k = _factors(factors, 3, "A Box–Behnken design")
    if k in _TRIPLES:
        blocks = [tuple(int(digit) - 1 for digit in word) for word in _TRIPLES[k].split()]
    else:
        blocks = list(combinations(range(k), 2))
    parts = []
    for block in blocks:
        part = np.zeros((2 ** len(block), k))
        part[:, block] = full_factorial([2] * len(block), coded=True)
        parts.append(part)
    return np.vstack([*parts, np.zeros((count(centre, "centre points"), k))])


def _factors(factors: int, least: int, design: str = "The design") -> int:
    if factors != int(factors) or not least <= factors <= MOST_FACTORS:
        raise UsageError(f"{design} is there for {least} to {MOST_FACTORS} factors; found {factors!r}.")
    return int(factors)


def _two(centre: Sequence[int]) -> tuple[int, int]:
    if len(centre) != 2:
        raise UsageError(f"Centre points are two numbers, for the cube and for the axial points; found {centre!r}.")
    return centre[0], centre[1]


# ----------------------------------------------------------------------------------------------------------------------
# Designs that fill a region: one run in each slice of every factor, or runs drawn anywhere.
#
# Reference: McKay, Beckman and Conover (1979), doi:10.1080/00401706.1979.10489755.


def latin_hypercube(factors: int, runs: int, seed: int) -> Array:
    """Runs in coded levels between −1 and +1, one in each of `runs` equal slices of every factor.

    >>> design = latin_hypercube(2, 5, seed=1)
    >>> np.sort(np.floor((design + 1) / 2 * 5), axis=0).T.tolist()
    [[0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 2.0, 3.0, 4.0]]
    """
    from scipy.stats import qmc

    k, n = _factors(factors, 1), count(runs, "runs")
    sampler = qmc.LatinHypercube(d=k, rng=np.random.Generator(np.random.PCG64(seed)))
    return np.asarray(2 * sampler.random(n) - 1)


def random_points(factors: int, runs: int, seed: int) -> Array:
    """Runs drawn uniformly between −1 and +1: what random search tries.

    >>> random_points(2, 3, seed=1).shape
    (3, 2)
    """
    k, n = _factors(factors, 1), count(runs, "runs")
    return np.asarray(np.random.Generator(np.random.PCG64(seed)).uniform(-1, 1, (n, k)))
