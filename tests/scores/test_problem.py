from __future__ import annotations

from dataclasses import replace

import numpy as np
import zoo

from bakeoff.scores import Level, layout
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

BOOTSTRAP = Problem(REAL_WORLD, "bootstrap samples of one task", "the empirical distribution of this learning sample")


def test_kinds() -> None:
    assert (SIMULATION, COMPETITION, REAL_WORLD) == ("simulation", "competition", "real world")


def test_the_layout_knows_the_problem_at_the_level_of_resamples_only() -> None:
    values = np.random.default_rng(1).random((8, 2))
    folds = replace(zoo.table(values, kind="kfold"), problem=BOOTSTRAP)
    facts = layout(folds)
    assert facts.level is Level.RESAMPLES
    assert facts.problem == BOOTSTRAP
    assert "8 bootstrap samples of one task" in facts.sentence
    tasks = replace(zoo.table(values, kind="tasks"), problem=BOOTSTRAP)
    assert layout(tasks).problem is None


def test_it_survives_the_choice_of_learners() -> None:
    scores = replace(zoo.table(np.random.default_rng(1).random((8, 3)), kind="kfold"), problem=BOOTSTRAP)
    assert scores.only(learners=scores.learners[:2]).problem == BOOTSTRAP


def test_what_a_conclusion_is_conditional_on_says_the_rest() -> None:
    assert problem_given(REAL_WORLD, LEARNING_SAMPLE) == BOOTSTRAP
    fixed = problem_given(SIMULATION, f"the generator x and {FIXED_TEST} of 7 rows")
    assert (fixed.blocks, fixed.fixed_test) == ("learning samples drawn from the generator x", True)
    assert not problem_given(SIMULATION, f"the generator x and {FIXED_TEST}s").fixed_test
    assert problem_given(COMPETITION, f"{LEARNING_SAMPLE} and {FIXED_TEST}").fixed_test


def test_several_tasks_together() -> None:
    one, other = problem_given(SIMULATION, "law a"), problem_given(SIMULATION, f"law b and {FIXED_TEST}")
    assert joint([one, one]) == one
    both = joint([one, other])
    assert both is not None
    assert (both.blocks, both.fixed_test) == ("samples of several tasks", True)
    assert both == problem_given(SIMULATION, both.conditional_on)
    assert joint([]) is joint([one, None]) is joint([None]) is joint([one, BOOTSTRAP]) is None
