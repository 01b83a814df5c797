"""What a store already holds of a study, found without running anything of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bakeoff.running.outcome import Status
from bakeoff.studies.cells import Block, Grid, scheme_key
from bakeoff.studies.preparing import splits_for
from bakeoff.studies.simulated import is_independent
from bakeoff.studies.study import Study

if TYPE_CHECKING:
    from bakeoff.stores.reader import Reader

UNKNOWN = -1  # the id of a split that is not stored: no cell has it


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
    keys = tuple(each.key for each in study.learners)
    blocks = tuple(block for number in range(len(study.tasks)) if (block := _block(study, store, number)) is not None)
    if not blocks:
        return 0
    grid = Grid(keys, blocks, study.seed, is_independent(study.resampling))
    states = store.states([known[key] for key in keys if key in known], grid.split_ids())
    return sum(meant and states.get(cell) == Status.OK for cell, meant in zip(grid.keys(), grid.meant(), strict=True))


def _block(study: Study, store: Reader, number: int) -> Block | None:
    """The splits of a task, if they are stored; None for a task whose data only its code can make."""
    task = study.tasks[number]
    if task.runs_code and not task.loaded:
        return None
    name = scheme_key(study.resampling.describe(), study.seed, task.data_key())
    found = store.task_of(name)
    index = None if found is None else store.splits_index(found[0], name)
    if found is not None and index is not None:
        return Block(number, found[1], index.ids, index.keys)
    return _as_far_as_known(study, store, number) if task.loaded else None


def _as_far_as_known(study: Study, store: Reader, number: int) -> Block | None:
    """The splits that the study would make, with the ids of those that another version of it made: fewer repeats."""
    data = study.tasks[number].load()
    task_id = store.task_id(data.task_key)
    if task_id is None:
        return None
    known = store.split_ids(task_id, study.seed)
    keys = [split.key for split in splits_for(study, data).splits]
    ids = np.array([known.get(key, UNKNOWN) for key in keys], dtype=np.int64)
    return Block(number, data.task_key, ids, keys)
