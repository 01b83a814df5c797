"""From a store to Scores, where the half that runs experiments ends and the half that judges them begins."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from bakeoff.errors import InputError
from bakeoff.resampling import SCHEMES
from bakeoff.resampling.scheme import COMPETITION, REAL_WORLD, SIMULATION, Sharing
from bakeoff.results.grid import (
    MeasureRequest,
    Spec,
    StudyGrid,
    TaskCells,
    check_names,
    resolve_measures,
    sharing_of,
    study_grid,
)
from bakeoff.results.instances import instance_scores
from bakeoff.results.planned import provenance_of
from bakeoff.results.values import (
    TaskValues,
    at_places,
    averaged_over_fits,
    averaged_over_places,
    combined,
    fit_components,
    fit_variances,
    task_values,
)
from bakeoff.scores import Scores
from bakeoff.scores.design import (
    LEARNING_SAMPLE,
    Problem,
    RunDesign,
    Runs,
    drawn_from_generator,
    drawn_from_sample,
    joint,
)
from bakeoff.scores.reading.portions import MOST_ROWS
from bakeoff.scores.table import Labels, frozen
from bakeoff.store.reader import Reader
from bakeoff.store.schema import WITH_POSITIONS, splitting
from bakeoff.text import CodedWarning, TaskRemark, count, grouped

# ----------------------------------------------------------------------------------------------------------------------
# The long table: a row for each cell that was run and each measure.


COLUMNS = (
    "task", "learner", "measure", "repeat", "fold", "role", "value", "n_train", "n_test", "status", "message",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class LongTable:
    """Columns of equal length; failures are rows without a value."""

    task: Labels
    learner: Labels
    measure: Labels
    repeat: Labels
    fold: Labels
    role: Labels
    value: NDArray[np.float64]
    n_train: NDArray[np.float64]
    n_test: NDArray[np.float64]
    status: Labels
    message: Labels

    def __len__(self) -> int:
        return len(self.value)


def flattened(learners: tuple[str, ...], requests: Sequence[MeasureRequest], tasks: Sequence[TaskValues]) -> LongTable:
    """Measure by measure, task by task, place by place, learner by learner."""
    parts = [
        _Part.of(number, which, task, one.name)
        for number, one in enumerate(requests)
        for which, task in enumerate(tasks)
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
        measure=_factor([one.name for one in requests], [np.full(len(p), p.measure) for p in parts]),
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
        for cell, missing_reasons in part.values.missing_reasons[part.name].items():
            full[cell] = self._number(name, getattr(missing_reasons, name))
        return full[part.values.tried]

    def _number(self, name: str, label: str) -> int:
        number = self._numbers[name].setdefault(label, len(self.labels[name]))
        if number == len(self.labels[name]):
            self.labels[name].append(label)
        return number


def _factor(labels: Sequence[str], codes: Sequence[NDArray[np.intp]]) -> Labels:
    """Labels that are used, in their order."""
    joined = _joined(codes, np.intp)
    used = np.bincount(joined, minlength=len(labels)) > 0
    if not used.all():
        joined = (np.cumsum(used) - 1)[joined]
    return Labels(tuple(label for label, there in zip(labels, used, strict=True) if there), frozen(joined))


def _numbers(values: NDArray[np.int64]) -> Labels:
    """Numbers as labels, in their order."""
    least, most = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    return _factor([str(number) for number in range(least, most + 1)], [(values - least).astype(np.intp)])


def _joined(parts: Sequence[NDArray[Any]], dtype: type) -> NDArray[Any]:
    return frozen(np.concatenate([np.empty(0, dtype=dtype), *parts]).astype(dtype, copy=False))


# ----------------------------------------------------------------------------------------------------------------------
# Which problem a stored study solves, read off its scheme and tasks.


def problem_of(grid: StudyGrid, task: TaskCells) -> Problem | None:
    """The problem of a task; None where its resamples are no independent draws, as the folds of a cross-validation."""
    tasks = grid.record.description.get("tasks", [])
    described = tasks[task.number] if task.number < len(tasks) else {}
    return _problem(task.scheme, described.get("simulated") or {})


def _problem(scheme: Mapping[str, Any], drawn: Mapping[str, Any]) -> Problem | None:
    """Of one task. `drawn` is what the study says of samples that are drawn from a generator."""
    known = SCHEMES.get(str(scheme.get("scheme")))
    kind = known.problem if known is not None else ""
    if kind == SIMULATION:
        fixed = drawn.get("test", "fixed") == "fixed"
        return drawn_from_generator(_law(drawn), fixed_test=fixed, test_rows=drawn.get("m") if fixed else None)
    return drawn_from_sample(given_test=kind == COMPETITION) if kind in (COMPETITION, REAL_WORLD) else None


def _law(drawn: Mapping[str, Any]) -> str:
    """What the samples were drawn from, in words."""
    how = drawn.get("bootstrap")
    if how == "parametric":
        return "the model that was fitted to this learning sample (a parametric bootstrap)"
    if how:
        return LEARNING_SAMPLE
    return f"the generator {drawn['generator']}" if "generator" in drawn else "this generator"


# ----------------------------------------------------------------------------------------------------------------------
# How the runs of a stored study were split, as far as the sizes of its samples do not tell; read off its scheme.


# Repeats of schemes that share these are runs; those of others are cross-validations, or draws (`problem_of`).
_RUNS = {
    Sharing.NOTHING: Runs.INDEPENDENT,
    Sharing.RANDOM_ROWS: Runs.RANDOM_SPLITS,
    Sharing.TIME: Runs.WINDOWS,
}


def splitting_of(grid: StudyGrid) -> RunDesign:
    """The splitting of a study, whose tasks are all split alike."""
    shares = {str(task.scheme.get("scheme")): sharing_of(task) for task in grid.tasks}
    if silent := sorted(name for name, what in shares.items() if what is None):
        return RunDesign(unknown_scheme=silent[0])
    kinds = {name: SCHEMES.get(name) for name in sorted(shares)}
    draws = {name for name, kind in kinds.items() if kind is not None and kind.problem}
    runs = {
        None if name in draws or what is None else _RUNS.get(what)
        for name, what in ((str(task.scheme.get("scheme")), sharing_of(task)) for task in grid.tasks)
    }
    optimistic = [name for name, kind in kinds.items() if kind is not None and kind.optimistic]
    return RunDesign(runs.pop() if len(runs) == 1 else None, None, optimistic[0] if optimistic else "")


# ----------------------------------------------------------------------------------------------------------------------


def scores_of(
    store: Reader,
    study_key: str,
    measures: Sequence[Spec] | None = None,
    *,
    instances: bool = False,
    kept: bool = True,
    tasks: Sequence[str] | None = None,
) -> Scores:
    """The scores of a study: of all its measures, or of those named.

    A measure that the study did not name is computed from the stored predictions; nothing is run again. What failed is
    a row without a value that says why. Cells that were not run yet have no rows, and a note counts them.

    With `instances` the scores are the losses of each test row, for tasks that have one test sample: what procedures
    over instances (McNemar, DeLong) compare. `kept` is false for a store that goes with the call: nobody is sent there.
    `tasks` names some of them: a measure need not exist for the others.
    """
    grid = study_grid(store, study_key)
    if tasks is not None:
        check_names(grid, tasks, None)
        grid = replace(grid, tasks=tuple(task for task in grid.tasks if task.name in tasks))
    requests = resolve_measures(grid, measures)
    where = source(store) if kept else _of_the_study(grid)
    if instances:
        rows = instance_scores(store, grid, requests, named=measures is not None, notes=(_home(store, grid, kept),))
        provenance = provenance_of(store, grid, rows.tasks, rows.learners)
        rows = replace(rows, settings=grid.record.description.get("design", {}), doubts=remarks_on(store, grid))
        return replace(rows, source=where, provenance=provenance)
    parts = _Parts.of(store, grid, requests)
    table = flattened(grid.names, requests, parts.values)
    if not len(table):
        raise InputError("No cell of the study has been run to its end yet: there are no scores.", source=source(store))
    scores = Scores.of(
        table.value,
        learner=table.learner,
        measures={one.name: one.measure for one in requests},
        task=table.task,
        measure=table.measure,
        repeat=table.repeat,
        fold=table.fold,
        n_train=table.n_train,
        n_test=table.n_test,
        status=table.status,
        message=table.message,
        source=where,
        notes=(_home(store, grid, kept), *parts.notes),
    )
    independent = any(task.scheme.get("independent") for task in grid.tasks)
    provenance = provenance_of(store, grid, scores.tasks, scores.learners)
    problems = tuple((task.name, problem_of(grid, task)) for task in grid.tasks)
    both = joint([problem for _, problem in problems])
    differ = any(problem != both for _, problem in problems)
    fits = fit_variances(grid.learners, requests[0].name, parts.fits)
    scores = replace(scores, fits=fits, notes=(*scores.notes, *(one.sentence for one in fits)))
    scores = replace(scores, problem=both, problems=problems if differ else (), independent=independent)
    scores = replace(scores, splitting=splitting_of(grid), doubts=remarks_on(store, grid))
    if store.schema >= WITH_POSITIONS:
        from bakeoff.results.order_effects import order_effects

        scores = replace(scores, doubts=(*scores.doubts, *order_effects(store, grid, scores)))
    return replace(scores, provenance=provenance, settings=grid.record.description.get("design", {}))


def remarks_on(store: Reader, grid: StudyGrid) -> tuple[CodedWarning, ...]:
    """What was found out about a study, its data or its run, that whoever reads its scores should know."""
    records = store.records("remark")
    if not records:
        return ()
    ids = [task.splitting_id for task in grid.tasks]
    names = [row.key for row in store.rows(select(splitting.c.key).where(splitting.c.id.in_(ids)))]
    homes = {grid.record.key, *names}
    return grouped(_remark(content) for key, content in records.items() if key.partition("/")[0] in homes)


_SAME_WORDS = 5  # at the end of remarks of older stores, which are then taken to say the same


def _remark(content: Mapping[str, Any]) -> TaskRemark | CodedWarning:
    """A remark as it was stored. Older stores have its text only: of these each word is a passage that several tasks
    may share, the last few together."""
    code, text, action = content["code"], content["text"], content["action"]
    if "shared" in content:
        return TaskRemark(code, content["own"], tuple(content["shared"]), action)
    task, *words = text.split(" ")
    if task != "Task" or len(words) <= _SAME_WORDS:
        return CodedWarning(code, text, action)
    return TaskRemark(code, words[0], (*words[1:-_SAME_WORDS], " ".join(words[-_SAME_WORDS:])), action)


@dataclass(frozen=True, eq=False)
class _Parts:
    """What the tasks of a study come to, one after the other. Of a study with more scores than are held at once only
    the mean over the places of each task is kept, which is what comparisons over tasks rest on anyway."""

    values: list[TaskValues]
    fits: list[dict[str, tuple[float, float]]]  # what the variances of learners with several fits consist of
    notes: tuple[str, ...]

    @classmethod
    def of(cls, store: Reader, grid: StudyGrid, requests: Sequence[MeasureRequest]) -> _Parts:
        cells = sum(len(task.index) for task in grid.tasks) * len(grid.learners)
        independent = any(task.scheme.get("independent") for task in grid.tasks)
        large = len(grid.tasks) > 1 and cells * len(requests) > MOST_ROWS and not independent
        kept: list[TaskValues] = []
        fits, left = [], 0
        computed: set[str] = set()
        for task in grid.tasks:
            values = task_values(store, grid, task, requests)
            left += int((task.in_study & ~values.tried).sum())
            computed |= values.computed
            parts = _own_samples(task, combined(store, grid, task, values, requests))
            fits.append(fit_components(grid.learners, requests[0].name, parts))
            parts = averaged_over_fits(grid.learners, parts)
            kept.append(averaged_over_places(parts) if large else parts)
            if large:
                task.forget()
        notes = [*_notes(grid, requests, cells if large else _cells(grid), left, computed)]
        if large:
            notes.append(
                f"{count(cells * len(requests))} scores, read task by task: a learner's score on a task is the mean of "
                "those it has there"
            )
        return cls(kept, fits, tuple(notes))


def _cells(grid: StudyGrid) -> int:
    return sum(int(task.in_study.sum()) for task in grid.tasks)


def _own_samples(task: TaskCells, values: TaskValues) -> TaskValues:
    """In an independent design the repeats of each learner are counted by themselves, from 1."""
    if not task.scheme.get("independent"):
        return values
    repeat = (values.repeat - 1) // (len(task.fits) or len(task.learner_ids)) + 1
    owner = np.argmax(task.in_study, axis=1)
    return at_places(replace(values, repeat=repeat), np.lexsort((owner, repeat)))


def source(store: Reader) -> str:
    return store.path.name


def _of_the_study(grid: StudyGrid) -> str:
    """The table as messages name it where there is no file to name. A study may not have been given a name."""
    return "the study" if grid.record.name == "study" else f"study {grid.record.name}"


def _home(store: Reader, grid: StudyGrid, kept: bool) -> str:
    """Where the scores come from."""
    where = f"stored in {source(store)}" if kept else "run without a store: its scores are kept in this table only"
    return f"Study {grid.record.name} ({grid.record.key[:16]}), {where}."


def _notes(
    grid: StudyGrid, requests: Sequence[MeasureRequest], cells: int, left: int, computed: Collection[str]
) -> Iterator[str]:
    """What is left to run, and what was done to the scores on the way."""
    if left:
        yield f"{left} of {cells} cells were not run yet."
    schemes = {str(task.scheme.get("scheme")) for task in grid.tasks}
    for scheme in sorted(schemes & set(SCHEMES)):
        if sentence := SCHEMES[scheme].combine.value:
            yield sentence
    for one in requests:
        if one.name in computed:
            how = "read off what each fit took" if one.is_resource else "computed from stored predictions"
            yield f"{one.name} was {how}, after the run."
    for task in grid.tasks:
        yield from (f"{task.name}: {note}" for note in task.notes)
