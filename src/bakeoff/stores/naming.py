"""Names of tasks and learners, as a user gives them."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.errors import UsageError, nearest
from bakeoff.stores.grid import StudyGrid


def check_names(grid: StudyGrid, tasks: Sequence[str] | None, learners: Sequence[str] | None) -> None:
    """Refuse a name that the study does not know."""
    known = {"task": [task.name for task in grid.tasks], "learner": list(grid.learners)}
    for noun, names in (("task", tasks), ("learner", learners)):
        for name in names or ():
            if name not in known[noun]:
                raise UsageError(f"The study has no {noun} {name!r}. {nearest(name, known[noun])}")
