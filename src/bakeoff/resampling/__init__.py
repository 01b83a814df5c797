"""Resampling: from a sample to learning and test samples, and from their losses to an estimate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from bakeoff.errors import UsageError, nearest
from bakeoff.resampling.bootstrap import (
    Bootstrap,
    Bootstrap632,
    Bootstrap632Plus,
    OutOfBayesianBootstrap,
    OutOfBootstrap,
    OutOfBootstrap2n,
)
from bakeoff.resampling.cross_validation import BootstrapCrossValidation, CrossValidation, FiveByTwo, LeaveOneOut
from bakeoff.resampling.holdout import Competition, DisjointHalves, GivenTest, HoldOut, HoldOutBootstrap
from bakeoff.resampling.scheme import Scheme
from bakeoff.resampling.simulation import Simulation

# ----------------------------------------------------------------------------------------------------------------------
# The schemes by name, and from the table [resampling] of a study file to one of them.


SCHEMES: dict[str, type[Scheme]] = {
    kind.scheme: kind
    for kind in (
        HoldOut,
        GivenTest,
        Competition,
        DisjointHalves,
        CrossValidation,
        FiveByTwo,
        LeaveOneOut,
        Bootstrap,
        OutOfBootstrap,
        OutOfBootstrap2n,
        Bootstrap632,
        Bootstrap632Plus,
        BootstrapCrossValidation,
        OutOfBayesianBootstrap,
        HoldOutBootstrap,
        Simulation,
    )
}

# Other names that people use, as `_folded` writes them.
SYNONYMS: dict[str, str] = {
    "holdout": "hold-out",
    "split": "hold-out",
    "train-test-split": "hold-out",
    "subsampling": "hold-out",
    "given-test": "given",
    "halves": "disjoint-halves",
    "cv": "cross-validation",
    "crossvalidation": "cross-validation",
    "kfold": "cross-validation",
    "k-fold": "cross-validation",
    "k-fold-cross-validation": "cross-validation",
    "repeated-cross-validation": "cross-validation",
    "repeated-cv": "cross-validation",
    "stratified-cross-validation": "cross-validation",
    "5x2-cv": "5x2",
    "5x2cv": "5x2",
    "loo": "leave-one-out",
    "loocv": "leave-one-out",
    "logo": "leave-one-out",
    "leave-one-group-out": "leave-one-out",
    "oob": "out-of-bootstrap",
    "out-of-bag": "out-of-bootstrap",
    "oob-2n": "out-of-bootstrap-2n",
    ".632": "632",
    ".632+": "632+",
    "0.632": "632",
    "0.632+": "632+",
    "bootstrap-cross-validation": "bootstrap-cv",
    "cv-on-bootstrap": "bootstrap-cv",
}
_R_TIMES_K = re.compile(r"(\d{1,6})x(\d{1,6})(?:-?cv)?")


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
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # every scheme is a dataclass
    for name, value in given.items():
        if name not in known:
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
    folded = SYNONYMS.get(folded, folded)
    if folded in SCHEMES:
        return SCHEMES[folded], {}
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
