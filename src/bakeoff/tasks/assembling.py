"""From a table and the roles of its columns to a data set, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError, nearest
from bakeoff.presentation import listing
from bakeoff.scores.factor import frozen
from bakeoff.tasks.dataset import Dataset, Kind
from bakeoff.tasks.roles import Roles
from bakeoff.tasks.table import Categories, Column, Table
from bakeoff.tasks.targets import read_target

if TYPE_CHECKING:
    import pandas as pd


def assemble(name: str, table: Table, roles: Roles, *, key: str, n_test: int = 0) -> Dataset:
    """The data set in a table. The last `n_test` rows are a test sample that came with it."""
    check_columns(table.names, roles, table.source)
    kept, target = np.ones(table.n_rows, dtype=np.bool_), None
    if roles.target is not None:
        column = table.column(roles.target)
        kept = column.codes >= 0 if isinstance(column, Categories) else ~np.isnan(column)
        target = read_target(column, roles, lambda text, row: table.error(text, row=row, column=roles.target))
    features = tuple(feature for feature in table.names if feature not in roles.aside)
    inputs = {feature: _input(table, feature, kept) for feature in features}
    categorical = tuple(feature for feature, column in inputs.items() if isinstance(column, Categories))
    missing = sum(
        int((column.codes < 0).sum() if isinstance(column, Categories) else np.isnan(column).sum())
        for column in inputs.values()
    )
    return Dataset(
        name=name,
        kind=Kind.DENSITY if target is None else target.kind,
        X=_matrix(inputs),
        y=None if target is None else frozen(target.y),
        classes=() if target is None else target.classes,
        codes=None if target is None or target.codes is None else frozen(target.codes),
        features=features,
        categorical=categorical,
        n_missing=missing,
        key=key,
        groups=_numbered(table, roles.group, kept),
        clusters=_numbered(table, roles.cluster, kept),
        test=given_test(kept, n_test, table.source),
        notes=(*table.notes, *(() if target is None else target.notes), *_constant(inputs)),
        target=roles.target or "target",
    )


def check_columns(names: tuple[str, ...], roles: Roles, source: str, *, has_target: bool = False) -> None:
    """Every column that has a role is there, there is a target unless none is needed, and an input is left."""
    if roles.target is None and roles.kind is not Kind.DENSITY and not has_target:
        raise InputError(
            f"Which column is the target? Name it: target = '…'. The columns are {listing(names)}. "
            "Where there is nothing to predict, say kind = 'density'.",
            source=source,
        )
    for role in ("target", "group", "cluster", "drop", "categorical"):
        value = getattr(roles, role)
        for column in (value,) if isinstance(value, str) else value or ():
            if column not in names:
                known = nearest(column, names) if len(names) <= 60 else nearest(column, names).partition(" Known")[0]
                raise InputError(f"{role} names the column {column!r}, which is not there. {known}", source=source)
    if not set(names) - roles.aside:
        raise InputError("No column is left as an input: all of them have another role.", source=source)


def given_test(kept: NDArray[np.bool_], n_test: int, source: str) -> NDArray[np.int64] | None:
    """Which of the rows that are kept are the given test sample: those of the last `n_test`."""
    if not n_test:
        return None
    if n_test >= len(kept):
        raise InputError(
            f"The last {n_test} rows are to be a test sample, but there are {len(kept)} rows. Some must be left to "
            "learn from.",
            source=source,
        )
    learning = int(kept[: len(kept) - n_test].sum())
    test = np.arange(learning, int(kept.sum()), dtype=np.int64)
    if not learning or not len(test):
        raise InputError("The learning sample or the test sample has no row with a value of the target.", source=source)
    return frozen(test)


def _input(table: Table, name: str, kept: NDArray[np.bool_]) -> Column:
    column = table.column(name)
    if isinstance(column, Categories):
        return column.where(kept)
    infinite = np.flatnonzero(np.isinf(column))
    if len(infinite):
        raise table.error(
            f"The value is infinite ({len(infinite)} in this column). Write a number, or leave the cell empty.",
            row=int(infinite[0]),
            column=name,
        )
    return column[kept]


def _matrix(inputs: dict[str, Column]) -> NDArray[np.float64] | pd.DataFrame:
    """An array if all inputs are numbers, else a frame with a column of pandas' categories for each column of names."""
    numbers = [column for column in inputs.values() if not isinstance(column, Categories)]
    if len(numbers) == len(inputs):
        return frozen(np.column_stack(numbers))
    import pandas as pd

    return pd.DataFrame(
        {
            name: pd.Categorical.from_codes(column.codes, categories=pd.Index(column.labels))
            if isinstance(column, Categories)
            else column
            for name, column in inputs.items()
        }
    )


def _numbered(table: Table, name: str | None, kept: NDArray[np.bool_]) -> NDArray[np.int64] | None:
    """The rows that belong together, by a number from 0 in the order of the labels."""
    if name is None:
        return None
    column = table.column(name)
    gone = column.codes < 0 if isinstance(column, Categories) else np.isnan(column)
    rows = np.flatnonzero(gone & kept)
    if len(rows):
        raise table.error(
            f"The value is missing ({len(rows)} in this column), so it is not known what the row belongs to. Fill it "
            "in, or remove the row.",
            row=int(rows[0]),
            column=name,
        )
    values = column.codes if isinstance(column, Categories) else column
    return frozen(np.unique(values[kept], return_inverse=True)[1].ravel().astype(np.int64))


def _constant(inputs: dict[str, Column]) -> tuple[str, ...]:
    """A note on columns that say nothing; they are kept, because a learner may be judged by how it copes."""
    empty, constant = [], []
    for name, column in inputs.items():
        values = column.codes[column.codes >= 0] if isinstance(column, Categories) else column[~np.isnan(column)]
        if not len(values):
            empty.append(name)
        elif len(values) == len(column) and (values == values[0]).all():
            constant.append(name)
    notes = []
    if empty:
        notes.append(f"{listing(empty)} without any value (kept)")
    if constant:
        notes.append(f"{listing(constant)} with the same value in all rows (kept)")
    return tuple(notes)
