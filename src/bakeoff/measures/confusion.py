"""What a confusion matrix says: error, rates, precision, recall, F, lift, kappa, and the risk under a loss matrix.

Rows are the true classes and columns the assigned ones throughout. Two classes are written as four counts:

                     assigned positive   assigned negative
    truly positive          tp                  fn
    truly negative          fp                  tn

References: Alpaydın (2014), Introduction to Machine Learning, tables 19.1 and 19.2, and exercise 1 of chapter 19;
Cohen (1960), doi:10.1177/001316446002000104.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import Array, count, number_table


@dataclass(frozen=True, slots=True)
class TwoClass:
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

    >>> found = two_class_measures(tp=70, fn=30, fp=20, tn=180)
    >>> found.recall, found.specificity, round(found.precision, 4), round(found.f1, 4), round(found.lift, 4)
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


def confusion_matrix(
    truth: Sequence[object] | NDArray[np.generic],
    assigned: Sequence[object] | NDArray[np.generic],
    classes: Sequence[object] | None = None,
) -> tuple[tuple[object, ...], NDArray[np.int64]]:
    """The classes, in order, and how often each (row) was taken for each (column).

    >>> confusion_matrix(["cat", "dog", "dog"], ["cat", "cat", "dog"])
    (('cat', 'dog'), array([[1, 0],
           [1, 1]]))
    """
    if len(truth) != len(assigned):
        raise UsageError(f"There must be as many true as assigned classes; found {len(truth)} and {len(assigned)}.")
    true, given = np.asarray(truth).tolist(), np.asarray(assigned).tolist()
    if not true:
        raise UsageError("A confusion matrix must count at least one instance; found none.")
    names = tuple(classes) if classes is not None else tuple(sorted({*true, *given}))
    place = {name: i for i, name in enumerate(names)}
    if strange := [name for name in (*true, *given) if name not in place]:
        raise UsageError(f"{strange[0]!r} is not among the classes {', '.join(map(repr, names))}.")
    matrix = np.zeros((len(names), len(names)), dtype=np.int64)
    np.add.at(matrix, ([place[name] for name in true], [place[name] for name in given]), 1)
    return names, matrix


@dataclass(frozen=True, slots=True)
class ManyClass:
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

    >>> found = many_class_measures([[50, 3, 2], [4, 40, 6], [1, 7, 37]])
    >>> round(found.accuracy, 4), round(found.kappa, 4), found.recall.round(3).tolist()
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
