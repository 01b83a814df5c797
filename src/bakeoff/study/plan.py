"""Plan: the grid of cells as a table, before anything of it is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from bakeoff import text as show
from bakeoff.errors import BakeoffError
from bakeoff.learners.learner import DataInfo, Learner, facts_of
from bakeoff.learners.make import check_written
from bakeoff.learners.prepare import preparation_sentence
from bakeoff.resampling import INSTEAD, optimism
from bakeoff.resampling.scheme import Sharing
from bakeoff.running.work import Status
from bakeoff.study.prepare import (
    Block,
    CellGrid,
    about_weights,
    checked_count,
    ranks_of,
    responses_for,
    scheme_key,
    splits_for,
)
from bakeoff.study.study import Study, is_independent
from bakeoff.tasks.dataset import Dataset

if TYPE_CHECKING:
    from bakeoff.store.database import Place
    from bakeoff.store.reader import Reader

GUESS = 0.05  # seconds a fit, where nothing is known


@dataclass(frozen=True)
class PlannedTask:
    """A task as far as it is known without running code: None where only a run can tell."""

    name: str
    kind: str | None
    n: int | None
    inputs: int | None
    classes: int | None
    missing: int | None
    splits: int | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlannedLearner:
    """What is fitted, what is done to the data of each task before, and how many fits a cell takes. `ways` are the
    preparations without the number of inputs that each concerns, which is nothing to tell tasks apart by."""

    name: str
    what: str
    preparation: Mapping[str, str]
    fits: int
    ways: Mapping[str, str]


@dataclass(frozen=True)
class Plan:
    """`cells` is the number of cells as far as known; `stored` those that need not be run again."""

    study: Study
    tasks: tuple[PlannedTask, ...]
    learners: tuple[PlannedLearner, ...]
    cells: int
    complete: bool
    stored: int = 0
    seconds: float | None = None  # of work left, by the times of cells that were run before
    warnings: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()  # what to think of before anything is run

    @property
    def fits(self) -> int:
        """Fits, those inside tuning included."""
        splits = sum(task.splits or 0 for task in self.tasks)
        fits = sum(learner.fits for learner in self.learners)
        return splits * fits // (len(self.learners) if is_independent(self.study.resampling) else 1)

    @property
    def time(self) -> str:
        """The time that the cells left will take on one core, and how it is known."""
        if self.cells and self.stored >= self.cells:
            return "nothing is left to run"
        if self.seconds is not None:
            return f"about {show.clock(self.seconds)} on one core, by the cells that were run before"
        guess = self.fits * GUESS * (1 - self.stored / self.cells if self.cells else 1)
        return (
            f"about {show.clock(guess)} on one core, if a fit takes {GUESS * 1000:g} ms: a guess until cells were run"
        )

    def task_table(self) -> tuple[list[str], list[list[str]]]:
        """Header and cells of the tasks."""
        header = ["task", "kind", "rows", "inputs", "classes", "missing", "splits"]
        # Numbers have no classes, and several labels have them each: that is known, and not a question.
        known = [(t, (t.kind, t.n, t.inputs, t.classes or (t.kind and ""), t.missing, t.splits)) for t in self.tasks]
        return header, [[task.name, *map(_cell, facts)] for task, facts in known]

    def learner_table(self) -> tuple[list[str], list[list[str]]]:
        """Header and cells of the learners."""
        return ["learner", "what", "fits a cell"], [[each.name, each.what, str(each.fits)] for each in self.learners]

    @property
    def resampling(self) -> str:
        """The scheme in words."""
        return _in_words(self.study.resampling.describe())

    def to_text(self) -> str:
        study = self.study
        more = "" if self.complete else " at least; some data are made by code, which only a run executes"
        head = [study.question or f"Study {study.name}"]
        lines = [
            f"resampling: {self.resampling}",
            f"measures:   {', '.join(study.measure_names)} (the first is the primary one)",
            f"cells:      {show.count(self.cells)}{more}; {show.count(self.stored)} stored",
            f"fits:       {show.count(self.fits)}, tuning included",
            f"time:       {self.time}",
            f"seed:       {study.seed}; study {study.key[:16]}",
            *(f"planned:    {sentence}" for sentence in planned_sentences(study)),
        ]
        tasks = show.text_table(*self.task_table(), left=2)
        learners = show.text_table(*self.learner_table(), left=2, most=70)
        learners = learners if study.design is None else study.design.to_text()
        notes = [f"{task.name}: {note}" for task in self.tasks for note in task.notes]
        prepared = "\n".join(_preparations(self.learners, study.design))
        parts = [*map(show.wrapped, head), tasks, learners, prepared, "\n".join(lines)]
        parts += [show.wrapped(f"Note  {note}", indent="  ") for note in notes]
        parts += [show.wrapped(f"Warning  {warning}", indent="  ") for warning in self.warnings]
        parts += [show.wrapped(f"Advice  {one}", indent="  ") for one in self.advice]
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        return {
            "study": self.study.name,
            "key": self.study.key,
            "question": self.study.question,
            "tasks": [show.to_json_value(task) for task in self.tasks],
            "learners": [show.to_json_value(learner) for learner in self.learners],
            "resampling": self.study.resampling.describe(),
            "measures": list(self.study.measure_names),
            "analyses": [analysis.describe() for analysis in self.study.analyses],
            "cells": self.cells,
            "complete": self.complete,
            "stored": self.stored,
            "fits": self.fits,
            "seconds": self.seconds,
            "warnings": list(self.warnings),
            "advice": list(self.advice),
            **({"design": self._design()} if self.study.design is not None else {}),
        }

    def _design(self) -> dict[str, Any]:
        design = self.study.design
        effects = design.visible.effects
        return {
            **design.describe(),
            "sees": [effect.label for effect in effects],
            "aliases": {effect.name: list(effect.aliases) for effect in effects if effect.aliases},
            "hidden": [name for name, _ in design.visible.hidden],
        }

    def __str__(self) -> str:
        return self.to_text()


def planned_sentences(study: Study) -> list[str]:
    """The planned analyses, a line each. Of a design the effects of its factors are asked for."""
    if study.design is None:
        return [analysis.sentence for analysis in study.analyses]
    what = "a quadratic surface" if study.design.is_surface else "effects of the factors and their interactions"
    return [f"{' and '.join(each.measures)}, {what}, α = {each.alpha:g}" for each in study.analyses]


def plan(study: Study, store: Place | None = None, *, run: bool = False) -> Plan:
    """The plan of a study. Data in files are read; code that makes data, and learners, are left alone. Of one that was
    `run` it is not asked whether its learners could be made now."""
    from bakeoff.learners.fit import check_learner

    warnings = [warning for learner in study.learners for warning in check_learner(learner)]
    if optimism_text := optimism(study.resampling.scheme):
        warnings.append(f"[resubstitution] {optimism_text} {INSTEAD}")
    warnings += _shared_rows(study)
    datasets: list[Dataset | None] = [task.known_data() for task in study.tasks]
    tasks = []
    for task, data in zip(study.tasks, datasets, strict=True):
        if data is None:
            tasks.append(PlannedTask(task.name, None, None, None, None, None, None))
            continue
        responses_for(study, data)
        splits = checked_count(study, data)
        classes = len(data.classes) or None
        inputs = len(data.features)
        notes = (*data.notes, *about_weights(study, data))
        tasks.append(PlannedTask(task.name, data.kind, data.n, inputs, classes, data.n_missing, splits, notes))
    infos = {
        task.name: None if data is None else facts_of(data) for task, data in zip(study.tasks, datasets, strict=True)
    }
    learners = [_learner(learner, infos) for learner in study.learners]
    # Where each learner has samples of its own, a sample is one cell.
    cells = sum(task.splits or 0 for task in tasks) * len(study.fitted)
    cells //= len(learners) if is_independent(study.resampling) else 1
    stored, seconds, changes = _stored(study, store)
    warnings += [f"[changed] {change}: what it concerns is run anew." for change in changes]
    complete = all(task.splits is not None for task in tasks)
    if not run and (stored < cells or not complete):
        warnings += [warning for learner in study.learners for warning in check_written(learner)]
    advice = tuple(_advice(study, tasks))
    return Plan(study, tuple(tasks), tuple(learners), cells, complete, stored, seconds, tuple(warnings), advice)


_FEW_SPLITS, _FEW_TASKS, _SMALL, _LARGE, _TEN = 5, 6, 100, 20_000, 10


def _advice(study: Study, tasks: Sequence[PlannedTask]) -> Iterator[str]:
    """What to think of before anything is run: replicates, folds by the size of the sample, equal diligence."""
    tuned = [each.name for each in study.learners if each.tuning is not None or fits_of(each) > 1]
    plain = [each.name for each in study.learners if each.name not in tuned and not _is_baseline(each)]
    if tuned and plain:
        yield (
            f"[unequal-diligence] {show.listing(tuned)} {'is' if len(tuned) == 1 else 'are'} tuned and "
            f"{show.listing(plain)} {'is' if len(plain) == 1 else 'are'} not: a difference may be one of care. Tune "
            "them alike, or say so where you publish."
        )
    if len(study.learners) < 2:
        return
    splits = [task.splits for task in tasks if task.splits is not None]
    in_time = getattr(study.resampling, "shares", None) is Sharing.TIME  # test rows are a series, windows no replicates
    if len(tasks) == 1 and splits and 1 < splits[0] < _FEW_SPLITS and not in_time:
        yield f"[few-replicates] {splits[0]} splits show little of how scores vary: use more repeats or folds."
    if 1 < len(tasks) < _FEW_TASKS and not (study.design is not None and study.design.has_task):
        yield (
            f"[few-replicates] {len(tasks)} tasks are a small sample of problems: no rank test of so few can reach "
            "α = 0.05 for all pairs. Add tasks, or judge them one by one (--task NAME)."
        )
    folds = getattr(study.resampling, "folds", None)
    if not isinstance(folds, int) or in_time:
        return
    small = [task.name for task in tasks if task.n is not None and task.n < _SMALL]
    large = [task.name for task in tasks if task.n is not None and task.n > _LARGE]
    if small and folds < _TEN:
        yield (
            f"[folds] {show.listing(small, 4)}: of fewer than {_SMALL} rows, {folds} folds leave few to learn from. "
            "Ten folds or more, or leaving one out, learn from nearly all of them."
        )
    if large and folds >= _TEN:
        yield (
            f"[folds] {show.listing(large, 4)}: of more than {show.count(_LARGE)} rows, {folds} folds cost much and "
            "tell little more than 2 to 5 would."
        )


def _is_baseline(learner: Learner) -> bool:
    return any(".dummy." in step.path or step.path.endswith(".OneR") for step in learner.steps)


def _shared_rows(study: Study) -> Iterator[str]:
    """A warning for tasks that are several targets of the same rows."""
    for name in dict.fromkeys(task.shares_rows for task in study.tasks if task.shares_rows):
        number = sum(task.shares_rows == name for task in study.tasks)
        yield (
            f"[shared-rows] {number} tasks are targets of the same rows ({name}). Their scores go up and down "
            "together, so that as blocks they are no sample of independent problems: judge them one by one "
            "(--task NAME)."
        )


def _learner(learner: Learner, infos: Mapping[str, DataInfo | None]) -> PlannedLearner:
    fits = fits_of(learner) * learner.fits
    if learner.tuning is not None:
        settings = 1
        for values in learner.tuning.grid.values():
            settings *= len(values)
        fits *= settings * learner.tuning.folds + 1
    sentences = {task: preparation_sentence(learner, known) for task, known in infos.items()}
    several = f"{learner.fits} fits of " if learner.fits > 1 else ""
    ways = {task: preparation_sentence(learner, known, counts=False) for task, known in infos.items()}
    return PlannedLearner(learner.name, several + _what(learner), sentences, fits, ways)


def fits_of(learner: Learner) -> int:
    """How many fits one fit of a learner takes that searches a grid by itself, as scikit-learn's searches do."""
    if learner.estimator is not None:
        return _searched(type(learner.estimator).__name__, vars(learner.estimator).get)
    each = [_searched(step.path.rpartition(".")[2], step.parameters.get) for step in learner.steps]
    return max(each, default=1)


def _searched(kind: str, parameter: Callable[[str], Any]) -> int:
    """Settings × inner folds, and one fit of the best; a pipeline takes what its steps take."""
    if steps := parameter("steps"):
        inner = [_searched(type(step).__name__, vars(step).get) for _, step in steps if hasattr(step, "__dict__")]
        return max(inner, default=1)
    if kind not in ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV"):
        return 1
    if kind == "RandomizedSearchCV":
        settings = int(parameter("n_iter") or 10)
    else:
        grid = parameter("param_grid") or parameter("param_distributions") or {}
        grids = [grid] if isinstance(grid, Mapping) else list(grid)
        settings = sum(prod(len(values) for values in one.values() if hasattr(values, "__len__")) for one in grids)
    cv = parameter("cv")
    folds = 5 if cv is None else cv if isinstance(cv, int) else _count_splits(cv)
    inside = parameter("estimator")
    own = _searched(type(inside).__name__, vars(inside).get) if hasattr(inside, "__dict__") else 1
    return own * (settings * folds + (parameter("refit") is not False))


def _count_splits(cv: Any) -> int:
    try:
        return int(cv.get_n_splits()) if hasattr(cv, "get_n_splits") else len(cv)
    except Exception:  # noqa: BLE001  (a splitter of the user's that must see the data first)
        return 5


def _preparations(learners: Sequence[PlannedLearner], design: Any = None) -> Iterator[str]:
    """A sentence for each way in which data are prepared, with the learners and the tasks that it is for; of a design
    the learners that its settings were made of, and those beside it."""
    ways: dict[tuple[tuple[str, tuple[str, ...]], ...], list[str]] = {}
    for learner in learners:
        tasks: dict[str, list[str]] = {}
        for task, sentence in learner.ways.items():
            tasks.setdefault(sentence, []).append(task)
        ways.setdefault(tuple((text, tuple(names)) for text, names in tasks.items()), []).append(learner.name)
    for way, names in ways.items():
        names = names if design is None else _origins(names, design)
        parts = [text if len(way) == 1 else f"{text} (on {show.listing(on, 5)})" for text, on in way]
        yield show.wrapped(f"preparation for {show.listing(names)}: {'; '.join(parts)}", indent="  ")


def _origins(names: Sequence[str], design: Any) -> list[str]:
    """Of a learner whose settings are all among the names its own name instead of theirs."""
    origin = {name: str(each.get("learner", design.origins[0].name)) for name, each in design.settings.items()}
    apart = {origin[name] for name in origin if name not in names}
    return list(dict.fromkeys(name if origin.get(name, name) in apart else origin.get(name, name) for name in names))


def _what(learner: Learner) -> str:
    if learner.command:
        return " ".join(learner.command)
    if learner.estimator is not None:
        return f"{type(learner.estimator).__name__} object"
    path = " → ".join(step.path for step in learner.steps)
    if learner.tuning is None:
        return path
    return f"{path}, tuned: {', '.join(learner.tuning.grid)}"


def _stored(study: Study, store: Place | None) -> tuple[int, float | None, list[str]]:
    """How many cells are stored, the seconds that the rest will take by the times of those, and what has changed."""
    if store is None or not store.exists():
        return 0, None, []
    from bakeoff.store.reader import Reader
    from bakeoff.study.stored import recognise

    try:
        with Reader(store) as stored:
            changes = [change for change in recognise(study, stored) if change.contents]
            sentences = [change.sentence for change in changes]
            if any(change.part == "code" and change.noun == "measure" for change in changes):
                return 0, None, sentences  # all cells are run once more, since scorers need the fitted estimators
            return *stored_already(study, stored), sentences
    except BakeoffError:
        return 0, None, []  # it is no store, or a damaged one: `run` will say so


def _in_words(scheme: dict[str, Any]) -> str:
    settings = ", ".join(
        f"{name} = {value}" for name, value in scheme.items() if name != "scheme" and value not in (None, "")
    )
    return f"{scheme.get('scheme')}{f' ({settings})' if settings else ''}"


def _cell(value: object) -> str:
    return "?" if value is None else str(value)


# ----------------------------------------------------------------------------------------------------------------------
# What a store already holds of a study, found without running anything of it.


UNKNOWN = -1  # the id of a split that is not stored: no cell has it


def stored_already(study: Study, store: Reader) -> tuple[int, float | None]:
    """How many cells need not be run again, and the seconds that the others will take, where the store can tell.

    Cells are known by what determines their results. So those of an earlier version of the study count, as far as it
    had the same learners, data and splits.
    """
    from bakeoff.results.status import progress
    from bakeoff.study.stored import recognise

    if not recognise(study, store) and _same_learners(study, store):
        state = progress(store, study.key)
        return state.ok, state.seconds_left
    return _of_other_versions(study, store), None


def _same_learners(study: Study, store: Reader) -> bool:
    """Whether its learners are those that were run: packages that code of one's own imports may be others now."""
    from sqlalchemy import select

    from bakeoff.results.grid import study_grid
    from bakeoff.store.schema import learner

    keys = {row.id: row.key for row in store.rows(select(learner.c.id, learner.c.key))}
    linked = [keys[number] for number in study_grid(store, study.key).learner_ids]
    return linked == [one.key for one in study.learners]


def _of_other_versions(study: Study, store: Reader) -> int:
    from sqlalchemy import select

    from bakeoff.store.schema import learner

    known = {row.key: row.id for row in store.rows(select(learner.c.id, learner.c.key))}
    keys = tuple(each.key for each in study.fitted)
    blocks = tuple(block for number in range(len(study.tasks)) if (block := _block(study, store, number)) is not None)
    if not blocks:
        return 0
    grid = CellGrid(keys, blocks, study.seed, ranks_of(study))
    states = store.states([known[key] for key in keys if key in known], grid.split_ids())
    return sum(
        in_study and states.get(cell) == Status.OK for cell, in_study in zip(grid.keys(), grid.in_study(), strict=True)
    )


def _block(study: Study, store: Reader, number: int) -> Block | None:
    """The splits of a task, if they are stored; None for a task whose data only its code can make."""
    task = study.tasks[number]
    if task.runs_code and not task.loaded:
        return None
    name = scheme_key(study.resampling.describe(), study.seed, task.data_key())
    record = store.task_of(name)
    index = None if record is None else store.splits_index(record[0], name)
    if record is not None and index is not None:
        return Block(number, record[1], index.ids, index.keys)
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
