"""Inputs without any value in a learning sample, for learners that take missing numbers themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin


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
