"""The problem that an experiment solves: from which data generating process its learning samples were drawn.

Hothorn, Leisch, Zeileis and Hornik (2005), section 3.2, doi:10.1198/106186005X59630. Given the process, the scores of
its samples are independent draws, which ordinary tests may compare; and what they conclude is conditional on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.resampling.scheme import COMPETITION as COMPETITION
from bakeoff.resampling.scheme import REAL_WORLD as REAL_WORLD
from bakeoff.resampling.scheme import SIMULATION as SIMULATION

LEARNING_SAMPLE = "the empirical distribution of this learning sample"
FIXED_TEST = "this fixed test sample"
BOOTSTRAP_SAMPLES = "bootstrap samples of one task"
SEVERAL_LAWS, SEVERAL_TASKS = "the law that each task was drawn from", "samples of several tasks"


@dataclass(frozen=True, slots=True)
class Problem:
    """`kind` is simulation, competition or real world; `blocks` says what was drawn, in the plural.

    `conditional_on` completes "the conclusion is conditional on …". `fixed_test` tells that all samples were tested on
    one test sample that is not the learning sample's own.
    """

    kind: str
    blocks: str
    conditional_on: str
    fixed_test: bool = False


def problem_given(kind: str, conditional_on: str) -> Problem:
    """The problem of a kind: what its conclusions are conditional on says the rest.

    >>> problem_given(SIMULATION, "the generator twonorm and this fixed test sample of 200 rows").blocks
    'learning samples drawn from the generator twonorm'
    """
    law, _, test = conditional_on.partition(f" and {FIXED_TEST}")
    fixed = law != conditional_on and (not test or test.startswith(" of "))
    if kind != SIMULATION:
        return Problem(kind, BOOTSTRAP_SAMPLES, conditional_on, fixed)
    blocks = SEVERAL_TASKS if law == SEVERAL_LAWS else f"learning samples drawn from {law}"
    return Problem(kind, blocks, conditional_on, fixed)


def joint(problems: Sequence[Problem | None]) -> Problem | None:
    """The problem of several tasks together; None if one of them has none, or another kind of it."""
    first = problems[0] if problems else None
    if first is None or any(one is None or one.kind != first.kind for one in problems):
        return None
    if all(one == first for one in problems):
        return first
    law = SEVERAL_LAWS if first.kind == SIMULATION else LEARNING_SAMPLE
    fixed = any(one is not None and one.fixed_test for one in problems)
    return Problem(first.kind, SEVERAL_TASKS, f"{law} and {FIXED_TEST}" if fixed else law, fixed)
