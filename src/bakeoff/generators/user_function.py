"""A generator that the user wrote: a function of n and a numpy Generator, by its import path or itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bakeoff.errors import InputError
from bakeoff.importing import check_path, imported
from bakeoff.keys import plain

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
        return self.function if isinstance(self.function, str) else str(plain(self.function, "the generator")["name"])

    def describe(self) -> dict[str, Any]:
        return {"generator": self.name, "parameters": plain(dict(self.parameters), "parameters")}

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
        function = imported(self.function, "generator", PATH) if isinstance(self.function, str) else self.function
        try:
            made = function(n, rng, **self.parameters)
        except Exception as error:  # the function is the user's: whatever it raises is told in a sentence
            raise InputError(f"It raised {type(error).__name__}: {error}", source=f"generator {self.name}") from error
        if not isinstance(made, tuple) or len(made) != 2 or any(_rows(part) != n for part in made):
            raise InputError(
                f"A pair (X, y) of {n} rows each was expected, but {_found(made)} was found.",
                source=f"generator {self.name}",
            )
        return made


def _rows(part: Any) -> int:
    """How many rows there are; −1 of what has none, such as a number, or a sparse matrix, which will not tell."""
    try:
        return len(part)
    except TypeError:
        return -1


def _found(made: Any) -> str:
    if isinstance(made, tuple) and len(made) == 2:
        sizes = [_rows(part) for part in made]
        if -1 not in sizes:
            return f"a pair of {sizes[0]} and {sizes[1]} rows"
        odd = next(part for part, size in zip(made, sizes, strict=True) if size < 0)
        return f"a pair with {type(odd).__name__}, which has no rows"
    return f"a tuple of {len(made)}" if isinstance(made, tuple) else type(made).__name__
