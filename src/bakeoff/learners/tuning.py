"""Nested tuning: a grid searched by cross-validation inside each learning sample, preparation included.

The inner folds are stratified for classification, keep groups together, and never hold a copy of one row of a
bootstrap sample on both sides. The best setting is then fitted to the whole learning sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError, nearest
from bakeoff.keys import seed_of
from bakeoff.learners.learner import CLASSIFICATION, DENSITY, MULTI_LABEL, REGRESSION, DataInfo, Tuning
from bakeoff.measures.measure import canonical_name

# What a measure is called as scikit-learn's `scoring`, where neither the labels nor their order matter.
_CLASSIFICATION = {
    "accuracy": "accuracy",
    "error": "accuracy",  # the same order of the settings, turned
    "balanced_accuracy": "balanced_accuracy",
    "mcc": "matthews_corrcoef",
    "auc": "roc_auc",
}
_REGRESSION = {
    "squared_error": "neg_mean_squared_error",
    "rmse": "neg_root_mean_squared_error",
    "absolute_error": "neg_mean_absolute_error",
    "mape": "neg_mean_absolute_percentage_error",
    "r2": "r2",
}
_LABELS = {"error": "accuracy", "accuracy": "accuracy", "f1_micro": "f1_micro", "f1_macro": "f1_macro"}
# Those of a positive class: named by its label, since scikit-learn expects the label 1.
_OF_A_CLASS = ("f1", "precision", "recall")
_OWN = ("log_loss", "kappa")
TUNING_MEASURES: Mapping[str, tuple[str, ...]] = {
    CLASSIFICATION: (*_CLASSIFICATION, *_OF_A_CLASS, *_OWN),
    REGRESSION: tuple(_REGRESSION),
    DENSITY: ("log_likelihood",),
    MULTI_LABEL: (*_LABELS, "hamming_loss"),
}
DEFAULT_MEASURE: Mapping[str, str] = {
    CLASSIFICATION: "accuracy",
    REGRESSION: "squared_error",
    DENSITY: "log_likelihood",
    MULTI_LABEL: "hamming_loss",
}

Scorer = Callable[[Any, Any, Any], float]


def check_tuning(tuning: Tuning, whose: str) -> None:
    """That a grid can be searched at all; nothing is imported."""
    if not tuning.grid:
        raise UsageError(
            "tune is empty. Expected is a list of values for each parameter, such as C = [1, 10].", whose=whose
        )
    for name, values in tuning.grid.items():
        if isinstance(values, str) or not isinstance(values, (list, tuple)) or not len(values):
            raise UsageError(
                f"tune.{name} is {values!r}. Expected is a list of the values to try, such as [0.1, 1, 10].",
                whose=whose,
            )
    if isinstance(tuning.folds, bool) or not isinstance(tuning.folds, int) or tuning.folds < 2:
        raise UsageError(f"tuning.folds is {tuning.folds!r}. Expected is a whole number of at least 2.", whose=whose)
    if tuning.measure is not None:
        known = sorted({name for names in TUNING_MEASURES.values() for name in names})
        if canonical_name(tuning.measure) not in known:
            raise UsageError(f"cannot tune for {tuning.measure!r}. {nearest(tuning.measure, known)}", whose=whose)


def scoring_for(measure: str | None, info: DataInfo, whose: str) -> str | Scorer:
    """What scikit-learn's search is to maximise.

    >>> scoring_for("error", DataInfo("t", "classification", 9, ("x",), classes=("a", "b")), "learner 'svm'")
    'accuracy'
    """
    wanted = measure or DEFAULT_MEASURE[info.kind]
    name = canonical_name(wanted)
    allowed = TUNING_MEASURES[info.kind]
    if name not in allowed:
        raise UsageError(f"cannot tune a {info.kind} learner for {wanted!r}. {nearest(wanted, allowed)}", whose=whose)
    if info.kind == DENSITY:
        return _mean_log_density
    if info.kind == REGRESSION:
        return _REGRESSION[name]
    if info.kind == MULTI_LABEL:
        return _LABELS.get(name) or _few_wrong_labels
    if name == "auc" and len(info.classes) > 2:
        return "roc_auc_ovr"
    return _CLASSIFICATION[name] if name in _CLASSIFICATION else _own_scorer(name, info)


def tuned(estimator: Any, tuning: Tuning, grid: Mapping[str, Any], info: DataInfo, seed: int, whose: str) -> Any:
    """The estimator inside a grid search over `grid`, whose names are those of `estimator`'s parameters."""
    from sklearn.model_selection import GridSearchCV

    return GridSearchCV(
        estimator,
        {name: list(values) for name, values in grid.items()},
        scoring=scoring_for(tuning.measure, info, whose),
        cv=InnerFolds(tuning.folds, info.kind == CLASSIFICATION, seed_of(str(seed), "inner folds")),
        n_jobs=1,
        refit=True,
        error_score="raise",
    )


class InnerFolds:
    """The splits of a learning sample, for scikit-learn's `cv`."""

    def __init__(self, folds: int, stratify: bool, seed: int) -> None:
        self.folds, self.stratify, self.seed = folds, stratify, seed

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return len(self._splits(X, y, groups)) if X is not None else self.folds

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        yield from self._splits(X, y, groups)

    def _splits(self, X: Any, y: Any, groups: Any) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        from bakeoff.resampling.cross_validation import inner_splits

        strata = np.unique(y, return_inverse=True)[1] if self.stratify else None
        n = int(X.shape[0]) if hasattr(X, "shape") else len(X)
        return list(inner_splits(n, self.folds, strata, groups, self.seed))


def is_tuned(estimator: Any) -> bool:
    """Whether bakeoff tunes this estimator: then its fit is told which rows belong together."""
    return isinstance(getattr(estimator, "cv", None), InnerFolds)


def chosen(estimator: Any) -> dict[str, str]:
    """The parameters that a fitted search has chosen, as Python writes them; empty if nothing was tuned."""
    if not is_tuned(estimator) or not hasattr(estimator, "best_params_"):
        return {}
    return {name.removeprefix("learner__"): repr(value) for name, value in estimator.best_params_.items()}


def _mean_log_density(estimator: Any, X: Any, _: Any = None) -> float:
    return float(np.mean(estimator.score_samples(X)))


def _few_wrong_labels(estimator: Any, X: Any, y: Any) -> float:
    predicted = estimator.predict(X)
    return -float(np.mean(np.asarray(y) != (predicted.toarray() if hasattr(predicted, "toarray") else predicted)))


def _own_scorer(name: str, info: DataInfo) -> Any:
    from sklearn import metrics

    if name == "log_loss":
        return _negative_log_loss
    if name == "kappa":
        return metrics.make_scorer(metrics.cohen_kappa_score)
    score = {"f1": metrics.f1_score, "precision": metrics.precision_score, "recall": metrics.recall_score}[name]
    if len(info.classes) > 2:
        return metrics.make_scorer(score, average="macro", zero_division=0.0)
    return metrics.make_scorer(score, pos_label=info.classes[-1], zero_division=0.0)


def _negative_log_loss(estimator: Any, X: Any, y: Any) -> float:
    """scikit-learn's own raises when an inner fold lacks a class, which small learning samples do."""
    columns = {label: place for place, label in enumerate(np.asarray(estimator.classes_).tolist())}
    probabilities = np.asarray(estimator.predict_proba(X), dtype=float)
    places = [columns.get(label, -1) for label in np.asarray(y).tolist()]
    given = np.array([row[place] if place >= 0 else 0.0 for row, place in zip(probabilities, places, strict=True)])
    return float(np.mean(np.log(np.clip(given, np.finfo(float).eps, 1.0))))
