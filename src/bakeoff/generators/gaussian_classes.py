"""The parametric bootstrap of a classification: a normal law for each class, fitted to the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array


@dataclass(frozen=True, eq=False)
class GaussianClasses:
    """Class k with its share of the data, and given that x ~ N(mean, covariance) of the class.

    A covariance without full rank (a constant input, fewer rows than inputs) is drawn from all the same: new inputs
    then lie in the plane that the data span.

    >>> X = np.array([[0.0], [2.0], [10.0], [14.0]])
    >>> model = GaussianClasses.fitted(X, np.array(["a", "a", "b", "b"]))
    >>> model.shares.tolist(), model.means[:, 0].tolist(), (model.roots[:, 0, 0] ** 2).round(6).tolist()
    ([0.5, 0.5], [1.0, 12.0], [2.0, 8.0])
    """

    classes: NDArray[Any]
    shares: Array
    means: Array
    roots: Array  # of the covariances: classes × inputs × inputs

    @classmethod
    def fitted(cls, X: Any, y: Any) -> GaussianClasses:
        inputs = np.asarray(X, dtype=float)
        classes, code, count = np.unique(np.asarray(y), return_inverse=True, return_counts=True)
        if count.min() < 2:
            rare = classes[int(np.argmin(count))]
            raise UsageError(f"A normal law needs at least two rows of each class; class {rare!s} has one.")
        parts = [inputs[code == k] for k in range(len(classes))]
        roots = [_root(np.atleast_2d(np.cov(part, rowvar=False))) for part in parts]
        means = np.array([part.mean(axis=0) for part in parts])
        return cls(classes, count / len(inputs), means, np.array(roots))

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, NDArray[Any]]:
        code = rng.choice(len(self.classes), n, p=self.shares)
        noise = rng.standard_normal((n, self.means.shape[1]))
        X = self.means[code]
        for k in range(len(self.classes)):
            X[code == k] += noise[code == k] @ self.roots[k].T
        return X, self.classes[code]


def _root(covariance: Array) -> Array:
    """A matrix R with R R' = covariance; unlike Cholesky's it exists without full rank, too."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)))
