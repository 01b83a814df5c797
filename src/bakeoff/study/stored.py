"""What of a study is stored: whether it is this study, and its scores at the level at which they are compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bakeoff.keys import canonical_json, key_of
from bakeoff.resampling.split import TEST
from bakeoff.results.grid import Spec, resolve_measures, study_grid
from bakeoff.results.instances import in_units, in_windows, units_of
from bakeoff.results.planned import StudyChange, changes_since
from bakeoff.results.scores import scores_of
from bakeoff.scores import Labels
from bakeoff.store.database import illegible
from bakeoff.study.study import Study

if TYPE_CHECKING:
    from bakeoff.scores import Scores
    from bakeoff.store.reader import Reader, StudyRecord


# ----------------------------------------------------------------------------------------------------------------------
# The scores that an analysis of a study is about.


INSTANCES = "instances"
CLASSIFICATION = "classification"
ERROR = "error"


def scores_for(
    store: Reader,
    study_key: str,
    measure: str | Sequence[Spec],
    *,
    level: str | None = None,
    kept: bool = True,
    tasks: Sequence[str] | None = None,
) -> Scores:
    """The scores of a measure, or of several: of the splits, or of single test rows where nothing else can be compared.

    One task that was split once has one score a learner, from which nothing follows. Its test rows are another matter:
    there are many of them, and McNemar's test and its kin compare learners on each. Where several rows may come from
    one unit, such as a patient, the units are their clusters: rows of one are not independent.
    """
    measures = [measure] if isinstance(measure, str) else measure
    if level in (None, INSTANCES) and leaves_one_out(store, study_key):
        return _of_single_rows(store, study_key, measures, kept)
    if level == INSTANCES:
        return _of_test_rows(store, study_key, measures, kept)
    scores = with_test_rows(store, study_key, measures, kept=kept, tasks=tasks)
    rows = scores.by_instance
    alone = level is None and rows is not None and all(name in rows.measures for name in scores.measures)
    return rows if alone and rows is not None else scores


def with_test_rows(
    store: Reader,
    study_key: str,
    measures: Sequence[Spec] | None = None,
    *,
    kept: bool = True,
    tasks: Sequence[str] | None = None,
) -> Scores:
    """The scores of the splits; if there is only one, with the losses on its test rows beside them."""
    scores = scores_of(store, study_key, measures, kept=kept, tasks=tasks)
    if leaves_one_out(store, study_key) and units_of(store, study_key):
        every = list(study_grid(store, study_key).measures) if measures is None else measures
        return replace(scores, by_instance=_of_single_rows(store, study_key, every, kept))
    if not one_test_sample(store, study_key):
        return scores
    grid = study_grid(store, study_key)
    specs: list[Spec] = list(grid.measures) if measures is None else list(measures)
    requests = zip(specs, resolve_measures(grid, specs), strict=True)
    wanted = [spec for spec, one in requests if one.response is not None and one.response.pointwise is not None]
    if not wanted:
        if store.task(grid.tasks[0].task_id).kind != CLASSIFICATION:
            return scores
        wanted = [ERROR]  # beside it lie the scores that the rows got, which ROC curves are made of
    return replace(scores, by_instance=_of_test_rows(store, study_key, wanted, kept))


def _of_test_rows(store: Reader, study_key: str, measures: Sequence[Spec], kept: bool) -> Scores:
    losses = scores_of(store, study_key, measures, instances=True, kept=kept)
    return in_units(losses, units_of(store, study_key))


def _of_single_rows(store: Reader, study_key: str, measures: Sequence[Spec], kept: bool) -> Scores:
    """Of leave-one-out each fold is a row, so that rows are compared, in the units that they come from."""
    scores, units = scores_of(store, study_key, measures, kept=kept), units_of(store, study_key)
    if not units:
        return scores
    no_fold = Labels.constant("", len(scores))
    return in_units(replace(scores, instance=scores.fold, fold=no_fold, repeat=no_fold), units)


def leaves_one_out(store: Reader, study_key: str) -> bool:
    """Whether the study has one task, whose splits test one row each."""
    tasks = study_grid(store, study_key).tasks
    if len(tasks) != 1 or len(tasks[0].index) < 2:
        return False
    index = tasks[0].index
    return bool((index.n_test == 1).all() and (index.repeat == index.repeat[0]).all())


def one_test_sample(store: Reader, study_key: str) -> bool:
    """Whether the study has one task, and that was split once, or into windows in the order of time."""
    tasks = study_grid(store, study_key).tasks
    if len(tasks) == 1 and in_windows(tasks[0]):
        return True
    return len(tasks) == 1 and len(tasks[0].index) == 1 and tasks[0].index.role[0] == TEST


# ----------------------------------------------------------------------------------------------------------------------
# Which study of a store this one is, and what has changed if it is none of them.


def recognise(study: Study, store: Reader) -> list[StudyChange]:
    """Find a study in a store. Empty if it is there; otherwise what has changed since it was last run.

    A study whose data file is not there any more, or that version 0.1 stored, which did not look into files, is known
    by all the rest of its description; it then goes by the key that it has in the store.
    """
    records = store.studies()
    for record in records:
        if record.key == study.key:
            if key_of(record.description) != study.key:
                raise illegible(store.path)  # what was planned is read off it
            return []
    ours = study.describe()
    for record in reversed(records):
        if _same_question(ours, record.description) and _same_files(study, ours, record, store):
            vars(study)["key"] = record.key
            return []
    earlier = [record for record in records if record.name == study.name] or records
    if not earlier:
        return [StudyChange("nothing of it was run")]
    since = "the run"
    unknown = [StudyChange("the study file was changed since the run")]
    return changes_since(earlier[-1].description, ours, since) or unknown


def _same_question(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    def without_content(description: dict[str, Any]) -> dict[str, Any]:
        tasks = [{key: v for key, v in task.items() if key != "content"} for task in description.get("tasks", [])]
        return {**description, "tasks": tasks}

    return bool(json.loads(canonical_json(without_content(ours))) == without_content(theirs))


def _same_files(study: Study, ours: dict[str, Any], record: StudyRecord, store: Reader) -> bool:
    """Whether nothing is known against the data being those that were stored."""
    stored = {task.name: store.task(task.task_id).key for task in study_grid(store, record.key).tasks}
    for task, now, then in zip(study.tasks, ours["tasks"], record.description["tasks"], strict=True):
        known = then.get("content") or (None if task.is_simulated else stored.get(task.name))
        if now.get("content") is not None and known not in (None, now["content"]):
            return False
    return True
