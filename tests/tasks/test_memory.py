"""(X, y), a Bunch, a DataFrame."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from bakeoff.errors import InputError, UsageError
from bakeoff.tasks.dataset import Dataset, Kind, Roles
from bakeoff.tasks.memory import column_of, dataset_in_memory, group_codes
from bakeoff.tasks.tables import NameColumn

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 0, 1])
FRAME = pd.DataFrame({"n": [1, 2, 3, 4], "t": ["a", None, "b", "a"], "b": [True, False, True, True], "y": list("pqpq")})


def dataset(content: Any, groups: Any = None, **roles: Any) -> Dataset:
    return dataset_in_memory("m", content, Roles(**roles), groups=groups)


def test_an_array_stays_an_array_and_is_copied() -> None:
    mine = X.copy()
    made = dataset((mine, Y))
    mine[0, 0] = 99
    assert isinstance(made.X, np.ndarray)
    np.testing.assert_array_equal(made.X, X)
    assert made.features == ("x1", "x2")
    assert made.classes == (0, 1)


def test_a_frame_stays_a_frame_with_its_types_and_names() -> None:
    made = dataset(FRAME, target="y")
    assert isinstance(made.X, pd.DataFrame)
    pd.testing.assert_frame_equal(made.X, FRAME[["n", "t", "b"]])
    assert made.categorical == ("t", "b")
    assert made.n_missing == 1
    assert isinstance(dataset((pd.DataFrame(X), Y)).X, pd.DataFrame)
    assert dataset((pd.DataFrame(X), Y)).features == ("0", "1")


def test_what_is_masked_is_missing() -> None:
    hidden = np.zeros(X.shape, dtype=bool)
    hidden[1, 0] = True
    made = dataset((np.ma.masked_array(X, hidden), np.ma.masked_array(Y, np.arange(6) == 5)))
    assert made.n_missing == 1
    assert np.isnan(made.X[1, 0])
    assert made.X.shape == (5, 2), "a row without a target is left out"
    whole, names = column_of(np.ma.masked_array(["a", "b"], [False, True]), "y")
    assert isinstance(whole, NameColumn)
    assert (whole.codes.tolist(), names) == ([0, -1], False)


@pytest.mark.parametrize("role", ["y", "groups"])
def test_series_whose_rows_stand_in_another_order_than_those_of_the_inputs(role: str) -> None:
    frame, moved = pd.DataFrame(X), pd.Series(Y).iloc[::-1]
    content = (frame, moved if role == "y" else pd.Series(Y))
    with pytest.raises(InputError, match=rf"The rows of {role} have the same names .* {role}.loc\[X.index\]"):
        dataset(content, groups=moved if role == "groups" else None)
    other_names = pd.Series(Y, index=range(10, 16))
    assert dataset((frame, other_names)).n == 6
    assert dataset((frame.iloc[::-1], moved)).n == 6


def test_rows_without_a_target_leave_frame_and_groups() -> None:
    frame = FRAME.assign(y=["p", None, "q", "p"], g=[5, 6, 7, 5])
    made = dataset(frame, target="y", group="g", test_rows=1)
    assert isinstance(made.X, pd.DataFrame)
    assert made.X["n"].tolist() == [1, 3, 4]
    assert made.groups is not None
    assert made.test is not None
    assert (made.groups.tolist(), made.test.tolist()) == ([0, 1, 0], [2])


def test_a_bunch_gives_its_names() -> None:
    made = dataset({"data": X, "target": Y, "feature_names": ["length", "width"]})
    assert made.features == ("length", "width")


def test_a_target_of_categories_is_one_of_classes_however_many() -> None:
    y = pd.Series(range(6), dtype="category")
    assert dataset((X, y)).kind is Kind.CLASSIFICATION
    assert dataset((X, np.arange(6))).kind is Kind.REGRESSION


def test_columns_of_an_array_can_be_named_and_made_categories() -> None:
    made = dataset((np.array([[1, 7], [2, 7], [1, 8]]), [0, 1, 0]), categorical=["x1"])
    assert isinstance(made.X, pd.DataFrame)
    assert made.categorical == ("x1",)
    mixed = dataset((np.array([[1, "a"], [2, "b"]], dtype=object), [0, 1]))
    assert isinstance(mixed.X, pd.DataFrame)
    assert mixed.categorical == ("x2",)


def test_a_density_needs_inputs_only() -> None:
    made = dataset(X, kind="density")
    assert (made.kind, made.y) == (Kind.DENSITY, None)


def test_the_key_is_that_of_the_content() -> None:
    key = dataset((X, Y)).key
    assert dataset_in_memory("another name", (X.tolist(), Y.tolist()), Roles()).key == key
    others = [
        dataset((X + 1, Y)),
        dataset((X, 1 - Y)),
        dataset((X, Y), positive=0),
        dataset((X, Y), kind="regression"),
        dataset((X, Y), groups=[0, 0, 1, 1, 2, 2]),
        dataset((X, Y), test_rows=2),
        dataset((pd.DataFrame(X, columns=["x1", "x2"]), Y)),
    ]
    assert len({key, *(made.key for made in others)}) == len(others) + 1


@pytest.mark.parametrize(
    ("content", "roles", "complaint"),
    [
        ((X, Y[:-1]), {}, "6 rows of inputs, but 5 values"),
        ((X[:, 0], Y), {}, r"reshape\(-1, 1\)"),
        ((np.full((2, 3, 4), np.nan), [0, 1]), {}, "missing or infinite in the arrays"),
        ((X, Y, Y), {}, "a tuple of 3"),
        ((sparse.csr_matrix(X), Y), {"drop": "x1"}, "drop names a column, and the inputs are a sparse matrix"),
        ((np.where(X == 4, np.inf, X), Y), {}, r"column 'x1': \(row 3\) The value is infinite"),
        (X, {}, "Which column is the target"),
        ((X, None), {}, "Which column is the target"),
        ({"rows": X}, {}, "with 'data' and 'target'"),
        (FRAME, {"target": "z"}, "target names the column 'z'"),
        (FRAME.assign(d=pd.Timestamp("2020-01-01")), {"target": "y"}, "column 'd': A column of numbers, texts"),
        (FRAME.assign(d=[1, "a", 2, "b"]), {"target": "y"}, "1 among texts"),
        (FRAME.assign(n=[1, np.inf, 2, 3]), {"target": "y"}, r"column 'n': \(row 2\) The value is infinite"),
        (pd.concat([FRAME, FRAME], axis=1), {"target": "y"}, "stands twice"),
        (FRAME.iloc[:0], {"target": "y"}, "no rows"),
        ((X, np.zeros(6)), {}, "one class only"),
    ],
)
def test_refusals(content: Any, roles: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        dataset(content, **roles)
    assert str(caught.value).startswith("task 'm'")


def test_a_target_twice_and_groups_twice_are_refused() -> None:
    with pytest.raises(UsageError, match="the target came with the data"):
        dataset((FRAME, list("pqpq")), target="y")
    with pytest.raises(UsageError, match="Give one"):
        dataset(FRAME, groups=[1, 2, 3, 4], target="y", group="n")


def test_dropped_columns_may_hold_anything() -> None:
    made = dataset(FRAME.assign(d=pd.Timestamp("2020-01-01")), target="y", drop=["d"])
    assert made.features == ("n", "t", "b")


# ----------------------------------------------------------------------------------------------------------------------
# One column of values from Python.


def labels(values: Any) -> list[str | None]:
    column, _ = column_of(values, "y")
    assert isinstance(column, NameColumn)
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
def test_refusals_series(values: Any, complaint: str) -> None:
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
