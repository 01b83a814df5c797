"""Table 1: a linear model against a quadratic one, y = β₁x + β₂x² + ε with x uniform on [0, 5] and ε standard normal.

The published numbers come out if both models are fitted *without intercept*; with one, the curve is shifted. Everything
is least squares, so weighted second moments of u = (1, x, x², ε) are all that is needed of a sample: of a learning
sample for the coefficients, of an evaluation sample for the mean squared errors. Bootstrap counts times products of u
give those of all B samples. Both models contain x, so β₁ drops out; and the linear model's residuals
are linear in β₂, so that each difference d is a quadratic in β₂ and one simulation serves every β₂ and β₁.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.lab.hothorn.problems import (
    COLUMNS,
    LARGE_TEST_SAMPLE,
    check_sizes,
    fold_counts,
    rejects,
    validation_counts,
)
from bakeoff.mathematics.checks import Array, number_column

UPPER_X = 5.0
_UPPER_TRIANGLE = np.triu_indices(4)
_ONE, _X, _SQUARE, _NOISE = range(4)
# Learning samples at a time: larger tables are given back to the system after each use, and asking for them again takes
# longer than the arithmetic.
_AT_A_TIME = 125


def mse_variance(beta_hat: ArrayLike, m: int, beta: float = 2.0) -> Array:
    """The variance of the mean squared error of y = β̂₁x on m test observations, if β₂ = 0.

    V = m⁻¹ (500/9 c⁴ + 100/3 c² + 2) with c = β − β̂₁, from E x⁴ − (E x²)² = 500/9 and 4 E x² = 100/3 on [0, 5]. The
    paper prints m⁻¹ (350/3 c⁴ + 25/2 c² + 2).

    >>> mse_variance([2.0, 1.5], 2000).round(6).tolist()
    [0.001, 0.006903]
    """
    if m != int(m) or m < 1:
        raise UsageError(f"A test sample has at least one observation; found {m!r}.")
    c = beta - number_column(np.atleast_1d(np.asarray(beta_hat, dtype=float)), "beta_hat")
    return np.asarray((500 / 9 * c**4 + 100 / 3 * c**2 + 2) / m)


@dataclass(frozen=True)
class NestedModels:
    """Simulated replications: for each, and each column of the table, Σd and Σd² as polynomials in β₂."""

    sums: Array  # replications × columns × 3
    squares: Array  # replications × columns × 5

    def power(self, beta2: float, alpha: float = 0.05) -> dict[str, float]:
        """How often the quadratic model is found better, by column."""
        powers = float(beta2) ** np.arange(5)
        rejected = rejects(self.sums @ powers[:3], self.squares @ powers, alpha)
        return dict(zip(COLUMNS, rejected.mean(axis=0).tolist(), strict=True))


def simulate(
    replications: int = 500,
    *,
    n: int = 150,
    samples: int = 250,
    intercept: bool = False,
    seed: int = 2005,
    first: int = 0,
) -> NestedModels:
    """Replicate the experiment: about 5 ms of CPU each for B = 250 samples, every one from a random stream of its own.

    A long run can be shared out: the replications after `first` others are the same ones as in a run of them all.

    >>> power = simulate(50, samples=50).power(0.16)
    >>> power["sim2000"], power["oob2n"] > 0.9
    (1.0, True)
    """
    check_sizes(n, samples, replications)
    streams = np.random.SeedSequence(seed).spawn(first + replications)[first:]
    found = [_replication(np.random.default_rng(stream), n, samples, intercept) for stream in streams]
    return NestedModels(np.array([sums for sums, _ in found]), np.array([squares for _, squares in found]))


def _replication(rng: np.random.Generator, n: int, samples: int, intercept: bool) -> tuple[Array, Array]:
    """Σd and Σd² as polynomials, a row a column of the table."""
    learning, test, large = _products(rng, n), _products(rng, n), _products(rng, LARGE_TEST_SAMPLE).mean(axis=0)
    sums, squares = np.zeros((len(COLUMNS), 3)), np.zeros((len(COLUMNS), 5))
    for start in range(0, samples, _AT_A_TIME):
        part = min(_AT_A_TIME, samples - start)
        d0, d1, d2 = _differences(rng, part, learning, test, large, intercept).transpose(2, 0, 1)
        sums += np.array([d.sum(axis=1) for d in (d0, d1, d2)]).T
        # (d₀ + d₁β + d₂β²)² by powers of β
        products = (d0 * d0, 2 * d0 * d1, d1 * d1 + 2 * d0 * d2, 2 * d1 * d2, d2 * d2)
        squares += np.array([d.sum(axis=1) for d in products]).T
    return sums, squares


def _differences(
    rng: np.random.Generator, samples: int, learning: Array, test: Array, large: Array, intercept: bool
) -> Array:
    """d of some learning samples: columns × samples × powers of β₂."""
    n = len(learning)
    fresh, merged = _fresh_moments(rng, samples, n), np.vstack([learning, test])
    folds = fold_counts(n, samples, rng)
    counts, counts2n = folds.sum(axis=1), fold_counts(2 * n, samples, rng, folds=1)[:, 0]
    in_folds = _sums(folds, learning)
    bootstrap = in_folds.sum(axis=1)
    return np.array(
        (
            _difference(fresh, large, intercept),
            _difference(fresh, test.mean(axis=0), intercept),
            _difference(bootstrap, test.mean(axis=0), intercept),
            _difference(bootstrap, _left_out(counts, learning), intercept),
            _difference(_sums(counts2n, merged), _left_out(counts2n, merged), intercept),
            _cross_validated(folds, counts, in_folds, learning, intercept),
        )
    )


def _products(rng: np.random.Generator, n: int) -> Array:
    """Products of u = (1, x, x², ε), upper triangle, for n new observations: n × 10."""
    x, noise = rng.uniform(0, UPPER_X, n), rng.standard_normal(n)
    u = np.stack([np.ones_like(x), x, x * x, noise])
    rows, columns = _UPPER_TRIANGLE
    return np.ascontiguousarray((u[rows] * u[columns]).T)


def _fresh_moments(rng: np.random.Generator, samples: int, n: int) -> Array:
    """Summed products of B samples of their own: samples × 10."""
    x, noise = rng.uniform(0, UPPER_X, (samples, n)), rng.standard_normal((samples, n))
    square = x * x
    once = [np.full(samples, float(n)), x.sum(axis=1), square.sum(axis=1), noise.sum(axis=1)]
    pairs = ((x, square), (x, noise), (square, square), (square, noise), (noise, noise))
    x3, x_noise, x4, square_noise, noise2 = (np.einsum("ij,ij->i", one, other) for one, other in pairs)
    # In the order of the upper triangle: (1, x, x², ε), (x², x³, xε), (x⁴, x²ε), (ε²).
    return np.stack([*once, once[2], x3, x_noise, x4, square_noise, noise2], axis=1)


def _sums(weights: Array, products: Array) -> Array:
    """Weighted sums of products. Row by row: as one large product, BLAS would start threads that cost more than it."""
    return np.asarray((weights[..., None, :] @ products)[..., 0, :])


def _left_out(counts: Array, products: Array) -> Array:
    left = (counts == 0).astype(float)
    return np.asarray(_sums(left, products) / left.sum(axis=1, keepdims=True))


def _cross_validated(folds: Array, counts: Array, in_folds: Array, products: Array, intercept: bool) -> Array:
    validation = validation_counts(folds, counts)
    size = validation.sum(axis=2)
    there = size > 0  # a fold can become empty, about once in ten thousand replications
    held = _sums(validation, products) / np.where(there, size, 1)[..., None]
    d = _difference(in_folds.sum(axis=1, keepdims=True) - in_folds, held, intercept)
    return np.asarray((d * there[..., None]).sum(axis=1) / there.sum(axis=1)[:, None])


def _difference(learning: Array, evaluation: Array, intercept: bool) -> Array:
    """Mean squared error of the linear less that of the quadratic model, as (d₀, d₁, d₂) by powers of β₂.

    `learning` are summed products of the learning samples, `evaluation` mean ones, broadcast against them. With r and s
    what the linear model's terms leave of ε and of x² in the learning sample, its residual is r + β₂s; the quadratic
    model's is r − g s, g being the slope of r on s. So d = 2(g + β₂) mean(rs) + (β₂² − g²) mean(s²).
    """
    terms = [_ONE, _X] if intercept else [_X]
    gram = _matrix(learning)
    residual = np.broadcast_to(np.eye(4), gram.shape).copy()  # row i: what is left of uᵢ, as coefficients of u
    for pivot in terms:
        slopes = gram[..., :, pivot] / gram[..., None, pivot, pivot]
        slopes[..., pivot] = 0
        residual -= slopes[..., None] * residual[..., None, pivot, :]
        gram = gram - slopes[..., None] * gram[..., None, pivot, :]
    r, s = residual[..., _NOISE, :], residual[..., _SQUARE, :]
    g = gram[..., _NOISE, _SQUARE] / gram[..., _SQUARE, _SQUARE]
    held_s = (_matrix(evaluation) @ s[..., None])[..., 0]
    rs, ss = (r * held_s).sum(axis=-1), (s * held_s).sum(axis=-1)
    return np.stack([2 * g * rs - g * g * ss, 2 * rs, ss], axis=-1)


def _matrix(products: Array) -> Array:
    rows, columns = _UPPER_TRIANGLE
    full = np.empty((*products.shape[:-1], 4, 4))
    full[..., rows, columns] = products
    full[..., columns, rows] = products
    return full
