from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from bakeoff.inference.finding import Row
from bakeoff.records import Record, same

NAN = float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class Point(Record):
    x: float
    y: tuple[float, ...] = ()
    more: Any = None
    aside: int = field(default=0, compare=False)


def test_numbers_that_do_not_exist_are_equal_to_themselves() -> None:
    assert Point(NAN, (1.0, float("nan"))) == Point(float("nan"), (1.0, NAN))
    assert Point(NAN) != Point(0.0)
    assert Point(1.0, more={"a": [NAN]}) == Point(1.0, more={"a": [float("nan")]})
    assert Point(1.0, more={"a": 1}) != Point(1.0, more={"b": 1})
    assert Point(1.0, aside=1) == Point(1.0, aside=2)


def test_arrays_are_compared_by_what_they_hold() -> None:
    assert Point(1.0, more=np.array([1.0, NAN])) == Point(1.0, more=np.array([1.0, NAN]))
    assert Point(1.0, more=np.array([1.0, NAN])) != Point(1.0, more=np.array([1.0, 2.0]))
    assert Point(1.0, more=np.zeros(2)) != Point(1.0, more=np.zeros(3))


def test_other_things_are_other_things() -> None:
    assert Point(1.0) != (1.0, (), None)
    assert not same([1], (1,))
    assert not same((1, 2), (1,))
    assert same("a", "a")


def test_equal_records_have_one_hash_and_stay_frozen() -> None:
    assert len({Point(NAN), Point(float("nan")), Point(0.0)}) == 2
    with pytest.raises(TypeError):
        hash(Point(1.0, more=[1]))
    with pytest.raises(FrozenInstanceError):
        Point(1.0).x = 2.0  # type: ignore[misc]


def test_rows_without_an_interval_are_equal() -> None:
    row = Row("a − b", "a", "b", estimate=0.1)
    assert row == replace(row, lower=float("nan"))
    assert row != replace(row, lower=0.0)
    assert not hasattr(row, "__dict__"), "a thousand learners make half a million of them"
