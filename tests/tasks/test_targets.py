"""Labels, classes, codes, and rows without a target."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bakeoff.errors import InputError
from bakeoff.tasks.dataset import Kind
from bakeoff.tasks.roles import Roles
from bakeoff.tasks.table import Categories
from bakeoff.tasks.targets import Target, TargetColumn, read_target


def target(column: TargetColumn, **roles: Any) -> Target:
    return read_target(column, Roles(target="y", **roles), lambda text, row: InputError(f"[{row}] {text}"))


NAMES = Categories(("no", "yes"), np.array([1, -1, 0, 1]))


def test_names_are_labels_and_missing_ones_are_counted() -> None:
    made = target(NAMES)
    assert made.y.tolist() == ["yes", "no", "yes"]
    assert made.classes == ("no", "yes")
    assert made.codes is not None
    assert made.codes.tolist() == [1, 0, 1]
    assert made.notes[0] == "1 row without a value of the target left out"


def test_the_positive_class_comes_last() -> None:
    made = target(NAMES, positive="no")
    assert made.classes == ("yes", "no")
    assert made.codes is not None
    assert [made.classes[code] for code in made.codes] == made.y.tolist() == ["yes", "no", "yes"]


@pytest.mark.parametrize("positive", [1, "1", 1.0])
def test_the_positive_class_may_be_a_number(positive: object) -> None:
    assert target(np.array([1.0, 2.0, 1.0]), positive=positive).classes == (2, 1)


def test_whole_numbers_are_integers_others_become_names() -> None:
    whole = target(np.array([3.0, 1.0, 3.0]))
    assert whole.y.dtype == np.int64
    assert whole.classes == (1, 3)
    assert target(np.array([0.5, 1.5, 0.5]), kind="classification").classes == ("0.5", "1.5")


def test_truth_values_stay_truth_values() -> None:
    assert target(np.array([True, False])).classes == (False, True)


def test_regression_takes_numbers_of_any_kind() -> None:
    made = target(np.array([1, 2, 2]), kind="regression")
    assert made.kind is Kind.REGRESSION
    assert made.y.dtype == np.float64
    assert (made.classes, made.codes) == ((), None)


@pytest.mark.parametrize(
    ("column", "roles", "complaint"),
    [
        (Categories(("a",), np.array([0, 0])), {}, r"\[None\] The target has one class only \(a\)"),
        (np.array([2.0, 2.0]), {"kind": "regression"}, "is 2 in every row"),
        (np.array([np.nan, np.nan]), {}, "No row has a value"),
        (np.array([1.0, np.nan, np.inf]), {}, r"\[2\] The target is infinite"),
        (NAMES, {"kind": "regression"}, r"\[0\] A regression needs a target of numbers, but 'yes'"),
        (NAMES, {"positive": "Yes"}, "Did you mean 'yes'"),
        (Categories(("a", "b", "c"), np.array([0, 1, 2])), {"positive": "a"}, "there are 3 classes"),
    ],
)
def test_refusals(column: TargetColumn, roles: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        target(column, **roles)
