"""Calling a loader: code that the user named. Nothing here is run by reading or planning a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bakeoff.errors import InputError
from bakeoff.importing import imported

PATH = "the import path of a function, such as 'sklearn.datasets.load_wine'"


def call(function: str | Callable[..., Any], parameters: Mapping[str, Any], source: str) -> Any:
    """What a loader returns; whatever it raises is an InputError that tells it."""
    loader = imported(function, source, PATH) if isinstance(function, str) else function
    name = function if isinstance(function, str) else getattr(function, "__qualname__", repr(function))
    try:
        made = loader(**parameters)
    except Exception as error:  # the loader is the user's: whatever it raises is told in a sentence
        raise InputError(f"The loader {name} raised {type(error).__name__}: {error}", source=source) from error
    if made is None:
        raise InputError(f"The loader {name} returned nothing. It should return (X, y) or a DataFrame.", source=source)
    return made
