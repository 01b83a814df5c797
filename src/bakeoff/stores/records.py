"""What goes into a store and comes out of it, as frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bakeoff.measures.prediction import Prediction


@dataclass(frozen=True, slots=True, eq=False)
class TaskRecord:
    """A data set as a store knows it: what was to be predicted, but not from what."""

    key: str
    name: str
    kind: str
    n: int
    features: tuple[str, ...]
    classes: tuple[Any, ...]
    truth: NDArray[Any]  # codes of classes, numbers; zeros for a density
    notes: tuple[str, ...] = ()
    units: NDArray[Any] | None = None  # numbers of the patients, or whatever several rows may come from


@dataclass(frozen=True, slots=True)
class StudyRecord:
    """A study that was registered in a store."""

    id: int
    key: str
    name: str
    description: dict[str, Any]
    registered: str


@dataclass(frozen=True, slots=True)
class CellRecord:
    """One learner on one split: `key` is the hash of all that determines the result."""

    key: bytes
    learner_id: int
    split_id: int
    seed: int


@dataclass(frozen=True, slots=True, eq=False)
class SplitsIndex:
    """The splits of a task without their rows: an entry a place, that is a repeat, fold and role.

    On few data the same split can be drawn twice. Its `ids` and `keys` then stand at both places, so that a learner is
    fitted to it once and counts twice.
    """

    ids: NDArray[np.int64]
    keys: tuple[bytes, ...]
    repeat: NDArray[np.int64]
    fold: NDArray[np.int64]
    role: tuple[str, ...]
    n_train: NDArray[np.int64]
    n_test: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)


class Attempted(Protocol):
    """What a store reads of an attempt: running's Outcome, which it does not import."""

    @property
    def status(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def detail(self) -> str: ...
    @property
    def scores(self) -> Mapping[str, float]: ...
    @property
    def undefined(self) -> Mapping[str, str]: ...
    @property
    def resources(self) -> Mapping[str, float]: ...
    @property
    def prediction(self) -> Prediction | None: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
