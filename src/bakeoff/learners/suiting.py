"""Whether an estimator can learn what a task asks for, as far as can be told before it is fitted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bakeoff.learners.facts import CLASSIFICATION, DENSITY, REGRESSION


def misfit(estimator: Any, kind: str, task: str) -> str | None:
    """Why an estimator cannot learn from a task of that kind, in a sentence; None if nothing is known against it.

    >>> from sklearn.linear_model import Ridge
    >>> misfit(Ridge(), "classification", "iris")
    "Ridge is not made for classification, and 'iris' is a classification task."
    >>> misfit(Ridge(), "regression", "boston")
    """
    from sklearn.base import is_classifier, is_regressor

    what = type(estimator).__name__
    if kind == DENSITY:
        if hasattr(estimator, "score_samples"):
            return None
        return (
            f"a density is to be learned from {task!r}, so that the log density of test rows must be given by "
            f"score_samples, which {what} does not have. sklearn.neighbors.KernelDensity and "
            "sklearn.mixture.GaussianMixture have it."
        )
    if not hasattr(estimator, "predict"):
        return f"{what} cannot predict, and {task!r} is a {kind} task."
    other: Callable[[Any], bool] = {CLASSIFICATION: is_regressor, REGRESSION: is_classifier}[kind]
    if not _is_surely(other, estimator):
        return None
    return f"{what} is not made for {kind}, and {task!r} is a {kind} task."


def _is_surely(kind: Callable[[Any], bool], estimator: Any) -> bool:
    """What scikit-learn says of the estimator. One that has no tags, as classes of users may, says nothing."""
    try:
        return bool(kind(estimator))
    except AttributeError:
        return False
