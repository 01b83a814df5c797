"""A mean over items and runs that are both samples: every run answers every item, and both are random effects.

With d_ir the value of item i in run r, d_ir = μ + item_i + run_r + e_ir, items perhaps in clusters. Averages over runs
vary from item to item, averages over items from run to run; a mean that is to hold for new items and new runs has both
in its error. For complete tables mean squares tell all of it (Searle, Casella and McCulloch 1992, section 4.3):

    Var(d̄) = (MS_item + MS_run − MS_rest) / (n R),

which is what REML gives unless a component would be negative: such a one is zero, and what it stood for is pooled.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import number_table
from bakeoff.mathematics.clusters import cluster_means, gather
from bakeoff.records import Record


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
        found = cluster_means(gather(by_item[:, None], clusters))
        parts[0] = float(found.standard_error[0]) ** 2, float(found.df[0])
    if len(parts) != 1:
        parts.append((ms_rest / (n * R) * (1 if not parts else -1), float(df_rest)))
    variance, spread = sum(part for part, _ in parts), sum(part**2 / df for part, df in parts)
    df = variance**2 / spread if spread > 0 else float(n - 1)
    item, run = (ms_item - ms_rest) / R * has_items, (ms_run - ms_rest) / n * has_runs
    return CrossedMean(mean, float(np.sqrt(variance)), float(df), abs(max(item, 0.0)), abs(max(run, 0.0)), ms_rest)


def as_table(values: ArrayLike, items: ArrayLike, runs: ArrayLike) -> np.ndarray:
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
