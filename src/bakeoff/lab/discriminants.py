"""Many linear discriminants of two classes at once, with the observed class shares as priors, as R's MASS::lda.

Reference: Venables and Ripley (2002), Modern Applied Statistics with S, section 12.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import Array


@dataclass(frozen=True)
class Discriminants:
    """A direction and a constant each: the second class is assigned where x · direction + constant > 0."""

    direction: Array
    constant: Array

    def predict(self, x: Array) -> NDArray[np.bool_]:
        """Whether each discriminant (row) assigns the second class to each point (column) of points × features."""
        score = np.repeat(self.constant[:, None], len(x), axis=1)
        for slope, values in zip(self.direction.T, x.T, strict=True):  # few features: faster than threads of BLAS
            score += slope[:, None] * values
        return score > 0


def fit_discriminants(x: Array, second: NDArray[np.generic], weights: Array) -> Discriminants:
    """Fit a discriminant for each row of weights, which say how many copies of an observation each has.

    `x` is n × features and `second` (whether an observation is of the second class) of length n; both have a leading
    axis as long as `weights` if each has a sample of its own. With S the pooled covariance within classes,

        direction = S⁻¹(m₂ − m₁),  constant = −direction · (m₁ + m₂)/2 + log(n₂/n₁)

    >>> x = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> fit_discriminants(x, np.array([0, 0, 1, 1]), np.ones((1, 4))).predict(np.array([[1.9], [2.1]])).tolist()
    [[False, True]]
    """
    if weights.ndim != 2 or x.shape[-2] != weights.shape[1] or second.shape != x.shape[:-1]:
        raise UsageError(f"A fit needs n × features, n labels and fits × n weights; found {x.shape}, {weights.shape}.")
    points, labels = (x, second) if x.ndim == 3 else (x[None], second[None])
    centre = points.mean(axis=1, keepdims=True)  # sums of squares are of values that lie around zero
    p = x.shape[-1]
    u = np.concatenate([np.ones((*points.shape[:2], 1)), points - centre], axis=2)
    products = (u[..., :, None] * u[..., None, :]).reshape(*points.shape[:2], -1)
    first, other = (products * (labels.astype(bool) == label)[..., None] for label in (False, True))
    both = (weights[:, None, :] @ np.concatenate([first, other], axis=2)).reshape(-1, 2, p + 1, p + 1)
    counts, means, scatter = [], [], np.zeros((len(weights), p, p))
    for moments in both.transpose(1, 0, 2, 3):  # summed products of (1, x) in each class
        n, sums = moments[:, 0, 0], moments[:, 0, 1:]
        if (n == 0).any():
            raise DegenerateError("A discriminant needs observations of both classes; a sample has only one of them.")
        counts.append(n)
        means.append(sums / n[:, None])
        scatter += moments[:, 1:, 1:] - sums[:, :, None] * sums[:, None, :] / n[:, None, None]
    covariance = scatter / np.maximum(counts[0] + counts[1] - 2, 1)[:, None, None]
    try:
        direction = np.linalg.solve(covariance, (means[1] - means[0])[:, :, None])[:, :, 0]
    except np.linalg.LinAlgError:
        raise DegenerateError("The covariance within classes is singular: a feature follows from others.") from None
    middle = (means[0] + means[1]) / 2 + centre[:, 0]
    return Discriminants(direction, np.log(counts[1] / counts[0]) - (direction * middle).sum(axis=1))
