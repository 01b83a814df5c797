"""Records: results that are equal if all that they hold is, a number that does not exist being equal to itself.

Python compares NaN with nothing, and dataclasses, from 3.13 on, compare field by field: two results without an interval
would be different, though nobody could tell how.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from bakeoff.text import to_json, to_json_value


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


class Answer(Record):
    """A record that a user asked for, with its faces: a class says `to_text`, and `to_dict` if that is not all that it
    holds."""

    __slots__ = ()

    def to_text(self) -> str:
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON knows it."""
        fields: dict[str, Any] = to_json_value(self)
        return fields

    def to_json(self) -> str:
        return to_json(self.to_dict())

    def __str__(self) -> str:
        return self.to_text()


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
