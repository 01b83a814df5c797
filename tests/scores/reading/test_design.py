"""The column that tells what samples were drawn from; and columns of the same name that do not."""

from __future__ import annotations

from typing import Any

import pytest

from bakeoff.scores import layout

OOB = "real world: the empirical distribution of this learning sample"
TWONORM, RINGNORM = (
    "simulation: the generator twonorm",
    "simulation: the generator ringnorm and this fixed test sample",
)


def table(*designs: str, header: str = "design") -> str:
    """A row for each design, of two learners in turn, in one repeat after the other."""
    rows = [f"{'ab'[i % 2]},{i // 2 + 1},0.{i + 1},{design}" for i, design in enumerate(designs)]
    return "\n".join([f"learner,repeat,accuracy,{header}", *rows, ""])


def test_the_problem_is_known_again(read: Any) -> None:
    scores = read(table(*[OOB] * 6))
    assert scores.problem is not None
    assert scores.problem.kind == "real world"
    assert layout(scores).sentence.startswith("2 learners on 3 bootstrap samples of one task")
    assert not scores.independent
    assert any("conditional on the empirical distribution of this learning sample" in note for note in scores.notes)
    assert not any("ignored" in note for note in scores.notes)


def test_independent_samples_do_not_become_pairs(read: Any) -> None:
    scores = read(table(*[f"{TWONORM}; independent samples"] * 6))
    assert scores.independent
    assert not layout(scores).matched
    assert read(table(*["independent samples"] * 6)).independent
    assert read(table(*["independent samples"] * 6)).problem is None


def test_several_designs_of_one_kind_are_several_laws(read: Any) -> None:
    scores = read(table(TWONORM, TWONORM, RINGNORM, RINGNORM))
    assert scores.problem is not None
    assert scores.problem.conditional_on == "the law that each task was drawn from and this fixed test sample"
    assert scores.problem.fixed_test
    assert read(table(TWONORM, TWONORM, OOB, OOB)).problem is None


@pytest.mark.parametrize(
    "designs",
    [("full", "full"), (OOB, ""), (OOB, "something else"), (TWONORM, f"{TWONORM}; independent samples"), ("", "")],
)
def test_a_column_that_says_something_else_is_ignored(read: Any, designs: tuple[str, str]) -> None:
    scores = read(table(*designs))
    assert (scores.problem, scores.independent) == (None, False)
    assert "ignored: 'design'" in scores.notes


def test_a_measure_of_that_name_is_a_measure(read: Any) -> None:
    scores = read("learner,repeat,design\na,1,0.5\nb,1,0.6\n", measure="design", larger_is_better=True)
    assert scores.measure.labels == ("design",)


def test_headers_may_be_written_otherwise(read: Any) -> None:
    assert read(table(OOB, OOB, header="Design")).problem is not None


def test_a_table_without_one(read: Any) -> None:
    scores = read("learner,repeat,accuracy\na,1,0.5\nb,1,0.6\n")
    assert (scores.problem, scores.independent) == (None, False)
