"""Roles: what the columns of a table are to be, as the user said it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from bakeoff.errors import UsageError, nearest
from bakeoff.tasks.dataset import Kind


@dataclass(frozen=True)
class Roles:
    """Which column is what. All other columns are inputs.

    `kind` None leaves it to the target (`tasks.kinds`). `drop` are columns to ignore, `categorical` columns whose
    numbers are names. `positive` is the class that recall and AUC speak of. The last `test_rows` rows are a test
    sample that came with the data.

    >>> Roles(target="class", kind="classification", drop=["id"]).describe()
    {'target': 'class', 'kind': 'classification', 'drop': ['id']}
    """

    target: str | None = None
    kind: Kind | None = None
    group: str | None = None
    cluster: str | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    positive: Any = None
    test_rows: int = 0

    def __post_init__(self) -> None:
        for name in ("target", "group", "cluster"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, str) or not value):
                raise UsageError(f"{name} is {value!r}, but the name of a column was expected.")
        for name in ("drop", "categorical"):
            object.__setattr__(self, name, _names(name, getattr(self, name)))
        object.__setattr__(self, "kind", _kind(self.kind))
        if isinstance(self.test_rows, bool) or not isinstance(self.test_rows, int) or self.test_rows < 0:
            raise UsageError(f"test_rows is {self.test_rows!r}, but a number of rows was expected, 0 or more.")
        if self.positive is not None and not isinstance(self.positive, (str, int, float)):
            raise UsageError(f"positive is {self.positive!r}, but the name of a class was expected.")
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        if self.kind is Kind.DENSITY:
            if self.target is not None:
                raise UsageError(
                    f"A density has no target, but target is {self.target!r}. Leave target out "
                    "(drop = [...] keeps a column out of the inputs), or choose another kind."
                )
            if self.positive is not None:
                raise UsageError("A density has no classes, but positive names one. Leave positive out.")
        if self.kind is Kind.REGRESSION and self.positive is not None:
            raise UsageError("A regression has no classes, but positive names one. Leave positive or kind out.")
        taken: dict[str, str] = {}
        # Group and cluster may be one column: patients may be both what is kept together and what is averaged over.
        for role, columns in (("target", [self.target]), ("group", [self.group]), ("drop", self.drop)):
            for column in columns:
                if column is not None and column in taken:
                    raise UsageError(f"Column {column!r} is both {taken[column]} and {role}. Give it one role.")
                if column is not None:
                    taken[column] = role
        if self.cluster is not None and taken.get(self.cluster, "group") != "group":
            raise UsageError(f"Column {self.cluster!r} is both {taken[self.cluster]} and cluster. Give it one role.")

    def describe(self) -> dict[str, Any]:
        """What was said, as JSON; what was left open is left out."""
        said = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value not in (None, (), 0) or (field.name == "positive" and value is not None):
                said[field.name] = list(value) if isinstance(value, tuple) else value
        return {key: value.value if isinstance(value, Kind) else value for key, value in said.items()}

    @property
    def aside(self) -> frozenset[str]:
        """The columns that are not inputs."""
        return frozenset(c for c in (self.target, self.group, self.cluster, *self.drop) if c is not None)


def _names(role: str, value: Iterable[str] | str) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else None
    if names is None or not all(isinstance(name, str) for name in names):
        raise UsageError(f"{role} is {value!r}, but a list of names of columns was expected.")
    return tuple(dict.fromkeys(names))


def _kind(value: Kind | str | None) -> Kind | None:
    if value is None:
        return None
    try:
        return Kind(value)
    except ValueError:
        raise UsageError(f"kind cannot be {value!r}. {nearest(str(value), [kind.value for kind in Kind])}") from None
