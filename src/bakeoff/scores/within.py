"""Folds within tasks: the values that the average of a task is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bakeoff.scores.blocks import Blocks, Level, Missing, blocks
from bakeoff.scores.table import Scores


@dataclass(frozen=True, eq=False)
class Within:
    """A matrix with a row a fold, and for each task the rows that are its folds."""

    sheet: Blocks
    rows: tuple[NDArray[np.intp], ...]

    def by_task(self, column: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """A column of the matrix (or a weighted sum of some), cut up into tasks."""
        return [column[rows] for rows in self.rows]


def within_tasks(scores: Scores, *, missing: Missing = Missing.ERROR) -> Within:
    """The folds of each task; instances are averaged within their fold, and missing values settled as in `blocks`.

    >>> from bakeoff.measures import known_measure
    >>> made = Scores.of(
    ...     [0.9, 0.8, 0.7, 0.6], learner=["a"] * 4, task=["x", "x", "y", "y"], fold=["1", "2", "1", "2"],
    ...     measures={"auc": known_measure("auc")},
    ... )
    >>> found = within_tasks(made)
    >>> [column.tolist() for column in found.by_task(found.sheet.values[:, 0])]
    [[0.9, 0.8], [0.7, 0.6]]
    """
    sheet = blocks(scores, level=Level.RESAMPLES, missing=missing)
    return Within(sheet, tuple(np.flatnonzero(sheet.task == task) for task in np.unique(sheet.task)))
