"""A pandas DataFrame that is already in memory."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from bakeoff.errors import InputError
from bakeoff.scores.reading.raw import Column, RawTable, in_order

if TYPE_CHECKING:
    import pandas as pd


def is_frame(source: object) -> TypeGuard[pd.DataFrame]:
    """Whether this is a DataFrame, without importing pandas: who has one has imported it."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(source, pandas.DataFrame)


def read_frame(frame: pd.DataFrame, source: str = "the DataFrame") -> RawTable:
    """The table in a DataFrame; an index that is more than a row number becomes columns.

    >>> import pandas as pd
    >>> read_frame(pd.DataFrame({"svm": [0.9, 0.8]}, index=["iris", "wine"])).names
    ('', 'svm')
    """
    if frame.columns.nlevels > 1:
        raise InputError("The columns have several levels. Flatten them to one name each.", source=source)
    names = [str(name).strip() for name in frame.columns]
    columns = [_column(frame.iloc[:, i], name, source) for i, name in enumerate(names)]
    if not _is_row_number(frame):
        for level in reversed(range(frame.index.nlevels)):
            values = frame.index.get_level_values(level)
            names.insert(0, "" if values.name is None else str(values.name).strip())
            columns.insert(0, _column(values.to_series(), names[0], source))
    if not len(frame) or not columns:
        raise InputError(
            f"The table has {len(names)} columns and {len(frame)} rows. At least one row was expected.", source=source
        )
    return RawTable(source, tuple(names), tuple(columns))


def _is_row_number(frame: pd.DataFrame) -> bool:
    index = frame.index
    if index.nlevels > 1 or index.name is not None:
        return False
    # Rows that were filtered or sorted keep their old numbers: unnamed whole numbers are still row numbers.
    return index.dtype.kind in "iu"


def _column(series: pd.Series[Any], name: str, source: str) -> Column:
    kind = series.dtype.kind
    if kind in "iuf" or (kind == "b" and not series.hasnans):
        if series.hasnans or kind == "f":
            return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.asarray(series.to_numpy(dtype=bool if kind == "b" else None))
    try:
        codes, values = series.factorize()  # missing cells get the code −1, which is the last label
    except TypeError:  # lists and the like cannot be told apart
        raise InputError(
            "The column holds nested values, but one number or text per cell was expected. Unnest it, or leave it out.",
            source=source,
            column=name,
        ) from None
    return in_order([*(str(value) for value in values), ""], np.asarray(codes, dtype=np.intp))
