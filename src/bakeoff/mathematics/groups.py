"""Independent samples of different sizes: the check of what is given, and their sums of squares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import choice, number_table, squarable
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


# ----------------------------------------------------------------------------------------------------------------------
# Student's t for the means of two independent samples, with the three counts of degrees of freedom in use.


DF: Mapping[str, str] = {
    "welch": "Welch",
    "pooled": "one common variance",
    "smaller": "the smaller sample's size less one",
}


@dataclass(frozen=True, slots=True)
class TwoMeans:
    """The difference of two means, its standard error and its degrees of freedom."""

    difference: float
    standard_error: float
    df: float


def two_means(first: Array, second: Array, df: str = "welch") -> TwoMeans:
    """The difference of means with √(s1²/n1 + s2²/n2) and Welch's degrees of freedom, or pooled, or min(n1, n2) − 1.

    >>> found = two_means(np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 3.0, 4.0]))
    >>> round(found.difference, 4), round(found.standard_error, 4), round(found.df, 3)
    (0.3333, 1.2693, 4.861)
    """
    choice(df, DF, "count of degrees of freedom")
    n, m = len(first), len(second)
    if min(n, m) < 2 and not (df == "pooled" and n + m > 2):
        raise UsageError(f"A variance needs at least two values in each sample; found {n} and {m}.")
    # Squares of very small or large deviations would leave the range of floats.
    a, b = first - first.mean(), second - second.mean()
    unit = float(max(np.abs(a).max(), np.abs(b).max())) or 1.0
    ss = float(np.sum((a / unit) ** 2)), float(np.sum((b / unit) ** 2))
    if df == "pooled":
        variance = sum(ss) / (n + m - 2) * (1 / n + 1 / m)
        freedom = float(n + m - 2)
    else:
        v, w = ss[0] / (n - 1) / n, ss[1] / (m - 1) / m
        variance = v + w
        smaller = float(min(n, m) - 1)
        # ν = (v + w)² / (v²/(n1 − 1) + w²/(n2 − 1)), eq. of Welch and Satterthwaite
        freedom = variance**2 / (v**2 / (n - 1) + w**2 / (m - 1)) if df == "welch" and variance > 0 else smaller
    difference = float(first.mean()) - float(second.mean())
    return TwoMeans(difference, sqrt(variance) * unit, freedom)


# ----------------------------------------------------------------------------------------------------------------------
# Which measures are free of each other: multivariate tests need a covariance matrix that has an inverse.


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
# Tables of right and wrong answers: what Cochran's Q and Dunn's intervals share.


@dataclass(frozen=True, slots=True, eq=False)
class BinaryRates:
    """The rates of k classifiers on n instances, and the pooled variance of a difference of any two of them."""

    rates: Array
    n: int
    variance: float


def answers(table: ArrayLike) -> BinaryRates:
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
    return BinaryRates(y.mean(axis=0), n, variance)
