"""A generator: a law of (x, y), and how samples are drawn from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from bakeoff.errors import InputError, UsageError
from bakeoff.importing import check_path, imported
from bakeoff.keys import canonical_value

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


def check_int(value: Any, name: str, least: int) -> None:
    """Refuse what is not a whole number of at least so much."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise UsageError(f"{name!r} must be a whole number of at least {least}; found {value!r}.")


# ----------------------------------------------------------------------------------------------------------------------
# A generator that the user wrote: a function of n and a numpy Generator, by its import path or itself.


PATH = "the import path of a function (n, rng) → (X, y), such as 'my_module.draw'"


@dataclass(frozen=True, eq=False)
class UserFunction:
    """`function(n, rng, **parameters)` returns (X, y). It is imported when the first sample is drawn, not before."""

    function: str | Callable[..., Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.function, str):
            check_path(self.function, "generator", PATH)

    @property
    def name(self) -> str:
        """How it is called: its path."""
        return (
            self.function
            if isinstance(self.function, str)
            else str(canonical_value(self.function, "the generator")["name"])
        )

    def describe(self) -> dict[str, Any]:
        return {"generator": self.name, "parameters": canonical_value(dict(self.parameters), "parameters")}

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
        function = imported(self.function, "generator", PATH) if isinstance(self.function, str) else self.function
        try:
            sample = function(n, rng, **self.parameters)
        except Exception as error:  # the function is the user's: whatever it raises is told in a sentence
            raise InputError(f"It raised {type(error).__name__}: {error}", source=f"generator {self.name}") from error
        if not isinstance(sample, tuple) or len(sample) != 2 or any(_rows(part) != n for part in sample):
            raise InputError(
                f"A pair (X, y) of {n} rows each was expected, but {_shape_of(sample)} was found.",
                source=f"generator {self.name}",
            )
        return sample


def _rows(part: Any) -> int:
    """How many rows there are; −1 of what has none, such as a number, or a sparse matrix, which will not tell."""
    try:
        return len(part)
    except TypeError:
        return -1


def _shape_of(value: Any) -> str:
    if isinstance(value, tuple) and len(value) == 2:
        sizes = [_rows(part) for part in value]
        if -1 not in sizes:
            return f"a pair of {sizes[0]} and {sizes[1]} rows"
        odd = next(part for part, size in zip(value, sizes, strict=True) if size < 0)
        return f"a pair with {type(odd).__name__}, which has no rows"
    return f"a tuple of {len(value)}" if isinstance(value, tuple) else type(value).__name__
