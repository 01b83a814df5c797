"""What scores bring along of the study that they come from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from bakeoff.results.grid import StudyGrid
from bakeoff.scores.provenance import Provenance
from bakeoff.store.database import read_json
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


@dataclass(frozen=True)
class StudyChange:
    """What a study asks otherwise than an earlier version of it: in words, and which `part` (the code, the content) of
    which kind of thing (a task, a learner, a measure) is another one, where it is that."""

    sentence: str
    part: str = ""
    noun: str = ""

    def __str__(self) -> str:
        return self.sentence

    @property
    def contents(self) -> bool:
        """Whether code or data were edited, though the study says the same of them."""
        return self.part in _CONTENTS


def changes_since(
    first: Mapping[str, Any], now: Mapping[str, Any], since: str = "the first results"
) -> list[StudyChange]:
    """What a study asks otherwise than the version that had its first results. Additions are no change, and neither is
    another name for the same learner.

    >>> first = {"seed": 1, "learners": [{"name": "svm", "C": 1}, {"name": "tree"}]}
    >>> now = {"seed": 2, "learners": [{"name": "SVM", "C": 1}, {"name": "forest", "n": 2}]}
    >>> [change.sentence for change in changes_since(first, now)]
    ['learner tree left out since the first results', 'another seed than for the first results']
    """
    changes = []
    for noun in ("task", "learner", "measure"):
        before, after = (_by_name(version.get(f"{noun}s", [])) for version in (first, now))
        new_names = renamed(first, now) if noun == "learner" else {}
        before = {new_names.get(name, name): one for name, one in before.items()}
        both = {name: (before[name], after[name]) for name in before if name in after}
        altered = {name: _altered(*pair) for name, pair in both.items()}
        altered |= {name: "gone" for name in before if name not in after and noun != "measure"}  # analyses ask for them
        for part, sentence in _SENTENCES.items():
            if names := [name for name, what in altered.items() if what == part]:
                which = f"{noun}{'s' * (len(names) > 1)} {listing(names)}"
                changes.append(StudyChange(sentence.format(which=which, since=since), part, noun))
    for name, sentence in (
        ("resampling", "another resampling"),
        ("seed", "another seed"),
        ("holdout", "another test set kept apart"),
    ):
        if first.get(name) != now.get(name):
            changes.append(StudyChange(f"{sentence} than for {since}"))
    return changes


def renamed(first: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, str]:
    """The new names of learners that were there before under other ones, and are otherwise the same."""
    before, after = (_by_name(version.get("learners", [])) for version in (first, now))
    gone = {name: one for name, one in before.items() if name not in after}
    new = {name: one for name, one in after.items() if name not in before}
    names: dict[str, str] = {}
    for old, one in gone.items():
        same = [name for name, other in new.items() if other == one and name not in names.values()]
        if same:
            names[old] = same[0]
    return names


def _by_name(parts: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {one["name"]: {key: value for key, value in one.items() if key != "name"} for one in parts}


# What a description holds of code and data, and version 0.1 did not know of: where one is without, nothing is known.
_CONTENTS = ("code", "content")
_SENTENCES = {
    "gone": "{which} left out since {since}",
    "else": "{which} changed since {since}",
    "code": "the code of {which} edited since {since}",
    "content": "the data of {which} changed since {since}",
}


def _altered(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Which part of a task, learner or measure is another one: its code, its content (the data), or anything else."""
    for part in _CONTENTS:
        if None not in (before.get(part), after.get(part)) and before[part] != after[part]:
            return part
    rest = [{key: value for key, value in one.items() if key not in _CONTENTS} for one in (before, after)]
    return "" if rest[0] == rest[1] else "else"


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
    for otherwise since then, such as another seed, one learner less, or other data.
    """
    now = grid.record.description.get("analyses", [])
    first = study_of_first_results(store, grid.record.key)
    if first is None:
        return Provenance(grid.record.name, grid.record.key, tuple(now), (), tasks, learners)
    names = renamed(first.description, grid.record.description)
    planned = [_with_names(analysis, names) for analysis in first.description.get("analyses", [])]
    later = [analysis for analysis in now if analysis not in planned]
    since = changes_since(_of_analyses(first.description), grid.record.description)
    changes = [change.sentence for change in since]
    changes += _other_data(store, grid, first)
    return Provenance(grid.record.name, grid.record.key, tuple(planned), tuple(later), tasks, learners, tuple(changes))


def _of_analyses(first: Mapping[str, Any]) -> dict[str, Any]:
    """A version of the study without the measures that none of its analyses is about."""
    names: set[str] = set()
    for analysis in first.get("analyses", []):
        named = analysis.get("measure", ())
        names |= {named} if isinstance(named, str) else set(named)
    return {**first, "measures": [each for each in first.get("measures", []) if each.get("name") in names]}


def _with_names(analysis: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A planned analysis in the words of today: the learners that it names may have other names now."""
    changed = dict(analysis)
    if changed.get("control") in names:
        changed["control"] = names[changed["control"]]
    if names and "contrast" in changed:
        words = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})(?!\w)")
        several = changed["contrast"] if isinstance(changed["contrast"], list) else [changed["contrast"]]
        translated = [words.sub(lambda match: names[match[1]], one) for one in several]
        changed["contrast"] = translated if isinstance(changed["contrast"], list) else translated[0]
    return changed


def _other_data(store: Reader, grid: StudyGrid, first: StudyRecord) -> list[str]:
    """Tasks whose data were others when the first results came in, though the study says the same of them: data that
    code makes."""
    has_results = select(attempt.c.run).where(attempt.c.run == run.c.id).exists()
    query = select(run.c.environment).where(run.c.study == first.id, has_results).order_by(run.c.id).limit(1)
    rows = store.rows(query)
    then = read_json(rows[0].environment).get("data", {}) if rows else {}
    kept = {task["name"] for task in grid.record.description.get("tasks", []) if "content" in task or "memory" in task}
    others = [
        task.name
        for task in grid.tasks
        if task.name not in kept and then.get(task.name, "") not in ("", store.task(task.task_id).key)
    ]
    return [f"the data of task{'s' * (len(others) > 1)} {listing(others)} changed since the first results"] * bool(
        others
    )
