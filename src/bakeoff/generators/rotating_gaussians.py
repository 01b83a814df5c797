"""Two classes in the plane, one of them turning: the classification of Hothorn et al. (2005), section 5.2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bakeoff.generators.generator import CLASSIFICATION, Generator, number
from bakeoff.mathematics.checks import Array


@dataclass(frozen=True)
class RotatingGaussians(Generator):
    """Class 1 is normal around (0, 0); half of class 2 around (0, 1), the other half around (cos γ, sin γ).

    γ is in degrees. At γ = 0 two axis-parallel splits are best, which suits a tree; at γ = 90 the two halves of class 2
    coincide and a line is best. The variance is .2, as the paper states; its Table 2 comes out with .0625 rather than
    with that. doi:10.1198/106186005X59630
    """

    name: ClassVar[str] = "rotating-gaussians"
    about: ClassVar[str] = "two classes in the plane, half of one at angle γ (Hothorn et al., Table 2)"
    kind: ClassVar[str] = CLASSIFICATION

    gamma: float = 0.0
    variance: float = 0.2

    def __post_init__(self) -> None:
        number(self.gamma, "gamma")
        number(self.variance, "variance", least=0, above=True)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, NDArray[np.int64]]:
        angle = np.deg2rad(self.gamma)
        centres = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 1.0], [np.cos(angle), np.sin(angle)]])
        part = rng.integers(0, 4, n)
        return centres[part] + np.sqrt(self.variance) * rng.standard_normal((n, 2)), 1 + part // 2
