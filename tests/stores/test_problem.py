from __future__ import annotations

from typing import Any

import pytest
from store_contract import Registered

from bakeoff.scores.problem import Problem
from bakeoff.stores.grid import StudyGrid, TaskCells, study_grid
from bakeoff.stores.problem import problem_of
from bakeoff.stores.store import Store

SAMPLE = "the empirical distribution of this learning sample"


def grid(store: Store, *tasks: tuple[dict[str, Any], dict[str, Any]]) -> StudyGrid:
    """The grid of a study whose tasks have these schemes and descriptions."""
    made = study_grid(store, Registered(store).key)
    one = made.tasks[0]
    cells = tuple(
        TaskCells(number, f"task {number}", one.task_id, scheme, (), one.index, one.learner_ids, one.splitting_id)
        for number, (scheme, _) in enumerate(tasks)
    )
    made.record.description["tasks"] = [said for _, said in tasks]
    return StudyGrid(made.record, made.learners, made.learner_ids, cells, made.measures)


def simulation(**said: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return {"scheme": "simulation"}, {"simulated": said}


@pytest.mark.parametrize(
    ("said", "conditional_on", "fixed"),
    [
        ({"generator": "twonorm", "test": "fresh"}, "the generator twonorm", False),
        ({"generator": "twonorm"}, "the generator twonorm and this fixed test sample", True),
        ({"generator": "a.b", "m": 7}, "the generator a.b and this fixed test sample of 7 rows", True),
        ({"bootstrap": "bayesian", "test": "fresh"}, SAMPLE, False),
        (
            {"bootstrap": "parametric", "test": "fresh"},
            "the model that was fitted to this learning sample (a parametric bootstrap)",
            False,
        ),
    ],
)
def test_simulations(store: Store, said: dict[str, Any], conditional_on: str, fixed: bool) -> None:
    found = problem_of(grid(store, simulation(**said)))
    assert found is not None
    assert (found.kind, found.conditional_on, found.fixed_test) == ("simulation", conditional_on, fixed)


@pytest.mark.parametrize("scheme", ["out-of-bootstrap", "bootstrap-cv", "bayesian-bootstrap", "632+", "bootstrap"])
def test_real_world(store: Store, scheme: str) -> None:
    found = problem_of(grid(store, ({"scheme": scheme}, {})))
    assert found == Problem("real world", "bootstrap samples of one task", SAMPLE)


def test_competition(store: Store) -> None:
    found = problem_of(grid(store, ({"scheme": "competition"}, {})))
    assert found is not None
    assert found.conditional_on == f"{SAMPLE} and this fixed test sample"


@pytest.mark.parametrize("scheme", ["cross-validation", "5x2", "hold-out", "given", "leave-one-out", "of the user"])
def test_others_are_no_draws(store: Store, scheme: str) -> None:
    assert problem_of(grid(store, ({"scheme": scheme}, {}))) is None


def test_several_tasks(store: Store) -> None:
    two = simulation(generator="twonorm", test="fresh"), simulation(generator="ringnorm", test="fresh")
    found = problem_of(grid(store, *two))
    assert found is not None
    assert found.conditional_on == "the law that each task was drawn from"
    assert problem_of(grid(store, two[0], two[0])) == problem_of(grid(store, two[0]))
    assert problem_of(grid(store, two[0], ({"scheme": "5x2"}, {}))) is None
