"""What a user may say of columns, and what contradicts itself."""

from __future__ import annotations

from typing import Any

import pytest

from bakeoff.errors import UsageError
from bakeoff.tasks.dataset import Kind
from bakeoff.tasks.roles import Roles


def test_lists_and_texts_become_what_they_mean() -> None:
    roles = Roles(target="y", kind="regression", drop="id", categorical=["a", "b", "a"])  # type: ignore[arg-type]
    assert roles.kind is Kind.REGRESSION
    assert roles.drop == ("id",)
    assert roles.categorical == ("a", "b")
    assert roles.aside == {"y", "id"}


def test_what_was_left_open_is_not_described() -> None:
    assert Roles().describe() == {}
    assert Roles(target="y", positive=0, test_rows=5).describe() == {"target": "y", "positive": 0, "test_rows": 5}


def test_a_column_may_be_group_and_cluster() -> None:
    assert Roles(target="y", group="patient", cluster="patient").aside == {"y", "patient"}


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({"kind": "clasification"}, "Did you mean 'classification'"),
        ({"target": 3}, "target is 3, but the name of a column"),
        ({"target": ""}, "name of a column"),
        ({"drop": 3}, "drop is 3, but a list"),
        ({"categorical": [1]}, "list of names"),
        ({"test_rows": -1}, "0 or more"),
        ({"test_rows": True}, "number of rows"),
        ({"positive": ["a"]}, "name of a class"),
        ({"kind": "density", "target": "y"}, "A density has no target"),
        ({"kind": "density", "positive": "yes"}, "no classes"),
        ({"kind": "regression", "target": "y", "positive": "yes"}, "no classes"),
        ({"target": "y", "group": "y"}, "both target and group"),
        ({"target": "y", "drop": ["y"]}, "both target and drop"),
        ({"target": "y", "cluster": "y"}, "both target and cluster"),
    ],
)
def test_contradictions_are_refused(said: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        Roles(**said)
