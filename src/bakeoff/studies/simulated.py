"""Simulated tasks in a study: how many samples it draws of each, and what goes together."""

from __future__ import annotations

from typing import Any

from bakeoff.errors import UsageError
from bakeoff.resampling.simulation import Simulation
from bakeoff.tasks.task import Task


def bound(tasks: tuple[Task, ...], resampling: Any, seed: int, learners: int) -> tuple[Task, ...]:
    """The tasks, those that are simulated with the samples and the seed of the study.

    Under the scheme "simulation" there is a learning sample a repeat. Under any other scheme there is a single one,
    which is resampled as if it were all that is known.
    """
    samples = resampling.samples(learners) if isinstance(resampling, Simulation) else None
    for task in tasks:
        if samples is not None and not task.is_simulated:
            raise UsageError(
                f"The scheme 'simulation' draws its learning samples, and task {task.name!r} is a data set. Say how to "
                "draw from it (bootstrap = 'parametric', 'nonparametric' or 'bayesian'), give a generator, or use "
                "another scheme, such as 'out-of-bootstrap'."
            )
    return tuple(task.bound(samples, seed) for task in tasks)


def is_independent(resampling: Any) -> bool:
    """Whether each learner learns from samples of its own."""
    return bool(getattr(resampling, "independent", False))
