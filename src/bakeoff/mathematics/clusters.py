"""Items that come in clusters (questions on one text, seeds of one model): means, their errors, components of variance.

Items of one cluster resemble one another, so that they do not count as so many independent ones: with an intraclass
correlation of .3, tests that ignore clusters claim 45 to 84 % where nothing is to be claimed. With S_c the sum of the
differences in cluster c, m_c its size, N = Σ m_c:

* *A sample of clusters*: what is asked about is new clusters. `cluster_means` has errors that hold from three
  clusters on, if their effects are about normal; flips of the cluster sums (`joint_flips(gather(…).sums)`) need
  symmetry only, and eight clusters.
* *A fixed list of clusters* (the subjects of a benchmark) are strata: `stratified_means`. The answer is about these.

Weighted by items, the mean is Σ S_c / N; weighted by clusters, the mean of the S_c/m_c. They answer different
questions, unless sizes are equal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.bootstrap_t import resample_counts
from bakeoff.mathematics.checks import Array, choice, number_table
from bakeoff.mathematics.checks import count as whole_number
from bakeoff.mathematics.linear_models import MeanErrors
from bakeoff.mathematics.step_down import check_weights, in_chunks, one_thread
from bakeoff.records import Record

WEIGHTS = ("items", "clusters")
EPS = float(np.finfo(float).eps)

Codes = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class ClusterSums(Record):
    """The sum of each column in each cluster, clusters in the order in which they first come, and their sizes."""

    sums: Array
    sizes: NDArray[np.int64]

    @property
    def items(self) -> int:
        return int(self.sizes.sum())

    @property
    def means(self) -> Array:
        return np.asarray(self.sums / self.sizes[:, None])

    @property
    def effective_number(self) -> float:
        """N² / Σ m_c²: how many clusters of equal size would weigh as these do."""
        return float(self.items**2 / np.sum(self.sizes.astype(float) ** 2))

    @property
    def largest_share(self) -> float:
        """The part of all items that is in the largest cluster."""
        return float(self.sizes.max() / self.items)


def gather(values: ArrayLike, clusters: ArrayLike) -> ClusterSums:
    """Sum the rows of each cluster.

    >>> found = gather([[1, 0], [2, 1], [4, 1]], ["a", "b", "a"])
    >>> found.sums.tolist(), found.sizes.tolist(), found.effective_number
    ([[5.0, 1.0], [2.0, 1.0]], [2, 1], 1.8)
    """
    table = number_table(values, "values")
    codes = number_labels(clusters, len(table))
    return ClusterSums(_sums(table, codes), np.bincount(codes))


def number_labels(labels: ArrayLike, rows: int, name: str = "clusters") -> Codes:
    """Labels as numbers from 0, in the order in which they first come.

    >>> number_labels(["b", "a", "b"], 3).tolist()
    [0, 1, 0]
    >>> number_labels(["b", None, "b"], 3)
    Traceback (most recent call last):
    bakeoff.errors.UsageError: Every row needs its label in 'clusters'; it is missing in row 2.
    """
    column = np.asarray(labels)
    if column.shape != (rows,):
        raise UsageError(f"Each of {rows} rows needs a label in {name!r}; found the shape {column.shape}.")
    missing = np.flatnonzero([label is None for label in column] if column.dtype == object else column != column)
    if len(missing):
        raise UsageError(f"Every row needs its label in {name!r}; it is missing in row {missing[0] + 1}.")
    if column.dtype == object:
        seen: dict[Any, int] = {}
        return np.array([seen.setdefault(label, len(seen)) for label in column.tolist()], dtype=np.intp)
    _, first, code = np.unique(column, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[code.ravel()], dtype=np.intp)


def _sums(table: Array, codes: Codes) -> Array:
    return np.column_stack([np.bincount(codes, weights=column) for column in table.T])


# ----------------------------------------------------------------------------------------------------------------------
# A sample of clusters.


def cluster_means(data: ClusterSums, contrasts: ArrayLike | None = None, weights: str = "items") -> MeanErrors:
    """Means over a sample of clusters, with standard errors and degrees of freedom that hold for few and unequal ones.

    Weighted by items, CR2 with the degrees of freedom of Bell and McCaffrey: with h_c = m_c/N and the residual sums
    r_c = S_c − m_c d̄, se² = Σ r_c²/(1 − h_c) / N², and df = (Σ G_cc)² / Σ G_cc'² with G_cc = m_c and, elsewhere,
    G_cc' = −m_c m_c' / (N √((1 − h_c)(1 − h_c'))). Weighted by clusters, Student's t of the cluster means. For equal
    sizes both are the same. A mean without any spread between clusters has the error 0.

    Bell and McCaffrey (2002), Survey Methodology 28, 169–181; Pustejovsky and Tipton (2018),
    doi:10.1080/07350015.2016.1247004.

    >>> found = cluster_means(gather([[1.0], [0.0], [3.0], [4.0], [1.0]], list("aabbc")))
    >>> [round(float(x[0]), 4) for x in (found.estimate, found.standard_error, found.df)]
    [1.8, 1.1195, 1.8]
    """
    choice(weights, WEIGHTS, "weights")
    C = check_weights(contrasts, data.sums.shape[1])
    k = len(data.sizes)
    if k < 2:
        raise UsageError("Without a second cluster nothing is known of how clusters differ; found one.")
    m = data.sizes.astype(float)
    if weights == "clusters":
        d = data.means @ C.T
        return MeanErrors(d.mean(axis=0), _quiet(d.std(axis=0, ddof=1), np.abs(d).max(axis=0)) / k**0.5, _df(k - 1, C))
    S, n = data.sums @ C.T, m.sum()
    h, mean = m / n, S.sum(axis=0) / n
    residual = S - m[:, None] * mean
    se = np.sqrt(np.sum(_quiet(residual, np.abs(S).max(axis=0)) ** 2 / (1 - h)[:, None], axis=0)) / n
    return MeanErrors(mean, se, _df(bell_mccaffrey_df(data.sizes), C))


def bell_mccaffrey_df(sizes: ArrayLike) -> float:
    """The degrees of freedom of a mean over clusters of these sizes, as `cluster_means` has them.

    >>> bell_mccaffrey_df([5, 5, 5, 5]), round(bell_mccaffrey_df([10, 4, 3, 3]), 4)
    (3.0, 2.249)
    """
    m = np.asarray(sizes, dtype=float)
    n = m.sum()
    # Σ_{c≠c'} G² = ((Σ a)² − Σ a²) / N² with a_c = m_c² / (1 − h_c), so that no matrix is needed.
    a = m**2 / (1 - m / n)
    return float(n**2 / (np.sum(m**2) + (a.sum() ** 2 - np.sum(a**2)) / n**2))


def _quiet(values: Array, scale: Array) -> Array:
    """The values, rounding error being zero."""
    return np.where(np.abs(values) <= 100 * EPS * scale, 0.0, values)


def _df(df: float, contrasts: Array) -> Array:
    return np.full(len(contrasts), float(df))


# ----------------------------------------------------------------------------------------------------------------------
# A fixed list of clusters.


def stratified_means(
    values: ArrayLike, clusters: ArrayLike, contrasts: ArrayLike | None = None, weights: str = "items"
) -> MeanErrors:
    """Means over a fixed list of clusters, of which the items are samples: only the variance within clusters counts.

    se² = Σ w_c² s_c²/m_c, with s_c² the variance within cluster c and w_c its weight: m_c/N by items, so that se² is
    Σ m_c s_c² / N², or 1/C by clusters. Degrees of freedom are Satterthwaite's.

    >>> found = stratified_means([[1.0], [0.0], [3.0], [4.0], [5.0]], list("aabbb"))
    >>> [round(float(x[0]), 4) for x in (found.estimate, found.standard_error, found.df)]
    [2.6, 0.4, 2.9091]
    """
    choice(weights, WEIGHTS, "weights")
    table = number_table(values, "values")
    codes = number_labels(clusters, len(table))
    C = check_weights(contrasts, table.shape[1])
    m = np.bincount(codes).astype(float)[:, None]
    if m.min() < 2:
        lonely = int(np.sum(m < 2))
        raise DegenerateError(
            f"{lonely} of {len(m)} clusters {'has' if lonely == 1 else 'have'} one item only, and so no variance of "
            "their own.",
            alternatives=["join them with clusters of their kind", "treat the clusters as a sample of clusters"],
        )
    d = table @ C.T
    mean = _sums(d, codes) / m
    centred = _quiet(d - mean[codes], np.abs(d).max(axis=0))
    w = m / m.sum() if weights == "items" else np.full_like(m, 1 / len(m))
    part = w**2 * _sums(centred**2, codes) / (m - 1) / m  # w_c² s_c²/m_c
    variance = part.sum(axis=0)
    with np.errstate(invalid="ignore"):
        df = np.where(variance > 0, variance**2 / np.sum(part**2 / (m - 1), axis=0), m.sum() - len(m))
    return MeanErrors((w * mean).sum(axis=0), np.sqrt(variance), df)


# ----------------------------------------------------------------------------------------------------------------------
# Resampling clusters, or items if each is a cluster of its own. All columns are resampled together.


@one_thread()
def bootstrap_means(
    values: ArrayLike, clusters: ArrayLike | None = None, *, resamples: int = 10_000, seed: int = 0
) -> Array:
    """Means of all columns in resamples of whole clusters, or of rows: resamples × columns.

    A resample is a vector w of counts, and its means are Σ w_c S_c / Σ w_c m_c: sums and sizes of clusters are all that
    is needed. Percentiles of them are too narrow below some fifty clusters: 11–13 % false claims with ten.

    >>> means = bootstrap_means([[1.0, 0.0], [3.0, 1.0], [8.0, 1.0]], resamples=2_000)
    >>> means.shape, means.mean(axis=0).round(1).tolist()
    ((2000, 2), [4.0, 0.7])
    """
    table = number_table(values, "values")
    sums, sizes = table, np.ones(len(table))
    if clusters is not None:
        data = gather(table, clusters)
        sums, sizes = data.sums, data.sizes.astype(float)
    rng = np.random.Generator(np.random.SFC64(seed))
    equal = float(sizes.sum()) if np.ptp(sizes) == 0 else 0.0
    X = np.ascontiguousarray(sums.T if equal else np.column_stack([sums, sizes]).T)
    means = np.empty((whole_number(resamples, "resamples"), table.shape[1]))
    done = 0
    for size in in_chunks(resamples, 4 * len(sums)):
        drawn = X @ resample_counts(len(sums), size, rng)
        means[done : done + size] = (drawn / equal if equal else drawn[:-1] / drawn[-1]).T
        done += size
    return means


# ----------------------------------------------------------------------------------------------------------------------
# Where variance lies: between clusters, between items of a cluster, between answers to one item.


@dataclass(frozen=True, slots=True, eq=False)
class VarianceComponents(Record):
    """Variances of nested levels, outermost first, the last one being that of single values; a column a column.

    They are unbiased, and may therefore be negative where a level adds little: `shares` counts those as zero.
    """

    variances: Array
    df: tuple[int, ...]
    groups: tuple[int, ...]

    @property
    def shares(self) -> Array:
        """Each level's part of the whole variance; that of the outermost is the intraclass correlation."""
        known = np.maximum(self.variances, 0.0)
        total = known.sum(axis=0)
        return np.asarray(known / np.where(total > 0, total, 1.0))


def variance_components(values: ArrayLike, *levels: ArrayLike) -> VarianceComponents:
    """Components of variance of nested groups of any sizes, by equating sums of squares with their expectations.

    `levels` are labels, outermost first: clusters; items, with several answers each; or clusters, items. Labels of an
    inner level need only differ within the outer one. With groups g of level l and T_l = Σ_g (Σ y)²/n_g, the sum of
    squares T_l − T_{l−1} has the expectation Σ_l' (c_ll' − c_{l−1,l'}) σ²_l', with c_ll' = Σ_g Σ_h n_gh²/n_g over the
    groups h of level l' (Searle, Casella and McCulloch 1992, Variance components, chapter 5).

    >>> made = variance_components([[1.0], [2.0], [5.0], [6.0], [7.0]], list("aabbb"))
    >>> made.variances.round(4).tolist(), made.df
    ([[9.7778], [0.8333]], (1, 3))
    """
    table = number_table(values, "values")
    n, names = len(table), [f"level {number + 1}" for number in range(len(levels))]
    codes = [np.zeros(n, dtype=np.intp)]
    for labels, name in zip(levels, names, strict=True):
        inner = number_labels(labels, n, name)
        codes.append(number_labels(codes[-1] * (inner.max() + 1) + inner, n))
    codes.append(np.arange(n))
    groups = [int(code.max()) + 1 for code in codes]
    df = tuple(int(x) for x in np.diff(groups))
    if not levels or min(df) == 0:
        raise DegenerateError(_without_freedom(df, names))
    centred = table - table.mean(axis=0)
    sizes = [np.bincount(code).astype(float) for code in codes]
    T = np.array([np.sum(_sums(centred, code) ** 2 / m[:, None], axis=0) for code, m in zip(codes, sizes, strict=True)])
    # c_ll' is N where l' holds l; elsewhere each group h of l' lies in one group g of l.
    c = np.full((len(codes), len(codes)), float(n))
    for row, (code, m) in enumerate(zip(codes, sizes, strict=True)):
        for column in range(row + 1, len(codes)):
            outer = np.empty(groups[column], dtype=np.intp)
            outer[codes[column]] = code
            c[row, column] = np.sum(sizes[column] ** 2 / m[outer])
    variances = np.linalg.solve(np.diff(c, axis=0)[:, 1:], np.diff(T, axis=0))
    return VarianceComponents(variances, df, tuple(groups[1:-1]))


def _without_freedom(df: tuple[int, ...], names: list[str]) -> str:
    """Why components cannot be told apart."""
    if not names:
        return "Components of variance need at least one level of groups; found none."
    if df[-1] == 0:
        return f"Each group of {names[-1]} has one value, so that the groups cannot be told from their values."
    where = df.index(0)
    outer = "the whole" if where == 0 else f"each group of {names[where - 1]}"
    return f"{names[where].capitalize()} has one group in {outer}, so that the two cannot be told apart."


# ----------------------------------------------------------------------------------------------------------------------
# A mean over items and runs that are both samples: every run answers every item, and both are random effects.
#
# With d_ir the value of item i in run r, d_ir = μ + item_i + run_r + e_ir, items perhaps in clusters. Averages over
# runs vary from item to item, averages over items from run to run; a mean that is to hold for new items and new runs
# has both in its error. For complete tables mean squares tell all of it (Searle, Casella and McCulloch 1992, 4.3):
#
#     Var(d̄) = (MS_item + MS_run − MS_rest) / (n R),
#
# which is what REML gives unless a component would be negative: such a one is zero, and what it stood for is pooled.


@dataclass(frozen=True, slots=True, eq=False)
class CrossedMean(Record):
    """The mean over items and runs, its standard error and Satterthwaite's degrees of freedom; components of variance.

    `items` has what clusters do, too, where items lie in some.
    """

    estimate: float
    standard_error: float
    df: float
    items: float
    runs: float
    rest: float


def crossed_mean(values: ArrayLike, clusters: ArrayLike | None = None) -> CrossedMean:
    """The mean of a table with a row an item and a column a run; `clusters` are those of the items, if there are some.

    Degrees of freedom are Satterthwaite's. Items in clusters enter by the cluster-robust variance (CR2), which for
    clusters of equal size is what a mixed model with clusters, items and runs gives.

    >>> found = crossed_mean([[1.0, 2.0, 3.0], [2.0, 2.5, 4.5], [0.0, 2.0, 2.0], [3.0, 3.0, 6.0]])
    >>> [round(x, 4) for x in (found.estimate, found.standard_error, found.df)]
    [2.5833, 0.8858, 3.9869]
    """
    d = number_table(values, "values", rows=2, columns=2)
    n, R = d.shape
    mean = float(d.mean())
    by_item, by_run = d.mean(axis=1), d.mean(axis=0)
    rest = float(np.sum((d - by_item[:, None] - by_run + mean) ** 2))
    df_rest = (n - 1) * (R - 1)
    ms_item, ms_run = R * float(by_item.var(ddof=1)), n * float(by_run.var(ddof=1))
    has_items, has_runs = ms_item * df_rest > rest or clusters is not None, ms_run * df_rest > rest
    if not has_runs:
        rest, df_rest = rest + (R - 1) * ms_run, df_rest + R - 1
        has_items = has_items and (ms_item * df_rest > rest or clusters is not None)
    if not has_items:
        rest, df_rest = rest + (n - 1) * ms_item, df_rest + n - 1
    ms_rest = rest / df_rest
    # Parts of the variance of the mean, with the sign of each and its degrees of freedom.
    parts = [(ms_item / (n * R), float(n - 1))] * has_items + [(ms_run / (n * R), float(R - 1))] * has_runs
    if clusters is not None:
        means = cluster_means(gather(by_item[:, None], clusters))
        parts[0] = float(means.standard_error[0]) ** 2, float(means.df[0])
    if len(parts) != 1:
        parts.append((ms_rest / (n * R) * (1 if not parts else -1), float(df_rest)))
    variance, spread = sum(part for part, _ in parts), sum(part**2 / df for part, df in parts)
    df = variance**2 / spread if spread > 0 else float(n - 1)
    item, run = (ms_item - ms_rest) / R * has_items, (ms_run - ms_rest) / n * has_runs
    return CrossedMean(mean, float(np.sqrt(variance)), float(df), abs(max(item, 0.0)), abs(max(run, 0.0)), ms_rest)


def as_table(values: ArrayLike, items: ArrayLike, runs: ArrayLike) -> Array:
    """Values that are given one by one, with their item and run, as a table of items × runs.

    >>> as_table([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1], [0, 1, 1, 0]).tolist()
    [[1.0, 2.0], [4.0, 3.0]]
    """
    x = np.asarray(values, dtype=float)
    item, run = (np.unique(np.asarray(labels), return_inverse=True)[1] for labels in (items, runs))
    shape = int(item.max()) + 1, int(run.max()) + 1
    if len(x) != shape[0] * shape[1] or len(np.unique(item * shape[1] + run)) != len(x):
        raise UsageError(f"Every one of {shape[1]} runs must answer every one of {shape[0]} items; some are missing.")
    table = np.empty(shape)
    table[item, run] = x
    return table


def crossed_mean_of_cells(values: ArrayLike, items: ArrayLike, runs: ArrayLike) -> CrossedMean:
    """The same of an incomplete table: a value for each cell that there is, with its item and its run. By REML.

    Degrees of freedom are Satterthwaite's, 2 v² / Var(v), where v is the variance of the mean and that of the
    components comes from the curvature of the deviance; components of zero do not count.

    >>> cells = [1.0, 2.0, 3.0, 2.0, 2.5, 4.5, 0.0, 2.0, 2.0, 3.0, 3.0, 6.0]
    >>> found = crossed_mean_of_cells(cells, np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4))
    >>> [round(x, 3) for x in (found.estimate, found.standard_error, found.df)]
    [2.583, 0.886, 3.987]
    """
    from scipy.optimize import minimize

    cells = _CrossedCells.of(values, items, runs)
    if not _squares(cells.forms(1e8, 1e8)[1]) > _NO_REST * float(cells.sums[-1, -1]):
        raise DegenerateError(
            "Items and runs account for all of the differences: nothing is left that tells how much one answer varies."
        )

    def profiled(root: Array) -> float:
        logdet, form = cells.forms(*(root**2))
        return logdet + float(np.log(form[0, 0])) + (cells.count - 1) * float(np.log(_squares(form)))

    starts = [(1.0, 1.0), (1.0, 0.1), (0.1, 1.0), (0.1, 0.1)]
    tried = [
        minimize(profiled, np.array(start), bounds=[(0.0, None)] * 2, options={"ftol": 1e-15, "gtol": 1e-10})
        for start in starts
    ]
    best = min(tried, key=lambda each: float(each.fun))
    ratio = np.where(best.x < _NO_ROOT, 0.0, best.x**2)
    rest = _squares(cells.forms(*ratio)[1]) / (cells.count - 1)
    free = np.array([*(ratio > 0), True])

    def whole(part: Array) -> Array:
        filled = np.zeros(3)
        filled[free] = np.exp(part)
        return filled

    def deviance(part: Array) -> float:
        return cells.deviance(whole(part))

    at = np.log(np.array([*(ratio * rest), rest])[free])
    for _ in range(3):  # Newton's steps, as the search stops at some five digits
        at = at - np.linalg.solve(_hessian(deviance, at), _gradient(deviance, at))
    components = whole(at)
    slope = _gradient(lambda part: cells.variance(whole(part)), at)
    variance = cells.variance(components)
    df = float(variance**2 / (slope @ np.linalg.solve(_hessian(deviance, at), slope)))
    form = cells.forms(*(components[:2] / components[2]))[1]
    mean = cells.centre + float(form[0, 1] / form[0, 0])
    return CrossedMean(mean, float(np.sqrt(variance)), df, *map(float, components))


_NO_REST = 1e-7  # of the sum of squares: what is left by rounding
_NO_ROOT = 1e-4  # the root of a ratio of variances that is zero, where the search for it ends


@dataclass(frozen=True, slots=True, eq=False)
class _CrossedCells:
    """Sums over cells that all of the restricted likelihood is made of, the runs being few and the items many.

    With variances of items and runs in units of that of the rest, V = I + λ_i Z_i Z_i' + λ_r Z_r Z_r'. The first two
    parts are inverted item by item, the third by Woodbury's formula.
    """

    centre: float
    count: int
    of_items: NDArray[np.int_]  # cells of each item
    sums: Array  # W'W of W = (Z_r, 1, d)
    by_item: Array  # Z_i'W

    @classmethod
    def of(cls, values: ArrayLike, items: ArrayLike, runs: ArrayLike) -> _CrossedCells:
        d = np.asarray(values, dtype=float)
        item, run = (np.unique(np.asarray(labels), return_inverse=True)[1] for labels in (items, runs))
        n, R = int(item.max()) + 1, int(run.max()) + 1
        if n < 2 or R < 2 or len(d) < n + R:
            raise UsageError(
                f"{len(d)} answers to {n} items in {R} runs do not tell what differs between items, between runs and "
                "beside that: at least two of each, and more answers than items and runs together, are needed."
            )
        W = np.column_stack([np.eye(R)[run], np.ones(len(d)), d - d.mean()])
        by_item = np.zeros((n, R + 2))
        np.add.at(by_item, item, W)
        return cls(float(d.mean()), len(d), np.bincount(item), W.T @ W, by_item)

    def forms(self, items: float, runs: float) -> tuple[float, Array]:
        """log|V|, and (1, d)'V⁻¹(1, d), of two ratios of variances."""
        R = len(self.sums) - 2
        shrunken = items / (1 + items * self.of_items)
        M = self.sums - self.by_item.T @ (shrunken[:, None] * self.by_item)
        inner = np.eye(R) + runs * M[:R, :R]
        form = M[R:, R:] - runs * M[R:, :R] @ np.linalg.solve(inner, M[:R, R:])
        return float(np.log1p(items * self.of_items).sum() + np.linalg.slogdet(inner)[1]), form

    def deviance(self, components: Array) -> float:
        """−2 log of the restricted likelihood: log|V| + log 1'V⁻¹1 + (N − 1) log σ² + r'V⁻¹r/σ², but for a constant."""
        items, runs, rest = components
        logdet, form = self.forms(items / rest, runs / rest)
        return logdet + float(np.log(form[0, 0]) + (self.count - 1) * np.log(rest) + _squares(form) / rest)

    def variance(self, components: Array) -> float:
        """Of the mean: 1/(1'V⁻¹1)."""
        items, runs, rest = components
        return float(rest / self.forms(items / rest, runs / rest)[1][0, 0])


def _squares(form: Array) -> float:
    """r'V⁻¹r, where r is what is left of d beside its mean."""
    return float(form[1, 1] - form[0, 1] ** 2 / form[0, 0])


def _gradient(function: Callable[[Array], float], at: Array, step: float = 1e-4) -> Array:
    return np.array([(function(at + h) - function(at - h)) / (2 * step) for h in step * np.eye(len(at))])


def _hessian(function: Callable[[Array], float], at: Array, step: float = 1e-3) -> Array:
    sides = [(_gradient(function, at + h, step), _gradient(function, at - h, step)) for h in step * np.eye(len(at))]
    return np.array([(above - below) / (2 * step) for above, below in sides])
