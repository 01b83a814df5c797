from __future__ import annotations

import pytest

from bakeoff.scores.design import Design, design_from
from bakeoff.scores.problem import COMPETITION, LEARNING_SAMPLE, REAL_WORLD, SEVERAL_LAWS, SIMULATION, problem_given

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
