"""Resampling: from a sample to learning and test samples, and from their losses to an estimate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from bakeoff.errors import UsageError, nearest
from bakeoff.resampling.cross_validation import CrossValidation
from bakeoff.resampling.scheme import Scheme


def _own_schemes() -> dict[str, type[Scheme]]:
    """Every class of this folder that has a name for study files."""
    homes = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    kinds = [value for home in homes for value in vars(home).values() if isinstance(value, type)]
    named = [kind for kind in kinds if issubclass(kind, Scheme) and "scheme" in vars(kind)]
    return {kind.scheme: kind for kind in named if kind.in_study_files}


SCHEMES = _own_schemes()

INSTEAD = "Compare learners by out-of-bootstrap, or by cross-validation."
_R_TIMES_K = re.compile(r"(\d{1,6})x(\d{1,6})(?:-?cv)?")


def register(kind: type[Scheme]) -> type[Scheme]:
    """Add a scheme from outside the package, so that study files can name it and stored scores of it can be judged."""
    if SCHEMES.setdefault(kind.scheme, kind) is not kind:
        raise UsageError(f"There is a scheme {kind.scheme!r} already; give yours a name of its own.")
    return kind


def optimism(scheme: str) -> str:
    """What is wrong with comparing learners by a scheme; nothing is said of those that test on other rows.

    Measured on sonar: by the bootstrap that tests on the original sample, 1-nearest-neighbour, which knows every row it
    has seen, beats a support vector machine that is better on new rows. Alpaydın 19.6.3 calls the estimate pessimistic,
    which it is not.

    >>> optimism("out-of-bootstrap")
    ''
    """
    kind = SCHEMES.get(scheme)
    if kind is None or not kind.optimistic:
        return ""
    seen = {
        "most": "tests on rows most of which were learned from",
        "part": "takes part of each score from rows that were learned from",
    }[kind.optimistic]
    return (
        f"The scheme {scheme} {seen}: scores are optimistic, and most so for learners that learn rows by heart, which "
        "then look better than they are."
    )


def resampling_from(description: Mapping[str, Any]) -> Scheme:
    """The scheme that a table describes: `scheme` and its parameters, all of which have defaults.

    "10x10" is short for ten repeats of ten folds, and so for other numbers.

    >>> resampling_from({"scheme": "cv", "folds": 5})
    CrossValidation(folds=5, repeats=1, stratify=True)
    >>> resampling_from({"scheme": "10x10"}).describe()
    {'scheme': 'cross-validation', 'folds': 10, 'repeats': 10, 'stratify': True}
    >>> resampling_from({"scheme": "cross-validation", "fold": 5})
    Traceback (most recent call last):
    bakeoff.errors.UsageError: The scheme 'cross-validation' has no parameter 'fold'. Did you mean 'folds'? ...
    """
    if not isinstance(description, Mapping):
        raise UsageError(f"A resampling is a table with a scheme and its parameters; found {description!r}.")
    if "scheme" not in description:
        raise UsageError(f"The resampling names no scheme. {nearest('', SCHEMES)}")
    kind, implied = _kind(description["scheme"])
    given = {name: value for name, value in description.items() if name != "scheme"}
    known = [field.name for field in fields(kind) if field.compare]  # type: ignore[arg-type]  # every scheme is a dataclass
    for name, value in given.items():
        if name not in known:
            known = ["file"] if kind.reads_file else known  # which is read before, and known by its content
            raise UsageError(f"The scheme {kind.scheme!r} has no parameter {name!r}. {_parameters(name, known)}")
        if name in implied and value != implied[name]:
            raise UsageError(
                f"The scheme {description['scheme']!r} says {name} = {implied[name]}, and {name} = {value!r} stands "
                "beside it. Give one of them."
            )
    return kind(**{**implied, **given})


def _parameters(name: str, known: list[str]) -> str:
    return nearest(str(name), known) if known else "It has none."


def _kind(name: Any) -> tuple[type[Scheme], dict[str, int]]:
    """The class of a scheme, and the parameters that its name implies."""
    folded = _folded(name)
    for kind in SCHEMES.values():
        if folded == kind.scheme or folded in kind.synonyms:
            return kind, {}
    times = _R_TIMES_K.fullmatch(folded)
    if times:
        return CrossValidation, {"repeats": int(times[1]), "folds": int(times[2])}
    raise UsageError(f"There is no resampling scheme {name!r}. {nearest(folded, SCHEMES)}")


def _folded(name: Any) -> str:
    """A name without the differences that do not matter: capitals, blanks, underscores, the sign ×.

    >>> _folded("Leave_One Out"), _folded("5×2"), _folded(632)
    ('leave-one-out', '5x2', '632')
    """
    return re.sub(r"[\s_]+", "-", str(name).strip().lower()).replace("×", "x")
