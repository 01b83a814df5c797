"""From an import path to what it names, with a sentence for everything that can be wrong with it.

Learners, loaders, generators and scorers are all named by paths; `whose` and `expected` say in messages what it is for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from bakeoff.errors import UsageError


def check_path(path: str, whose: str, expected: str) -> None:
    """That a text could be an import path; nothing is imported.

    >>> check_path("SVC", "learner 'svm'", "the path of a class, such as 'sklearn.svm.SVC'")
    Traceback (most recent call last):
    bakeoff.errors.UsageError: learner 'svm': 'SVC' is no import path. Expected is the path of a class, such as
    'sklearn.svm.SVC'.
    """
    parts = path.split(".") if isinstance(path, str) else []
    if len(parts) < 2 or not all(part.isidentifier() for part in parts):
        raise UsageError(f"{path!r} is no import path. Expected is {expected}.", whose=whose)


def imported(path: str, whose: str, expected: str) -> Any:
    """The class or function that a path names.

    >>> imported("collections.OrderedDict", "learner 'x'", "a class")
    <class 'collections.OrderedDict'>
    >>> imported("collections.OrderdDict", "learner 'x'", "a class")
    Traceback (most recent call last):
    bakeoff.errors.UsageError: learner 'x': the module 'collections' has no 'OrderdDict'. Did you mean 'OrderedDict'?
    """
    check_path(path, whose, expected)
    home, _, name = path.rpartition(".")
    module = _module(home, path, whose)
    try:
        value = getattr(module, name)
    except AttributeError:
        raise UsageError(
            f"{_kind_of(module)} {home!r} has no {name!r}.{_suggestion(name, module)}", whose=whose
        ) from None
    if not callable(value):
        raise UsageError(f"{path!r} is {_what(value)}, which cannot be called. Expected is {expected}.", whose=whose)
    return value


def _module(home: str, path: str, whose: str) -> Any:
    """The module, or the class if a class is nested in one."""
    try:
        return import_module(home)
    except ModuleNotFoundError as error:
        absent = error.name or ""
        if home != absent and not home.startswith(f"{absent}."):
            # The module is there; it is what it imports that is not.
            raise UsageError(f"{home!r} needs the module {absent!r}, which is not installed.", whose=whose) from error
        return _nested(home, absent, path, whose)
    except Exception as error:  # the user's own module may raise anything
        raise UsageError(f"importing {home!r} raised {type(error).__name__}: {error}", whose=whose) from error


def _nested(home: str, absent: str, path: str, whose: str) -> Any:
    outer, _, name = absent.rpartition(".")
    if not outer:
        # The standard library and what is loaded already suffice: a list of all that is installed would take seconds.
        close = get_close_matches(name, [known for known in sys.modules if "." not in known], n=1, cutoff=0.75)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise UsageError(
            f"there is no module {name!r}, which {path!r} needs.{hint} Install the package that has it, put "
            "it beside the study file, or start bakeoff where Python finds it (PYTHONPATH).",
            whose=whose,
        )
    module = import_module(outer)
    if isinstance(getattr(module, name, None), type) and absent == home:
        return getattr(module, name)
    raise UsageError(f"the module {outer!r} has no {name!r}.{_suggestion(name, module)}", whose=whose)


def _kind_of(home: Any) -> str:
    return "the class" if isinstance(home, type) else "the module"


def _suggestion(name: str, home: Any) -> str:
    names = set(dir(home))
    submodules = getattr(home, "__path__", None)
    if submodules is not None:
        from pkgutil import iter_modules

        names |= {module.name for module in iter_modules(submodules)}
    return suggestion(name, names)


def suggestion(name: str, names: Iterable[str]) -> str:
    """The nearest public names, without regard to case: ' Did you mean …?', or nothing."""
    public = {known.lower(): known for known in sorted(names) if not known.startswith("_")}
    # A misspelling has one nearest name; a lower cutoff finds RandomForestClassifier for RandomForest.
    near = get_close_matches(name.lower(), public, n=1, cutoff=0.8) or get_close_matches(name.lower(), public, 3, 0.55)
    close = [public[match] for match in near]
    return f" Did you mean {' or '.join(repr(match) for match in close)}?" if close else ""


def _what(value: Any) -> str:
    from types import ModuleType

    return "a module" if isinstance(value, ModuleType) else f"a value of type {type(value).__name__}"
