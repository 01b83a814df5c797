"""Responses that are computed from scores of classes: areas under curves, and losses of probabilities.

For two classes a learner gives one score a row, of the second class; for more, one for each class. Tied scores count
half in the area under the ROC curve, whatever the order of the rows.

References: Hand and Till (2001), doi:10.1023/A:1010920819831; Brier (1950).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bakeoff.measures.curves import precision_recall_curve
from bakeoff.measures.losses import LOSSES
from bakeoff.measures.prediction import Prediction, Truth
from bakeoff.measures.response import Array, Undefined, shown


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
    """Two classes: the area under the ROC curve. More: that of Hand and Till, see `auc_ovo`."""
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
    _check_all_classes(truth, (1,) if two else None)
    pairs = [(truth.values == 1, _scores(prediction))] if two else _against_the_rest(truth, prediction)
    found = []
    for positive, scores in pairs:
        curve = precision_recall_curve(positive, np.nan_to_num(scores))  # log odds may be infinite; the order stays
        found.append(float(np.diff(curve.x, prepend=0) @ curve.y))
    return float(np.mean(found))


def brier(truth: Truth, prediction: Prediction) -> Array:
    """(p − y)² for two classes; for more, ½ Σₖ (pₖ − yₖ)², which is the same if there are two."""
    scores = _scores(prediction)
    if len(truth.classes) == 2:
        return LOSSES["brier"].of(truth.values, scores)
    # Σ (pₖ − yₖ)² = Σ pₖ² − 2p + 1, where p is the probability of the true class
    return np.asarray((np.einsum("ij,ij->i", scores, scores) - 2 * _of_the_truth(truth, scores) + 1) / 2)


def brier_not_halved(truth: Truth, prediction: Prediction) -> Array:
    """As scikit-learn has it: (p − y)² for two classes, Σₖ (pₖ − yₖ)² for more."""
    return brier(truth, prediction) * (1 if len(truth.classes) == 2 else 2)


def log_loss(truth: Truth, prediction: Prediction) -> Array:
    """−log of the probability of the true class, in nats."""
    scores = _scores(prediction)
    if len(truth.classes) == 2:
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
