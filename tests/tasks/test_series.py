"""One column of values from Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from bakeoff.errors import InputError
from bakeoff.tasks.series import column_of, group_codes
from bakeoff.tasks.table import Categories


def labels(values: Any) -> list[str | None]:
    column, _ = column_of(values, "y")
    assert isinstance(column, Categories)
    return [None if code < 0 else column.labels[code] for code in column.codes]


@pytest.mark.parametrize(
    "values",
    [
        ["b", None, "a"],
        np.array(["b", None, "a"], dtype=object),
        pd.Series(["b", None, "a"]),
        pd.Series(["b", np.nan, "a"], dtype=object),
        pd.Series(["b", None, "a"], dtype="category"),
        pd.Series(["b", pd.NA, "a"], dtype="string"),
    ],
)
def test_texts(values: Any) -> None:
    assert labels(values) == ["b", None, "a"]


@pytest.mark.parametrize(
    ("values", "expected", "kind", "declared"),
    [
        ([1, 2], [1, 2], "i", False),
        (np.array([[1.5], [2.5]]), [1.5, 2.5], "f", False),
        (np.array([True, False]), [True, False], "b", True),
        (pd.Series([3, 1], dtype="category"), [3, 1], "i", True),
        (pd.Series([3, 1], dtype="Int64"), [3, 1], "i", False),
        (np.array([1, 2.5], dtype=object), [1, 2.5], "f", False),
        (np.array([True, False], dtype=object), [True, False], "b", False),
    ],
)
def test_numbers_and_truth_values(values: Any, expected: list[Any], kind: str, declared: bool) -> None:
    column, is_declared = column_of(values, "y")
    assert isinstance(column, np.ndarray)
    assert column.tolist() == expected
    assert (column.dtype.kind, is_declared) == (kind, declared)


def test_missing_numbers_are_nan_and_missing_truth_values_make_names() -> None:
    column, _ = column_of(pd.Series([3, None], dtype="Int64"), "y")
    np.testing.assert_array_equal(column, [3, np.nan])
    assert labels(np.array([True, None, False], dtype=object)) == ["True", None, "False"]


@pytest.mark.parametrize(
    ("values", "complaint"), [([1, "a"], "int, str|str"), ([[1, 2]], "shape"), ([object()], "values of object")]
)
def test_refusals(values: Any, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        column_of(np.array(values, dtype=object), "y")


def test_groups_are_numbered_among_the_rows_that_are_kept() -> None:
    kept = np.array([True, False, True, True])
    assert group_codes(["c", "a", "b", "c"], kept, "g").tolist() == [1, 0, 1]
    assert group_codes([3.0, np.nan, 1.0, 3.0], kept, "g").tolist() == [1, 0, 1]
    with pytest.raises(InputError, match="missing in row 3"):
        group_codes(["c", "a", None, "c"], kept, "g")
    with pytest.raises(InputError, match="4 rows, but 2 values"):
        group_codes([1, 2], kept, "g")
