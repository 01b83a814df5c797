"""One number for scores of many runs on many tasks, as reinforcement learning reports them.

Rows are runs, columns are tasks, and scores are normalised, so that 1 is the level to reach (often a human's).
Reference: Agarwal et al. (2021), Deep Reinforcement Learning at the Edge of the Statistical Precipice, NeurIPS 34.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import number_table


@dataclass(frozen=True, slots=True)
class Aggregates:
    """Four summaries of a table of runs × tasks."""

    mean: float
    median: float
    iqm: float
    optimality_gap: float


def aggregates(scores: ArrayLike, gamma: float = 1.0) -> Aggregates:
    """Mean and median over tasks of the tasks' means, interquartile mean over all runs, and the optimality gap.

    The interquartile mean drops the ⌊¼·n⌋ smallest and largest of the n = runs × tasks scores. It is robust against
    outlying runs like the median, and uses half of the data where the median uses one or two tasks. The optimality gap
    is γ − mean(min(score, γ)): by how much the runs miss γ, with nothing gained above it.

    >>> found = aggregates([[0.1, 0.5, 0.9], [0.2, 0.6, 1.1]])
    >>> round(found.mean, 3), round(found.median, 3), round(found.iqm, 3), round(found.optimality_gap, 3)
    (0.567, 0.55, 0.55, 0.45)
    """
    table = number_table(scores, "scores")
    if not np.isfinite(gamma):
        raise UsageError(f"γ, the level to reach, must be a finite number; found {gamma!r}.")
    tasks = table.mean(axis=0)
    return Aggregates(
        mean=float(tasks.mean()),
        median=float(np.median(tasks)),
        iqm=trimmed_mean(table.ravel(), 0.25),
        optimality_gap=float(gamma - np.minimum(table, gamma).mean()),
    )


def trimmed_mean(values: ArrayLike, share: float) -> float:
    """The mean without the ⌊share·n⌋ smallest and as many largest values.

    >>> trimmed_mean([0, 1, 2, 100], 0.25)
    1.5
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    if not 0 <= share < 0.5:
        raise UsageError(f"The share to trim at each end lies between 0 and ½; found {share!r}.")
    cut = int(share * len(ordered) + 1e-9)
    return float(ordered[cut : len(ordered) - cut].mean())
