"""The data sets that come with bakeoff. All that is said about them stands in data/sets.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from typing import Any

from bakeoff.errors import UsageError, nearest
from bakeoff.tasks.dataset import Kind
from bakeoff.tasks.roles import Roles


@dataclass(frozen=True)
class BundledSet:
    """One data set: what it is, how its columns are read, where it comes from, and what to beware of.

    `rows` are those of the file, `inputs` the columns used, `missing` their empty cells in rows that have a target.
    """

    name: str
    title: str
    kind: str
    target: str
    rows: int
    inputs: int
    classes: int
    missing: int
    creators: str
    source: str
    licence: str
    copy: str
    reference: str = ""
    changes: str = ""
    note: str = ""
    positive: str | None = None
    group: str | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    test_rows: int = 0

    def content(self) -> bytes:
        """The bytes of the file, with line ends that no checkout has changed."""
        return (files("bakeoff") / "data" / "sets" / f"{self.name}.csv").read_bytes().replace(b"\r\n", b"\n")

    def roles(self, said: Roles | None = None) -> Roles:
        """How the columns are read; what the user said of them comes first."""
        own = Roles(
            target=self.target,
            kind=Kind(self.kind),
            group=self.group,
            drop=self.drop,
            categorical=self.categorical,
            positive=self.positive,
            test_rows=self.test_rows,
        )
        if said is None or said == Roles():
            return own
        theirs = {f.name: getattr(said, f.name) for f in fields(Roles) if getattr(said, f.name) != f.default}
        if "target" in theirs and theirs["target"] != self.target:  # another question: what answers the old one is moot
            own = replace(own, kind=None, positive=None, target=theirs["target"])
        if theirs.get("kind") is Kind.DENSITY:
            # Nothing is to be predicted; the labels would give the answer away, so they are not inputs.
            own = replace(own, kind=None, positive=None, target=None)
            theirs["drop"] = (*theirs.get("drop", own.drop), self.target)
        return replace(own, **theirs)

    def attribution(self) -> str:
        """Who made the data, where they are found, under which licence, and what was changed."""
        changed = f"; {self.changes}" if self.changes else ""
        return f"{self.creators}. {self.source}. Licence: {self.licence}. Written as CSV from {self.copy}{changed}."

    def to_dict(self) -> dict[str, Any]:
        """All of it, as JSON."""
        made = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in made.items()}


@cache
def bundled_sets() -> dict[str, BundledSet]:
    """All of them, by name.

    >>> bundled_sets()["ionosphere"].rows
    351
    """
    table = tomllib.loads((files("bakeoff") / "data" / "sets.toml").read_text(encoding="utf-8"))
    return {name: BundledSet(name=name, **_frozen(entry)) for name, entry in table.items()}


def _frozen(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}


def bundled(name: str) -> BundledSet:
    """One of them; an unknown name is an error that names the nearest one."""
    known = bundled_sets()
    if name not in known:
        raise UsageError(f"There is no data set {name!r} in bakeoff. {nearest(name, known)}")
    return known[name]
