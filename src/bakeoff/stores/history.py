"""History: under which version of a study its first results came in. Later versions have seen them."""

from __future__ import annotations

from sqlalchemy import select

from bakeoff.stores.reader import Reader
from bakeoff.stores.records import StudyRecord
from bakeoff.stores.schema import attempt, cell, place, run, study, study_learner, study_task


def study_of_first_results(store: Reader, study_key: str) -> StudyRecord | None:
    """The study whose run wrote the first attempt at any cell of this study; None as long as there is none."""
    wanted = select(study.c.id).where(study.c.key == study_key).scalar_subquery()
    splits = (
        select(place.c.split)
        .join(study_task, study_task.c.splitting == place.c.splitting)
        .where(study_task.c.study == wanted)
    )
    learners = select(study_learner.c.learner).where(study_learner.c.study == wanted)
    first = (
        select(run.c.study)
        .join(attempt, attempt.c.run == run.c.id)
        .join(cell, cell.c.id == attempt.c.cell)
        .where(cell.c.split.in_(splits), cell.c.learner.in_(learners))
        .order_by(run.c.id)
        .limit(1)
    )
    found = store.rows(first)
    if not found:
        return None
    return next(record for record in store.studies() if record.id == found[0].study)
