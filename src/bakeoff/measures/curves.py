"""Curves over all thresholds of a score (ROC and its kin), confusion matrices, areas, averages of many runs.

An instance is assigned to the positive class if its score is at least the threshold. Thresholds are the distinct
scores, from the largest down, so tied instances enter together: a tie between a positive and a negative gives a
slanted piece of the ROC curve, and the order in which the data were written changes nothing.

Reference: Fawcett (2006), doi:10.1016/j.patrec.2005.10.010.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.auc import components
from bakeoff.mathematics.checks import Array, binary_column, count, number_column, number_table, paired
from bakeoff.records import Record


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


def _from_nobody(c: _Counts) -> tuple[Array, Array, Array]:
    """Thresholds, true and false positives, beginning with the threshold ∞ that nobody reaches."""
    return np.append(np.inf, c.thresholds), np.append(0.0, c.tp), np.append(0.0, c.fp)


def roc_curve(truth: ArrayLike, score: ArrayLike) -> Curve:
    """False-positive rate (x) and true-positive rate (y), from (0, 0) at the threshold ∞ to (1, 1).

    >>> curve = roc_curve([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.8, 0.6, 0.5, 0.4, 0.3, 0.1])
    >>> curve.x.tolist()
    [0.0, 0.0, 0.25, 0.25, 0.5, 0.75, 0.75, 1.0]
    >>> curve.y.tolist()
    [0.0, 0.25, 0.5, 0.75, 0.75, 0.75, 1.0, 1.0]
    """
    c = _counts(truth, score, both=True)
    thresholds, tp, fp = _from_nobody(c)
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


@dataclass(frozen=True, slots=True, eq=False)
class CostByThreshold(Record):
    """What decisions cost per case at each threshold, and where they cost least; of equals the largest threshold."""

    thresholds: Array
    costs: Array
    best: float
    least: float


def expected_cost(truth: ArrayLike, score: ArrayLike, cost_fp: float = 1.0, cost_fn: float = 1.0) -> CostByThreshold:
    """The cost per case of calling positive whoever has at least the threshold, (fp·cost_fp + fn·cost_fn)/n.

    The first threshold is ∞, where nobody is called positive. The best one is that of these cases: it is optimistic to
    report its cost on the cases that it was chosen on.

    >>> result = expected_cost([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.2], cost_fn=3)
    >>> result.thresholds.tolist(), result.costs.tolist(), result.best
    ([inf, 0.9, 0.8, 0.7, 0.2], [1.5, 0.75, 1.0, 0.25, 0.5], 0.7)
    """
    for name, cost in (("false positive", cost_fp), ("false negative", cost_fn)):
        if not 0 <= cost < np.inf:
            raise UsageError(f"The cost of a {name} must be finite and not negative; found {cost!r}.")
    c = _counts(truth, score, both=True)
    thresholds, tp, fp = _from_nobody(c)
    costs = (fp * cost_fp + (c.positives - tp) * cost_fn) / (c.positives + c.negatives)
    cheapest = int(np.flatnonzero(costs <= costs.min() * (1 + 1e-12))[0])  # sums that differ by rounding are the same
    return CostByThreshold(thresholds, costs, float(thresholds[cheapest]), float(costs[cheapest]))


# ----------------------------------------------------------------------------------------------------------------------
# What a confusion matrix says: error, rates, precision, recall, F, lift, kappa, and the risk under a loss matrix.
#
# Rows are the true classes and columns the assigned ones throughout. Two classes are written as four counts:
#
# assigned positive   assigned negative
# truly positive          tp                  fn
# truly negative          fp                  tn
#
# References: Alpaydın (2014), Introduction to Machine Learning, tables 19.1 and 19.2, and exercise 1 of chapter 19;
# Cohen (1960), doi:10.1177/001316446002000104.


@dataclass(frozen=True, slots=True, eq=False)
class TwoClass(Record):
    """The measures of a two-class confusion matrix. What would be 0/0 is NaN: it does not exist for these counts."""

    error: float
    accuracy: float
    tp_rate: float
    fp_rate: float
    precision: float
    specificity: float
    f1: float
    lift: float

    @property
    def recall(self) -> float:
        """Another name of the tp-rate, in information retrieval."""
        return self.tp_rate

    @property
    def sensitivity(self) -> float:
        """Another name of the tp-rate, in medicine."""
        return self.tp_rate


def two_class_measures(tp: float, fn: float, fp: float, tn: float) -> TwoClass:
    """All measures of four counts.

    Precision does not exist if nothing was assigned to the positive class. F₁ = 2tp/(2tp + fp + fn) then still does,
    and is zero if positives exist. Lift is precision over the share of positives: how many times more positives are
    among the assigned than among all.

    >>> result = two_class_measures(tp=70, fn=30, fp=20, tn=180)
    >>> result.recall, result.specificity, round(result.precision, 4), round(result.f1, 4), round(result.lift, 4)
    (0.7, 0.9, 0.7778, 0.7368, 2.3333)
    """
    tp, fn, fp, tn = (count(value, name) for value, name in ((tp, "tp"), (fn, "fn"), (fp, "fp"), (tn, "tn")))
    n = tp + fn + fp + tn
    if n == 0:
        raise UsageError("A confusion matrix must count at least one instance; found four zeros.")
    precision = _ratio(tp, tp + fp)
    return TwoClass(
        error=(fn + fp) / n,
        accuracy=(tp + tn) / n,
        tp_rate=_ratio(tp, tp + fn),
        fp_rate=_ratio(fp, fp + tn),
        precision=precision,
        specificity=_ratio(tn, fp + tn),
        f1=_ratio(2 * tp, 2 * tp + fp + fn),
        lift=_ratio(precision, (tp + fn) / n),
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else nan


@dataclass(frozen=True, slots=True, eq=False)
class ManyClass(Record):
    """The measures of a K × K confusion matrix; arrays have one value a class, which is NaN where it is 0/0."""

    accuracy: float
    kappa: float
    recall: Array
    precision: Array
    f1: Array

    @property
    def error(self) -> float:
        return 1 - self.accuracy


def many_class_measures(matrix: ArrayLike) -> ManyClass:
    """Accuracy, Cohen's kappa, and each class against the rest.

    κ = (accuracy − chance)/(1 − chance), where chance is the agreement of independent assignments with these margins.

    >>> result = many_class_measures([[50, 3, 2], [4, 40, 6], [1, 7, 37]])
    >>> round(result.accuracy, 4), round(result.kappa, 4), result.recall.round(3).tolist()
    (0.8467, 0.7692, [0.909, 0.8, 0.822])
    """
    table = _square(matrix)
    n, right, true, assigned = table.sum(), np.diag(table), table.sum(axis=1), table.sum(axis=0)
    chance = float(true @ assigned / n**2)
    accuracy = float(right.sum() / n)
    with np.errstate(invalid="ignore"):
        return ManyClass(
            accuracy=accuracy,
            kappa=_ratio(accuracy - chance, 1 - chance),
            recall=right / true,
            precision=right / assigned,
            f1=2 * right / (true + assigned),
        )


def one_versus_rest(matrix: ArrayLike, class_index: int) -> TwoClass:
    """The two-class measures of one class of a K × K matrix against all others.

    >>> one_versus_rest([[50, 3, 2], [4, 40, 6], [1, 7, 37]], 1).recall
    0.8
    """
    table = _square(matrix)
    if not 0 <= class_index < len(table):
        raise UsageError(f"The class must be one of 0 to {len(table) - 1}; found {class_index!r}.")
    tp = table[class_index, class_index]
    fn, fp = table[class_index].sum() - tp, table[:, class_index].sum() - tp
    return two_class_measures(tp, fn, fp, table.sum() - tp - fn - fp)


def _square(matrix: ArrayLike) -> Array:
    table = number_table(matrix, "confusion matrix", rows=2, columns=2)
    if table.shape[0] != table.shape[1]:
        raise UsageError(f"A confusion matrix has as many rows as columns; found the shape {table.shape}.")
    for value in table.ravel().tolist():
        count(value, "confusion matrix")
    if not table.sum():
        raise UsageError("A confusion matrix must count at least one instance; found only zeros.")
    return table


def risk(matrix: ArrayLike, loss: ArrayLike) -> float:
    """The average loss, Σ counts · loss / n, where loss[i][j] is the cost of assigning class j where i is true.

    >>> risk([[8, 2], [1, 9]], [[0, 5], [1, 0]])
    0.55
    """
    table, costs = _square(matrix), number_table(loss, "loss matrix")
    if costs.shape != table.shape:
        raise UsageError(f"The loss matrix must have the shape {table.shape} of the confusion matrix: {costs.shape}.")
    return float((table * costs).sum() / table.sum())


def cheapest_class(probabilities: ArrayLike, loss: ArrayLike) -> NDArray[np.int64]:
    """For each row of class probabilities the class whose expected loss is smallest (the first of equals).

    >>> cheapest_class([[0.3, 0.7], [0.1, 0.9]], [[0, 5], [1, 0]]).tolist()
    [0, 1]
    """
    p, costs = number_table(probabilities, "probabilities"), number_table(loss, "loss matrix")
    if costs.shape[0] != p.shape[1]:
        raise UsageError(f"{p.shape[1]} classes have probabilities, but the loss matrix has {costs.shape[0]} rows.")
    return np.asarray(np.argmin(p @ costs, axis=1))  # R(j|x) = Σ_i loss[i][j] P(i|x)


def decision_threshold(loss: ArrayLike) -> float:
    """The probability of the first class above which assigning it is cheaper, for a 2 × 2 loss matrix.

    Assign the first class if (loss₁₂ − loss₁₁) p > (loss₂₁ − loss₂₂)(1 − p). With nothing lost by right decisions,
    1 by taking the first for the second, and α by taking the second for the first, the threshold is α/(1 + α): the
    convention of the source, loss[i][j] being the cost of *deciding* i when the truth is j, is this one transposed.

    >>> decision_threshold([[0, 1], [3, 0]])  # calling the second class the first costs three times as much
    0.75
    >>> decision_threshold([[0, 1], [1, 0]])
    0.5
    """
    costs = number_table(loss, "loss matrix", rows=2, columns=2)
    if costs.shape != (2, 2):
        raise UsageError(f"A threshold exists for two classes; the loss matrix has the shape {costs.shape}.")
    miss, alarm = float(costs[0, 1] - costs[0, 0]), float(costs[1, 0] - costs[1, 1])
    if miss <= 0 or alarm <= 0:
        raise DegenerateError(
            "No threshold exists: a wrong decision must cost more than the right one in both classes."
        )
    return alarm / (miss + alarm)


# ----------------------------------------------------------------------------------------------------------------------
# How exact the area under the ROC curve of one model is: DeLong's variance and interval.
#
# Reference: DeLong, DeLong and Clarke-Pearson (1988), doi:10.2307/2531595.


def auc_variance(truth: ArrayLike, score: ArrayLike) -> float:
    """var(V10)/m + var(V01)/n, over m positives and n negatives.

    >>> round(auc_variance([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.125
    """
    parts = components(truth, score)
    variance = 0.0
    for part, name in ((parts.positives, "positive"), (parts.negatives, "negative")):
        if len(part) < 2:
            raise DegenerateError(f"A variance needs two instances of each class; there is one {name} instance.")
        variance += float(np.var(part, ddof=1)) / len(part)
    return variance


def auc_interval(truth: ArrayLike, score: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """DeLong's interval, AUC ± z · se, kept inside [0, 1].

    It speaks about this fitted model on new instances. At an AUC of exactly 0 or 1 it has no width, which says that the
    normal approximation fails there and not that the AUC is known.

    >>> low, high = auc_interval([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.8, 0.6, 0.5, 0.4, 0.3, 0.1])
    >>> round(low, 4), high
    (0.3094, 1.0)
    """
    from bakeoff.mathematics.laws import check_confidence, normal_quantile

    half = normal_quantile((1 + check_confidence(confidence)) / 2) * auc_variance(truth, score) ** 0.5
    area = components(truth, score).auc
    return max(0.0, area - half), min(1.0, area + half)
