"""Which problem a stored study solves, read off its scheme and tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bakeoff.resampling.schemes import SCHEMES
from bakeoff.scores.problem import COMPETITION, REAL_WORLD, SIMULATION, Problem
from bakeoff.stores.grid import StudyGrid

LEARNING_SAMPLE = "the empirical distribution of this learning sample"
FIXED_TEST = "this fixed test sample"
BOOTSTRAP_SAMPLES = "bootstrap samples of one task"


def problem_of(grid: StudyGrid) -> Problem | None:
    """The problem of a study; None where its resamples are no independent draws, as the folds of a cross-validation."""
    tasks = grid.record.description.get("tasks", [])
    found = []
    for task in grid.tasks:
        said = tasks[task.number] if task.number < len(tasks) else {}
        found.append(_problem(task.scheme, said.get("simulated") or {}))
    if not found or found[0] is None or any(one is None or one.kind != found[0].kind for one in found):
        return None
    if all(one == found[0] for one in found):
        return found[0]
    fixed = found[0].fixed_test
    each = "the law that each task was drawn from" if found[0].kind == SIMULATION else LEARNING_SAMPLE
    return Problem(found[0].kind, "samples of several tasks", f"{each}{f' and {FIXED_TEST}' if fixed else ''}", fixed)


def _problem(scheme: Mapping[str, Any], drawn: Mapping[str, Any]) -> Problem | None:
    """Of one task. `drawn` is what the study says of samples that are drawn from a generator."""
    known = SCHEMES.get(str(scheme.get("scheme")))
    kind = known.problem if known is not None else ""
    if kind == SIMULATION:
        fixed = drawn.get("test", "fixed") == "fixed"
        law = _law(drawn)
        size = f" of {drawn['m']} rows" if fixed and drawn.get("m") else ""
        on = f"{law} and {FIXED_TEST}{size}" if fixed else law
        return Problem(kind, f"learning samples drawn from {law}", on, fixed)
    if kind == COMPETITION:
        return Problem(kind, BOOTSTRAP_SAMPLES, f"{LEARNING_SAMPLE} and {FIXED_TEST}", True)
    if kind == REAL_WORLD:
        return Problem(kind, BOOTSTRAP_SAMPLES, LEARNING_SAMPLE)
    return None


def _law(drawn: Mapping[str, Any]) -> str:
    """What the samples were drawn from, in words."""
    how = drawn.get("bootstrap")
    if how == "parametric":
        return "the model that was fitted to this learning sample (a parametric bootstrap)"
    if how:
        return LEARNING_SAMPLE
    return f"the generator {drawn['generator']}" if "generator" in drawn else "this generator"
