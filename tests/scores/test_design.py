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
    _problem_in_words,
    _runs_in_words,
    design_from,
    drawn_from_generator,
    drawn_from_sample,
    joint,
)

FIXED = "and this fixed test sample"
DESIGNS = [
    Design(_problem_in_words(kind, on), independent)
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
    assert design_from(design.to_cell()) == design


@pytest.mark.parametrize("design", [*DESIGNS, Design(None, True)], ids=str)
def test_the_words_of_the_first_version_are_read_as_they_were(design: Design) -> None:
    drawn = [] if design.problem is None else [f"{design.problem.kind}: {design.problem.conditional_on}"]
    assert design_from("; ".join([*drawn, *["independent samples"] * design.independent])) == design


def test_labels_that_are_what_they_seem_need_no_text() -> None:
    assert Design().to_cell() == ""


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
        "simulation: " + "x" * 3000,
        "independent samples; simulation: x",
        "{",
        "{}x",
        "[1]",
        '{"runs": "often"}',
        '{"ratio": 0}',
        '{"ratio": "half"}',
        '{"ratio": true}',
        '{"ratio": Infinity}',
        '{"independent": 1}',
        '{"colour": "red"}',
        '{"optimistic": 3}',
        '{"problem": {"kind": "chess", "blocks": "a", "conditional_on": "b"}}',
        '{"problem": {"kind": "simulation", "blocks": "", "conditional_on": "b"}}',
        '{"problem": {"kind": "simulation", "blocks": "a", "conditional_on": "b", "fixed_test": 2}}',
        '{"problem": "simulation"}',
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
    assert _problem_in_words(REAL_WORLD, LEARNING_SAMPLE) == drawn_from_sample() == BOOTSTRAP
    fixed = _problem_in_words(SIMULATION, f"the generator x and {FIXED_TEST} of 7 rows")
    assert fixed == drawn_from_generator("the generator x", fixed_test=True, test_rows=7)
    assert (fixed.blocks, fixed.fixed_test) == ("learning samples drawn from the generator x", True)
    assert not _problem_in_words(SIMULATION, f"the generator x and {FIXED_TEST}s").fixed_test
    given = _problem_in_words(COMPETITION, f"{LEARNING_SAMPLE} and {FIXED_TEST}")
    assert given == drawn_from_sample(given_test=True)
    assert given.fixed_test


def test_several_tasks_together() -> None:
    one, other = drawn_from_generator("law a"), drawn_from_generator("law b", fixed_test=True)
    assert joint([one, one]) == one
    both = joint([one, other])
    assert both is not None
    assert (both.blocks, both.fixed_test) == ("samples of several tasks", True)
    assert both == _problem_in_words(SIMULATION, both.conditional_on)
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
    assert _runs_in_words(splitting.words) == splitting


@pytest.mark.parametrize("splitting", KINDS[1:])
def test_it_goes_through_the_design_of_a_table(splitting: RunDesign) -> None:
    for independent in (False, True):
        design = Design(None, independent, splitting)
        assert design_from(design.to_cell()) == design
        assert design_from(Design(None, independent, replace(splitting, unknown_scheme="x")).to_cell()) is not None


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
    assert _runs_in_words(parts) is None
