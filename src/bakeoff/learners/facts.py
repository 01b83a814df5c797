"""What a learner may know of a data set before it sees the rows: enough to prepare it and to read its answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

# As in tasks.dataset.Kind, whose members are these texts.
CLASSIFICATION, REGRESSION, DENSITY = "classification", "regression", "density"
TARGET = "target"


class Data(Protocol):
    """The part of a `tasks.dataset.Dataset` that is looked at here: learners do not depend on where data come from."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def X(self) -> Any: ...  # noqa: N802  (the matrix keeps its capital letter)
    @property
    def classes(self) -> tuple[Any, ...]: ...
    @property
    def features(self) -> tuple[str, ...]: ...
    @property
    def categorical(self) -> tuple[str, ...]: ...
    @property
    def n_missing(self) -> int: ...
    @property
    def target(self) -> str: ...


@dataclass(frozen=True)
class Facts:
    """`missing` are the inputs with at least one missing value; `frame` says whether inputs come as a DataFrame."""

    name: str
    kind: str
    n: int
    features: tuple[str, ...]
    categorical: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    classes: tuple[Any, ...] = ()
    frame: bool = False
    target: str = TARGET

    @property
    def numeric(self) -> tuple[str, ...]:
        """The inputs that are numbers, in order."""
        return tuple(name for name in self.features if name not in self.categorical)

    @property
    def missing_numbers(self) -> tuple[str, ...]:
        """The numeric inputs that have missing values."""
        return tuple(name for name in self.missing if name not in self.categorical)


def facts_of(data: Data) -> Facts:
    """The facts of a data set: made once for a task, not once for a cell."""
    frame = not isinstance(data.X, np.ndarray)
    missing: tuple[str, ...] = ()
    if data.n_missing:
        absent: Any = np.asarray(data.X.isna() if frame else np.isnan(data.X)).any(axis=0)
        missing = tuple(name for name, some in zip(data.features, absent, strict=True) if some)
    return Facts(
        name=data.name,
        kind=str(data.kind),
        n=len(data.X),
        features=data.features,
        categorical=data.categorical,
        missing=missing,
        classes=data.classes,
        frame=frame,
        # An input of the same name must not be taken for it.
        target=_free_name(data.target, data.features),
    )


def _free_name(wanted: str, taken: tuple[str, ...]) -> str:
    while wanted in taken:
        wanted += "_"
    return wanted
