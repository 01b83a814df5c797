from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bakeoff.scores.provenance import PlanStatus, Provenance, fingerprint

KEY = "0123456789abcdef"
CAME = Provenance("wines", KEY, ({"measure": "error"},), ({"measure": "auc"},), ("iris",), ("a", "b"), ("changed",))


def test_planned() -> None:
    assert str(PlanStatus("wines", KEY, planned=True)) == "Planned in study 'wines' (01234567)."


def test_exploratory_says_what_differs() -> None:
    assert str(PlanStatus("wines", KEY, False, "α 0.1 instead of 0.05")) == (
        "EXPLORATORY: study 'wines' (01234567) did not plan this analysis (α 0.1 instead of 0.05)."
    )
    assert str(PlanStatus("wines", KEY, False)).endswith("did not plan this analysis.")


def test_a_study_without_a_name_of_its_own() -> None:
    assert str(PlanStatus("study", KEY, planned=True)) == "Planned in the study (01234567)."


def test_changes_add_up() -> None:
    assert CAME.changed("again").changes == ("changed", "again")


def test_it_comes_back_from_json() -> None:
    assert Provenance.from_dict(json.loads(json.dumps(CAME.to_dict()))) == CAME


@pytest.mark.parametrize(
    "told",
    [
        None,
        [],
        {},
        {"study": "wines"},
        {**CAME.to_dict(), "key": 7},
        {**CAME.to_dict(), "planned": "error"},
        {**CAME.to_dict(), "planned": ["error"]},
        {**CAME.to_dict(), "learners": [1]},
        {**CAME.to_dict(), "more": 1},
    ],
)
def test_what_is_none_is_not_taken_for_one(told: Any) -> None:
    assert Provenance.from_dict(told) is None


def test_the_fingerprint_tells_rows_that_changed() -> None:
    values = np.array([0.1, np.nan, 0.3])
    same = fingerprint(values)
    assert fingerprint(np.array([0.1, -np.nan, 0.3])) == same
    for other in (values[:2], values[::-1], replace_first(values, 0.1 + 1e-16), replace_first(values, np.nan)):
        assert (fingerprint(other) == same) is (other.tobytes() == values.tobytes())


def replace_first(values: np.ndarray, value: float) -> np.ndarray:
    return np.array([value, *values[1:]])


def test_equal_ones_are_equal() -> None:
    assert replace(CAME, changes=()) != CAME
