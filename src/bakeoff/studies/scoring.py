"""The scores that an analysis of a study is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bakeoff.resampling.split import TEST
from bakeoff.stores.asked import Spec, asked_for
from bakeoff.stores.grid import study_grid
from bakeoff.stores.scores import scores_of
from bakeoff.stores.units import averaged_over_units, units_of

if TYPE_CHECKING:
    from bakeoff.scores import Scores
    from bakeoff.stores.reader import Reader

INSTANCES = "instances"


def scores_for(store: Reader, study_key: str, measure: Spec, *, level: str | None = None) -> Scores:
    """The scores of one measure: of the splits, or of single test rows where nothing else can be compared.

    One task that was split once has one score a learner, from which nothing follows. Its test rows are another matter:
    there are many of them, and McNemar's test and its kin compare learners on each. Where several rows may come from
    one unit, such as a patient, the units are compared: rows of one are not independent.
    """
    alone = level is None and one_test_sample(store, study_key) and has_losses(store, study_key, [measure])
    if level == INSTANCES or alone:
        return averaged_over_units(scores_of(store, study_key, [measure], instances=True), units_of(store, study_key))
    return scores_of(store, study_key, [measure])


def one_test_sample(store: Reader, study_key: str) -> bool:
    """Whether the study has one task, and that was split once."""
    tasks = study_grid(store, study_key).tasks
    return len(tasks) == 1 and len(tasks[0].index) == 1 and tasks[0].index.role[0] == TEST


def has_losses(store: Reader, study_key: str, measures: Sequence[Spec]) -> bool:
    """Whether every test row has a score of its own by these measures."""
    asked = asked_for(study_grid(store, study_key), measures)
    return all(one.response is not None and one.response.pointwise is not None for one in asked)
