"""Tables of right and wrong answers: what Cochran's Q and Dunn's intervals share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import number_table

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The rates of k classifiers on n instances, and the pooled variance of a difference of any two of them."""

    rates: Array
    n: int
    variance: float


def answers(table: ArrayLike) -> Answers:
    """Rates of ones a column, and σ²_diff = 2 (k Σ Yj. − Σ Yj.²) / (n² k (k−1)) with the row sums Yj.

    An instance on which all classifiers agree adds nothing to the variance. (Feelders and Verkooijen, section 3, after
    Marascuilo and McSweeney.)

    >>> answers([[1, 0], [1, 1], [0, 1], [1, 0]]).variance
    0.1875
    """
    y = number_table(table, "table", columns=2)
    strange = np.argwhere((y != 0) & (y != 1))
    if len(strange):
        row, column = strange[0].tolist()
        raise UsageError(
            f"Every value of 'table' must be 0 or 1 (right or wrong); "
            f"found {y[row, column]:g} in row {row + 1}, column {column + 1}."
        )
    n, k = y.shape
    rows = y.sum(axis=1)
    variance = 2 * float(np.sum(rows * (k - rows))) / (n**2 * k * (k - 1))
    return Answers(y.mean(axis=0), n, variance)
