"""The long table: a row for each cell that was run and each measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.scores.factor import Factor, frozen
from bakeoff.stores.asked import Asked, Spec, asked_for
from bakeoff.stores.grid import study_grid
from bakeoff.stores.reader import Reader
from bakeoff.stores.values import TaskValues, task_values

COLUMNS = (
    "task", "learner", "measure", "repeat", "fold", "role", "value", "n_train", "n_test", "status", "message",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class LongTable:
    """Columns of equal length; failures are rows without a value."""

    task: Factor
    learner: Factor
    measure: Factor
    repeat: Factor
    fold: Factor
    role: Factor
    value: NDArray[np.float64]
    n_train: NDArray[np.float64]
    n_test: NDArray[np.float64]
    status: Factor
    message: Factor

    def __len__(self) -> int:
        return len(self.value)


def long_table(store: Reader, study_key: str, measures: Sequence[Spec] | None = None) -> LongTable:
    """All scores of a study as they are stored, those of the fit to all rows (role "apparent") included."""
    grid = study_grid(store, study_key)
    asked = asked_for(grid, measures)
    return flattened(grid.learners, asked, [task_values(store, grid, task, asked) for task in grid.tasks])


def flattened(learners: tuple[str, ...], asked: Sequence[Asked], tasks: Sequence[TaskValues]) -> LongTable:
    """Measure by measure, task by task, place by place, learner by learner."""
    parts = [
        _Part.of(number, which, task, one.name) for number, one in enumerate(asked) for which, task in enumerate(tasks)
    ]
    words = _Words()
    status = [words.codes("ok", part, "status") for part in parts]
    message = [words.codes("", part, "message") for part in parts]
    places = [np.repeat(np.arange(len(part.values.role)), part.per_place) for part in parts]

    def whole(name: str) -> NDArray[np.int64]:
        return _joined([getattr(part.values, name)[at] for part, at in zip(parts, places, strict=True)], np.int64)

    def sizes(name: str) -> NDArray[np.float64]:
        return _joined([getattr(part.values, name)[at] for part, at in zip(parts, places, strict=True)], np.float64)

    roles = sorted({role for task in tasks for role in task.role}, reverse=True)
    role = [np.array([roles.index(role) for role in part.values.role], dtype=np.intp) for part in parts]
    return LongTable(
        task=_factor([task.name for task in tasks], [np.full(len(p), p.task) for p in parts]),
        learner=_factor(learners, [part.column for part in parts]),
        measure=_factor([one.name for one in asked], [np.full(len(p), p.measure) for p in parts]),
        repeat=_numbers(whole("repeat")),
        fold=_numbers(whole("fold")),
        role=_factor(roles, [codes[at] for codes, at in zip(role, places, strict=True)]),
        value=_joined([part.value for part in parts], np.float64),
        n_train=sizes("n_train"),
        n_test=sizes("n_test"),
        status=_factor(words.labels["status"], status),
        message=_factor(words.labels["message"], message),
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """The rows of one measure on one task."""

    measure: int
    task: int
    values: TaskValues
    name: str
    value: NDArray[np.float64]
    column: NDArray[np.intp]
    per_place: NDArray[np.int64]  # how many rows each place has

    @classmethod
    def of(cls, measure: int, task: int, values: TaskValues, name: str) -> _Part:
        tried = values.tried
        column = np.broadcast_to(np.arange(tried.shape[1]), tried.shape)[tried]
        return cls(measure, task, values, name, values.values[name][tried], column, tried.sum(axis=1))

    def __len__(self) -> int:
        return len(self.value)


class _Words:
    """Labels of statuses and messages, numbered as they turn up."""

    def __init__(self) -> None:
        self.labels: dict[str, list[str]] = {"status": [], "message": []}
        self._numbers: dict[str, dict[str, int]] = {"status": {}, "message": {}}

    def codes(self, usual: str, part: _Part, name: str) -> NDArray[np.intp]:
        full = np.full(part.values.tried.shape, self._number(name, usual), dtype=np.intp)
        for cell, trouble in part.values.trouble[part.name].items():
            full[cell] = self._number(name, getattr(trouble, name))
        return full[part.values.tried]

    def _number(self, name: str, label: str) -> int:
        number = self._numbers[name].setdefault(label, len(self.labels[name]))
        if number == len(self.labels[name]):
            self.labels[name].append(label)
        return number


def _factor(labels: Sequence[str], codes: Sequence[NDArray[np.intp]]) -> Factor:
    """Labels that are used, in their order."""
    joined = _joined(codes, np.intp)
    used = np.bincount(joined, minlength=len(labels)) > 0
    if not used.all():
        joined = (np.cumsum(used) - 1)[joined]
    return Factor(tuple(label for label, there in zip(labels, used, strict=True) if there), frozen(joined))


def _numbers(values: NDArray[np.int64]) -> Factor:
    """Numbers as labels, in their order."""
    least, most = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    return _factor([str(number) for number in range(least, most + 1)], [(values - least).astype(np.intp)])


def _joined(parts: Sequence[NDArray[Any]], dtype: type) -> NDArray[Any]:
    return frozen(np.concatenate([np.empty(0, dtype=dtype), *parts]).astype(dtype, copy=False))
