"""Sums of squares of one and two factors, of blocks, and whether these are spherical; t of means, F of variances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import Array, choice, number_column, number_table, squarable
from bakeoff.mathematics.laws import (
    check_alternative,
    check_confidence,
    chi2_sf,
    f_cdf,
    f_quantile,
    f_sf,
    p_from_t,
    symmetric_interval,
)
from bakeoff.mathematics.step_down import Intervals
from bakeoff.records import Record

# ----------------------------------------------------------------------------------------------------------------------
# One factor: independent samples of different sizes.


def number_samples(groups: Sequence[ArrayLike] | ArrayLike) -> list[Array]:
    """Two samples or more of finite numbers, NaN left out; of a matrix, the columns.

    >>> [sample.tolist() for sample in number_samples([[1, 2, float("nan")], [3]])]
    [[1.0, 2.0], [3.0]]
    """
    columns: Sequence[ArrayLike] = list(groups.T) if isinstance(groups, np.ndarray) and groups.ndim == 2 else groups  # type: ignore[assignment]
    if isinstance(columns, (str, bytes)) or not hasattr(columns, "__len__") or len(columns) < 2:
        raise UsageError("At least two samples are needed, one a learner; found fewer.")
    sample_columns = []
    for number, column in enumerate(columns, start=1):
        try:
            values = np.asarray(column, dtype=float)
        except (TypeError, ValueError):
            raise UsageError(f"Sample {number} must be a column of numbers; found something else among them.") from None
        if values.ndim != 1:
            raise UsageError(f"Sample {number} must be one column; found the shape {values.shape}.")
        values = values[~np.isnan(values)]
        if len(values) == 0:
            raise UsageError(f"Sample {number} has no values.")
        if np.isinf(values).any():
            raise UsageError(f"Every value of sample {number} must be a finite number; found an infinite one.")
        sample_columns.append(values)
    return sample_columns


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """The sums of squares of a one-way layout. What is no more than rounding error is zero."""

    sizes: NDArray[np.intp]
    means: Array
    ss_between: float
    ss_within: float

    @property
    def df_between(self) -> int:
        return len(self.sizes) - 1

    @property
    def df_within(self) -> int:
        return int(self.sizes.sum()) - len(self.sizes)

    @property
    def ms_within(self) -> float:
        return self.ss_within / self.df_within

    def f_test(self) -> tuple[float, float]:
        """F = MS_between / MS_within and its p; ∞ and 0 if there is no variance within, 0 and 1 if none at all."""
        return f_ratio(self.ss_between, self.df_between, self.ss_within, self.df_within)


def partition(samples: Sequence[Array]) -> Partition:
    """SS_total = SS_between + SS_within.

    >>> result = partition([np.array([1.0, 3.0]), np.array([5.0, 7.0])])
    >>> result.ss_between, result.ss_within, result.df_between, result.df_within
    (16.0, 4.0, 1, 2)
    """
    sizes = np.array([len(sample) for sample in samples])
    if sizes.sum() == len(sizes):
        raise UsageError("A variance within the samples needs two values in one of them at least; each has one.")
    squarable(np.concatenate(list(samples)))
    means = np.array([sample.mean() for sample in samples])
    noise = 100 * np.finfo(float).eps * max(float(np.abs(sample).max()) for sample in samples)
    within = [sample - mean for sample, mean in zip(samples, means, strict=True)]
    grand = float(means @ sizes / sizes.sum())
    between = float(sizes @ (means - grand) ** 2) if np.ptp(means) > noise else 0.0
    constant = all(np.ptp(sample) <= noise for sample in samples)
    return Partition(sizes, means, between, 0.0 if constant else float(sum(part @ part for part in within)))


def f_ratio(ss: float, df: float, ss_error: float, df_error: float) -> tuple[float, float]:
    """F and its p; ∞ and 0 where the error is zero and the effect is not, 0 and 1 where both are.

    >>> f_ratio(1.0, 2, 0.0, 3), f_ratio(0.0, 2, 0.0, 3)
    ((inf, 0.0), (0.0, 1.0))
    """
    if ss == 0:
        return 0.0, 1.0
    if ss_error == 0:
        return float("inf"), 0.0
    f = (ss / df) / (ss_error / df_error)
    return f, float(f_sf(f, df, df_error))


# ----------------------------------------------------------------------------------------------------------------------
# Learners within blocks, and how far their differences are from having one variance.


@dataclass(frozen=True, slots=True, eq=False)
class BlockModel:
    """A table of blocks × learners taken apart: value = mean + block + learner + residual."""

    means: Array
    residuals: Array
    ss_learner: float
    ss_block: float
    ss_error: float

    @property
    def df_error(self) -> int:
        return (len(self.residuals) - 1) * (len(self.means) - 1)


def take_apart(table: ArrayLike) -> BlockModel:
    """The sums of squares of an additive two-way layout. What is no more than rounding error is zero.

    >>> result = take_apart([[1, 2], [3, 6]])
    >>> result.ss_learner, result.ss_block, result.ss_error
    (4.0, 9.0, 1.0)
    """
    values = squarable(number_table(table, "table", rows=2, columns=2))
    n, k = values.shape
    noise = 100 * np.finfo(float).eps * float(np.abs(values).max())
    means, blocks, grand = values.mean(axis=0), values.mean(axis=1), values.mean()
    residuals = values - means - blocks[:, None] + grand
    return BlockModel(
        means,
        residuals,
        float(n * np.sum((means - grand) ** 2)) if np.ptp(means) > noise else 0.0,
        float(k * np.sum((blocks - grand) ** 2)) if np.ptp(blocks) > noise else 0.0,
        float(np.sum(residuals**2)) if np.abs(residuals).max() > noise else 0.0,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Sphericity(Record):
    """How far the differences between learners are from having one variance. ε is 1 if they have.

    `p_of_r` is what R's mauchly.test prints: its term of second order has k where the number of contrasts belongs.
    Huynh and Feldt's estimate may exceed 1, which ε cannot; R's car prints it as it is, `unbounded`, and uses 1.
    """

    w: float
    p: float
    p_of_r: float
    greenhouse_geisser: float
    huynh_feldt: float
    huynh_feldt_unbounded: float


def sphericity(residuals: Array) -> Sphericity:
    """Mauchly's test, and the ε of Greenhouse and Geisser and of Huynh and Feldt, from the residuals of a block layout.

    Any k − 1 orthonormal contrasts span what the residuals of a block span, so Σ has their k − 1 eigenvalues.
    """
    n, k = residuals.shape
    p, df = k - 1, n - 1
    eigen = np.linalg.svd(residuals, compute_uv=False)[:p] ** 2 / df
    total = float(eigen.sum())
    if total == 0 or p == 1:
        return Sphericity(1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    gg = total**2 / (p * float(np.sum(eigen**2)))
    room = p * (df - p * gg)
    unbounded = (n * p * gg - 2) / room if room > 0 else inf
    hf = min(unbounded, 1.0)
    if df < p:
        return Sphericity(nan, nan, nan, gg, hf, unbounded)  # Σ has no inverse
    w = float(np.prod(eigen / (total / p)))
    # Box's approximation to the law of −df ρ log W, with the term of second order (Anderson 2003, section 10.7).
    rho = 1 - (2 * p * p + p + 2) / (6 * p * df)
    second, second_of_r = (
        (p + 2) * (p - 1) * (p - 2) * (2 * p**3 + 6 * p * p + 3 * last + 2) / (288 * (df * p * rho) ** 2)
        for last in (p, k)
    )
    z = -df * rho * np.log(max(w, 1e-300))
    f = p * (p + 1) / 2 - 1
    plain, next_ = float(chi2_sf(z, f)), float(chi2_sf(z, f + 4))
    right, of_r = (min(max(plain + weight * (next_ - plain), 0.0), 1.0) for weight in (second, second_of_r))
    return Sphericity(w, right, of_r, gg, hf, unbounded)


# ----------------------------------------------------------------------------------------------------------------------
# Two factors that every block has in all combinations: each effect against its own variation from block to block.


@dataclass(frozen=True, slots=True, eq=False)
class BlockEffect(Record):
    """F of one effect with its degrees of freedom, which ε (Greenhouse and Geisser's) has shrunk for p."""

    f: float
    df: tuple[float, float]
    epsilon: float
    p: float


def two_factors_in_blocks(values: ArrayLike, *, ratio: float = 0.0) -> tuple[BlockEffect, BlockEffect, BlockEffect]:
    """The first factor, the second, and their interaction, of an array blocks × first × second without holes.

    With Z the orthonormal contrasts of an effect in each of n blocks, F = n |mean Z|² / trace cov Z, as R's aov(y ~ a *
    b + Error(block / (a * b))). Where the training sets of the blocks overlap, 1/n becomes 1/n + `ratio` of test to
    training size (Nadeau and Bengio): F is divided by 1 + n ratio. Of six learners that are alike, as 3 × 2, the two
    effects and their interaction are claimed in 4 to 5 % over 30 random splits (600 data sets; 61 to 79 % without),
    1 to 4 % over 10 × 10 folds (54 to 77 %), and 0.3 to 1.2 % over 10 folds (3.5 to 5.7 %).

    >>> y = [[[1, 2], [3, 5]], [[2, 2], [4, 7]], [[1, 3], [5, 6]], [[2, 3], [3, 6]]]
    >>> [(round(found.f, 4), found.df) for found in two_factors_in_blocks(y)]
    [(58.7778, (1.0, 3.0)), (169.0, (1.0, 3.0)), (2.1429, (1.0, 3.0))]
    """
    y = np.asarray(values, dtype=float)
    if y.ndim != 3 or min(y.shape) < 2 or not np.isfinite(y).all():
        raise UsageError(
            "Two factors in blocks need at least two blocks and two levels of each factor, and a number in every cell."
        )
    n, a, b = y.shape
    y = squarable(y.reshape(n, a * b) - y.mean())
    of_a, of_b = (np.linalg.qr(np.eye(k) - 1 / k)[0][:, : k - 1] for k in (a, b))
    mean_a, mean_b = (np.full((k, 1), k**-0.5) for k in (a, b))
    contrasts = (np.kron(of_a, mean_b), np.kron(mean_a, of_b), np.kron(of_a, of_b))
    first, second, both = (block_effect(y @ each, ratio) for each in contrasts)
    return first, second, both


def block_effect(z: Array, ratio: float = 0.0) -> BlockEffect:
    """An effect from its orthonormal contrasts in each block, a row a block: held against how they vary from block to
    block. For one contrast F is the square of Student's t.

    >>> block_effect(np.array([[1.0], [3.0], [2.0]])).f
    12.0
    """
    n, k = z.shape
    covariance = np.atleast_2d(np.cov(z, rowvar=False))
    trace, square = float(np.trace(covariance)), n * float(np.sum(z.mean(axis=0) ** 2))
    noise = (100 * np.finfo(float).eps * float(np.abs(z).max(initial=0.0))) ** 2
    if trace <= noise:
        if square <= noise:
            return BlockEffect(0.0, (float(k), float(k * (n - 1))), 1.0, 1.0)
        raise DegenerateError("An effect is the same in every block: there is nothing to hold it against.")
    epsilon = min(1.0, trace**2 / (k * float(np.sum(covariance**2))))
    f = square / trace / (1 + n * ratio)
    df = (k, k * (n - 1))
    return BlockEffect(f, (float(df[0]), float(df[1])), epsilon, float(f_sf(f, df[0] * epsilon, df[1] * epsilon)))


# ----------------------------------------------------------------------------------------------------------------------
# Two factors and their interaction, with any number of values in each combination.


TYPES = ("1", "2", "3")


def two_factors(
    y: ArrayLike,
    first: Sequence[Any] | NDArray[Any],
    second: Sequence[Any] | NDArray[Any],
    names: tuple[str, str],
    ss_type: str = "2",
    interaction: bool = True,
) -> dict[str, list[float]]:
    """SS, df, MS, F and p of each factor, of their interaction, and of the error (which has no F). NaN is left out.

    >>> result = two_factors([1, 3, 5, 7, 2, 4, 9, 9], list("aaaabbbb"), list("uuvvuuvv"), ("x", "z"))
    >>> {name: (round(ss, 6), df) for name, (ss, df, *_) in result.items()}
    {'x': (8.0, 1.0), 'z': (50.0, 1.0), 'x × z': (2.0, 1.0), 'error': (6.0, 4.0)}
    """
    choice(ss_type, TYPES, "ss_type")
    values, a, b = _labelled(y, first, second, names)
    noise = (100 * np.finfo(float).eps * float(np.abs(values).max())) ** 2 * len(values)
    cells = _cells(values, a, b)
    _refuse_empty(cells, interaction, names)
    fit, rank = _additive(cells)
    left = float(cells.n @ (cells.means - fit) ** 2)
    error = cells.within + (0.0 if interaction else left)
    df_error = float(len(values) - (len(cells.n) if interaction else rank))
    _refuse_too_few(df_error, rank - max(cells.levels), names)
    error = error if error > noise else 0.0
    last = ss_type == "3" and interaction
    squares = {
        name: _type_3(cells, axis) if last else _type_2(cells, axis, fit, rank) for axis, name in enumerate(names)
    }
    if ss_type == "1":
        alone = cells.totals(0, cells.n * cells.means) / cells.totals(0, cells.n)
        squares[names[0]] = float(cells.totals(0, cells.n) @ alone**2), float(cells.levels[0] - 1)
    if interaction:
        squares[f"{names[0]} × {names[1]}"] = left, float(len(cells.n) - rank)
    effects: dict[str, list[float]] = {}
    for name, (ss, df) in squares.items():
        ss = ss if ss > noise else 0.0
        effects[name] = [ss, df, ss / df, *f_ratio(ss, df, error, df_error)]
    effects["error"] = [error, df_error, error / df_error, nan, nan]
    return effects


def _labelled(y: ArrayLike, first: Any, second: Any, names: tuple[str, str]) -> tuple[Array, Any, Any]:
    try:
        values = np.asarray(y, dtype=float)
    except (TypeError, ValueError):
        raise UsageError("'y' must be a column of numbers; found something else among them.") from None
    a, b = (np.array([str(label) for label in np.asarray(labels, dtype=object).flat]) for labels in (first, second))
    if values.ndim != 1 or not len(values) == a.size == b.size:
        raise UsageError(
            f"Every value needs a label of both factors; found {values.size} values, {a.size} labels of {names[0]} and "
            f"{b.size} of {names[1]}."
        )
    known = ~np.isnan(values)
    rows = squarable(number_column(values[known], "y")), a[known], b[known]
    for labels, name in zip(rows[1:], names, strict=True):
        if len(np.unique(labels)) < 2:
            raise UsageError(f"A factor needs at least two levels; {name} has {len(np.unique(labels))}.")
    return rows


def _refuse_empty(cells: Cells, interaction: bool, names: tuple[str, str]) -> None:
    empty = cells.levels[0] * cells.levels[1] - len(cells.n)
    if interaction and empty:
        raise DegenerateError(
            f"Some combination of {names[0]} and {names[1]} has no value ({empty} of "
            f"{cells.levels[0] * cells.levels[1]}), so that the interaction cannot be told from the rest.",
            alternatives=["leave out the levels that are incomplete", "interaction=False: the two factors alone"],
        )


def _refuse_too_few(df_error: float, df_effect: int, names: tuple[str, str]) -> None:
    alternatives = ["several resamples of each task", "interaction=False: the two factors alone"]
    if df_error == 0:
        raise DegenerateError(
            f"There are as many values as combinations of {names[0]} and {names[1]}, which leaves nothing to estimate "
            "the error by.",
            alternatives=alternatives,
        )
    if df_effect == 0:
        raise DegenerateError(
            f"Each level of {names[0]} comes with levels of {names[1]} of its own: their effects cannot be told apart.",
            alternatives=alternatives[:1],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The combinations that have values. Effects are constant within a cell, so that its mean and size tell all.

    `codes` are the levels of both factors, `within` is the sum of squares around the means.
    """

    n: Array
    means: Array
    codes: tuple[NDArray[np.intp], NDArray[np.intp]]
    levels: tuple[int, int]
    within: float

    def totals(self, axis: int, values: Array) -> Array:
        """Sums over the cells of each level of a factor."""
        return np.asarray(np.bincount(self.codes[axis], weights=values, minlength=self.levels[axis]), dtype=float)


def _cells(y: Array, a: NDArray[Any], b: NDArray[Any]) -> Cells:
    (first, one), (second, two) = _numbered(a), _numbered(b)
    cells, cell, n = np.unique(first * two + second, return_inverse=True, return_counts=True)
    means = np.bincount(cell, weights=y) / n
    within = y - means[cell]
    codes = (cells // two, cells % two)
    return Cells(n.astype(float), means - y.mean(), codes, (one, two), float(within @ within))


def _numbered(labels: NDArray[Any]) -> tuple[NDArray[np.intp], int]:
    """Labels as numbers in the order in which they first come, so that names do not matter; and how many there are."""
    _, first, code = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[code.ravel()], len(first)


def _additive(cells: Cells) -> tuple[Array, int]:
    """The least-squares fit of mean + α_i + β_j to the cells, and its rank.

    β, the factor with more levels, is eliminated: C α = Q with C = diag(n_i·) − N diag(1/n_·j) N' and Q the totals of α
    less what β explains of them. A small system is left, however many tasks there are.
    """
    few, many = (0, 1) if cells.levels[0] <= cells.levels[1] else (1, 0)
    counts = np.zeros((cells.levels[few], cells.levels[many]))
    counts[cells.codes[few], cells.codes[many]] = cells.n
    size = counts.sum(axis=0)
    around = cells.means - (cells.totals(many, cells.n * cells.means) / size)[cells.codes[many]]
    C = np.diag(counts.sum(axis=1)) - (counts / size) @ counts.T
    roots, vectors = np.linalg.eigh(C)
    free = roots > 1e-9 * roots[-1]
    alpha = vectors[:, free] @ (vectors[:, free].T @ cells.totals(few, cells.n * around) / roots[free])
    explained = alpha[cells.codes[few]]
    beta = cells.totals(many, cells.n * (cells.means - explained)) / size
    return explained + beta[cells.codes[many]], cells.levels[many] + int(free.sum())


def _type_2(cells: Cells, axis: int, fit: Array, rank: int) -> tuple[float, float]:
    """What a factor adds to the model of the other one, and its degrees of freedom."""
    other = 1 - axis
    alone = (cells.totals(other, cells.n * cells.means) / cells.totals(other, cells.n))[cells.codes[other]]
    return float(cells.n @ (fit - alone) ** 2), float(rank - cells.levels[other])


def _type_3(cells: Cells, axis: int) -> tuple[float, float]:
    """Yates's weighted squares of means: unweighted means of the cells of each level, weighing by their precision."""
    level, across = cells.codes[axis], cells.levels[1 - axis]
    means = np.bincount(level, weights=cells.means) / across
    weight = across**2 / np.bincount(level, weights=1 / cells.n)
    centre = float(weight @ means / weight.sum())
    return float(weight @ (means - centre) ** 2), float(cells.levels[axis] - 1)


# ----------------------------------------------------------------------------------------------------------------------
# Student's t: of an estimate with its standard error, of one mean, and of the means of two independent samples, with
# the three counts of degrees of freedom in use.


def t_test(
    estimate: float, se: float, df: float, confidence: float, alternative: str, null: float = 0.0
) -> tuple[float, float, float, float]:
    """The interval (lower and upper end), t = (estimate − null) / se, and its p; df = inf makes it z.

    >>> [round(x, 4) for x in t_test(1.0, 0.5, 4, 0.95, "two-sided")]
    [-0.3882, 2.3882, 2.0, 0.1161]
    """
    t = (estimate - null) / se
    return *symmetric_interval(estimate, se, df, confidence, alternative), t, p_from_t(t, df, alternative)


@dataclass(frozen=True, slots=True, eq=False)
class MeanErrors(Record):
    """Estimates of many contrasts, their standard errors, and the degrees of freedom of t = estimate / error.

    Without an error there is no t: it is 0 with p = 1 if the estimate is zero, else infinite with p = NaN. An estimate
    whose error is NaN has no answer at all.

    >>> result = MeanErrors(np.array([1.0, 0.0]), np.array([0.5, 0.0]), np.array([4.0, 4.0]))
    >>> result.p().round(4).tolist(), result.intervals(0.95).lower.round(4).tolist()
    ([0.1161, 1.0], [-0.3882, nan])
    """

    estimate: Array
    standard_error: Array
    df: Array

    @property
    def t(self) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            t = self.estimate / self.standard_error
        return np.where((self.standard_error == 0) & (self.estimate == 0), 0.0, t)

    def p(self, alternative: str = "two-sided") -> Array:
        """Of each contrast by itself; infinite degrees of freedom make it normal."""
        check_alternative(alternative)
        t = self.t
        x = {"two-sided": -np.abs(t), "greater": -t, "less": t}[alternative]
        tail = np.where(np.isinf(self.df), special.ndtr(x), special.stdtr(self.df, x))
        p = np.minimum(1.0, 2 * tail if alternative == "two-sided" else tail)
        return np.where(self.standard_error > 0, p, np.where((self.standard_error == 0) & (t == 0), 1.0, nan))

    def intervals(self, confidence: ArrayLike, alternative: str = "two-sided") -> Intervals:
        """estimate ± t · error, at one confidence or at one for each contrast; NaN without an error."""
        check_alternative(alternative)
        level = np.broadcast_to(np.asarray(confidence, dtype=float), self.estimate.shape)
        q = (1 + level) / 2 if alternative == "two-sided" else level
        known = self.standard_error > 0
        quantile = np.where(np.isinf(self.df), special.ndtri(q), special.stdtrit(self.df, q))
        half = np.where(known, quantile * self.standard_error, nan)
        lower = np.where(known & (alternative == "less"), -inf, self.estimate - half)
        upper = np.where(known & (alternative == "greater"), inf, self.estimate + half)
        return Intervals(self.estimate, lower, upper)


def mean_and_sd(values: Array) -> tuple[float, float]:
    """The mean and standard deviation of values that are not all zero, however large or small they are.

    >>> mean_and_sd(np.array([1e200, 4e200, 4e200, 3e200]))[0]
    3e+200
    """
    unit = float(np.abs(values).max())  # squares of very small or large values would leave the range of floats
    return float(np.mean(values / unit)) * unit, float(np.std(values / unit, ddof=1)) * unit


DF: Mapping[str, str] = {
    "welch": "Welch",
    "pooled": "one common variance",
    "smaller": "the smaller sample's size less one",
}


@dataclass(frozen=True, slots=True, eq=False)
class TwoMeans(Record):
    """The difference of two means, its standard error and its degrees of freedom."""

    difference: float
    standard_error: float
    df: float


def two_means(first: Array, second: Array, df: str = "welch") -> TwoMeans:
    """The difference of means with √(s1²/n1 + s2²/n2) and Welch's degrees of freedom, or pooled, or min(n1, n2) − 1.

    >>> result = two_means(np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 3.0, 4.0]))
    >>> round(result.difference, 4), round(result.standard_error, 4), round(result.df, 3)
    (0.3333, 1.2693, 4.861)
    """
    choice(df, DF, "count of degrees of freedom")
    n, m = len(first), len(second)
    if min(n, m) < 2 and not (df == "pooled" and n + m > 2):
        raise UsageError(f"A variance needs at least two values in each sample; found {n} and {m}.")
    # Squares of very small or large deviations would leave the range of floats.
    a, b = first - first.mean(), second - second.mean()
    unit = float(max(np.abs(a).max(), np.abs(b).max())) or 1.0
    ss = float(np.sum((a / unit) ** 2)), float(np.sum((b / unit) ** 2))
    if df == "pooled":
        variance = sum(ss) / (n + m - 2) * (1 / n + 1 / m)
        freedom = float(n + m - 2)
    else:
        v, w = ss[0] / (n - 1) / n, ss[1] / (m - 1) / m
        variance = v + w
        smaller = float(min(n, m) - 1)
        # ν = (v + w)² / (v²/(n1 − 1) + w²/(n2 − 1)), eq. of Welch and Satterthwaite
        freedom = variance**2 / (v**2 / (n - 1) + w**2 / (m - 1)) if df == "welch" and variance > 0 else smaller
    difference = float(first.mean()) - float(second.mean())
    return TwoMeans(difference, sqrt(variance) * unit, freedom)


# ----------------------------------------------------------------------------------------------------------------------
# The F test of two variances.


def f_test_of_variances(
    v1: float, v2: float, df: tuple[float, float], confidence: float, alternative: str
) -> tuple[float, float, float, float]:
    """F = v1 / v2, the interval for the ratio of the variances, and p; two-sided, that is twice the smaller tail.

    >>> [round(x, 4) for x in f_test_of_variances(4.0, 2.0, (9.0, 9.0), 0.95, "two-sided")]
    [2.0, 0.4968, 8.052, 0.3165]
    """
    check_confidence(confidence)
    check_alternative(alternative)
    if v1 == v2 == 0:
        return 1.0, 1.0, 1.0, 1.0
    if min(v1, v2) == 0:
        raise DegenerateError(
            "One of the two makes no errors at all, so the ratio of variances is zero or infinite and has no law. "
            "Report the mean squared errors themselves."
        )
    f = v1 / v2
    above, below = float(f_sf(f, *df)), float(f_cdf(f, *df))
    p = {"greater": above, "less": below, "two-sided": min(1.0, 2 * min(above, below))}[alternative]
    if alternative == "two-sided" and f == 1 and df[0] == df[1]:
        p = 1.0  # the middle of the law, whatever rounding says
    tail = (1 - confidence) / 2 if alternative == "two-sided" else 1 - confidence
    lower = f / f_quantile(1 - tail, *df) if alternative != "less" else 0.0
    upper = f * f_quantile(1 - tail, *df[::-1]) if alternative != "greater" else inf
    return f, lower, upper, p
