"""Remarks: what fits had to say though they succeeded: warnings they raised, parameters that tuning chose."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

from sqlalchemy import func, select

from bakeoff.stores.grid import study_grid
from bakeoff.stores.reader import Reader
from bakeoff.stores.schema import attempt, cell

TUNED = "tuned: "


@dataclass(frozen=True, slots=True)
class Remark:
    """A text, of which learner, and in how many cells."""

    learner: str
    text: str
    cells: int

    @property
    def of_tuning(self) -> bool:
        return self.text.startswith(TUNED)


def remarks(store: Reader, study_key: str) -> list[Remark]:
    """All remarks of the cells of a study that are done, learner by learner, the most frequent first."""
    grid = study_grid(store, study_key)
    names = dict(zip(grid.learner_ids, grid.learners, strict=True))
    counts: Counter[tuple[int, str]] = Counter()
    with store.snapshot() as connection:
        for task in grid.tasks:
            query = select(cell.c.learner, attempt.c.notes, func.count()).join_from(
                cell, attempt, attempt.c.cell == cell.c.id
            )
            query = query.where(task.condition, attempt.c.status == "ok", attempt.c.notes != "[]")
            for learner, notes, cells in connection.execute(query.group_by(cell.c.learner, attempt.c.notes)):
                for text in json.loads(notes):
                    counts[learner, text] += cells
    order = {number: place for place, number in enumerate(grid.learner_ids)}
    found = sorted(counts.items(), key=lambda item: (order[item[0][0]], -item[1], item[0][1]))
    return [Remark(names[learner], text, cells) for (learner, text), cells in found]
