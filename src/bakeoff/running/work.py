"""Work: cells as they are sent to a worker, several at a time where they are short."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bakeoff.errors import UsageError
from bakeoff.measures.response import PackedPrediction

PackedRows = tuple[bytes, bytes]  # of the learning and the test sample, by measures.response


@dataclass(frozen=True)  # without slots, for which dataclasses pickle in Python: thousands a second go through a pipe
class Work:
    """One cell: numbers of its learner, task and split, and its seed."""

    cell: int
    learner: int
    task: int
    split: int
    seed: int

    @property
    def kind(self) -> tuple[int, int]:
        """Cells of one kind take about the same time."""
        return self.learner, self.task


@dataclass(frozen=True, slots=True)
class Chunk:
    """Cells of one learner for one worker, and the rows to learn from and to test on of the splits that they need."""

    work: tuple[Work, ...]
    splits: Mapping[int, PackedRows]

    @property
    def learner(self) -> int:
        return self.work[0].learner

    def one_by_one(self) -> list[Chunk]:
        """The same cells, each by itself: after a chunk failed as a whole."""
        return [Chunk((work,), {work.split: self.splits[work.split]}) for work in self.work]


# ----------------------------------------------------------------------------------------------------------------------
# Outcome: what became of one attempt at one cell. Failures are data.


class Status(StrEnum):
    """How an attempt ended."""

    OK = "ok"
    ERROR = "error"  # the learner raised
    INVALID = "invalid"  # its predictions have the wrong length, are not numbers, are no known classes, cannot be sent
    TIMEOUT = "timeout"  # past the time limit
    MEMORY = "memory"  # past the memory limit
    CRASH = "crash"  # the process died: segmentation fault, exit, killed


@dataclass  # without slots, as Work
class Outcome:
    """One attempt. `scores` has a value for each measure of the study that is defined here; `undefined` says why the
    others are not (the AUC of a fold with one class). `resources` are seconds, bytes and counts of this attempt."""

    cell: int  # the number of the cell in the plan
    status: Status
    message: str = ""
    detail: str = ""  # traceback and the last lines that the learner printed
    scores: Mapping[str, float] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)
    resources: dict[str, float] = field(default_factory=dict)
    prediction: PackedPrediction | None = None
    notes: tuple[str | dict[str, dict[str, str]], ...] = ()  # {"tuned": parameters}, then warnings, each once


# ----------------------------------------------------------------------------------------------------------------------
# Limits: how long and how much a single cell may take.


_UNITS = {"": 1, "b": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30}
_SECONDS = {"": 1.0, "ms": 0.001, "s": 1.0, "sec": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds and bytes that a cell may use; None is no limit. `threads` is what one worker may use inside a fit."""

    time_limit: float | None = None
    memory_limit: int | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        if self.time_limit is not None and not 0 < self.time_limit < float("inf"):
            raise UsageError(f"time_limit must be a positive number of seconds; found {self.time_limit!r}.")
        if self.memory_limit is not None and self.memory_limit < 2**24:
            raise UsageError(
                f"memory_limit must be at least 16 MiB, which Python itself needs; found {self.memory_limit} bytes."
            )
        if self.threads < 1:
            raise UsageError(f"threads must be a positive whole number; found {self.threads!r}.")


def seconds(value: object) -> float | None:
    """A time limit as people write it.

    >>> seconds(60), seconds("2 min"), seconds("500 ms"), seconds(None)
    (60.0, 120.0, 0.5, None)
    """
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([a-zA-Z]*)\s*", value) if isinstance(value, str) else None
    if match is None or match[2].lower() not in _SECONDS:
        raise UsageError(f'A time is a number of seconds, or a text such as "90 s", "5 min" or "2 h"; found {value!r}.')
    return float(match[1]) * _SECONDS[match[2].lower()]


def size(value: object) -> int | None:
    """A memory limit as people write it.

    >>> size("2 GB"), size("512 MiB"), size(1_000_000_000)
    (2000000000, 536870912, 1000000000)
    """
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([a-zA-Z]*)\s*", value) if isinstance(value, str) else None
    unit = match[2].lower().removesuffix("b") if match else "?"
    if match is None or unit not in _UNITS:
        raise UsageError(f'A size is a number of bytes, or a text such as "2 GB" or "512 MiB"; found {value!r}.')
    return int(float(match[1]) * _UNITS[unit])
