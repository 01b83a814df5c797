"""Breiman's normal classes: twonorm, threenorm and ringnorm. Both classes are equally likely, in d dimensions.

Breiman (1996), Bias, variance, and arcing classifiers, technical report 460, Statistics Department, Berkeley.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bakeoff.generators.generator import CLASSIFICATION, Generator, whole
from bakeoff.mathematics.checks import Array

Classes = NDArray[np.int64]


@dataclass(frozen=True)
class TwoNorm(Generator):
    """Unit normal around (a, …, a) and around (−a, …, −a), a = 2/√d. The best rule errs in Φ(−2) = 2.3 % of cases."""

    name: ClassVar[str] = "twonorm"
    about: ClassVar[str] = "two normal classes, which a plane divides; least error 2.3 % (Breiman 1996)"
    kind: ClassVar[str] = CLASSIFICATION

    d: int = 20

    def __post_init__(self) -> None:
        whole(self.d, "d", 1)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Classes]:
        label = rng.integers(0, 2, n)
        centre = (1 - 2 * label) * 2 / np.sqrt(self.d)
        return centre[:, None] + rng.standard_normal((n, self.d)), label + 1


@dataclass(frozen=True)
class ThreeNorm(Generator):
    """Class 1 is half around (a, …, a), half around (−a, …, −a); class 2 around (a, −a, a, …); a = 2/√d.

    The best rule errs in 10.5 % of cases if d = 20.
    """

    name: ClassVar[str] = "threenorm"
    about: ClassVar[str] = "one class of two normal parts, one of another; least error 10.5 % (Breiman 1996)"
    kind: ClassVar[str] = CLASSIFICATION

    d: int = 20

    def __post_init__(self) -> None:
        whole(self.d, "d", 2)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Classes]:
        label = rng.integers(0, 2, n)
        side = 1 - 2 * rng.integers(0, 2, n)
        alternating = 1.0 - 2 * (np.arange(self.d) % 2)
        centre = np.where(label[:, None] == 0, side[:, None], alternating) * 2 / np.sqrt(self.d)
        return centre + rng.standard_normal((n, self.d)), label + 1


@dataclass(frozen=True)
class RingNorm(Generator):
    """Class 1 is normal around the origin with variance 4, class 2 unit normal around (a, …, a), a = 1/√d.

    The best rule takes what lies in a ball for class 2; it errs in 1.5 % of cases if d = 20 (Breiman prints 1.3 %). The
    centre is that of R's mlbench; others put it at 2/√d, where the least error is 1.2 %.
    """

    name: ClassVar[str] = "ringnorm"
    about: ClassVar[str] = "a narrow normal class inside a wide one; least error 1.5 % (Breiman 1996)"
    kind: ClassVar[str] = CLASSIFICATION

    d: int = 20

    def __post_init__(self) -> None:
        whole(self.d, "d", 1)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Classes]:
        label = rng.integers(0, 2, n)
        centre, scale = label / np.sqrt(self.d), 2.0 - label
        return centre[:, None] + scale[:, None] * rng.standard_normal((n, self.d)), label + 1
