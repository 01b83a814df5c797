"""Outcome: what became of one attempt at one cell. Failures are data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bakeoff.measures.prediction import Prediction


class Status(StrEnum):
    """How an attempt ended."""

    OK = "ok"
    ERROR = "error"  # the learner raised
    INVALID = "invalid"  # its predictions have the wrong length, are not numbers, are no known classes, cannot be sent
    TIMEOUT = "timeout"  # past the time limit
    MEMORY = "memory"  # past the memory limit
    CRASH = "crash"  # the process died: segmentation fault, exit, killed


@dataclass(frozen=True, slots=True)
class Outcome:
    """One attempt. `scores` has a value for each measure of the study that is defined here; `undefined` says why the
    others are not (the AUC of a fold with one class). `resources` are seconds, bytes and counts of this attempt."""

    cell: int  # the number of the cell in the plan
    status: Status
    message: str = ""
    detail: str = ""  # traceback and the last lines that the learner printed
    scores: Mapping[str, float] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)
    resources: Mapping[str, float] = field(default_factory=dict)
    prediction: Prediction | None = None
    notes: tuple[str, ...] = ()  # what the fit chose (tuned parameters), warnings, each once
