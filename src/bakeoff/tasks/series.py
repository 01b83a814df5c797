"""One column of values that a Python user passed: a list, an array or a pandas Series."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError
from bakeoff.scores.factor import frozen
from bakeoff.tasks.table import Categories
from bakeoff.tasks.targets import TargetColumn


def column_of(values: Any, source: str) -> tuple[TargetColumn, bool]:
    """The values as an array of numbers or truth values or as categories, and whether their type says "classes".

    >>> column_of([1, 0, 1], "y")
    (array([1, 0, 1]), False)
    >>> column_of(["b", None, "a"], "y")[0].codes.tolist()
    [1, -1, 0]
    """
    declared = str(getattr(values, "dtype", "")) in ("category", "bool", "boolean")
    array = np.asarray(values) if not hasattr(values, "to_numpy") else values.to_numpy()
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        raise InputError(f"One value for each row was expected, but the shape is {array.shape}.", source=source)
    if array.dtype.kind in "bf":
        return array, declared
    if array.dtype.kind in "iu":
        return array.astype(np.int64), declared
    return _from_objects(array.tolist(), source), declared


def _from_objects(values: list[Any], source: str) -> TargetColumn:
    missing = [_is_missing(value) for value in values]
    there = [value for value, gone in zip(values, missing, strict=True) if not gone]
    if all(isinstance(value, str) for value in there):
        labels = sorted(set(there))
        numbering = {label: code for code, label in enumerate(labels)}
        codes = [-1 if gone else numbering[value] for value, gone in zip(values, missing, strict=True)]
        return Categories(tuple(labels), np.array(codes, dtype=np.int64))
    if all(isinstance(value, (bool, np.bool_)) for value in there):
        if not any(missing):
            return np.array(there, dtype=np.bool_)
        return Categories(("False", "True"), np.array([-1 if _is_missing(v) else int(v) for v in values], np.int64))
    if all(isinstance(value, numbers.Real) and not isinstance(value, bool) for value in there):
        if not any(missing) and all(isinstance(value, numbers.Integral) for value in there):
            return np.array(there, dtype=np.int64)
        return np.array([np.nan if gone else float(v) for v, gone in zip(values, missing, strict=True)])
    kinds = sorted({type(value).__name__ for value in there})
    raise InputError(f"Numbers or texts were expected, but there are values of {', '.join(kinds)}.", source=source)


def _is_missing(value: Any) -> bool:
    # pandas' NA is neither true nor false when compared, so it goes by its name; a NaN is what differs from itself.
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def group_codes(values: Any, kept: NDArray[np.bool_], source: str) -> NDArray[np.int64]:
    """A number for each row that is kept: the same for rows that belong together."""
    column, _ = column_of(values, source)
    if len(column) != len(kept):
        raise InputError(f"There are {len(kept)} rows, but {len(column)} values here.", source=source)
    codes = column.codes if isinstance(column, Categories) else column
    gone = codes < 0 if isinstance(column, Categories) else np.isnan(codes.astype(np.float64))
    rows = np.flatnonzero(gone & kept)
    if len(rows):
        raise InputError(
            f"The value is missing in row {rows[0] + 1} ({len(rows)} in all), so it is not known what the row belongs "
            "to.",
            source=source,
        )
    return frozen(np.unique(codes[kept], return_inverse=True)[1].ravel().astype(np.int64))
