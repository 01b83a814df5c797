"""Nested linear models: is there a quadratic term? The regression of Hothorn et al. (2005), section 5.1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bakeoff.generators.generator import REGRESSION, Generator, number
from bakeoff.mathematics.checks import Array

UPPER_X = 5.0


@dataclass(frozen=True)
class NestedModels(Generator):
    """y = β₁x + β₂x² + ε with x uniform on [0, 5] and ε normal.

    A linear and a quadratic model, both without intercept, are compared in the paper: with β₂ = 0 the linear one is
    right and the quadratic one overfits a little, from β₂ = .1 on the quadratic one wins clearly. doi:
    10.1198/106186005X59630

    >>> X, y = NestedModels(noise=0.0).draw(3, np.random.default_rng(1))
    >>> X.shape, (y / X[:, 0]).tolist()
    ((3, 1), [2.0, 2.0, 2.0])
    """

    name: ClassVar[str] = "nested-models"
    about: ClassVar[str] = "y = β₁x + β₂x² + noise, x uniform on [0, 5] (Hothorn et al., Table 1)"
    kind: ClassVar[str] = REGRESSION

    beta1: float = 2.0
    beta2: float = 0.0
    noise: float = 1.0

    def __post_init__(self) -> None:
        number(self.beta1, "beta1")
        number(self.beta2, "beta2")
        number(self.noise, "noise", least=0)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        x = UPPER_X * rng.random(n)
        y = self.beta1 * x + self.beta2 * x**2 + self.noise * rng.standard_normal(n)
        return x[:, None], y
