"""The ceiling effect: methods that look alike because the task leaves no room to be better.

Holte (1993), doi:10.1023/A:1022631118932, found one-rule classifiers almost as accurate as C4. Before that is news, one
asks what anything could have reached there: where the best accuracy known is hardly better than either, the comparison
says little (Cohen 1995, Empirical Methods for Artificial Intelligence, 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array, number_table


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Two methods beside the best of them on each task.

    `best` is the larger score of each task, `room` its mean less the mean of each method: what choosing the right
    method on every task would gain. Where there is hardly any room, equal means are no evidence of equal methods.
    """

    means: Array
    best: Array
    mean_best: float
    wins: tuple[int, int]
    ties: int

    @property
    def room(self) -> Array:
        return self.mean_best - self.means


def ceiling(scores: ArrayLike) -> Ceiling:
    """Means, wins and room of two methods (rows) on tasks (columns); larger scores are better.

    >>> found = ceiling([[93.8, 77.2, 100.0], [95.9, 87.4, 98.4]])
    >>> found.best.tolist(), found.wins, found.room.round(2).tolist()
    ([95.9, 87.4, 100.0], (1, 2), [4.1, 0.53])
    """
    table = number_table(scores, "scores", rows=2)
    if len(table) != 2:
        raise UsageError(f"The ceiling of a comparison has two methods as rows; found {len(table)}.")
    first, second = table
    best = table.max(axis=0)
    return Ceiling(
        means=table.mean(axis=1),
        best=best,
        mean_best=float(best.mean()),
        wins=(int((first > second).sum()), int((second > first).sum())),
        ties=int((first == second).sum()),
    )


def is_columnwise_best(row: ArrayLike, scores: ArrayLike) -> bool:
    """Whether a printed row of best scores is what its table says.

    >>> is_columnwise_best([2, 3], [[1, 3], [2, 1]])
    True
    """
    table = number_table(scores, "scores")
    return bool(np.array_equal(np.asarray(row, dtype=float), table.max(axis=0)))
