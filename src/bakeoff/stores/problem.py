"""Which problem a stored study solves, read off its scheme and tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bakeoff.resampling.schemes import SCHEMES
from bakeoff.scores.problem import (
    COMPETITION,
    FIXED_TEST,
    LEARNING_SAMPLE,
    REAL_WORLD,
    SIMULATION,
    Problem,
    joint,
    problem_given,
)
from bakeoff.stores.grid import StudyGrid


def problem_of(grid: StudyGrid) -> Problem | None:
    """The problem of a study; None where its resamples are no independent draws, as the folds of a cross-validation."""
    tasks = grid.record.description.get("tasks", [])
    found = []
    for task in grid.tasks:
        said = tasks[task.number] if task.number < len(tasks) else {}
        found.append(_problem(task.scheme, said.get("simulated") or {}))
    return joint(found)


def _problem(scheme: Mapping[str, Any], drawn: Mapping[str, Any]) -> Problem | None:
    """Of one task. `drawn` is what the study says of samples that are drawn from a generator."""
    known = SCHEMES.get(str(scheme.get("scheme")))
    kind = known.problem if known is not None else ""
    if kind == SIMULATION:
        fixed = drawn.get("test", "fixed") == "fixed"
        size = f" of {drawn['m']} rows" if fixed and drawn.get("m") else ""
        return problem_given(kind, f"{_law(drawn)} and {FIXED_TEST}{size}" if fixed else _law(drawn))
    if kind == COMPETITION:
        return problem_given(kind, f"{LEARNING_SAMPLE} and {FIXED_TEST}")
    return problem_given(kind, LEARNING_SAMPLE) if kind == REAL_WORLD else None


def _law(drawn: Mapping[str, Any]) -> str:
    """What the samples were drawn from, in words."""
    how = drawn.get("bootstrap")
    if how == "parametric":
        return "the model that was fitted to this learning sample (a parametric bootstrap)"
    if how:
        return LEARNING_SAMPLE
    return f"the generator {drawn['generator']}" if "generator" in drawn else "this generator"
