"""The same thing once more, with chances of its own: a learner, or a task that is drawn."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from bakeoff.keys import seed_of
from bakeoff.learners.learner import Learner
from bakeoff.tasks.simulated import SimulatedSource
from bakeoff.tasks.task import Task


@dataclass(frozen=True)
class Copy(Learner):
    """A learner under another key, from which the seeds of its fits are made; in all else it is what it was."""

    copy: int = 2

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "copy": self.copy}


def copy_of(learner: Learner) -> Copy:
    """
    >>> first = Learner("forest", command=("fit",))
    >>> second = copy_of(first)
    >>> second.name, second.command == first.command, second.key == first.key
    ('forest, copy 2', True, False)
    """
    same = {field.name: getattr(learner, field.name) for field in fields(Learner)}
    return Copy(**{**same, "name": f"{learner.name}, copy 2"})


@dataclass(frozen=True, eq=False)
class NumberedSource(SimulatedSource):
    """A law of which a study draws several times over: each number has samples of its own."""

    number: int = 0

    def bound(self, samples: int | None, seed: int) -> SimulatedSource:
        return super().bound(samples, seed_of("replication", str(seed), str(self.number)))


def drawn_again(task: Task, times: int) -> list[Task]:
    """A simulated task so many times, each time with other samples."""
    source = task.source
    assert isinstance(source, SimulatedSource)
    said = {field.name: getattr(source, field.name) for field in fields(SimulatedSource)}
    return [
        replace(task, name=f"{task.name} {r + 1}", source=NumberedSource(**said, number=r), _loaded=[])
        for r in range(times)
    ]
