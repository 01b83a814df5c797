"""The area under the ROC curve, and its structural components after DeLong, by midranks (Sun and Xu)."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError
from bakeoff.mathematics.checks import Array, binary_column, midranks, number_column, paired

TINY = 1e-13  # components are shares, so their rounding error is absolute


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """The AUC, and for each positive (negative) the share of negatives below (positives above) it, ties half."""

    auc: float
    positives: Array
    negatives: Array


def components(truth: ArrayLike, scores: ArrayLike) -> Components:
    """DeLong's V10 and V01 of one learner's scores; a larger score speaks for the class 1.

    The rank of a positive among all, less its rank among positives, counts the negatives below it; sorting does in
    n log n what comparing all pairs does in n².

    >>> result = components([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    >>> result.auc, result.positives.tolist(), result.negatives.tolist()
    (0.875, [0.75, 1.0], [1.0, 0.75])
    """
    y, s = paired(binary_column(truth, "truth"), number_column(scores, "scores"))
    m, n = int(y.sum()), int(len(y) - y.sum())
    if m == 0 or n == 0:
        raise DegenerateError(
            f"An ROC curve needs instances of both classes; all {len(y)} have the truth {int(y[0])}. "
            "Test on instances of both classes."
        )
    ranks = midranks(s)
    positive = y == 1
    v10 = (ranks[positive] - midranks(s[positive])) / n
    v01 = 1 - (ranks[~positive] - midranks(s[~positive])) / m
    return Components(float(v10.mean()), v10, v01)


def auc(truth: ArrayLike, scores: ArrayLike) -> float:
    """P(score of a positive > score of a negative), ties counted half.

    >>> auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    return components(truth, scores).auc


def standard_error_of_difference(first: Components, second: Components) -> float:
    """That of the difference of two AUCs on the same instances, from how much each instance adds to it.

    It is 0 for scores that order positives and negatives alike.

    >>> truth = [0, 0, 1, 1]
    >>> one, two = components(truth, [0.1, 0.4, 0.4, 0.8]), components(truth, [0.5, 0.4, 0.3, 0.8])
    >>> round(standard_error_of_difference(one, two), 4)
    0.3953
    """
    m, n = len(first.positives), len(first.negatives)
    d10, d01 = first.positives - second.positives, first.negatives - second.negatives
    if np.abs(d10).max() <= TINY and np.abs(d01).max() <= TINY:
        return 0.0
    if min(m, n) < 2:
        raise DegenerateError(
            f"The variance of an AUC needs at least two instances of each class; found {m} positive and {n} negative. "
            "Test on more instances."
        )
    variance = float(np.var(d10, ddof=1)) / m + float(np.var(d01, ddof=1)) / n
    if variance <= TINY**2:
        raise DegenerateError(
            f"The AUCs are {first.auc:.6g} and {second.auc:.6g}, and every instance adds the same to the difference, "
            "so its variance is zero and z does not exist. Report the AUCs themselves."
        )
    return sqrt(variance)
