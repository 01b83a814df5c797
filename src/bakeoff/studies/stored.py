"""What a store already holds of a study, found without running anything of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bakeoff.running.outcome import Status
from bakeoff.studies.cells import Block, Grid, scheme_key
from bakeoff.studies.study import Study

if TYPE_CHECKING:
    from bakeoff.stores.reader import Reader


def stored_already(study: Study, store: Reader) -> tuple[int, float | None]:
    """How many cells need not be run again, and the seconds that the others will take, where the store can tell.

    Cells are known by what determines their results. So those of an earlier version of the study count, as far as it
    had the same learners, data and splits.
    """
    from bakeoff.stores.progress import progress

    if study.key in {record.key for record in store.studies()}:
        found = progress(store, study.key)
        return found.ok, found.seconds_left
    return _of_other_versions(study, store), None


def _of_other_versions(study: Study, store: Reader) -> int:
    from sqlalchemy import select

    from bakeoff.stores.schema import learner

    known = {row.key: row.id for row in store.rows(select(learner.c.id, learner.c.key))}
    keys = tuple(each.key for each in study.learners if each.key in known)
    blocks = tuple(block for number in range(len(study.tasks)) if (block := _block(study, store, number)) is not None)
    if not keys or not blocks:
        return 0
    grid = Grid(keys, blocks, study.seed)
    states, cells = store.states([known[key] for key in keys], grid.split_ids()), grid.keys()
    return sum(states.get(cell) == Status.OK for cell in cells)


def _block(study: Study, store: Reader, number: int) -> Block | None:
    """The splits of a task, if they are stored; None for a task whose data only its code can make."""
    task = study.tasks[number]
    if task.runs_code and not task.loaded:
        return None
    task_key = task.data_key()
    task_id = store.task_id(task_key)
    if task_id is None:
        return None
    index = store.splits_index(task_id, scheme_key(study.resampling.describe(), study.seed, task_key))
    return None if index is None else Block(number, task_key, index.ids, index.keys)
