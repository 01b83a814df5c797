from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import zoo

from bakeoff.resampling.scheme import COMPETITION, REAL_WORLD, SIMULATION
from bakeoff.scores import Level, layout
from bakeoff.scores.design import (
    FIXED_TEST,
    LEARNING_SAMPLE,
    NOT_KNOWN,
    SEVERAL_LAWS,
    Design,
    Problem,
    RunDesign,
    Runs,
    design_from,
    joint,
    problem_given,
    splitting_from,
)

FIXED = "and this fixed test sample"
DESIGNS = [
    Design(problem_given(kind, on), independent)
    for kind, on in (
        (REAL_WORLD, LEARNING_SAMPLE),
        (COMPETITION, f"{LEARNING_SAMPLE} {FIXED}"),
        (SIMULATION, "the generator twonorm"),
        (SIMULATION, f"the generator my.own: draw {FIXED} of 200 rows"),
        (SIMULATION, f"{SEVERAL_LAWS} {FIXED}"),
    )
    for independent in (False, True)
]


@pytest.mark.parametrize("design", [*DESIGNS, Design(None, True)], ids=str)
def test_what_is_written_is_read_again(design: Design) -> None:
    assert design_from(str(design)) == design


def test_labels_that_are_what_they_seem_need_no_text() -> None:
    assert str(Design()) == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A",
        "real world",
        "real world: ",
        "real world:  ",
        "Real world: this sample",
        "cross-validation: 10 folds",
        "simulation: a\x1b[31mred one",
        "simulation: " + "x" * 1000,
        "independent samples; simulation: x",
    ],
)
def test_other_texts_say_something_else(text: str) -> None:
    assert design_from(text) is None


# ----------------------------------------------------------------------------------------------------------------------
# Problem


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


# ----------------------------------------------------------------------------------------------------------------------
# Splitting


KINDS = [
    NOT_KNOWN,
    RunDesign(Runs.INDEPENDENT),
    RunDesign(Runs.FIXED_SPLIT),
    RunDesign(Runs.RANDOM_SPLITS),
    RunDesign(Runs.RANDOM_SPLITS, 1 / 3),
    RunDesign(optimistic="bootstrap"),
    RunDesign(Runs.RANDOM_SPLITS, 0.5, "632+"),
]


@pytest.mark.parametrize("splitting", KINDS)
def test_what_is_written_is_read_again_splitting(splitting: RunDesign) -> None:
    assert splitting_from(splitting.parts) == splitting


@pytest.mark.parametrize("splitting", KINDS[1:])
def test_it_goes_through_the_design_of_a_table(splitting: RunDesign) -> None:
    for independent in (False, True):
        design = Design(None, independent, splitting)
        assert design_from(str(design)) == design


@pytest.mark.parametrize(
    "parts",
    [
        ("runs",),
        ("runs on one split", "runs on random splits"),
        ("runs on random splits, ratio 0",),
        ("runs on random splits, ratio nan",),
        ("runs on random splits, ratio half",),
        ("tested on rows learned from (cv)",),
        ("tested on rows learned from (632)", "tested on rows learned from (632)"),
    ],
)
def test_other_words_say_something_else(parts: tuple[str, ...]) -> None:
    assert splitting_from(parts) is None
