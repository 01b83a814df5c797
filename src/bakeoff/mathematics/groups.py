"""Independent samples of different sizes: the check of what is given, and their sums of squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import squarable
from bakeoff.mathematics.laws import f_sf

Array = NDArray[np.float64]


def number_samples(groups: Sequence[ArrayLike] | ArrayLike) -> list[Array]:
    """Two samples or more of finite numbers, NaN left out; of a matrix, the columns.

    >>> [sample.tolist() for sample in number_samples([[1, 2, float("nan")], [3]])]
    [[1.0, 2.0], [3.0]]
    """
    columns: Sequence[ArrayLike] = list(groups.T) if isinstance(groups, np.ndarray) and groups.ndim == 2 else groups  # type: ignore[assignment]
    if isinstance(columns, (str, bytes)) or not hasattr(columns, "__len__") or len(columns) < 2:
        raise UsageError("At least two samples are needed, one a learner; found fewer.")
    made = []
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
        made.append(values)
    return made


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

    >>> found = partition([np.array([1.0, 3.0]), np.array([5.0, 7.0])])
    >>> found.ss_between, found.ss_within, found.df_between, found.df_within
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
