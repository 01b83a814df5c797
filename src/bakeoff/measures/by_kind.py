"""Responses by what they are computed from: assigned classes, predicted numbers, scores of classes.

For two classes the second is the positive one. For more, each class is held against the rest and the results are
averaged: `macro` counts classes alike, `weighted` by how often they are true, `micro` counts rows alike. What would be
0/0 is undefined here and never set to 0 or 1, as some libraries do: a learner would be rewarded or punished by a
convention.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import midranks
from bakeoff.measures.curves import many_class_measures, precision_recall_curve, two_class_measures
from bakeoff.measures.measure import LOSSES
from bakeoff.measures.response import Array, Prediction, Truth, Undefined, shown


def confusion_of(truth: Truth, prediction: Prediction) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
    """The classes, and how often each (row) was taken for each (column).

    >>> import numpy as np
    >>> truth = Truth("classification", np.array([0, 1, 1]), ("cat", "dog"))
    >>> confusion_of(truth, Prediction(np.array([0, 0, 1])))
    (('cat', 'dog'), array([[1, 0],
           [1, 1]]))
    """
    if truth.kind != "classification":
        raise UsageError(f"A confusion matrix counts classes; this is a task of {truth.kind}.")
    k = len(truth.classes)
    true, given = truth.values, prediction.values
    if len(true) != len(given):
        raise UsageError(f"There must be as many true as assigned classes; found {len(true)} and {len(given)}.")
    if len(true) and (given.min() < 0 or given.max() >= k):
        raise UsageError(f"Assigned classes are numbers from 0 to {k - 1}; found {given.min()} to {given.max()}.")
    counts = np.bincount(true * k + given, minlength=k * k)
    return truth.classes, counts.reshape(k, k).astype(np.int64)


def error(truth: Truth, prediction: Prediction) -> Array:
    """Whether a row is wrong; one with several labels is, unless all of them are right."""
    wrong = LOSSES["error"].of(truth.values, prediction.values)
    return wrong if wrong.ndim == 1 else wrong.max(axis=1)


def accuracy(truth: Truth, prediction: Prediction) -> Array:
    return 1.0 - error(truth, prediction)


def hamming_loss(truth: Truth, prediction: Prediction) -> Array:
    """Which of the labels of a row are wrong."""
    return LOSSES["error"].of(truth.values, prediction.values)


def needs_two_classes(classes: tuple[Any, ...], name: str, instead: str) -> str | None:
    """Why a measure of two classes does not exist for other numbers of them, or None."""
    if len(classes) == 2:
        return None
    other = f" Use {instead}." if instead else ""
    return f"{name!r} is defined for two classes; this task has {len(classes)}.{other}"


def two_class(truth: Truth, prediction: Prediction, name: str) -> float:
    """A rate of two classes, or one of the four counts."""
    (_, positive), matrix = confusion_of(truth, prediction)
    (tn, fp), (fn, tp) = matrix.tolist()
    counts = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    if name in counts:
        return float(counts[name])
    measures = two_class_measures(tp=tp, fn=fn, fp=fp, tn=tn)
    value: float = 1 - measures.tp_rate if name == "fn_rate" else getattr(measures, name)
    if isnan(value):
        label = shown(positive)
        raise Undefined(
            {
                "precision": f"No test row was assigned to the class {label}.",
                "f1": f"No test row is of the class {label}, and none was assigned to it.",
                "fp_rate": f"All test rows are of the class {label}.",
                "specificity": f"All test rows are of the class {label}.",
            }.get(name, f"No test row is of the class {label}.")
        )
    return value


def averaged(truth: Truth, prediction: Prediction, name: str, average: str) -> float:
    """Recall, precision or F₁ of each class against the rest, or of each label, averaged.

    A class counts if it occurs: for recall among the true ones, for precision and F₁ among the true or the assigned.
    """
    noun = "class"
    if truth.kind == "multi-label":
        noun, classes = "label", truth.classes
        right = (truth.values & prediction.values).sum(axis=0)
        true, assigned = truth.values.sum(axis=0), prediction.values.sum(axis=0)
    else:
        classes, matrix = confusion_of(truth, prediction)
        right, true, assigned = np.diag(matrix), matrix.sum(axis=1), matrix.sum(axis=0)
    wholes = {"recall": true, "precision": assigned, "f1": (true + assigned) / 2}[name]
    if average == "micro":  # every wrong row is a false positive of one class and a false negative of another
        if not wholes.sum():
            raise Undefined(f"No {noun} {'applies to' if name == 'recall' else 'was assigned to'} any test row.")
        return float(right.sum() / wholes.sum())
    if not (true > 0).any() and (name == "recall" or average == "weighted"):
        raise Undefined(f"No {noun} applies to any test row.")
    counted = true > 0 if name == "recall" or average == "weighted" else true + assigned > 0
    if not wholes[counted].all():
        never = shown(classes[int(np.flatnonzero(counted & (wholes == 0))[0])])
        raise Undefined(f"No test row was assigned to the {noun} {never}, so that it has no precision to average.")
    if not counted.any():
        raise Undefined(f"No {noun} applies to any test row, and none was assigned to one.")
    rates = right[counted] / wholes[counted]
    return float(np.average(rates, weights=true[counted] if average == "weighted" else None))


def kappa(truth: Truth, prediction: Prediction) -> float:
    """Cohen's κ."""
    _, matrix = confusion_of(truth, prediction)
    value = many_class_measures(matrix).kappa if len(matrix) > 1 else float("nan")
    if isnan(value):
        raise Undefined("All test rows are of one class and assigned to it, so that agreement by chance is certain.")
    return value


def mcc(truth: Truth, prediction: Prediction) -> float:
    """Matthews' correlation of two classes, and its extension to more (Gorodkin 2004).

    (n·Σ right − Σ tₖpₖ) / √((n² − Σ tₖ²)(n² − Σ pₖ²)), tₖ rows being of class k and pₖ assigned to it.
    """
    _, matrix = confusion_of(truth, prediction)
    true, assigned, n = (part.astype(float) for part in (matrix.sum(axis=1), matrix.sum(axis=0), matrix.sum()))
    spread = float((n**2 - true @ true) * (n**2 - assigned @ assigned))
    if spread == 0:
        which = "of" if true.max() == n else "assigned to"
        raise Undefined(f"All test rows are {which} one class, so that there is nothing to correlate.")
    value = (n * float(np.trace(matrix)) - true @ assigned) / spread**0.5
    return float(min(1.0, max(-1.0, value)))


# ----------------------------------------------------------------------------------------------------------------------
# Responses that are computed from predicted numbers, and from log densities.


def squared_error(truth: Truth, prediction: Prediction) -> Array:
    return LOSSES["squared_error"].of(truth.values, prediction.values)


def absolute_error(truth: Truth, prediction: Prediction) -> Array:
    return LOSSES["absolute_error"].of(truth.values, prediction.values)


def percentage_error(truth: Truth, prediction: Prediction) -> Array:
    """|prediction − truth| / |truth|, as a share."""
    zeros = np.argwhere(truth.values == 0)[:, 0]
    if len(zeros):
        raise Undefined(f"The true value of test row {zeros[0] + 1} is 0, so that an error has no percentage of it.")
    return np.asarray(absolute_error(truth, prediction) / np.abs(truth.values))


def rmse(truth: Truth, prediction: Prediction) -> float:
    return float(np.mean(squared_error(truth, prediction)) ** 0.5)


def median_absolute_error(truth: Truth, prediction: Prediction) -> float:
    return float(np.median(absolute_error(truth, prediction)))


def max_error(truth: Truth, prediction: Prediction) -> float:
    return float(np.max(absolute_error(truth, prediction)))


def r2(truth: Truth, prediction: Prediction) -> float:
    """1 − Σ(y − ŷ)²/Σ(y − ȳ)², ȳ being the mean of the test rows."""
    y = _spread(truth.values, "true values")
    return float(1 - squared_error(truth, prediction).sum() / np.sum((y - y.mean()) ** 2))


def explained_variance(truth: Truth, prediction: Prediction) -> float:
    """1 − var(y − ŷ)/var(y): as r², but a constant bias costs nothing."""
    y = _spread(truth.values, "true values")
    return float(1 - np.var(y - prediction.values) / np.var(y))


def pearson(truth: Truth, prediction: Prediction) -> float:
    return _correlation(_spread(truth.values, "true values"), _spread(prediction.values, "predictions"))


def spearman(truth: Truth, prediction: Prediction) -> float:
    """Pearson's correlation of the ranks, ties having the mean of theirs."""
    y, given = _spread(truth.values, "true values"), _spread(prediction.values, "predictions")
    return _correlation(midranks(y), midranks(given))


def values(truth: Truth, prediction: Prediction) -> Array:
    """What the learner gives each test row is its score already: a log density, a reward."""
    return np.asarray(prediction.values, dtype=float)


def _spread(column: Array, what: str) -> Array:
    """The column, if not all of it is the same."""
    if column.min() == column.max():
        raise Undefined(
            "There is one test row, and a spread needs two."
            if len(column) == 1
            else f"All {len(column)} {what} are {column[0]:g}, so that there is no variation to explain."
        )
    return np.asarray(column, dtype=float)


def _correlation(x: Array, y: Array) -> float:
    dx, dy = x - x.mean(), y - y.mean()
    # Scaled first, so that squares of very large or small numbers stay numbers.
    dx, dy = dx / np.abs(dx).max(), dy / np.abs(dy).max()
    return float(np.clip(dx @ dy / np.sqrt((dx @ dx) * (dy @ dy)), -1, 1))


# ----------------------------------------------------------------------------------------------------------------------
# Responses that are computed from scores of classes: areas under curves, and losses of probabilities.
#
# For two classes a learner gives one score a row, of the second class; for more, one for each class. Tied scores count
# half in the area under the ROC curve, whatever the order of the rows.
#
# References: Hand and Till (2001), doi:10.1023/A:1010920819831; Brier (1950).


def area(positive: NDArray[np.bool_], scores: Array) -> float:
    """The share of pairs of a positive and a negative row that are ordered rightly, ties counted half.

    The same as `mathematics.auc.auc`, which also gives what the variance needs and takes five times as long.

    >>> area(np.array([False, False, True, True]), np.array([0.1, 0.4, 0.4, 0.8]))
    0.875
    """
    above = scores[positive]
    below = np.sort(scores[~positive])
    ordered = below.searchsorted(above, "left") + below.searchsorted(above, "right")
    return float(np.add.reduce(ordered) / (2 * len(above) * len(below)))


def auc(truth: Truth, prediction: Prediction) -> float:
    """Two classes: the area under the ROC curve. More: that of Hand and Till, see `auc_ovo`. Labels: their mean."""
    if truth.kind == "multi-label":
        _check_all_labels(truth, both=True)
        return float(np.mean([area(*label) for label in _by_label(truth, prediction)]))
    if len(truth.classes) != 2:
        return auc_ovo(truth, prediction)
    positive = truth.values == 1
    if np.count_nonzero(positive) in (0, len(positive)):
        raise Undefined(
            f"All test rows ({len(positive)}) are of the class {shown(truth.classes[int(positive[0])])}; "
            "an ROC curve needs rows of both classes."
        )
    return area(positive, _scores(prediction))


def auc_ovo(truth: Truth, prediction: Prediction, weighted: bool = False) -> float:
    """Each class against each other one, on the rows of the two, averaged (Hand and Till).

    A pair (i, j) has the mean of two areas: by the scores of i, and by those of j. `weighted` weighs pairs by their
    rows; else they count alike, and the shares of the classes do not matter.
    """
    if len(truth.classes) == 2:
        return auc(truth, prediction)
    _check_all_classes(truth)
    scores, codes = _scores(prediction), truth.values
    areas, sizes = [], []
    for i, j in combinations(range(len(truth.classes)), 2):
        rows = (codes == i) | (codes == j)
        first, pair = codes[rows] == i, scores[rows]
        areas.append((area(first, pair[:, i]) + area(~first, pair[:, j])) / 2)
        sizes.append(len(first))
    return float(np.average(areas, weights=sizes if weighted else None))


def auc_ovr(truth: Truth, prediction: Prediction, weighted: bool = False) -> float:
    """Each class against the rest, averaged; `weighted` weighs classes by their rows."""
    if len(truth.classes) == 2:
        return auc(truth, prediction)
    _check_all_classes(truth)
    areas, sizes = zip(
        *((area(positive, scores), positive.sum()) for positive, scores in _against_the_rest(truth, prediction)),
        strict=True,
    )
    return float(np.average(areas, weights=sizes if weighted else None))


def average_precision(truth: Truth, prediction: Prediction) -> float:
    """Precision at each threshold, weighted by how much recall grows there; more classes: their mean.

    No interpolation, hence not the area under the precision–recall curve by trapezoids, which is too large.
    """
    two = len(truth.classes) == 2
    if truth.kind == "multi-label":
        _check_all_labels(truth, both=False)
        pairs: Any = _by_label(truth, prediction)
    else:
        _check_all_classes(truth, (1,) if two else None)
        pairs = [(truth.values == 1, _scores(prediction))] if two else _against_the_rest(truth, prediction)
    averages = []
    for positive, scores in pairs:
        curve = precision_recall_curve(positive, np.nan_to_num(scores))  # log odds may be infinite; the order stays
        averages.append(float(np.diff(curve.x, prepend=0) @ curve.y))
    return float(np.mean(averages))


def brier(truth: Truth, prediction: Prediction) -> Array:
    """(p − y)² for two classes; for more, ½ Σₖ (pₖ − yₖ)², which is the same if there are two."""
    scores = _scores(prediction)
    if len(truth.classes) == 2 or truth.kind == "multi-label":
        return LOSSES["brier"].of(truth.values, scores)
    # Σ (pₖ − yₖ)² = Σ pₖ² − 2p + 1, where p is the probability of the true class
    return np.asarray((np.einsum("ij,ij->i", scores, scores) - 2 * _of_the_truth(truth, scores) + 1) / 2)


def brier_not_halved(truth: Truth, prediction: Prediction) -> Array:
    """As scikit-learn has it: (p − y)² for two classes, Σₖ (pₖ − yₖ)² for more."""
    return brier(truth, prediction) * (1 if len(truth.classes) == 2 or truth.kind == "multi-label" else 2)


def log_loss(truth: Truth, prediction: Prediction) -> Array:
    """−log of the probability of the true class, in nats."""
    scores = _scores(prediction)
    if len(truth.classes) == 2 or truth.kind == "multi-label":
        return LOSSES["log_loss"].of(truth.values, scores)
    # As for two classes: a certain and wrong prediction costs 36 nats, not infinity.
    eps = np.finfo(float).eps
    return np.asarray(-np.log(np.clip(_of_the_truth(truth, scores), eps, 1 - eps)))


def _scores(prediction: Prediction) -> Array:
    assert prediction.scores is not None  # Response looked before
    return prediction.scores


def _of_the_truth(truth: Truth, scores: Array) -> Array:
    return np.asarray(scores[np.arange(len(truth.values)), truth.values])


def _against_the_rest(truth: Truth, prediction: Prediction) -> Iterator[tuple[NDArray[np.bool_], Array]]:
    scores = _scores(prediction)
    return ((truth.values == k, scores[:, k]) for k in range(len(truth.classes)))


def _by_label(truth: Truth, prediction: Prediction) -> Iterator[tuple[NDArray[np.bool_], Array]]:
    scores = _scores(prediction)
    return ((truth.values[:, k] == 1, scores[:, k]) for k in range(truth.values.shape[1]))


def _check_all_labels(truth: Truth, *, both: bool) -> None:
    """That each label applies to a test row and, for curves that need both kinds of row, not to all of them."""
    count = truth.values.sum(axis=0)
    for wrong, where in ((count == 0, "none"), ((count == len(truth.values)) & both, "all")):
        if wrong.any():
            label = shown(truth.classes[int(np.flatnonzero(wrong)[0])])
            raise Undefined(
                f"The label {label} applies to {where} of the {len(truth.values)} test rows, so that it has no curve."
            )


def _check_all_classes(truth: Truth, needed: tuple[int, ...] | None = None) -> None:
    """An average over fewer classes than in other folds would be another quantity under the same name."""
    counts = np.bincount(truth.values, minlength=len(truth.classes))
    for code in needed if needed is not None else range(len(truth.classes)):
        if counts[code] == 0:
            raise Undefined(
                f"None of the {len(truth.values)} test rows is of the class {shown(truth.classes[code])}, "
                "which has no curve therefore."
            )
    if len(truth.classes) < 2:
        raise Undefined("The task has one class; a curve needs two.")
