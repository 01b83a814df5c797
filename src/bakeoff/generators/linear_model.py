"""The parametric bootstrap of a regression: a Gaussian linear model fitted to the data, new responses drawn from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array


@dataclass(frozen=True, eq=False)
class LinearModel:
    """y = α + x'β + ε with ε ~ N(0, σ²), as least squares fits it; inputs are rows of the data, drawn with replacement.

    σ² is the residual sum of squares over n − rank.

    >>> X = np.arange(8.0)[:, None]
    >>> model = LinearModel.fitted(X, 3 + 2 * X[:, 0] + np.array([1, -1, -1, 1, 1, -1, -1, 1]))
    >>> model.coefficients.round(6).tolist(), round(model.sigma, 4)
    ([3.0, 2.0], 1.1547)
    """

    X: Array
    coefficients: Array
    sigma: float

    @classmethod
    def fitted(cls, X: Any, y: Any) -> LinearModel:
        inputs, response = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
        design = np.column_stack([np.ones(len(inputs)), inputs])
        coefficients, _, rank, _ = np.linalg.lstsq(design, response, rcond=None)
        left = len(inputs) - int(rank)
        if left < 1:
            raise UsageError(
                f"A linear model of {inputs.shape[1]} inputs needs more than {int(rank)} rows to estimate the noise; "
                f"found {len(inputs)}."
            )
        residuals = response - design @ coefficients
        return cls(inputs, coefficients, float(np.sqrt(residuals @ residuals / left)))

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        X = self.X[rng.integers(0, len(self.X), n)]
        mean = self.coefficients[0] + X @ self.coefficients[1:]
        return X, mean + self.sigma * rng.standard_normal(n)
