"""Responses that are computed from assigned classes: everything that a confusion matrix tells.

For two classes the second is the positive one. For more, each class is held against the rest and the results are
averaged: `macro` counts classes alike, `weighted` by how often they are true, `micro` counts rows alike. What would be
0/0 is undefined here and never set to 0 or 1, as some libraries do: a learner would be rewarded or punished by a
convention.
"""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.measures.confusion import many_class_measures, two_class_measures
from bakeoff.measures.losses import LOSSES
from bakeoff.measures.prediction import Prediction, Truth
from bakeoff.measures.response import Array, Undefined, shown


def confusion_of(truth: Truth, prediction: Prediction) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
    """The classes, and how often each (row) was taken for each (column), as `confusion.confusion_matrix` gives them.

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
    return LOSSES["error"].of(truth.values, prediction.values)


def accuracy(truth: Truth, prediction: Prediction) -> Array:
    return LOSSES["accuracy"].of(truth.values, prediction.values)


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
    found = two_class_measures(tp=tp, fn=fn, fp=fp, tn=tn)
    value: float = 1 - found.tp_rate if name == "fn_rate" else getattr(found, name)
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
    """Recall, precision or F₁ of each class against the rest, averaged over the classes.

    A class counts if it occurs: for recall among the true ones, for precision and F₁ among the true or the assigned.
    """
    classes, matrix = confusion_of(truth, prediction)
    right, true, assigned = np.diag(matrix), matrix.sum(axis=1), matrix.sum(axis=0)
    if average == "micro":  # every wrong row is a false positive of one class and a false negative of another
        return float(right.sum() / matrix.sum())
    wholes = {"recall": true, "precision": assigned, "f1": (true + assigned) / 2}[name]
    counted = true > 0 if name == "recall" or average == "weighted" else true + assigned > 0
    if not wholes[counted].all():
        never = shown(classes[int(np.flatnonzero(counted & (wholes == 0))[0])])
        raise Undefined(f"No test row was assigned to the class {never}, so that it has no precision to average.")
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
