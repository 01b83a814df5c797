"""What scores bring along of the study that they come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from bakeoff.results.grid import StudyGrid
from bakeoff.scores.provenance import Provenance
from bakeoff.store.reader import Reader, StudyRecord
from bakeoff.store.schema import attempt, cell, place, run, study_learner, study_task
from bakeoff.text import listing

# ----------------------------------------------------------------------------------------------------------------------
# History: under which version of a study its first results came in. Later versions have seen them.


def study_of_first_results(store: Reader, study_key: str) -> StudyRecord | None:
    """The version of the study under which its first results came in; None as long as there are none.

    Versions are related by common cells, whatever they are called, or by their name and what they compare, whatever
    became of the cells: another seed makes all cells anew, for somebody who has seen what the first seed gave.
    """
    studies = store.studies()
    related = [_first_by_cells(store, studies, study_key), _first_by_name(store, studies, study_key)]
    return min((record for record in related if record is not None), key=lambda record: record.id, default=None)


def changes_since(first: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What a study asks otherwise than the version that had its first results, in words. Additions are no change.

    >>> first = {"seed": 1, "learners": [{"name": "svm"}, {"name": "tree"}]}
    >>> changes_since(first, {"seed": 2, "learners": [{"name": "svm"}, {"name": "forest"}]})
    ['learner tree left out since the first results', 'another seed than for the first results']
    """
    changes = []
    for noun in ("task", "learner"):
        before, after = ({one["name"]: one for one in version.get(f"{noun}s", [])} for version in (first, now))
        for what, names in (
            ("left out since", [name for name in before if name not in after]),
            ("changed since", [name for name in before if name in after and before[name] != after[name]]),
        ):
            if names:
                changes.append(f"{noun}{'s' * (len(names) > 1)} {listing(names)} {what} the first results")
    for name, sentence in (("resampling", "another resampling"), ("seed", "another seed")):
        if first.get(name) != now.get(name):
            changes.append(f"{sentence} than for the first results")
    return changes


def _first_by_name(store: Reader, studies: list[StudyRecord], study_key: str) -> StudyRecord | None:
    """The first version with results among those of the same name that have a task and a learner in common."""
    this = next((record for record in studies if record.key == study_key), None)
    if this is None:
        return None
    of_name = [record.id for record in studies if record.name == this.name and _compare_alike(record, this)]
    has_results = select(attempt.c.run).where(attempt.c.run == run.c.id).exists()
    rows = store.rows(select(run.c.study).where(run.c.study.in_(of_name), has_results).order_by(run.c.id).limit(1))
    return next((record for record in studies if rows and record.id == rows[0].study), None)


def _compare_alike(one: StudyRecord, other: StudyRecord) -> bool:
    def names(record: StudyRecord, part: str) -> set[str]:
        return {each["name"] for each in record.description.get(part, [])}

    return all(names(one, part) & names(other, part) for part in ("tasks", "learners"))


def _first_by_cells(store: Reader, studies: list[StudyRecord], study_key: str) -> StudyRecord | None:
    """The study whose run wrote the first attempt at any cell of this study."""
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
    rows = store.rows(under.order_by(attempt.c.number).limit(1))
    if not rows:
        return None
    return next(record for record in studies if record.id == rows[0].study)


# ----------------------------------------------------------------------------------------------------------------------


def provenance_of(store: Reader, grid: StudyGrid, tasks: tuple[str, ...], learners: tuple[str, ...]) -> Provenance:
    """The study and its analyses, of a table with these tasks and learners.

    What counts as planned is what the version of the study said under which its first results came in: an analysis that
    is added to the file afterwards was thought of by somebody who could have seen them. So was what the file has asked
    for otherwise since then, such as another seed, or one learner less.
    """
    now = grid.record.description.get("analyses", [])
    first = study_of_first_results(store, grid.record.key)
    planned = now if first is None else first.description.get("analyses", [])
    later = [analysis for analysis in now if analysis not in planned]
    changes = () if first is None else tuple(changes_since(first.description, grid.record.description))
    return Provenance(grid.record.name, grid.record.key, tuple(planned), tuple(later), tasks, learners, changes)
