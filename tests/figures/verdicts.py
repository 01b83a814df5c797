"""Verdicts to draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.judging import Verdict, judge
from bakeoff.measures import known_measure
from bakeoff.procedures.friedman import DEMSAR
from bakeoff.scores import Scores

DEMSAR_LEARNERS = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")


def scores(table: ArrayLike, names: Sequence[str], measure: str = "auc") -> Scores:
    values = np.asarray(table, dtype=float)
    n, k = values.shape
    return Scores.of(
        values.ravel(),
        learner=list(names) * n,
        task=[f"task {i // k}" for i in range(n * k)],
        measures={measure: known_measure(measure)},
    )


def demsar(procedure: str = "friedman", **request: Any) -> Verdict:
    return judge(scores(DEMSAR, DEMSAR_LEARNERS), procedure, **request)


def random(k: int, *, names: Sequence[str] | None = None, n: int = 30, spread: float = 0.15, **request: Any) -> Verdict:
    """k learners, each a little better than the one before."""
    table = 0.7 + np.linspace(0, spread, k) + 0.05 * np.random.default_rng(k).standard_normal((n, k))
    return judge(
        scores(table, names or [f"learner {i + 1}" for i in range(k)]), "friedman" if k > 2 else "wilcoxon", **request
    )


def all_equal(k: int) -> Verdict:
    return judge(scores(np.full((10, k), 0.5), [f"learner {i + 1}" for i in range(k)]), "friedman")


def not_by_neighbours() -> Verdict:
    """steady beats its neighbour shadow on every task; wild, which comes last, is told apart from neither."""
    n = 16
    steady = np.linspace(0.7, 0.8, n)
    wild = steady - 0.03 + np.where(np.arange(n) % 3 == 1, 0.5, -0.1) * np.linspace(0.5, 1, n)  # wins five times
    return judge(
        scores(np.column_stack([steady, steady - 0.01 - 1e-4 * np.arange(n), wild]), ["steady", "shadow", "wild"]),
        "wilcoxon",
    )
