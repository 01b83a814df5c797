"""Failures: what went wrong, grouped, with examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from bakeoff.resampling.split import APPARENT, TEST
from bakeoff.stores.grid import FAILED, LATEST, TaskCells, study_grid
from bakeoff.stores.reader import Reader
from bakeoff.stores.schema import attempt, cell

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
    made = []
    for (learner_id, status, message), members in groups.items():
        tasks = tuple(dict.fromkeys(failed.task for _, failed in members))
        examples = tuple(failed for _, failed in members[:EXAMPLES])
        for name in _names(learner_id, grid.learner_ids, grid.learners):
            made.append(FailureGroup(name, status, message, len(members), tasks, examples))
    return sorted(made, key=lambda group: (-group.count, grid.learners.index(group.learner), group.message))


def _names(learner_id: int, ids: Sequence[int], names: Sequence[str]) -> list[str]:
    """The names of a learner in the study: two that are described alike are one in the store."""
    return [name for its, name in zip(ids, names, strict=True) if its == learner_id]


def _failed_cells(store: Reader, task: TaskCells) -> list[tuple[int, str, str, FailedCell]]:
    """(learner, status, message, cell) for every failed cell of a task, at the first place of its split."""
    columns = (cell.c.learner, cell.c.split, cell.c.seed, attempt.c.number)
    told = (attempt.c.status, attempt.c.message, attempt.c.detail)
    query = select(*columns, *told).join_from(cell, attempt, attempt.c.cell == cell.c.id)
    query = query.where(task.condition, FAILED, LATEST).order_by(cell.c.split, cell.c.learner)
    index = task.index
    place: dict[int, int] = {}
    for number, split_id in enumerate(index.ids.tolist()):
        place.setdefault(split_id, number)
    made = []
    for row in store.rows(query):
        at = place[row.split]
        where = (task.name, int(index.repeat[at]), int(index.fold[at]))
        failed = FailedCell(*where, row.seed, row.number, row.detail, index.role[at])
        made.append((row.learner, row.status, row.message, failed))
    return made
