"""The scores that an analysis of a study is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bakeoff.resampling.split import TEST
from bakeoff.scores import Factor
from bakeoff.stores.asked import Spec, asked_for
from bakeoff.stores.grid import study_grid
from bakeoff.stores.scores import scores_of
from bakeoff.stores.units import averaged_over_units, units_of

if TYPE_CHECKING:
    from bakeoff.scores import Scores
    from bakeoff.stores.reader import Reader

INSTANCES = "instances"
CLASSIFICATION = "classification"
ERROR = "error"


def scores_for(
    store: Reader, study_key: str, measure: str | Sequence[Spec], *, level: str | None = None, kept: bool = True
) -> Scores:
    """The scores of a measure, or of several: of the splits, or of single test rows where nothing else can be compared.

    One task that was split once has one score a learner, from which nothing follows. Its test rows are another matter:
    there are many of them, and McNemar's test and its kin compare learners on each. Where several rows may come from
    one unit, such as a patient, the units are compared: rows of one are not independent.
    """
    measures = [measure] if isinstance(measure, str) else measure
    if level in (None, INSTANCES) and leaves_one_out(store, study_key):
        return _of_single_rows(store, study_key, measures, kept)
    if level == INSTANCES:
        return _of_test_rows(store, study_key, measures, kept)
    scores = with_test_rows(store, study_key, measures, kept=kept)
    rows = scores.by_instance
    alone = level is None and rows is not None and all(name in rows.measures for name in scores.measures)
    return rows if alone and rows is not None else scores


def with_test_rows(
    store: Reader, study_key: str, measures: Sequence[Spec] | None = None, *, kept: bool = True
) -> Scores:
    """The scores of the splits; if there is only one, with the losses on its test rows beside them."""
    scores = scores_of(store, study_key, measures, kept=kept)
    if leaves_one_out(store, study_key) and units_of(store, study_key):
        every = list(study_grid(store, study_key).measures) if measures is None else measures
        return replace(scores, by_instance=_of_single_rows(store, study_key, every, kept))
    if not one_test_sample(store, study_key):
        return scores
    grid = study_grid(store, study_key)
    specs: list[Spec] = list(grid.measures) if measures is None else list(measures)
    asked = zip(specs, asked_for(grid, specs), strict=True)
    wanted = [spec for spec, one in asked if one.response is not None and one.response.pointwise is not None]
    if not wanted:
        if store.task(grid.tasks[0].task_id).kind != CLASSIFICATION:
            return scores
        wanted = [ERROR]  # beside it lie the scores that the rows got, which ROC curves are made of
    return replace(scores, by_instance=_of_test_rows(store, study_key, wanted, kept))


def _of_test_rows(store: Reader, study_key: str, measures: Sequence[Spec], kept: bool) -> Scores:
    losses = scores_of(store, study_key, measures, instances=True, kept=kept)
    return averaged_over_units(losses, units_of(store, study_key))


def _of_single_rows(store: Reader, study_key: str, measures: Sequence[Spec], kept: bool) -> Scores:
    """Of leave-one-out each fold is a row, so that rows are compared; or the units that they come from."""
    scores, units = scores_of(store, study_key, measures, kept=kept), units_of(store, study_key)
    if not units:
        return scores
    no_fold = Factor.constant("", len(scores))
    return averaged_over_units(replace(scores, instance=scores.fold, fold=no_fold, repeat=no_fold), units)


def leaves_one_out(store: Reader, study_key: str) -> bool:
    """Whether the study has one task, whose splits test one row each."""
    tasks = study_grid(store, study_key).tasks
    if len(tasks) != 1 or len(tasks[0].index) < 2:
        return False
    index = tasks[0].index
    return bool((index.n_test == 1).all() and (index.repeat == index.repeat[0]).all())


def one_test_sample(store: Reader, study_key: str) -> bool:
    """Whether the study has one task, and that was split once."""
    tasks = study_grid(store, study_key).tasks
    return len(tasks) == 1 and len(tasks[0].index) == 1 and tasks[0].index.role[0] == TEST
