"""Which measures are asked for."""

from __future__ import annotations

from typing import Any

import pytest
from store_contract import SCHEME, Registered

from bakeoff.errors import UsageError
from bakeoff.measures.responses import COMPUTED, response_from
from bakeoff.stores.asked import Asked, asked_for
from bakeoff.stores.grid import StudyGrid, study_grid
from bakeoff.stores.store import Store

COSTS = {"name": "cost", "loss_matrix": [[0, 1], [5, 0]]}
SCORERS: tuple[Any, ...] = (
    "jaccard_macro",
    {"name": "path", "scorer": "m.g", "larger_is_better": False},
)


def grid_with(store: Store, *specs: Any) -> StudyGrid:
    ours = Registered(store)
    responses = [response_from(spec) for spec in specs]
    named = [(response.name, response.describe()) for response in responses]
    store.link(ours.study, [(ours.task, "t", SCHEME)], [(ours.learners[0], "a")], named)
    return study_grid(store, ours.key)


def one(grid: StudyGrid, spec: Any) -> Asked:
    (made,) = asked_for(grid, [spec])
    return made


def test_all_of_the_study(store: Store) -> None:
    grid = grid_with(store, "error", "fit_time", COSTS, *SCORERS)
    asked = asked_for(grid, None)
    assert [each.name for each in asked] == ["error", "fit_time", "cost", "jaccard_macro", "path"]
    assert [each.measure.larger_is_better for each in asked] == [False, False, False, True, False]
    assert [each.computable for each in asked] == [True, True, True, False, False]
    assert [each.is_resource for each in asked] == [False, True, False, False, False]
    assert all(each.stored for each in asked)


def test_one_of_the_study_and_another(store: Store) -> None:
    grid = grid_with(store, "error", COSTS)
    assert one(grid, "error").stored is not None
    assert one(grid, "cost").stored is not None
    assert one(grid, COSTS).stored is not None
    assert one(grid, "auc").stored is None


def test_the_same_name_with_another_definition_is_another_measure(store: Store) -> None:
    changed = {**COSTS, "loss_matrix": [[0, 1], [50, 0]]}
    assert one(grid_with(store, COSTS), changed).stored is None


@pytest.mark.parametrize(
    ("measures", "sentence"),
    [
        ("error", r"A list of measures was expected; found 'error'. Write \['error'\]"),
        (["error", "error"], "'error' is asked for twice"),
        (["eror"], "Did you mean 'error'"),
        (["jaccard_macro"], "needs the fitted estimator, which is not stored"),
    ],
)
def test_refusals(store: Store, measures: Any, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        asked_for(grid_with(store, "error"), measures)


@pytest.mark.parametrize(
    "spec",
    [
        *COMPUTED,
        "sensitivity",
        "MSE",
        "neg_log_loss",
        COSTS,
        {"name": "q95", "loss": "absolute_error", "functional": "q0.95"},
        {"name": "dear", "loss_matrix": [[0, 1], [5, 0]], "classes": ["yes", "no"]},
    ],
    ids=str,
)
def test_every_measure_comes_back_from_its_definition(store: Store, spec: Any) -> None:
    """What was stored when the study was run must mean the same when it is read."""
    made = response_from(spec)
    (found,) = asked_for(grid_with(store, spec), None)
    assert found.measure == made.measure
    assert found.response is not None
    assert found.response.describe() == made.describe()
