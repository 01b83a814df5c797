"""History: under which version of a study its first results came in. Later versions have seen them."""

from __future__ import annotations

from sqlalchemy import select

from bakeoff.stores.reader import Reader
from bakeoff.stores.records import StudyRecord
from bakeoff.stores.schema import attempt, cell, place, run, study_learner, study_task


def study_of_first_results(store: Reader, study_key: str) -> StudyRecord | None:
    """The study whose run wrote the first attempt at any cell of this study; None as long as there is none."""
    studies = store.studies()
    wanted = [record.id for record in studies if record.key == study_key]
    # Cells are numbered as they are first written, so that the first of the study's is mostly among the very first.
    its_split = (
        select(place.c.split)
        .join(study_task, study_task.c.splitting == place.c.splitting)
        .where(study_task.c.study.in_(wanted), place.c.split == cell.c.split)
    )
    its_learner = select(study_learner.c.learner).where(
        study_learner.c.study.in_(wanted), study_learner.c.learner == cell.c.learner
    )
    first = select(cell.c.id).where(its_split.exists(), its_learner.exists()).order_by(cell.c.id).limit(1)
    under = select(run.c.study).join(attempt, attempt.c.run == run.c.id).where(attempt.c.cell.in_(first))
    found = store.rows(under.order_by(attempt.c.number).limit(1))
    if not found:
        return None
    return next(record for record in studies if record.id == found[0].study)
