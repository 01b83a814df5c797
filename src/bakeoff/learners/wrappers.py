"""Estimators of our own that stand before or around those of users; only workers load them, as all of scikit-learn."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import get_tags

from bakeoff.errors import UsageError
from bakeoff.learners.learner import CLASSIFICATION, FEATURES, NEAREST, ROWS
from bakeoff.resampling.holdout import HoldOut
from bakeoff.resampling.split import Sample

# ----------------------------------------------------------------------------------------------------------------------
# Inputs without any value in a learning sample, for learners that take missing numbers themselves.


class EmptyInputs(TransformerMixin, BaseEstimator):
    """Inputs that have no value at all where it is fitted become zeros; all others stay as they are, gaps included.

    Some versions of gradient boosting by histograms stop at such an input, from which nothing can be learned anyway.

    >>> X = np.array([[1.0, np.nan], [np.nan, np.nan]])
    >>> EmptyInputs().fit(X).transform(X).tolist()
    [[1.0, 0.0], [nan, 0.0]]
    """

    def fit(self, X: Any, y: Any = None) -> EmptyInputs:
        self.empty_ = np.flatnonzero(np.isnan(np.asarray(X, dtype=float)).all(axis=0))
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> Any:
        if not len(self.empty_):
            return X
        filled = X.copy()
        if hasattr(filled, "iloc"):
            for place in self.empty_:
                filled.isetitem(int(place), np.zeros(len(filled)))
        else:
            filled[:, self.empty_] = 0.0
        return filled


# ----------------------------------------------------------------------------------------------------------------------
# Early stopping: a part of the learning sample is set aside for an estimator to watch while it learns.
#
# The part is drawn anew for each cell from its learning sample, by its seed; test rows have no say. What stands before
# the estimator is fitted to the rest, as the estimator itself is.


# How `fit` of other libraries takes the part: by one argument with pairs or a pair, or by two.
PAIRS, PAIR, TWO = "eval_set", "validation_data", ("X_val", "y_val")


def validation_arguments(estimator: Any) -> str | tuple[str, str] | None:
    """The arguments of `fit` that take a validation part; None if it has none of those that are known."""
    try:
        known = signature(estimator.fit).parameters
    except (TypeError, ValueError, AttributeError):
        return None
    for name in (PAIRS, PAIR):
        if name in known:
            return name
    return TWO if all(name in known for name in TWO) else None


class WithValidation(BaseEstimator):
    """An estimator that is fitted to a part of its learning sample and watches the rest.

    `prepare` is what stands before it, or None.
    """

    def __init__(self, estimator: Any, prepare: Any, share: float, kind: str, seed: int) -> None:
        self.estimator, self.prepare, self.share, self.kind, self.seed = estimator, prepare, share, kind, seed

    def fit(
        self, X: Any, y: Any, groups: NDArray[np.int64] | None = None, sample_weight: NDArray[np.float64] | None = None
    ) -> WithValidation:
        learn, watch = self._parts(X, y, groups)
        inputs = (_taken(X, learn), _taken(X, watch))
        if self.prepare is not None:
            inputs = (self.prepare.fit_transform(inputs[0], y[learn]), self.prepare.transform(inputs[1]))
        arguments = validation_arguments(self.estimator)
        pair = (inputs[1], y[watch])
        more: dict[str, Any] = dict(zip(TWO, pair, strict=True))
        if isinstance(arguments, str):
            more = {arguments: [pair] if arguments == PAIRS else pair}
        if sample_weight is not None:
            more["sample_weight"] = sample_weight[learn]
        self.estimator.fit(inputs[0], y[learn], **more)
        return self

    def _parts(self, X: Any, y: Any, groups: NDArray[np.int64] | None) -> tuple[NDArray[Any], NDArray[Any]]:
        n = int(X.shape[0])
        strata = np.unique(y, return_inverse=True)[1].ravel() if self.kind == CLASSIFICATION else None
        numbered = None if groups is None else np.unique(groups, return_inverse=True)[1].ravel().astype(np.int64)
        (one,) = HoldOut(test_share=self.share).splits(Sample(n, strata, numbered), self.seed).splits
        return one.train, one.test

    def __getattr__(self, name: str) -> Any:
        """What was learned, and whether there are probabilities, is the estimator's to say."""
        if name.startswith("__") or "estimator" not in vars(self):
            raise AttributeError(name)
        its = getattr(self.estimator, name)
        if name in ("predict", "predict_proba", "decision_function", "score_samples"):
            return lambda X: its(X if self.prepare is None else self.prepare.transform(X))
        return its


def _taken(X: Any, rows: NDArray[Any]) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def check_watches(estimator: Any, whose: str) -> None:
    """Refuse an estimator whose fit takes no validation part."""
    steps = getattr(estimator, "steps", None)
    estimator = steps[-1][1] if steps else estimator
    if validation_arguments(estimator) is None:
        raise UsageError(
            f"fit of {type(estimator).__name__} takes no validation part ({PAIRS}, {PAIR}, or "
            f"{' and '.join(TWO)}), so that it cannot stop early by one. Leave validation out; some estimators set a "
            "part aside by themselves (early_stopping, validation_fraction).",
            whose=whose,
        )


# ----------------------------------------------------------------------------------------------------------------------
# Parameters that are multiples of a statistic of the learning sample: a bandwidth in distances between neighbours, a
# number of neighbours as a share of the rows. They are found in the inputs as this estimator gets them, whatever stands
# before it, and in nothing but the rows that it learns from.


class RelativeParameters(BaseEstimator):
    """An estimator whose `relative` parameters are set when it is fitted: name → {multiple, of, integer, low, high}.

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> knn = RelativeParameters(KNeighborsClassifier(), {"n_neighbors": {"multiple": 0.5, "of": "rows"}})
    >>> knn.fit(np.array([[0.0], [1.0], [5.0], [6.0]]), [0, 0, 1, 1]).n_neighbors
    2
    """

    def __init__(self, estimator: Any, relative: dict[str, dict[str, Any]]) -> None:
        self.estimator, self.relative = estimator, relative

    def fit(self, X: Any, y: Any = None, **more: Any) -> RelativeParameters:
        values = {name: self._value(name, how, X) for name, how in self.relative.items()}
        fitted = clone(self.estimator).set_params(**values)
        self.fitted_ = fitted.fit(X, **more) if y is None else fitted.fit(X, y, **more)
        return self

    def _value(self, name: str, how: dict[str, Any], X: Any) -> Any:
        value = float(how["multiple"]) * statistic_of(X, how["of"])
        value = min(max(value, how.get("low", -np.inf)), how.get("high", np.inf))
        if how.get("integer", how["of"] in (ROWS, FEATURES)):
            return max(1, round(value))
        if value <= 0:
            raise UsageError(
                f"{name} is a multiple of the {how['of']}, which is 0 here: rows are copies of each other."
            )
        return value

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.estimator)

    def __getattr__(self, name: str) -> Any:
        """What was learned, and what can be done with it, is the estimator's to say."""
        if name.startswith(("__", "fit_")) or "estimator" not in vars(self):
            raise AttributeError(name)
        return getattr(vars(self).get("fitted_", self.estimator), name)


def statistic_of(X: Any, which: str) -> float:
    """A statistic of the inputs: how many rows or columns they have, or the mean distance from a row to the nearest
    other one.

    >>> statistic_of(np.array([[0.0], [1.0], [3.0]]), "nearest-neighbour distance")
    1.3333333333333333
    """
    rows, columns = X.shape
    if which != NEAREST:
        return float(rows if which == ROWS else columns)
    from sklearn.neighbors import NearestNeighbors

    if rows < 2:
        raise UsageError("A distance to the nearest neighbour needs at least two rows to learn from.")
    distances, _ = NearestNeighbors(n_neighbors=1).fit(X).kneighbors()
    return float(distances.mean())
