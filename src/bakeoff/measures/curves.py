"""Curves over all thresholds of a score: ROC, precision–recall, sensitivity–specificity, F, lift, and cost.

An instance is assigned to the positive class if its score is at least the threshold. Thresholds are the distinct
scores, from the largest down, so tied instances enter together: a tie between a positive and a negative gives a
slanted piece of the ROC curve, and the order in which the data were written changes nothing.

Reference: Fawcett (2006), doi:10.1016/j.patrec.2005.10.010.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import Array, binary_column, number_column, paired


@dataclass(frozen=True, slots=True)
class Curve:
    """A point for each threshold. `names` says what x and y are."""

    names: tuple[str, str]
    thresholds: Array
    x: Array
    y: Array


@dataclass(frozen=True, slots=True)
class _Counts:
    """How many positives and negatives have at least the threshold."""

    thresholds: Array
    tp: Array
    fp: Array
    positives: float
    negatives: float


def _checked(truth: ArrayLike, score: ArrayLike, both: bool = True) -> tuple[Array, Array]:
    """Truth in zeros and ones and a score for each, if there are positives (and, asked for, negatives)."""
    y, s = paired(binary_column(truth, "truth"), number_column(score, "score"))
    if both and (y == y[0]).all():
        raise DegenerateError(f"There must be instances of both classes; all {len(y)} are of class {y[0]:g}.")
    if not y.any():
        raise DegenerateError(f"There must be at least one positive instance; all {len(y)} are negative.")
    return y, s


def _counts(truth: ArrayLike, score: ArrayLike, both: bool = False) -> _Counts:
    y, s = _checked(truth, score, both)
    order = np.argsort(-s, kind="stable")
    y, s = y[order], s[order]
    last = np.append(np.flatnonzero(np.diff(s)), len(s) - 1)  # the last of each run of equal scores
    tp = np.cumsum(y)[last]
    return _Counts(s[last], tp, last + 1.0 - tp, float(y.sum()), float(len(y) - y.sum()))


def roc_curve(truth: ArrayLike, score: ArrayLike) -> Curve:
    """False-positive rate (x) and true-positive rate (y), from (0, 0) at the threshold ∞ to (1, 1).

    >>> curve = roc_curve([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.8, 0.6, 0.5, 0.4, 0.3, 0.1])
    >>> curve.x.tolist()
    [0.0, 0.0, 0.25, 0.25, 0.5, 0.75, 0.75, 1.0]
    >>> curve.y.tolist()
    [0.0, 0.25, 0.5, 0.75, 0.75, 0.75, 1.0, 1.0]
    """
    c = _counts(truth, score, both=True)
    thresholds, tp, fp = (
        np.concatenate([[start], part]) for start, part in ((np.inf, c.thresholds), (0, c.tp), (0, c.fp))
    )
    return Curve(("fp-rate", "tp-rate"), thresholds, fp / c.negatives, tp / c.positives)


def precision_recall_curve(truth: ArrayLike, score: ArrayLike) -> Curve:
    """Recall (x) and precision (y) at each threshold; above the largest score precision does not exist.

    >>> curve = precision_recall_curve([1, 0, 1], [0.9, 0.8, 0.7])
    >>> curve.x.tolist(), curve.y.round(3).tolist()
    ([0.5, 0.5, 1.0], [1.0, 0.5, 0.667])
    """
    c = _counts(truth, score)
    return Curve(("recall", "precision"), c.thresholds, c.tp / c.positives, c.tp / (c.tp + c.fp))


def sensitivity_specificity_curve(truth: ArrayLike, score: ArrayLike) -> Curve:
    """Sensitivity (x) and specificity (y): the ROC curve with its abscissa turned round.

    >>> curve = sensitivity_specificity_curve([1, 0, 1], [0.9, 0.8, 0.7])
    >>> curve.x.tolist(), curve.y.tolist()
    ([0.0, 0.5, 0.5, 1.0], [1.0, 1.0, 0.0, 0.0])
    """
    roc = roc_curve(truth, score)
    return Curve(("sensitivity", "specificity"), roc.thresholds, roc.y, 1 - roc.x)


def f_curve(truth: ArrayLike, score: ArrayLike, beta: float = 1.0) -> Curve:
    """The threshold (x) and the F-measure there (y); recall counts β times as much as precision.

    F_β = (1 + β²) tp / ((1 + β²) tp + β² fn + fp)

    >>> f_curve([1, 0, 1], [0.9, 0.8, 0.7]).y.round(3).tolist()
    [0.667, 0.5, 0.8]
    """
    if not 0 < beta < np.inf:
        raise UsageError(f"β, the weight of recall, must be positive and finite; found {beta!r}.")
    c = _counts(truth, score)
    hits = (1 + beta**2) * c.tp
    f = hits / (hits + beta**2 * (c.positives - c.tp) + c.fp)
    return Curve(("threshold", "F"), c.thresholds, c.thresholds, f)


def lift_curve(truth: ArrayLike, score: ArrayLike) -> Curve:
    """The share of instances at or above the threshold (x) and the lift among them (y).

    Lift is precision over the share of positives: 1 at the end, where everybody is taken. At share 0 it is 0/0.

    >>> curve = lift_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.2])
    >>> curve.x.tolist(), curve.y.round(3).tolist()
    ([0.25, 0.5, 0.75, 1.0], [2.0, 1.0, 1.333, 1.0])
    """
    c = _counts(truth, score)
    taken, n = c.tp + c.fp, c.positives + c.negatives
    return Curve(("share taken", "lift"), c.thresholds, taken / n, c.tp / taken / (c.positives / n))


def cost_curve(truth: ArrayLike, score: ArrayLike, points: int = 101) -> Curve:
    """The probability cost (x) and the least normalised expected cost that any threshold has there (y).

    The probability cost is the share of the positives in all that wrong decisions could cost, P(+)C(−|+) over
    P(+)C(−|+) + P(−)C(+|−): what class shares and costs come to in one number from 0 to 1. A threshold is a straight
    line over it, from its fp-rate to its fn-rate, and the curve is the lower envelope of all of them. `thresholds` are
    those that reach it. Drummond and Holte (2006), doi:10.1007/s10994-006-8199-5.

    >>> curve = cost_curve([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.3, 0.1], points=5)
    >>> curve.x.tolist(), curve.y.round(3).tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.083, 0.167, 0.083, 0.0])
    """
    roc = roc_curve(truth, score)
    x = np.linspace(0, 1, points)
    costs = np.outer(1 - x, roc.x) + np.outer(x, 1 - roc.y)  # a row for each x, a column for each threshold
    cheapest = costs.argmin(axis=1)
    return Curve(("probability cost", "expected cost"), roc.thresholds[cheapest], x, costs.min(axis=1))
