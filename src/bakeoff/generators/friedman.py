"""The three regressions of Friedman (1991), Multivariate adaptive regression splines, doi:10.1214/aos/1176347963."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bakeoff.generators.generator import REGRESSION, Generator, number
from bakeoff.mathematics.checks import Array

INPUTS = 10


@dataclass(frozen=True)
class Friedman1(Generator):
    """y = 10 sin(π x₁x₂) + 20 (x₃ − ½)² + 10 x₄ + 5 x₅ + ε, of ten inputs uniform on [0, 1]; five say nothing.

    >>> X, y = Friedman1().draw(4, np.random.default_rng(1))
    >>> X.shape, y.shape
    ((4, 10), (4,))
    """

    name: ClassVar[str] = "friedman1"
    about: ClassVar[str] = "ten uniform inputs, five of them without meaning, one interaction (Friedman 1991)"
    kind: ClassVar[str] = REGRESSION

    noise: float = 1.0

    def __post_init__(self) -> None:
        number(self.noise, "noise", least=0)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        x = rng.random((n, INPUTS))
        y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
        return x, y + self.noise * rng.standard_normal(n)


def circuit(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Resistance, angular frequency, inductance and capacity of a circuit, and its reactance ωL − 1/(ωC)."""
    low = np.array([0.0, 40 * np.pi, 0.0, 1.0])
    high = np.array([100.0, 560 * np.pi, 1.0, 11.0])
    x = low + (high - low) * rng.random((n, 4))
    return x, x[:, 1] * x[:, 2] - 1 / (x[:, 1] * x[:, 3])


@dataclass(frozen=True)
class Friedman2(Generator):
    """The impedance √(R² + (ωL − 1/(ωC))²) of a circuit, with noise of standard deviation 125."""

    name: ClassVar[str] = "friedman2"
    about: ClassVar[str] = "the impedance of a circuit from four inputs (Friedman 1991)"
    kind: ClassVar[str] = REGRESSION

    noise: float = 125.0

    def __post_init__(self) -> None:
        number(self.noise, "noise", least=0)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        x, reactance = circuit(n, rng)
        return x, np.hypot(x[:, 0], reactance) + self.noise * rng.standard_normal(n)


@dataclass(frozen=True)
class Friedman3(Generator):
    """The phase angle arctan((ωL − 1/(ωC))/R) of a circuit, with noise of standard deviation .1."""

    name: ClassVar[str] = "friedman3"
    about: ClassVar[str] = "the phase angle of a circuit from four inputs (Friedman 1991)"
    kind: ClassVar[str] = REGRESSION

    noise: float = 0.1

    def __post_init__(self) -> None:
        number(self.noise, "noise", least=0)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        x, reactance = circuit(n, rng)
        return x, np.arctan2(reactance, x[:, 0]) + self.noise * rng.standard_normal(n)
