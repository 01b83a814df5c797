"""How far a study is and how long the rest will take, what failed, and what fits had to say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from bakeoff.resampling.split import APPARENT, TEST
from bakeoff.results.grid import FAILED, LATEST, TaskCells, study_grid
from bakeoff.store.database import read_json
from bakeoff.store.reader import Reader, StudyRecord, check_attempt
from bakeoff.store.schema import attempt, cell, run


@dataclass(frozen=True)
class Part:
    """One learner on one task: how many cells there are, how those ended that were tried, and their mean seconds."""

    task: str
    learner: str
    cells: int
    ok: int
    failed: Mapping[str, int]  # by status
    seconds: float  # NaN if none was timed

    @property
    def left(self) -> int:
        return self.cells - self.ok - sum(self.failed.values())


@dataclass(frozen=True)
class RunRecord:
    """One run of a study: `state` is running, finished, interrupted or failed; `environment` is where it was run."""

    started: str
    finished: str | None
    state: str
    workers: int
    threads: int
    environment: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Progress:
    """How far a study is. A cell counts at each place of its split, as in the plan."""

    study: StudyRecord
    parts: tuple[Part, ...]
    runs: tuple[RunRecord, ...]

    @property
    def cells(self) -> int:
        return sum(part.cells for part in self.parts)

    @property
    def ok(self) -> int:
        return sum(part.ok for part in self.parts)

    @property
    def failed(self) -> int:
        return sum(sum(part.failed.values()) for part in self.parts)

    @property
    def left(self) -> int:
        return sum(part.left for part in self.parts)

    @property
    def by_status(self) -> dict[str, int]:
        """All cells by how they ended; "left" for those that were not tried."""
        counts: Counter[str] = Counter({"ok": self.ok})
        for part in self.parts:
            counts.update(part.failed)
        return {**{status: count for status, count in counts.items() if count}, "left": self.left}

    @property
    def seconds_left(self) -> float | None:
        """Seconds of work that are left, by the times so far; None if nothing was timed."""
        timed = [part.seconds for part in self.parts if not isnan(part.seconds)]
        if not timed:
            return None
        usual = sum(timed) / len(timed)
        return sum(part.left * (usual if isnan(part.seconds) else part.seconds) for part in self.parts)


def progress(store: Reader, study_key: str) -> Progress:
    """Cells by status for each learner and task, and the runs so far."""
    grid = study_grid(store, study_key)
    parts: list[Part] = []
    with store.snapshot() as connection:
        for task in grid.tasks:
            tried = _tried(connection, task) & task.in_study
            failures = {number: failure.status for number, failure in task.failures(connection).items()}
            failed = _failed(task, failures)
            seconds = _seconds(connection, task)
            for column, name in enumerate(grid.learners):
                count = int(tried[:, column].sum()) - sum(failed[column].values())
                mean = seconds.get(grid.learner_ids[column], nan)
                parts.append(
                    Part(task.name, name, int(task.in_study[:, column].sum()), count, dict(failed[column]), mean)
                )
        columns = (run.c.started, run.c.finished, run.c.state, run.c.workers, run.c.threads, run.c.environment)
        runs = connection.execute(select(*columns).where(run.c.study == grid.record.id).order_by(run.c.id)).all()
    return Progress(grid.record, tuple(parts), tuple(RunRecord(*row[:-1], read_json(row[-1])) for row in runs))


def cells_left(store: Reader, study_key: str) -> int:
    """How many cells were not tried yet; nothing else of the progress."""
    tasks = study_grid(store, study_key).tasks
    with store.snapshot() as connection:
        return sum(int((task.in_study & ~_tried(connection, task)).sum()) for task in tasks)


def _tried(connection: Connection, task: TaskCells) -> NDArray[np.bool_]:
    """Places × learners: whether the cell was tried."""
    stored = task.stored(connection)
    tried: NDArray[np.bool_] = task.to_grid(stored, np.ones(len(stored), dtype=bool), False)
    return tried


def _failed(task: TaskCells, failures: Mapping[int, str]) -> list[Counter[str]]:
    """For each learner of the study the failed cells by status."""
    columns = task.layout.T
    if not failures:
        return [Counter() for _ in columns]
    which: NDArray[np.bool_] = np.isin(columns, list(failures)) & task.in_study.T
    return [Counter(failures[int(n)] for n in cells[marked]) for cells, marked in zip(columns, which, strict=True)]


def _seconds(connection: Connection, task: TaskCells) -> dict[int, float]:
    """Mean seconds of an attempt by learner."""
    spent = func.coalesce(attempt.c.seconds, attempt.c.fit_time + attempt.c.predict_time)
    query = select(cell.c.learner, func.avg(spent)).join_from(cell, attempt, attempt.c.cell == cell.c.id)
    rows = connection.execute(query.where(task.condition).group_by(cell.c.learner))
    return {learner: float(mean) for learner, mean in rows if mean is not None}


# ----------------------------------------------------------------------------------------------------------------------
# Failures: what went wrong, grouped, with examples.


EXAMPLES = 3


@dataclass(frozen=True)
class FailedCell:
    """A cell whose latest attempt failed: where it is, how often it was tried, and what is known of the last time.

    `role` is test, or apparent for the fit to all rows that .632 and .632+ need beside their repeats.
    """

    task: str
    repeat: int
    fold: int
    seed: int
    tries: int
    detail: str
    role: str = TEST

    @property
    def where(self) -> str:
        """The split in words.

        >>> FailedCell("iris", 0, 1, 7, 1, "", APPARENT).where
        'task iris, apparent fit (to the whole learning sample)'
        """
        if self.role == APPARENT:
            return f"task {self.task}, apparent fit (to the whole learning sample)"
        return f"task {self.task}, repeat {self.repeat}, fold {self.fold}"


@dataclass(frozen=True)
class FailureGroup:
    """All failures of one learner that ended alike and said the same."""

    learner: str
    status: str
    message: str
    count: int
    tasks: tuple[str, ...]
    examples: tuple[FailedCell, ...]


def failures(store: Reader, study_key: str) -> list[FailureGroup]:
    """The failed cells of a study by learner, status and message, the largest groups first."""
    grid = study_grid(store, study_key)
    groups: dict[tuple[int, str, str], list[tuple[int, FailedCell]]] = {}
    for task in grid.tasks:
        for learner_id, status, message, failed in _failed_cells(store, task):
            groups.setdefault((learner_id, status, message), []).append((task.number, failed))
    failure_groups = []
    for (learner_id, status, message), members in groups.items():
        tasks = tuple(dict.fromkeys(failed.task for _, failed in members))
        examples = tuple(failed for _, failed in members[:EXAMPLES])
        for name in _names(learner_id, grid.learner_ids, grid.learners):
            failure_groups.append(FailureGroup(name, status, message, len(members), tasks, examples))
    return sorted(failure_groups, key=lambda group: (-group.count, grid.learners.index(group.learner), group.message))


def _names(learner_id: int, ids: Sequence[int], names: Sequence[str]) -> list[str]:
    """The names of a learner in the study: two that are described alike are one in the store."""
    return [name for its, name in zip(ids, names, strict=True) if its == learner_id]


def _failed_cells(store: Reader, task: TaskCells) -> list[tuple[int, str, str, FailedCell]]:
    """(learner, status, message, cell) for every failed cell of a task, at the first place of its split."""
    columns = (cell.c.learner, cell.c.split, cell.c.seed, attempt.c.number)
    query = select(*columns, *store.attempt_columns()).join_from(cell, attempt, attempt.c.cell == cell.c.id)
    query = query.where(task.condition, FAILED, LATEST).order_by(cell.c.split, cell.c.learner)
    index = task.index
    place: dict[int, int] = {}
    for number, split_id in enumerate(index.ids.tolist()):
        place.setdefault(split_id, number)
    rows = []
    for row in store.rows(query):
        check_attempt(row._mapping, f"what is stored of a failure on task {task.name!r}")
        at = place[row.split]
        where = (task.name, int(index.repeat[at]), int(index.fold[at]))
        failed = FailedCell(*where, row.seed, row.number, row.detail, index.role[at])
        rows.append((row.learner, row.status, row.message, failed))
    return rows


# ----------------------------------------------------------------------------------------------------------------------
# Remarks: what fits had to say though they succeeded: warnings they raised, parameters that tuning chose.


_TUNED = "tuned: "


@dataclass(frozen=True, slots=True)
class FitNote:
    """A text, of which learner, and in how many cells; `chosen` are the parameters, if tuning chose some."""

    learner: str
    text: str
    cells: int
    chosen: str = ""


def remarks(store: Reader, study_key: str) -> list[FitNote]:
    """All remarks of the cells of a study that are done, learner by learner, the most frequent first."""
    grid = study_grid(store, study_key)
    names = dict(zip(grid.learner_ids, grid.learners, strict=True))
    counts: Counter[tuple[int, str, str]] = Counter()
    with store.snapshot() as connection:
        for task in grid.tasks:
            query = select(cell.c.learner, attempt.c.notes, func.count()).join_from(
                cell, attempt, attempt.c.cell == cell.c.id
            )
            query = query.where(task.condition, attempt.c.status == "ok", attempt.c.notes != "[]")
            for learner, notes, cells in connection.execute(query.group_by(cell.c.learner, attempt.c.notes)):
                for note in read_json(notes):
                    counts[learner, *_words(note)] += cells
    order = {number: place for place, number in enumerate(grid.learner_ids)}
    ordered = sorted(counts.items(), key=lambda item: (order[item[0][0]], -item[1], item[0][1]))
    return [FitNote(names[learner], text, cells, chosen) for (learner, text, chosen), cells in ordered]


def _words(note: str | dict[str, dict[str, str]]) -> tuple[str, str]:
    """A note as text, and the parameters that tuning chose; version 0.1 stored these as a text."""
    if isinstance(note, str):
        return note, note.removeprefix(_TUNED) if note.startswith(_TUNED) else ""
    chosen = ", ".join(f"{name}={value}" for name, value in note["tuned"].items())
    return f"{_TUNED}{chosen}", chosen
