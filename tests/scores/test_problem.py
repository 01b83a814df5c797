from __future__ import annotations

from dataclasses import replace

import numpy as np
import zoo

from bakeoff.scores import Level, layout
from bakeoff.scores.problem import COMPETITION, REAL_WORLD, SIMULATION, Problem

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
