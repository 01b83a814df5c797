"""Preparing a run: tasks, splits and learners in the store, and all of it ready for the workers.

A data set is loaded only if its splits are not stored yet or if a cell of it is to be run, so that resuming a
finished study reads keys and nothing else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.keys import seed_of
from bakeoff.measures.prediction import Truth
from bakeoff.measures.response import Response
from bakeoff.measures.responses import response_from
from bakeoff.resampling.split import Sample, Splits
from bakeoff.running.scratch import Scratch
from bakeoff.stores.records import TaskRecord
from bakeoff.studies.cells import Block, Grid, scheme_key
from bakeoff.studies.simulated import is_independent
from bakeoff.studies.study import Study
from bakeoff.tasks.dataset import Dataset, Kind

if TYPE_CHECKING:
    from bakeoff.stores.store import Store


@dataclass(eq=False)
class Prepared:
    """A study as the store knows it."""

    study: Study
    study_id: int
    grid: Grid
    learner_ids: list[int]
    task_ids: list[int]
    splittings: list[str]
    loaded: dict[int, Dataset] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def locate(self, cell: int) -> tuple[int, Block, int]:
        """Learner, block and position of the split in it, of a cell by its number."""
        split, learner = divmod(cell, len(self.grid.learner_keys))
        block = bisect_right(self._starts, split) - 1
        return learner, self.grid.blocks[block], split - self._starts[block]

    def __post_init__(self) -> None:
        sizes = [len(block.split_ids) for block in self.grid.blocks]
        self._starts = [0, *np.cumsum(sizes)[:-1].tolist()]

    def rows_of(self, store: Store) -> Callable[[int], tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Training and test rows of a split by its number in the store."""
        from functools import lru_cache

        @lru_cache(maxsize=64)
        def rows(split_id: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
            split = store.split_rows(split_id)
            return split.train, split.test

        return rows

    def dataset(self, task: int) -> Dataset:
        if task not in self.loaded:
            self.loaded[task] = self.study.tasks[task].load()
        return self.loaded[task]

    def hand_over(self, scratch: Scratch) -> None:
        """Give the workers what they need: learners, data, measures."""
        from bakeoff.learners.facts import facts_of

        responses = []
        for number in range(len(self.study.tasks)):
            data = self.dataset(number)
            scratch.put(f"task-{number}", (data, truth_of(data), facts_of(data)))
            responses.append(responses_for(self.study, data))
        scratch.put("responses", responses)
        scratch.put("learners", list(self.study.learners))


def truth_of(data: Dataset) -> Truth:
    if data.kind is Kind.CLASSIFICATION:
        assert data.codes is not None
        return Truth("classification", data.codes, data.classes)
    if data.kind is Kind.REGRESSION:
        return Truth("regression", np.asarray(data.y, dtype=float))
    return Truth("density", np.zeros(data.n))


def responses_for(study: Study, data: Dataset) -> list[Response]:
    """The measures of the study, for one task."""
    try:
        made = [response_from(response, data.kind, data.classes or None) for response in study.measures]
    except UsageError as error:
        raise UsageError(f"Task {data.name!r}: {error}") from error
    if getattr(study.resampling, "combine", "") == "632+":
        for response in made:
            if (why := response.why_not_632_plus) is not None:
                raise UsageError(f"Measure {response.name!r}: {why} Choose that scheme, or leave the measure out.")
    return made


def prepare(study: Study, store: Store) -> Prepared:
    """Register the study and all it consists of."""
    study_id = store.add_study(study.key, study.name, study.describe())
    learner_ids = [store.add_learner(learner.key, learner.describe()) for learner in study.learners]
    blocks: list[Block] = []
    task_ids: list[int] = []
    schemes: list[str] = []
    loaded: dict[int, Dataset] = {}
    notes: list[str] = []
    for number, task in enumerate(study.tasks):
        name = scheme_key(study.resampling.describe(), study.seed, task.data_key())
        found = store.task_of(name)
        index = None if found is None else store.splits_index(found[0], name)
        if found is None or index is None:
            data = task.load()
            loaded[number] = data
            responses_for(study, data)
            found = store.add_task(_record(data)), data.task_key
            made = splits_for(study, data)
            store.add_splits(found[0], name, study.resampling.describe(), study.seed, made)
            notes += [f"{task.name}: {note}" for note in (*data.notes, *made.notes)]
            index = store.splits_index(found[0], name)
        assert index is not None
        blocks.append(Block(number, found[1], index.ids, index.keys))
        task_ids.append(found[0])
        schemes.append(name)
    store.link(
        study_id,
        tasks=[
            (task_id, task.name, scheme) for task_id, task, scheme in zip(task_ids, study.tasks, schemes, strict=True)
        ],
        learners=[(learner_id, learner.name) for learner_id, learner in zip(learner_ids, study.learners, strict=True)],
        measures=[(response.name, response.describe()) for response in study.measures],
    )
    grid = Grid(
        tuple(learner.key for learner in study.learners), tuple(blocks), study.seed, is_independent(study.resampling)
    )
    return Prepared(study, study_id, grid, learner_ids, task_ids, schemes, loaded, tuple(notes))


def splits_for(study: Study, data: Dataset) -> Splits:
    """The splits of a task by the scheme and the seed of the study."""
    try:
        made: Splits = study.resampling.splits(sample_of(data), seed_of("splits", str(study.seed), data.key))
    except UsageError as error:
        raise UsageError(f"Task {data.name!r}: {error}") from error
    return made


def checked_count(study: Study, data: Dataset) -> int:
    """How many splits a task will have at most. Refuses what making them would refuse, without making them all."""
    sample = sample_of(data)
    try_out = getattr(study.resampling, "try_out", None)  # a scheme of the user's own may have none
    try:
        if try_out is not None:
            try_out(sample)
    except UsageError as error:
        raise UsageError(f"Task {data.name!r}: {error}") from error
    count: int = study.resampling.count(sample)
    return count


def _record(data: Dataset) -> TaskRecord:
    truth = truth_of(data).values
    units = data.clusters if data.clusters is not None else data.groups
    named = (data.task_key, data.name, data.kind, data.n, data.features, data.classes)
    return TaskRecord(*named, truth, data.notes, units)


def sample_of(data: Dataset) -> Sample:
    """What a scheme may know of the data."""
    return Sample(data.n, data.codes, data.groups, data.test, data.draws)
