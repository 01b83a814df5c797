"""From a table to a data set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from bakeoff.errors import InputError
from bakeoff.tasks.assembling import assemble
from bakeoff.tasks.dataset import Dataset, Kind
from bakeoff.tasks.files import read_table
from bakeoff.tasks.roles import Roles


def dataset(text: str, n_test: int = 0, **roles: Any) -> Dataset:
    table = read_table(text.encode(), "t.csv", "csv", categorical=roles.get("categorical", ()))
    return assemble("t", table, Roles(**roles), key="k", n_test=n_test)


def test_numbers_only_make_an_array_that_cannot_be_changed() -> None:
    made = dataset("a,b,y\n1,2,p\n,4,q\n5,6,\n7,8,p\n", target="y")
    assert isinstance(made.X, np.ndarray)
    np.testing.assert_array_equal(made.X, [[1, 2], [np.nan, 4], [7, 8]])
    assert (made.n, made.n_missing, made.features, made.categorical) == (3, 1, ("a", "b"), ())
    with pytest.raises(ValueError, match="read-only"):
        made.X[0, 0] = 9
    inputs, labels = made.rows(np.array([2, 2]))
    inputs[0, 0] = 9  # a copy
    assert labels.tolist() == ["p", "p"]


def test_a_category_makes_a_frame_of_pandas_categories() -> None:
    made = dataset("a,b,y\n1,red,p\n2,,q\n3,blue,\n4,red,q\n", target="y")
    assert isinstance(made.X, pd.DataFrame)
    assert made.X["a"].dtype == np.float64
    assert list(made.X["b"].cat.categories) == ["red"]  # blue stood in the row that was left out
    assert made.X["b"].isna().tolist() == [False, True, False]
    assert (made.categorical, made.n_missing) == (("b",), 1)


def test_groups_clusters_and_dropped_columns_are_no_inputs() -> None:
    made = dataset("id,g,c,x,y\n1,u,7,1,p\n2,v,7,2,q\n3,u,9,3,p\n", target="y", group="g", cluster="c", drop=["id"])
    assert made.features == ("x",)
    assert made.groups is not None
    assert made.clusters is not None
    assert (made.groups.tolist(), made.clusters.tolist()) == ([0, 1, 0], [0, 0, 1])


def test_the_given_test_sample_follows_the_rows_that_are_left() -> None:
    made = dataset("x,y\n1,p\n2,\n3,q\n4,\n5,p\n", n_test=2, target="y")
    assert made.test is not None
    assert made.test.tolist() == [2]  # of the last two rows one has no target


def test_a_density_has_no_target() -> None:
    made = dataset("a,b\n1,2\n3,4\n", kind="density")
    assert (made.kind, made.y, made.codes, made.classes) == (Kind.DENSITY, None, None, ())
    assert made.rows(np.array([0]))[1] is None


def test_columns_that_say_nothing_are_kept_and_noted() -> None:
    made = dataset("a,b,c,y\n1,,z,p\n1,,z,q\n", target="y")
    assert made.features == ("a", "b", "c")
    assert "b without any value (kept)" in made.notes
    assert "a and c with the same value in all rows (kept)" in made.notes


@pytest.mark.parametrize(
    ("text", "roles", "complaint"),
    [
        (
            "a,clas\n1,p\n2,q\n",
            {"target": "class"},
            "target names the column 'class', which is not there. Did you mean",
        ),
        ("a,y\n1,p\n2,q\n", {"target": "y", "drop": ["b"]}, "drop names the column 'b'"),
        ("a,y\n1,p\n2,q\n", {"target": "y", "categorical": ["b"]}, "categorical names the column 'b'"),
        ("a,y\n1,p\n2,q\n", {}, "Which column is the target? .* a and y"),
        ("a,y\n1,p\n2,q\n", {"target": "y", "drop": ["a"]}, "No column is left as an input"),
        ("a,y\n1,p\ninf,q\n", {"target": "y"}, "line 3, column 'a': The value is infinite"),
        ("g,a,y\nu,1,p\n,2,q\n", {"target": "y", "group": "g"}, "line 3, column 'g': The value is missing"),
        ("g,a,y\n1,1,p\n?,2,q\n", {"target": "y", "cluster": "g"}, "line 3, column 'g': The value is missing"),
        ("a,y\n1,p\n2,p\n", {"target": "y"}, "t.csv, column 'y': The target has one class only"),
    ],
)
def test_refusals(text: str, roles: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint.replace("?", r"\?", 1) if "Which" in complaint else complaint):
        dataset(text, **roles)


@pytest.mark.parametrize(("n_test", "complaint"), [(3, "Some must be left"), (2, "has no row with a value")])
def test_a_test_sample_leaves_something_to_learn_from(n_test: int, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        dataset("x,y\n1,\n2,q\n3,p\n", n_test=n_test, target="y")


def test_a_missing_group_in_a_row_without_target_does_not_matter() -> None:
    assert dataset("g,a,y\nu,1,p\n,2,\nu,3,q\n", target="y", group="g").n == 2
