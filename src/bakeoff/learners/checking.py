"""Checking learners when a study is read: all that can be wrong with a description, nothing being imported or run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bakeoff.errors import UsageError, nearest
from bakeoff.importing import check_path
from bakeoff.learners.commands import check_command
from bakeoff.learners.learner import PATH, PREPARE, Learner
from bakeoff.learners.tuning import check_tuning


def check_learner(learner: Learner) -> tuple[str, ...]:
    """Raise a UsageError for what can never run; return warnings about what may not run here."""
    whose = f"learner {learner.name!r}"
    given = [
        name
        for name, value in (
            ("path or pipeline", learner.steps),
            ("estimator", learner.estimator is not None),
            ("command", learner.command),
        )
        if value
    ]
    if len(given) != 1:
        found = " and ".join(given) if given else "nothing"
        raise UsageError(f"{whose}: expected is one of path, pipeline, estimator and command; found is {found}.")
    if learner.prepare not in PREPARE:
        raise UsageError(f"{whose}: prepare is {learner.prepare!r}. {nearest(str(learner.prepare), PREPARE)}")
    for step in learner.steps:
        check_path(step.path, whose, PATH)
        _check_nested(step.parameters, whose)
    if learner.tuning is not None:
        check_tuning(learner.tuning, whose)
    if not learner.command:
        return ()
    if learner.prepare not in ("auto", "none"):
        raise UsageError(f"{whose}: a command prepares its data itself. Leave prepare out.")
    if learner.tuning is not None:
        raise UsageError(
            f"{whose}: a command cannot be tuned from outside. Leave tune out, or tune inside the program."
        )
    return check_command(learner.command, learner.folder, whose)


def _check_nested(value: Any, whose: str) -> None:
    """The paths of estimators among the parameters: { path = "…", parameters = { … } }."""
    if isinstance(value, Mapping):
        if "path" in value and set(value) <= {"path", "parameters"}:
            check_path(value["path"], whose, PATH)
        for item in value.values():
            _check_nested(item, whose)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _check_nested(item, whose)
