"""A generator: a law of (x, y), and how samples are drawn from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import fields
from math import isfinite
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from bakeoff.errors import UsageError

CLASSIFICATION, REGRESSION = "classification", "regression"
# Raised when samples come out otherwise for the same seed, or lie otherwise among the rows of a task, so that results
# on old and new samples are not mixed.
DRAWING_VERSION = 2


class Generator(ABC):
    """A law to draw from. Each is a frozen dataclass whose fields are its parameters in a study file."""

    name: ClassVar[str]
    """Its name in a study file."""
    about: ClassVar[str]
    """What it draws, in a sentence."""
    kind: ClassVar[str]
    """What is to be learned: classification or regression."""

    def describe(self) -> dict[str, Any]:
        """The generator and all its parameters, as JSON."""
        # Every subclass is a dataclass; the base, which has no parameters, need not be.
        return {"generator": self.name} | {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @abstractmethod
    def draw(self, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
        """n independent observations: inputs, a row each, and what is to be predicted from them."""


def dice(seed: int, *numbers: int) -> np.random.Generator:
    """The chance of one sample: from a seed and its number, so that it is the same however many others are drawn.

    >>> dice(1, 2).random() == dice(1, 2).random(), dice(1, 2).random() == dice(1, 3).random()
    (True, False)
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *numbers])))


def fingerprint() -> Iterator[bytes]:
    """What numpy makes of one seed today. It promises the bits of a generator for ever, but not what becomes of them:
    a key that holds this changes when the samples do."""
    rng = dice(1)
    for numbers in (
        rng.standard_normal(3),
        rng.random(3),
        rng.integers(0, 7, 5),
        rng.standard_exponential(3),
        rng.choice(5, 4, p=[0.1, 0.2, 0.3, 0.2, 0.2]),
    ):
        yield np.ascontiguousarray(numbers, dtype="<f8").tobytes()


def number(value: Any, name: str, *, least: float = -np.inf, above: bool = False) -> None:
    """Refuse what is not a finite number, at least `least`, or above it.

    >>> number(-1, "noise", least=0)
    Traceback (most recent call last):
    bakeoff.errors.UsageError: 'noise' must be a number of at least 0; found -1.
    """
    fine = isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    if not fine or value < least or (above and value == least):
        bound = f" {'above' if above else 'of at least'} {least:g}" if isfinite(least) else ""
        raise UsageError(f"{name!r} must be a number{bound}; found {value!r}.")


def whole(value: Any, name: str, least: int) -> None:
    """Refuse what is not a whole number of at least so much."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise UsageError(f"{name!r} must be a whole number of at least {least}; found {value!r}.")
