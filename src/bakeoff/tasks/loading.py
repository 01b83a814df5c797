"""Calling a loader: code that the user named. Nothing here is run by reading or planning a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from bakeoff.errors import InputError, UsageError, nearest


def check_path(path: str, source: str) -> None:
    """Refuse what cannot be the import path of a function, without importing anything."""
    parts = path.split(".")
    if len(parts) < 2 or not all(part.isidentifier() for part in parts):
        raise UsageError(
            f"{source}: loader is {path!r}, but the import path of a function was expected, such as "
            "'sklearn.datasets.load_wine'."
        )


def imported(path: str, source: str) -> Callable[..., Any]:
    """The function at an import path.

    >>> imported("math.sqrt", "task 'x'")(9.0)
    3.0
    """
    check_path(path, source)
    home, _, name = path.rpartition(".")
    try:
        module = import_module(home)
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{source}: the module {error.name!r} of the loader {path!r} is not there. Install its package, check the "
            "spelling, or run bakeoff where Python finds it (PYTHONPATH)."
        ) from None
    except Exception as error:  # the module is the user's: whatever it raises is told in a sentence
        raise InputError(f"Importing {home!r} raised {type(error).__name__}: {error}", source=source) from error
    function = getattr(module, name, None)
    if function is None:
        known = [other for other in dir(module) if not other.startswith("_") and callable(getattr(module, other, None))]
        # Of a large module only those that look alike are worth showing.
        shown = known if len(known) < 30 else get_close_matches(name, known, n=5)
        raise UsageError(f"{source}: {home} has no function {name!r}. {nearest(name, shown) if shown else ''}".rstrip())
    if not callable(function):
        raise UsageError(f"{source}: {path!r} is {type(function).__name__}, but a function was expected.")
    return function  # type: ignore[no-any-return]


def call(function: str | Callable[..., Any], parameters: Mapping[str, Any], source: str) -> Any:
    """What a loader returns; whatever it raises is an InputError that tells it."""
    loader = imported(function, source) if isinstance(function, str) else function
    name = function if isinstance(function, str) else getattr(function, "__qualname__", repr(function))
    try:
        made = loader(**parameters)
    except Exception as error:  # as above
        raise InputError(f"The loader {name} raised {type(error).__name__}: {error}", source=source) from error
    if made is None:
        raise InputError(f"The loader {name} returned nothing. It should return (X, y) or a DataFrame.", source=source)
    return made
