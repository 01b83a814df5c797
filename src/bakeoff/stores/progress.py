"""Progress: how far a study is, and how long the rest will take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from bakeoff.stores.grid import TaskCells, study_grid
from bakeoff.stores.reader import Reader
from bakeoff.stores.records import StudyRecord
from bakeoff.stores.schema import attempt, cell, run


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
    """One run of a study: `state` is running, finished, interrupted or failed."""

    started: str
    finished: str | None
    state: str
    workers: int
    threads: int


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
            stored = task.stored(connection)
            tried = task.spread(stored, np.ones(len(stored), dtype=bool), False) & task.meant
            failures = {number: failure.status for number, failure in task.failures(connection).items()}
            failed = _failed(task, failures)
            seconds = _seconds(connection, task)
            for column, name in enumerate(grid.learners):
                count = int(tried[:, column].sum()) - sum(failed[column].values())
                mean = seconds.get(grid.learner_ids[column], nan)
                parts.append(Part(task.name, name, int(task.meant[:, column].sum()), count, dict(failed[column]), mean))
        columns = (run.c.started, run.c.finished, run.c.state, run.c.workers, run.c.threads)
        runs = connection.execute(select(*columns).where(run.c.study == grid.record.id).order_by(run.c.id)).all()
    return Progress(grid.record, tuple(parts), tuple(RunRecord(*row) for row in runs))


def _failed(task: TaskCells, failures: Mapping[int, str]) -> list[Counter[str]]:
    """For each learner of the study the failed cells by status."""
    columns = task.layout.T
    if not failures:
        return [Counter() for _ in columns]
    which: NDArray[np.bool_] = np.isin(columns, list(failures)) & task.meant.T
    return [Counter(failures[int(n)] for n in cells[marked]) for cells, marked in zip(columns, which, strict=True)]


def _seconds(connection: Connection, task: TaskCells) -> dict[int, float]:
    """Mean seconds of an attempt by learner."""
    spent = func.coalesce(attempt.c.seconds, attempt.c.fit_time + attempt.c.predict_time)
    query = select(cell.c.learner, func.avg(spent)).join_from(cell, attempt, attempt.c.cell == cell.c.id)
    found = connection.execute(query.where(task.condition).group_by(cell.c.learner))
    return {learner: float(mean) for learner, mean in found if mean is not None}
