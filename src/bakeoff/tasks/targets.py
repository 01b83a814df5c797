"""The target of a task: which rows have one, of which kind it is, its labels and classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import BakeoffError, nearest
from bakeoff.tasks.dataset import Kind
from bakeoff.tasks.kinds import kind_of
from bakeoff.tasks.roles import Roles
from bakeoff.tasks.table import Categories

# Numbers, truth values and text that a Python user passed stay what they are; files give numbers or categories.
TargetColumn = NDArray[Any] | Categories

# Makes an error about one row of the source (or about none) from a message.
Complaint = Callable[[str, int | None], BakeoffError]


@dataclass(frozen=True, eq=False)
class Target:
    """Labels of the rows that have one, and what is known of them."""

    kind: Kind
    y: NDArray[Any]
    classes: tuple[Any, ...]
    codes: NDArray[np.int64] | None
    notes: tuple[str, ...]


def present(column: TargetColumn) -> NDArray[np.bool_]:
    """The rows whose target is not missing."""
    if isinstance(column, Categories):
        return column.codes >= 0
    if column.dtype.kind == "f":
        return ~np.isnan(column)
    return np.ones(len(column), dtype=np.bool_)


def read_target(column: TargetColumn, roles: Roles, complain: Complaint) -> Target:
    """The target of all rows that have one, as `roles` say or as the column itself tells.

    `complain` knows the rows of the source; rows without a target are counted in the notes.
    """
    kept = present(column)
    rows = np.flatnonzero(kept)
    if not len(rows):
        raise complain("No row has a value of the target. At least two different ones are needed.", None)
    notes = []
    if len(rows) < len(kept):
        gone = len(kept) - len(rows)
        notes.append(f"{gone} {'row' if gone == 1 else 'rows'} without a value of the target left out")
    values = column.where(kept) if isinstance(column, Categories) else column[kept]
    if not isinstance(values, Categories) and values.dtype.kind == "f" and np.isinf(values).any():
        raise complain(
            "The target is infinite here. Write a number, or leave it empty.", int(rows[np.isinf(values)][0])
        )
    kind = roles.kind
    if kind is None:
        kind, reason = kind_of(values)
        notes.append(f"read as {reason}")
    if kind is Kind.REGRESSION:
        y = _numbers(values, rows, complain)
        if np.ptp(y) == 0:
            raise complain(f"The target is {y[0]:g} in every row, so there is nothing to learn.", None)
        return Target(kind, y, (), None, tuple(notes))
    labels = _labels(values)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise complain(f"The target has one class only ({classes[0]}). At least two are needed.", None)
    order = _order(classes, roles.positive, complain)
    place = np.argsort(order)
    y, codes = labels, place[codes.ravel()].astype(np.int64)
    return Target(kind, y, tuple(classes[order].tolist()), codes, tuple(notes))


def _numbers(values: TargetColumn, rows: NDArray[np.intp], complain: Complaint) -> NDArray[np.float64]:
    if isinstance(values, Categories):
        text = values.labels[values.codes[0]]
    elif values.dtype.kind in "fiub":
        return values.astype(np.float64)
    else:
        text = str(values[0])
    raise complain(
        f"A regression needs a target of numbers, but {text!r} was found. Choose kind = 'classification', or "
        "another target.",
        int(rows[0]),
    )


def _labels(values: TargetColumn) -> NDArray[Any]:
    """Labels as the user knows them: names as text, whole numbers as integers."""
    if isinstance(values, Categories):
        return np.array(values.labels)[values.codes]
    if values.dtype.kind != "f":
        return values
    if np.array_equal(values, np.floor(values)) and np.abs(values).max() < 2**53:
        return values.astype(np.int64)
    # scikit-learn takes numbers that are not whole for measurements and refuses to classify them.
    return np.array([repr(value) for value in values.tolist()])


def _order(classes: NDArray[Any], positive: Any, complain: Complaint) -> NDArray[np.intp]:
    """The order of the classes: sorted, the positive one last."""
    order = np.arange(len(classes))
    if positive is None:
        return order
    names = [str(label) for label in classes.tolist()]
    wanted = str(int(positive)) if isinstance(positive, float) and positive.is_integer() else str(positive)
    if len(classes) != 2:
        raise complain(
            f"A positive class ({wanted}) was named, but there are {len(classes)} classes. Leave positive out.", None
        )
    if wanted not in names:
        raise complain(f"positive is {wanted!r}, but there is no such class. {nearest(wanted, names)}", None)
    return order if names[1] == wanted else order[::-1]
