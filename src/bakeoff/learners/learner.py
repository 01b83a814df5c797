"""A learner: a name, and how to make a fresh estimator for one cell. A description; nothing here runs anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from bakeoff.keys import key_of, plain

PREPARE = ("auto", "standard", "auto-drop-first", "standard-drop-first", "none")
PATH = "the path of a class, such as 'sklearn.svm.SVC', or of a function that returns an estimator"


@dataclass(frozen=True)
class Tuning:
    """A grid searched inside each learning sample, by cross-validation of it: nested, never on the test rows."""

    grid: Mapping[str, tuple[Any, ...]]
    folds: int = 5
    measure: str | None = None  # by default accuracy, or the mean squared error


@dataclass(frozen=True)
class Step:
    """One step of a pipeline: an import path and parameters."""

    path: str
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Learner:
    """Exactly one of `steps` (one or more; the last is the estimator), `estimator` (an object) and `command` is given.

    `prepare` says what stands before the estimator: "auto" imputes and encodes where the data have missing values or
    categories, "standard" also standardises the numbers, "none" passes the data on as they are. "-drop-first" after
    the first two leaves the indicator of the first category out.
    """

    name: str
    steps: tuple[Step, ...] = ()
    estimator: Any = None
    command: tuple[str, ...] = ()
    prepare: str = "auto"
    tuning: Tuning | None = None
    folder: str = ""  # where a command is run and its files are looked for; not part of the key

    def describe(self) -> dict[str, Any]:
        """All that determines a result, as JSON. The name is for display and is not part of it."""
        made: dict[str, Any] = {"prepare": self.prepare}
        if self.estimator is not None:
            made["object"] = plain(self.estimator, f"learner {self.name!r}")
        elif self.command:
            made["command"] = list(self.command)
        else:
            made["steps"] = [
                {"path": step.path, "parameters": plain(dict(step.parameters), f"learner {self.name!r}")}
                for step in self.steps
            ]
        if self.tuning is not None:
            made["tuning"] = {
                "grid": plain({name: list(values) for name, values in self.tuning.grid.items()}, "tune"),
                "folds": self.tuning.folds,
                "measure": self.tuning.measure,
            }
        return made

    @property
    def key(self) -> str:
        return key_of(self.describe())
