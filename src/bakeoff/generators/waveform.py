"""Waveform: three classes of curves, each a random mixture of two of three triangles, with noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bakeoff.generators.generator import CLASSIFICATION, Generator, number
from bakeoff.mathematics.checks import Array

POINTS = 21


def waves() -> Array:
    """The three triangles of height 6, at 21 points: with their tops at 11, 15 and 7.

    >>> waves()[0].astype(int).tolist()
    [0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0]
    """
    top = np.array([[11.0], [15.0], [7.0]])
    return np.asarray(np.maximum(6 - np.abs(np.arange(1, POINTS + 1) - top), 0))


@dataclass(frozen=True)
class Waveform(Generator):
    """x = u h₁ + (1 − u) h₂ + ε in class 1, of h₁ and h₃ in class 2, of h₂ and h₃ in class 3; u uniform, ε unit normal.

    The best rule errs in about 14 % of cases. Breiman, Friedman, Olshen and Stone (1984), Classification and regression
    trees, section 2.6.
    """

    name: ClassVar[str] = "waveform"
    about: ClassVar[str] = "three classes of noisy curves at 21 points; least error about 14 % (Breiman et al. 1984)"
    kind: ClassVar[str] = CLASSIFICATION

    noise: float = 1.0

    def __post_init__(self) -> None:
        number(self.noise, "noise", least=0)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, NDArray[np.int64]]:
        label = rng.integers(0, 3, n)
        first, second = np.array([0, 0, 1])[label], np.array([1, 2, 2])[label]
        u, shapes = rng.random(n)[:, None], waves()
        x = u * shapes[first] + (1 - u) * shapes[second]
        return x + self.noise * rng.standard_normal((n, POINTS)), label + 1
