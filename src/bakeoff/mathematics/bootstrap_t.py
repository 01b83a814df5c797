"""Bootstrap-t: matched means compared with what resampled blocks say about their own errors, all contrasts at once.

Blocks are rows (items, item means), d_ip the value of contrast p in block i, se_p the standard error s_p/√n of its
mean. Blocks are drawn with replacement, once for all contrasts, and

    t_p = d̄_p / se_p,        t*_p = (d̄*_p − d̄_p) / se*_p.

Two-sided, |t| and |t*| are compared: the symmetric bootstrap-t, whose error is smaller than that of equal tails. The
largest |t*| gives step-down p-values (module step_down) and, because it is centred already, one quantile for them and
for simultaneous intervals. Unlike sign flips it needs no symmetry: losses of unlike shape, such as those of a sure and
of a cautious model, have equal means and skewed differences. Below 20 blocks it is not to be trusted.

    Hall (1992), The bootstrap and Edgeworth expansion, section 3.6
    Romano and Wolf (2005), J. Amer. Statist. Assoc. 100, 94–108, doi:10.1198/016214504000000539

1. A resample is a vector of counts w. With residuals r = d − d̄ only Σ w r and Σ w r² are needed, which are products of
   a matrix of counts with few columns: residuals of the learners, and squares for each contrast.
2. More than MANY blocks are put at random into groups of equal size, whose means are resampled instead. Skewness and
   variance of the overall mean, and with them the error that bootstrap-t corrects, are those of the blocks.
3. If all blocks of a resample agree, se* is zero and t* infinite. Where that happens often (a contrast that is zero but
   for some five blocks) no claim is possible, and the contrast is left out of the maximum: others do not pay for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array, number_table
from bakeoff.mathematics.joint_flips import NOISE, columns_of, contrast_values
from bakeoff.mathematics.laws import check_alpha, check_alternative
from bakeoff.mathematics.step_down import (
    Intervals,
    JointTest,
    StepDown,
    check_draws,
    check_weights,
    in_chunks,
    one_thread,
    upper_quantile,
)
from bakeoff.records import Record

MANY = 2_500  # blocks beyond which groups of them are resampled
AT_ONCE = 2**15  # numbers that are counted at a time: new memory for more is asked of the system, which takes as long
FRAGILE = 0.1  # share of α in which resamples may be without a standard error

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapT(Record):
    """The mean of each contrast, its standard error, the joint test, and which contrasts differ in too few blocks.

    A difference that is the same in every block and not zero has no answer: an infinite statistic, and p = NaN.
    """

    estimate: Array
    standard_error: Array
    test: JointTest
    fragile: Mask

    def intervals(self, alternative: str = "two-sided") -> Intervals:
        """d̄ ± c se with the quantile of the largest |t*|: all intervals cover at once.

        Fragile contrasts have infinite ones; without a standard error there is none.
        """
        none = np.where(self.standard_error > 0, 0.0, nan)
        half = np.where(self.fragile, inf, self.test.reach * np.where(self.standard_error > 0, self.standard_error, 1))
        lower = self.estimate - half + none if alternative != "less" else np.full(len(none), -inf)
        upper = self.estimate + half + none if alternative != "greater" else np.full(len(none), inf)
        return Intervals(self.estimate, lower, upper)


@one_thread()
def bootstrap_t(
    values: ArrayLike,
    contrasts: ArrayLike | None = None,
    *,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    draws: int = 9_999,
    seed: int = 0,
) -> BootstrapT:
    """Test contrasts of matched means by the symmetric bootstrap-t, step-down over their maximum.

    `values` has a row a block and a column a learner, `contrasts` a row of weights each; without, the columns are
    differences already. One-sided alternatives compare t and t* with their signs.

    >>> found = bootstrap_t([[0.9], [0.1], [0.4], [0.8], [0.3], [0.7], [0.5], [0.2], [0.6], [1.0]], draws=999)
    >>> found.estimate.round(4).tolist(), found.test.statistic.round(4).tolist(), bool(found.test.p[0] <= 0.002)
    ([0.55], [5.7446], True)
    """
    check_alternative(alternative)
    draws = check_draws(draws, check_alpha(alpha))
    table = number_table(values, "values")
    weights = check_weights(contrasts, table.shape[1])
    if len(table) < 2:
        raise UsageError("A standard error needs at least two blocks; found 1.")
    estimate, se = means_and_errors(table, weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(se > 0, estimate / se, np.where(estimate == 0, 0.0, np.copysign(inf, estimate)))
    rng = np.random.Generator(np.random.SFC64(seed))
    p, adjusted = np.where(np.isinf(t), nan, 1.0), np.where(np.isinf(t), nan, 1.0)
    fragile, critical, law = np.zeros(len(t), dtype=bool), inf, np.full(draws, inf)
    inner = np.flatnonzero(se > 0)
    if len(inner):
        X = _Columns.of(_grouped(table, rng), weights[inner])
        fragile[inner] = X.degenerate > FRAGILE * alpha
        towards = {"two-sided": np.abs(t), "greater": t, "less": -t}[alternative]
        p[inner], adjusted[inner], critical, law = _counted(
            X, towards[inner], fragile[inner], alternative, alpha, draws, rng
        )
    return BootstrapT(estimate, se, JointTest(t, p, adjusted, critical, critical, False, draws, (law,)), fragile)


def means_and_errors(table: Array, weights: Array) -> tuple[Array, Array]:
    """The mean of each contrast and its standard error, s/√n; rounding error counts as zero.

    >>> mean, se = means_and_errors(np.array([[1.0, 0.0], [3.0, 0.0]]), np.array([[1.0, -1.0]]))
    >>> mean.tolist(), se.tolist()
    ([2.0], [1.0])
    """
    unit, n = float(np.abs(table).max()) or 1.0, len(table)
    mean, se = np.empty(len(weights)), np.empty(len(weights))
    for part, d in contrast_values(table / unit, weights):
        mean[part] = d.mean(axis=0)
        squares = np.sum((d - mean[part]) ** 2, axis=0)
        varies = np.ptp(d, axis=0) > NOISE * np.abs(weights[part]).sum(axis=1)
        se[part] = np.sqrt(squares / (n * max(n - 1, 1))) * varies
    return mean * unit, se * unit


def _grouped(table: Array, rng: np.random.Generator) -> Array:
    """Means of random groups of equal size, if the blocks are many; up to one group's worth of them is left out."""
    if len(table) <= MANY:
        return table
    size = -(-len(table) // MANY)
    groups = len(table) // size
    return np.asarray(table[rng.permutation(len(table))[: groups * size]].reshape(groups, size, -1).mean(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """Residuals of few columns of which contrasts are weighted sums, and their squares for each contrast, side by side.

    `degenerate` is, for each contrast, the probability of a resample in which all blocks agree.
    """

    values: Array
    weights: Array
    degenerate: Array

    @classmethod
    def of(cls, table: Array, weights: Array) -> _Columns:
        base, weights = columns_of(table, weights)
        base = base - base.mean(axis=0)
        n = len(base)
        squares, degenerate = np.empty((n, len(weights))), np.empty(len(weights))
        for part, r in contrast_values(base, weights):
            # Half of the blocks or more have to agree for this to matter, and they are then the median.
            away = np.abs(r - np.median(r, axis=0)) > NOISE * np.abs(weights[part]).sum(axis=1)
            degenerate[part] = (1 - away.mean(axis=0)) ** n
            squares[:, part] = r * r
        return cls(np.column_stack([base, squares]), weights, degenerate)

    def t(self, counts: Array) -> Array:
        """t* of resamples, whose counts are columns: (d̄* − d̄) / √((Σ w r²/n − (d̄* − d̄)²) / (n − 1))."""
        n, q = len(self.values), self.weights.shape[1]
        sums = self.values.T @ counts
        moved, squares = self.weights @ sums[:q] / n, sums[q:] / n
        variance = (squares - moved**2) / (n - 1)
        variance[variance <= 1e-12 * squares / (n - 1)] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            t = moved / np.sqrt(variance)
        t[variance == 0] = inf
        return np.asarray(t)


def _counted(
    X: _Columns, towards: Array, fragile: Mask, alternative: str, alpha: float, draws: int, rng: np.random.Generator
) -> tuple[Array, Array, float, Array]:
    """p of each contrast, step-down p over those that are not fragile, the quantile of their maximum, and its law."""
    firm, rest = StepDown(towards[~fragile]), StepDown(towards[fragile])
    rows, others = np.flatnonzero(~fragile)[firm.order], np.flatnonzero(fragile)[rest.order]
    for size in in_chunks(draws, max(len(X.values), 2 * len(towards))):
        t = X.t(resample_counts(len(X.values), size, rng))
        if alternative != "greater":
            # Where there is no standard error, t* is infinite on every side.
            t = np.abs(t) if alternative == "two-sided" else np.where(np.isinf(t), inf, -t)
        if len(rows):
            firm.add(t[rows])
        if len(others):
            rest.add(t[others])
    p, adjusted, critical, law = np.ones(len(towards)), np.ones(len(towards)), inf, np.full(draws, inf)
    if len(rows):
        p[~fragile], adjusted[~fragile] = firm.shares(exact=False)
        law = np.sort(firm.largest)
        critical = upper_quantile(law, alpha, exact=False)
    if len(others):
        p[fragile] = rest.shares(exact=False)[0]
    return p, adjusted, critical, law


def resample_counts(n: int, size: int, rng: np.random.Generator) -> Array:
    """How often each of n blocks is drawn, in `size` resamples of n with replacement: n × size.

    >>> resample_counts(4, 3, np.random.default_rng(1)).sum(axis=0).tolist()
    [4.0, 4.0, 4.0]
    """
    counts = np.empty((size, n))
    rows = max(AT_ONCE // n, 1)
    places = n * np.arange(min(rows, size))[:, None]
    for start in range(0, size, rows):
        part = counts[start : start + rows]
        which = rng.integers(0, n, part.shape, dtype=np.int64)
        which += places[: len(part)]
        part[:] = np.bincount(which.ravel(), minlength=part.size).reshape(part.shape)
    return counts.T
