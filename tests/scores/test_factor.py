from __future__ import annotations

import numpy as np
import pytest

from bakeoff.scores.factor import Factor, frozen


def test_labels_in_order_of_first_appearance() -> None:
    column = Factor.of(["b", "a", "b", "c"])
    assert column.labels == ("b", "a", "c")
    assert column.codes.tolist() == [0, 1, 0, 2]
    assert column.values() == ["b", "a", "b", "c"]


def test_labels_are_text() -> None:
    assert Factor.of([1, 2.5, None, "x"]).labels == ("1", "2.5", "None", "x")


def test_a_constant_column() -> None:
    assert Factor.constant("x", 3).values() == ["x", "x", "x"]
    assert Factor.constant("x", 0).labels == (), "a label that no row has is not there"


def test_some_rows_keep_the_labels_that_are_used() -> None:
    some = Factor.of(["a", "b", "c", "b"]).where(np.array([False, True, True, True]))
    assert some.labels == ("b", "c")
    assert some.values() == ["b", "c", "b"]


def test_codes_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Factor.of(["a"]).codes[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        frozen(np.zeros(2))[0] = 1
