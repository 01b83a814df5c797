"""Checks of what procedures are given: each says in a sentence what was expected and what was found."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError, nearest

Array = NDArray[np.float64]


def number_column(values: ArrayLike, name: str = "values") -> Array:
    """One column of finite numbers, at least one.

    >>> number_column([1, 2]).tolist()
    [1.0, 2.0]
    >>> number_column([1, float("nan")], "first")
    Traceback (most recent call last):
    bakeoff.errors.UsageError: Every value of 'first' must be a finite number; found nan at position 2.
    """
    try:
        column = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise UsageError(f"{name!r} must be a column of numbers; found {_no_number(values)} among them.") from None
    if column.ndim != 1 or len(column) == 0:
        raise UsageError(f"{name!r} must be one column of at least one value; found the shape {column.shape}.")
    if not (finite := np.isfinite(column)).all():
        place = int(np.argmin(finite))
        raise UsageError(
            f"Every value of {name!r} must be a finite number; found {column[place]} at position {place + 1}."
        )
    return column


def _no_number(values: Any) -> str:
    """The first of the values that is no number, as it would be written; rows of a table are looked through in turn."""
    for value in values if isinstance(values, (list, tuple, np.ndarray)) else ():
        if isinstance(value, (list, tuple, np.ndarray)):
            if (text := _no_number(value)) != _OTHERWISE:
                return text
            continue
        try:
            float(value)
        except (TypeError, ValueError):
            return repr(value)
    return _OTHERWISE


_OTHERWISE = "something else, or rows of different lengths,"


def number_table(values: ArrayLike, name: str = "table", rows: int = 1, columns: int = 1) -> Array:
    """A table of finite numbers, with at least so many rows and columns.

    >>> number_table([[1, 2, 3]], "table", rows=2)
    Traceback (most recent call last):
    bakeoff.errors.UsageError: 'table' must have at least 2 rows and 1 column; found the shape (1, 3).
    """
    try:
        table = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise UsageError(f"{name!r} must be a table of numbers; found {_no_number(values)} among them.") from None
    if table.ndim != 2 or table.shape[0] < rows or table.shape[1] < columns:
        least = f"{rows} row{'s' * (rows != 1)} and {columns} column{'s' * (columns != 1)}"
        raise UsageError(f"{name!r} must have at least {least}; found the shape {table.shape}.")
    if not (finite := np.isfinite(table)).all():
        row, column = divmod(int(np.argmin(finite)), table.shape[1])
        raise UsageError(
            f"Every value of {name!r} must be a finite number; "
            f"found {table[row, column]} in row {row + 1}, column {column + 1}."
        )
    return table


def squarable(values: Array) -> Array:
    """The values, if their squares can be represented.

    >>> squarable(np.array([1e200]))
    Traceback (most recent call last):
    bakeoff.errors.UsageError: Squares of values as large as 1e+200 leave the range of numbers: use another unit.
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    if largest > 1e150 or 0 < largest < 1e-150:
        size = "large" if largest > 1 else "small"
        raise UsageError(f"Squares of values as {size} as {largest:.3g} leave the range of numbers: use another unit.")
    return values


def binary_column(values: ArrayLike, name: str = "values") -> Array:
    """One column of zeros and ones, at least one.

    >>> binary_column([0, 2])
    Traceback (most recent call last):
    bakeoff.errors.UsageError: Every value of 'values' must be 0 or 1 (right or wrong); found 2 at position 2.
    """
    column = number_column(values, name)
    if not (known := (column == 0) | (column == 1)).all():
        place = int(np.argmin(known))
        raise UsageError(
            f"Every value of {name!r} must be 0 or 1 (right or wrong); found {column[place]:g} at position {place + 1}."
        )
    return column


def paired(first: Array, second: Array) -> tuple[Array, Array]:
    """The two columns, if they are equally long."""
    if len(first) != len(second):
        raise UsageError(
            f"Paired columns must be equally long, a row being one block; found {len(first)} and {len(second)} values."
        )
    return first, second


def count(value: float, name: str) -> int:
    """A whole number that is not negative.

    >>> count(3.0, "errors")
    3
    """
    if not isfinite(value) or value < 0 or value != int(value):
        raise UsageError(f"{name!r} must be a whole number that is not negative; found {value!r}.")
    return int(value)


def choice(value: str, allowed: Iterable[str], name: str) -> str:
    """One of the words allowed.

    >>> choice("exat", ("exact", "normal"), "method")
    Traceback (most recent call last):
    bakeoff.errors.UsageError: There is no method 'exat'. Did you mean 'exact'? Known are: exact, normal.
    """
    if value not in tuple(allowed):
        raise UsageError(f"There is no {name} {value!r}. {nearest(str(value), allowed)}")
    return value


# ----------------------------------------------------------------------------------------------------------------------
# Differences and ranks that are not fooled by floating point.
#
# 0.3 − 0.2 and 0.2 − 0.1 are both 0.1 on paper and differ in the seventeenth digit in the machine, which breaks a tie
# and moves a rank statistic. Values are therefore rounded to about twelve significant digits (relative to
# the largest of them) before they are compared; measured scores never carry more.


SIGNIFICANT = 12


def rounded(values: ArrayLike, scale: ArrayLike | None = None) -> NDArray[np.float64]:
    """Values to twelve significant digits of the largest magnitude in their row (or of `scale`).

    >>> rounded([[0.1 + 0.2, 0.3], [1e6, 1e6 + 1e-9]]).tolist()
    [[0.3, 0.3], [1000000.0, 1000000.0]]
    """
    steps, up, down = _steps(values, scale)
    return np.asarray(steps / up * down)


def _steps(values: ArrayLike, scale: ArrayLike | None) -> tuple[NDArray[np.float64], Any, Any]:
    """Values in units of the last digit that is kept, and the powers of ten that lead back."""
    values = np.asarray(values, dtype=float)
    size = np.asarray(np.max(np.abs(values), axis=-1, keepdims=True, initial=0.0) if scale is None else scale)
    size = np.where(size > 0, size, 1.0)
    # Decimal places, because numbers on paper are decimal: they then lie in the middle of a rounding cell, never at
    # its edge. Powers of ten are multiplied or divided by, whichever of them is a whole number.
    places = np.clip(SIGNIFICANT - 1 - np.floor(np.log10(size)), -300, 300)
    up, down = 10.0 ** np.maximum(places, 0), 10.0 ** np.maximum(-places, 0)
    return np.asarray(np.round(values * up / down)), up, down


def row_steps(values: ArrayLike) -> NDArray[np.int64]:
    """Rounded values as whole numbers, in units of the last digit that is kept of the largest in their row.

    >>> row_steps([[0.1 + 0.2, 0.3], [0.1, 2.0]]).tolist()
    [[300000000000, 300000000000], [10000000000, 200000000000]]
    """
    return _steps(values, None)[0].astype(np.int64)


def whole_steps(values: ArrayLike, scale: float | None = None) -> NDArray[np.int64]:
    """Values as whole numbers: how many units of the last digit kept each of them is, divided by what all share.

    >>> whole_steps([0.3, -0.1, 0.25]).tolist()
    [6, -2, 5]
    """
    whole = _steps(values, scale)[0].astype(np.int64)
    return np.asarray(whole // max(int(np.gcd.reduce(np.abs(whole), axis=None)), 1))


def differences(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """first − second, rounded to the precision of the data.

    >>> differences([0.3, 0.2], [0.2, 0.1]).tolist()
    [0.1, 0.1]
    """
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    scale = max(np.max(np.abs(first), initial=0.0), np.max(np.abs(second), initial=0.0))
    return rounded(first - second, scale)


def midranks(values: ArrayLike) -> NDArray[np.float64]:
    """Ranks from 1, along the last axis; equal values share the mean of their ranks.

    >>> midranks([2, 1, 2, 4]).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    values = np.atleast_1d(np.asarray(values, dtype=float))
    table = values.reshape(-1, values.shape[-1])
    n = table.shape[1]
    order = np.argsort(table, axis=1)  # whichever of equal values comes first: they share their ranks
    ordered = np.take_along_axis(table, order, axis=1)
    places = np.broadcast_to(np.arange(1.0, n + 1), table.shape)
    same = ordered[:, 1:] == ordered[:, :-1]
    if len(tied := np.flatnonzero(same.any(axis=1))):
        places = places.copy()
        places[tied] = _shared_places(same[tied])
    ranks = np.empty(table.shape)
    np.put_along_axis(ranks, order, places, axis=1)
    return ranks.reshape(values.shape)


def _shared_places(same: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The mean place of each run of equal values in sorted rows; `same` tells which equal the one before them."""
    edge = np.ones((len(same), 1), dtype=bool)
    position = np.arange(same.shape[1] + 1)
    first = np.maximum.accumulate(np.where(np.hstack([edge, ~same]), position, 0), axis=1)
    last = np.where(np.hstack([~same, edge]), position, same.shape[1])
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    return np.asarray((first + last) / 2 + 1)
