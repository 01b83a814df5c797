"""Whether each learner is there and of a kind that its tasks ask for: found out once, before the first cell is run.

A misspelt learner, or a regressor that is to tell classes apart, would fail in each of its cells, one by one. It is the
study that is wrong then, and not the learner, so that it is refused as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from bakeoff.errors import UsageError

if TYPE_CHECKING:
    from bakeoff.studies.preparing import Prepared


def check_suited(
    prepared: Prepared, engine: Any, resolved: Sequence[object | None], pending: Collection[tuple[int, int]]
) -> None:
    """Refuse a study with a learner that can never be made, or is clearly made for another kind of task than its own.

    `pending` are the pairs (learner, task) that cells are left of. `engine.unsuited` makes the learner in a worker: its
    code may do anything. What `engine.resolve` said of each is in `resolved`: a sentence, if its path or a parameter
    does not exist. One that ended its worker instead is not asked again: its cells will say why.
    """
    found = []
    for number, learner in enumerate(prepared.study.learners):
        tasks = sorted(task for which, task in pending if which == number)
        if not tasks or resolved[number] is None:
            continue
        if isinstance(never := resolved[number], str):
            found.append(never)
            continue
        first_of: dict[str, str] = {}  # one task of each kind will do
        for task in tasks:
            first_of.setdefault(prepared.dataset(task).kind.value, prepared.study.tasks[task].name)
        why = engine.unsuited(number, [(name, kind) for kind, name in first_of.items()])
        if why is not None:
            found.append(f"learner {learner.name!r}: {why}")
    if found:
        raise UsageError(" ".join([*found, "Nothing was run."]))
