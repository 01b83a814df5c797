"""From a store to Scores, where the half that runs experiments ends and the half that judges them begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bakeoff.errors import InputError
from bakeoff.resampling.schemes import SCHEMES
from bakeoff.scores import Scores
from bakeoff.stores.asked import Asked, Spec, asked_for
from bakeoff.stores.combining import combined
from bakeoff.stores.grid import StudyGrid, TaskCells, study_grid
from bakeoff.stores.instances import instance_scores
from bakeoff.stores.long import flattened
from bakeoff.stores.problem import problem_of
from bakeoff.stores.provenance import provenance_of
from bakeoff.stores.reader import Reader
from bakeoff.stores.splitting import splitting_of
from bakeoff.stores.values import TaskValues, task_values

_COMBINED = {
    "folds": "Each score is the mean over the folds of a repeat.",
    "632": "Each score is .368 of the apparent one and .632 of the one on rows that were left out.",
    "632+": "Each score is a .632+ combination of the apparent one and the one on rows that were left out.",
}


def scores_of(
    store: Reader,
    study_key: str,
    measures: Sequence[Spec] | None = None,
    *,
    instances: bool = False,
    kept: bool = True,
) -> Scores:
    """The scores of a study: of all its measures, or of those named.

    A measure that the study did not name is computed from the stored predictions; nothing is run again. What failed is
    a row without a value that says why. Cells that were not run yet have no rows, and a note counts them.

    With `instances` the scores are the losses of each test row, for tasks that have one test sample: what procedures
    over instances (McNemar, DeLong) compare. `kept` is false for a store that goes with the call: nobody is sent there.
    """
    grid = study_grid(store, study_key)
    asked = asked_for(grid, measures)
    where = source(store) if kept else _of_the_study(grid)
    if instances:
        rows = instance_scores(store, grid, asked, named=measures is not None, notes=(_home(store, grid, kept),))
        return replace(rows, source=where, provenance=provenance_of(store, grid, rows.tasks, rows.learners))
    tasks = []
    for task in grid.tasks:
        found = task_values(store, grid, task, asked)
        tasks.append((found, _own_samples(task, combined(store, grid, task, found, asked))))
    table = flattened(grid.learners, asked, [made for _, made in tasks])
    if not len(table):
        raise InputError("No cell of the study has been run to its end yet: there are no scores.", source=source(store))
    made = Scores.of(
        table.value,
        learner=table.learner,
        measures={one.name: one.measure for one in asked},
        task=table.task,
        measure=table.measure,
        repeat=table.repeat,
        fold=table.fold,
        n_train=table.n_train,
        n_test=table.n_test,
        status=table.status,
        message=table.message,
        source=where,
        notes=(_home(store, grid, kept), *_notes(grid, asked, [found for found, _ in tasks])),
    )
    independent = any(task.scheme.get("independent") for task in grid.tasks)
    came = provenance_of(store, grid, made.tasks, made.learners)
    made = replace(made, problem=problem_of(grid), independent=independent, splitting=splitting_of(grid))
    return replace(made, provenance=came)


def _own_samples(task: TaskCells, found: TaskValues) -> TaskValues:
    """In an independent design the repeats of each learner are counted by themselves, from 1."""
    if not task.scheme.get("independent"):
        return found
    return replace(found, repeat=(found.repeat - 1) // len(task.learner_ids) + 1)


def source(store: Reader) -> str:
    return store.path.name


def _of_the_study(grid: StudyGrid) -> str:
    """The table as messages name it where there is no file to name. A study may not have been given a name."""
    return "the study" if grid.record.name == "study" else f"study {grid.record.name}"


def _home(store: Reader, grid: StudyGrid, kept: bool) -> str:
    """Where the scores come from."""
    where = f"stored in {source(store)}" if kept else "run without a store: its scores are kept in this table only"
    return f"Study {grid.record.name} ({grid.record.key[:16]}), {where}."


def _notes(grid: StudyGrid, asked: Sequence[Asked], found: Sequence[TaskValues]) -> Iterator[str]:
    """What is left to run, and what was done to the scores on the way."""
    cells = sum(int(task.meant.sum()) for task in grid.tasks)
    left = sum(int((task.meant & ~values.tried).sum()) for task, values in zip(grid.tasks, found, strict=True))
    if left:
        yield f"{left} of {cells} cells were not run yet."
    schemes = {str(task.scheme.get("scheme")) for task in grid.tasks}
    for scheme in sorted(schemes & set(SCHEMES)):
        if sentence := _COMBINED.get(SCHEMES[scheme].combine):
            yield sentence
    for one in asked:
        if any(one.name in task.computed for task in found):
            how = "read off what each fit took" if one.is_resource else "computed from stored predictions"
            yield f"{one.name} was {how}, after the run."
    for task in grid.tasks:
        yield from (f"{task.name}: {note}" for note in task.notes)
