"""Several measures at once: hypothesis and error matrices, the statistics made of them, and Hotelling's T²."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan, prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import Array, choice, number_table, squarable
from bakeoff.mathematics.laws import f_sf, t_sf
from bakeoff.records import Record

# Whether to carry on without the measures that follow from others, or to refuse them.
REDUCE = ("no", "yes")

# ----------------------------------------------------------------------------------------------------------------------
# Which measures are free of each other: a covariance matrix must have an inverse.


# A measure that lies in the span of others up to this share of itself is their combination.
DEPENDENT = 1e-10


def independent_columns(d: Array, noise: Array) -> list[int]:
    """The columns, from the first on, whose deviations from the mean are no combination of earlier ones.

    Modified Gram–Schmidt, twice, because once leaves rounding error that looks like a new direction.

    >>> d = np.array([[1.0, -1.0, 5.0, 2.0], [2.0, -2.0, 5.0, 0.0], [4.0, -4.0, 5.0, 1.0]])
    >>> independent_columns(d, np.zeros(4))
    [0, 3]
    """
    kept: list[int] = []
    basis: list[Array] = []
    for j, column in enumerate(d.T):
        if np.ptp(column) <= noise[j]:
            continue
        residual = (column - column.mean()) / np.abs(column).max()
        length = float(np.linalg.norm(residual))
        for direction in [*basis, *basis]:
            residual = residual - (residual @ direction) * direction
        left = float(np.linalg.norm(residual))
        if left > DEPENDENT * length:
            kept.append(j)
            basis.append(residual / left)
    return kept


def measure_names(measures: Sequence[str], p: int) -> list[str]:
    """The names given, or numbers.

    >>> measure_names((), 2)
    ['measure 1', 'measure 2']
    """
    return list(measures) or [f"measure {j + 1}" for j in range(p)]


def left_out(names: Sequence[str], kept: Sequence[int]) -> str:
    """A note of the measures that were not kept; nothing if all were.

    >>> left_out(["tp", "fp", "fn", "tn"], [0, 1])
    'left out as dependent: fn, tn'
    """
    dropped = [name for j, name in enumerate(names) if j not in kept]
    return f"left out as dependent: {', '.join(dropped)}" if dropped else ""


def dependence(p: int, kept: Sequence[int], names: Sequence[str], what: str) -> DegenerateError:
    """Why there is no inverse, and which measures have one."""
    dropped = [names[j] for j in range(p) if j not in kept]
    keep = ", ".join(names[j] for j in kept)
    return DegenerateError(
        f"The {what} in {p} measures vary in {len(kept)} directions only, so their covariance matrix has no inverse: "
        f"{', '.join(dropped)} differ by a constant or follow from the others. With fixed class sizes, for example, "
        "tp + fn and fp + tn are constant, and [tp, fp, fn, tn] has rank 2.",
        alternatives=[
            f"the same test on measures that are free of each other: {keep}",
            "reduce=yes (--reduce yes): the same, with those measures chosen for you",
        ]
        if kept
        else [],
    )


# ----------------------------------------------------------------------------------------------------------------------
# Two learners: Hotelling's T² of the vectors of paired differences.


@dataclass(frozen=True, slots=True, eq=False)
class PairedT2:
    """T² = n m'S⁻¹m of paired differences, their means m, and w = S⁻¹m; all zero where the two tables are the same.

    `kept` are the columns of the measures in it: all, unless some that follow from others were left out.
    """

    value: float
    differences: Array
    means: Array
    w: Array
    kept: tuple[int, ...]
    same: bool

    @property
    def df(self) -> tuple[float, float]:
        n, p = self.differences.shape
        return float(p), float(n - p)

    @property
    def factor(self) -> float:
        """T² is so many times an F."""
        n, p = self.differences.shape
        return float(p * (n - 1) / (n - p))

    def t_of_each(self) -> tuple[Array, Array]:
        """The paired t of each measure by itself, with n − 1 degrees of freedom, and its p."""
        d = self.differences
        n, p = d.shape
        unit = np.abs(d).max(axis=0)
        t = np.zeros(p) if self.same else (self.means / unit) / ((d / unit).std(axis=0, ddof=1) / np.sqrt(n))
        return t, np.minimum(2 * t_sf(np.abs(t), n - 1), 1.0)


def paired_t2(first: Array, second: Array, names: Sequence[str], reduce: str = "no") -> PairedT2:
    """Hotelling's T² of two tables, blocks × measures. Measures that depend on others are refused, or left out.

    >>> x = np.array([[1.0, 2.0], [3.0, 1.0], [2.0, 4.0], [4.0, 4.0]])
    >>> result = paired_t2(x, np.zeros((4, 2)), ["precision", "recall"])
    >>> round(result.value, 4), result.df, round(result.factor, 4)
    (22.619, (2.0, 2.0), 3.0)
    """
    n, p = first.shape
    d = first - second
    noise = 100 * np.finfo(float).eps * np.maximum(np.abs(first).max(axis=0), np.abs(second).max(axis=0))
    same, kept = bool((np.abs(d) <= noise).all()), list(range(p))
    if not same and (n > p or reduce == "yes"):
        kept = independent_columns(d, noise)
        if len(kept) < p and (reduce == "no" or not kept):
            raise dependence(p, kept, names, "differences")
        d, p = d[:, kept], len(kept)
    if n <= p:
        raise UsageError(f"Hotelling's T² needs more blocks than measures; found {n} and {p}.")
    if same:
        return PairedT2(0.0, d, np.zeros(p), np.zeros(p), tuple(kept), same)
    unit = np.abs(d).max(axis=0)  # measures of different scales: solve for each in its own unit
    m, S = d.mean(axis=0), np.cov(d / unit, rowvar=False).reshape(p, p)  # Alpaydın's eq. 19.26
    w = np.linalg.solve(S, m / unit) / unit  # eq. 19.28
    return PairedT2(float(n * m @ w), d, m, w, tuple(kept), same)  # eq. 19.27


# ----------------------------------------------------------------------------------------------------------------------
# The four multivariate statistics of a hypothesis matrix H against an error matrix E: one small eigenproblem.


@dataclass(frozen=True, slots=True, eq=False)
class Statistic(Record):
    """A multivariate statistic with its F (exact or approximate) and p."""

    name: str
    value: float
    f: float
    df: tuple[float, float]
    p: float


def root_of(E: Array) -> tuple[Array, Array] | None:
    """The measures' units and L⁻¹ with E = LL' in those units; None unless each measure is clearly free of others."""
    unit = np.sqrt(E.diagonal())
    if not unit.all():
        return None
    try:
        root = np.linalg.cholesky(E / unit / unit[:, None])
    except np.linalg.LinAlgError:
        return None
    # The diagonal is what each measure keeps of its own when those before it are taken off.
    return (unit, np.linalg.inv(root)) if root.diagonal().min() > 1e-5 else None


def root_of_residuals(residuals: Array) -> tuple[Array, Array]:
    """The same by a QR decomposition of the residuals, which nearly dependent measures need: E squares condition."""
    unit = np.linalg.norm(residuals, axis=0)
    root: Array = np.linalg.qr(residuals / unit)[1]
    return unit, np.asarray(np.linalg.inv(root.T), dtype=float)


def eigenvalues(H: Array, unit: Array, inverse: Array) -> Array:
    """Those of E⁻¹H from the largest on, which are all that the statistics need."""
    values = np.linalg.eigvalsh(inverse @ (H / unit / unit[:, None]) @ inverse.T)
    return np.asarray(np.maximum(values[::-1], 0.0))


def eigen(H: Array, unit: Array, inverse: Array) -> tuple[Array, Array]:
    """Eigenvalues of E⁻¹H from the largest on, and its eigenvectors as columns, scaled so that w'Ew = 1.

    They are those of the symmetric L⁻¹HL⁻ᵀ, with E = LL' in the measures' own units, as `root_of` gives them.

    >>> values, vectors = eigen(np.diag([2.0, 8.0]), *root_of(np.diag([1.0, 4.0])))
    >>> values.tolist(), vectors.tolist()
    ([2.0, 2.0], [[0.0, 1.0], [0.5, 0.0]])
    """
    values, vectors = np.linalg.eigh(inverse @ (H / unit / unit[:, None]) @ inverse.T)
    w = inverse.T @ vectors[:, ::-1]
    # A direction has no sign of its own: its heaviest measure (in its own unit) counts as positive.
    w = w * np.sign(w[np.abs(w).argmax(axis=0), np.arange(len(values))])
    return np.maximum(values[::-1], 0.0), np.asarray(w / unit[:, None])


def statistics(roots: Array, p: int, df_h: float, df_e: float) -> tuple[Statistic, ...]:
    """Wilks, Pillai, Hotelling–Lawley and Roy from the eigenvalues of E⁻¹H, with the F of each as R gives it.

    Exact if min(p, df_h) is 1, Wilks's also if it is 2. Roy's F is an upper bound: its p is too small.
    """
    each: list[float] = roots.tolist()
    s, m, n = min(p, df_h), (abs(p - df_h) - 1) / 2, (df_e - p - 1) / 2
    wilks = prod(1 / (1 + root) for root in each)
    pillai, lawley, roy = sum(root / (1 + root) for root in each), sum(each), max(each, default=0.0)
    square = p * p + df_h * df_h - 5
    t = sqrt(((p * df_h) ** 2 - 4) / square) if square > 0 else 1.0
    df2 = (df_e - (p - df_h + 1) / 2) * t - (p * df_h - 2) / 2
    a, b, larger = 2 * m + s + 1, 2 * n + s + 1, max(p, df_h)
    values = (
        ("Wilks", wilks, (wilks ** (-1 / t) - 1) * df2 / (p * df_h) if wilks > 0 else inf, p * df_h, df2),
        ("Pillai", pillai, b / a * pillai / (s - pillai) if pillai < s else inf, s * a, s * b),
        ("Hotelling–Lawley", lawley, 2 * (s * n + 1) * lawley / (s * s * a), s * a, 2 * (s * n + 1)),
        ("Roy", roy, (df_e - larger + df_h) * roy / larger, larger, df_e - larger + df_h),
    )
    return tuple(
        Statistic(name, value, f, (float(one), float(two)), float(special.fdtrc(one, two, f)) if two > 0 else nan)
        for name, value, f, one, two in values
    )


# ----------------------------------------------------------------------------------------------------------------------
# Multivariate analysis of variance, of independent groups and of blocks.


@dataclass(frozen=True, slots=True, eq=False)
class Manova:
    """What an analysis found, with `root` the root of E that makes E⁻¹H symmetric.

    `kept` are the columns of the measures in it: all, unless some that follow from others were left out.
    """

    tests: tuple[Statistic, ...]
    H: Array
    E: Array
    df_h: float
    df_e: float
    eigenvalues: Array
    root: tuple[Array, Array]
    values: Array
    means: Array
    sizes: Array
    kept: tuple[int, ...]

    @property
    def eigenvectors(self) -> Array:
        """The directions that separate the groups, in columns, from the one that does it most."""
        return eigen(self.H, *self.root)[1][:, : len(self.eigenvalues)]

    @property
    def projection(self) -> Array:
        """What the eigenvectors make of each value."""
        return np.asarray(self.values @ self.eigenvectors)

    @property
    def shares(self) -> Array:
        """Each eigenvalue over the sum of all."""
        total = self.eigenvalues.sum()
        return self.eigenvalues / total if total > 0 else self.eigenvalues


def manova_groups(
    y: ArrayLike, group: Sequence[Any] | NDArray[Any], *, measures: Sequence[str] = (), reduce: str = "no"
) -> Manova:
    """The analysis of independent samples of any sizes: a row of measures and the label of its group for each value.

    >>> y = [[9, 3], [6, 2], [9, 7], [0, 4], [2, 0], [3, 8], [1, 9], [2, 7]]
    >>> result = manova_groups(y, [1, 1, 1, 2, 2, 3, 3, 3])
    >>> round(result.tests[0].value, 4), round(result.tests[0].f, 2), result.tests[0].df
    (0.0385, 8.2, (4.0, 8.0))
    """
    values = number_table(y, "y", rows=3)
    labels = np.asarray(group)
    if labels.shape != (len(values),):
        raise UsageError(f"Every row needs the label of its group; found {len(values)} rows and {labels.size} labels.")
    _, code = np.unique(labels, return_inverse=True)
    member = (np.arange(code.max() + 1)[:, None] == code).astype(float)
    n = member.sum(axis=1)
    if len(n) < 2:
        raise UsageError("At least two groups are needed; found one.")
    means = member @ values / n[:, None]
    return _analyse(values, values - means[code], means, n, float(len(values) - len(n)), measures, reduce)


def manova_blocks(table: ArrayLike, *, measures: Sequence[str] = (), reduce: str = "no") -> Manova:
    """The analysis of learners that share blocks (blocks × learners × measures): the blocks' means are taken off."""
    values = number_cube(table)
    n, k, p = values.shape
    means = values.mean(axis=0)
    aligned = values - values.mean(axis=1, keepdims=True) + values.mean(axis=(0, 1))
    rows = aligned.reshape(-1, p)
    residuals = (aligned - means).reshape(-1, p)
    return _analyse(rows, residuals, means, np.full(k, float(n)), float((n - 1) * (k - 1)), measures, reduce)


def number_cube(table: ArrayLike) -> Array:
    """Finite numbers, blocks × learners × measures."""
    try:
        values = np.asarray(table, dtype=float)
    except (TypeError, ValueError):
        raise UsageError("'table' must be an array of numbers, blocks × learners × measures.") from None
    if values.ndim != 3 or values.shape[0] < 2 or values.shape[1] < 2 or values.shape[2] < 1:
        raise UsageError(
            f"'table' must have at least two blocks, two learners and one measure; found the shape {values.shape}."
        )
    if not np.isfinite(values).all():
        raise UsageError("Every value of 'table' must be a finite number; some are not.")
    return values


def _analyse(
    values: Array, residuals: Array, means: Array, n: Array, df_e: float, measures: Sequence[str], reduce: str
) -> Manova:
    choice(reduce, REDUCE, "reduce")
    p = values.shape[1]
    largest = np.abs(values).max(axis=0)
    if largest.max() > 1e150 or largest.min() < 1e-150:
        for column in values.T:
            squarable(column)
    noise = 100 * np.finfo(float).eps * largest
    kept = list(range(p))
    E = residuals.T @ residuals  # E = Σ Σ (x − m_i)(x − m_i)'
    root = root_of(E)
    if root is None or (root[0] <= len(values) ** 0.5 * noise).any():
        kept = independent_columns(residuals, noise)
        if len(kept) < p and (reduce == "no" or not kept):
            what = "values around the learners' means"
            raise dependence(p, kept, measure_names(measures, p), what) if df_e >= p else _too_few(df_e, p)
        values, residuals, means, noise = values[:, kept], residuals[:, kept], means[:, kept], noise[kept]
        E = residuals.T @ residuals
        root = root_of_residuals(residuals)
    df_h = float(len(n) - 1)
    centred = means - n @ means / n.sum()
    centred[:, means.max(axis=0) - means.min(axis=0) <= noise] = 0.0
    H = (centred * n[:, None]).T @ centred  # H = Σ n_i (m_i − m)(m_i − m)'
    roots = eigenvalues(H, *root)[: int(min(len(kept), df_h))]
    tests = statistics(roots, len(kept), df_h, df_e)
    return Manova(tests, H, E, df_h, df_e, roots, root, values, means, n, tuple(kept))


def _too_few(df_e: float, p: int) -> DegenerateError:
    return DegenerateError(
        f"{p} measures need at least as many degrees of freedom of the error; there are {df_e:g}.",
        alternatives=["more blocks", "fewer measures"],
    )


def pairwise_t2(analysis: Manova) -> tuple[Array, Array, tuple[float, float]]:
    """T² of each pair with the pooled error, d'(E/df)⁻¹d / (1/n_i + 1/n_j), its p, and the df of its F."""
    p, df = len(analysis.kept), analysis.df_e
    d = analysis.means[:, None, :] - analysis.means
    unit = np.sqrt(np.diag(analysis.E))
    inverse = np.linalg.inv(analysis.E / unit / unit[:, None])
    t2 = (
        df
        * np.einsum("ijp,pq,ijq->ij", d / unit, inverse, d / unit)
        / (1 / analysis.sizes[:, None] + 1 / analysis.sizes)
    )
    df2 = df - p + 1
    return t2, np.asarray(f_sf(t2 * df2 / (p * df), p, df2)), (float(p), df2)
