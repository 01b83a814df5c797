"""Records: results that are equal if all that they hold is, a number that does not exist being equal to itself.

Python compares NaN with nothing, and dataclasses, from 3.13 on, compare field by field: two results without an interval
would be different, though nobody could tell how.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any


class Record:
    """The base of frozen dataclasses with `eq=False` that may hold NaN, arrays, or records of their own."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = (field.name for field in fields(self) if field.compare)  # type: ignore[arg-type]
        return all(same(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        values = (getattr(self, field.name) for field in fields(self) if field.compare)  # type: ignore[arg-type]
        return hash(tuple(None if value != value else value for value in values))


def same(first: Any, second: Any) -> bool:
    """Whether two values are the same, NaN included.

    >>> nan = float("nan")
    >>> same((1.0, nan), (1.0, float("nan"))), same({"p": nan}, {"p": 0.1})
    (True, False)
    """
    if first is second:
        return True
    if isinstance(first, (tuple, list)):
        alike = type(first) is type(second) and len(first) == len(second)
        return alike and all(same(a, b) for a, b in zip(first, second, strict=True))
    if isinstance(first, Mapping):
        alike = isinstance(second, Mapping) and first.keys() == second.keys()
        return alike and all(same(value, second[key]) for key, value in first.items())
    if hasattr(first, "shape") and hasattr(second, "shape") and first.shape:
        return bool(first.shape == second.shape and ((first == second) | ((first != first) & (second != second))).all())
    return bool(first == second or (first != first and second != second))
