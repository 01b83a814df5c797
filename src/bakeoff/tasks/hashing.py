"""Content hashes of arrays and frames: the same on every machine, whatever its byte order or the versions of packages.

Type and shape are part of the hash, numbers enter in little-endian order, text in UTF-8, and every NaN is the same NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.keys import digest

if TYPE_CHECKING:
    import pandas as pd


def array_hash(array: NDArray[Any]) -> bytes:
    """The hash of an array of numbers, truth values or text.

    >>> array_hash(np.array([1, 2], dtype=">i4")) == array_hash(np.array([1, 2], dtype="<i4"))
    True
    >>> array_hash(np.array([1, 2])) == array_hash(np.array([[1, 2]]))
    False
    """
    array = np.asarray(array)
    shape = repr(tuple(int(n) for n in array.shape))
    if array.dtype.kind in "biuf":
        kind = f"{array.dtype.kind}{array.dtype.itemsize}"
        values = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        if array.dtype.kind == "f":
            nowhere = np.isnan(values)
            if nowhere.any():  # a NaN has many bit patterns
                values = values.copy()
                values[nowhere] = np.nan
        return digest("array", kind, shape, values.tobytes())
    if array.dtype.kind in "UT":
        return text_hash(array.ravel().tolist(), shape)
    if array.dtype.kind == "O" and all(value is None or isinstance(value, str) for value in array.ravel()):
        return text_hash(array.ravel().tolist(), shape)
    raise UsageError(f"An array of {array.dtype} cannot be hashed. Numbers, truth values or text were expected.")


def text_hash(values: Sequence[str | None], shape: str = "") -> bytes:
    """The hash of texts; None is none of them."""
    numbering: dict[str | None, int] = {}
    codes = np.array([numbering.setdefault(value, len(numbering)) for value in values], dtype="<i8")
    labels = ["-" if value is None else f"+{value}" for value in numbering]
    return digest("text", shape, codes.tobytes(), *labels)


def frame_hash(frame: pd.DataFrame) -> bytes:
    """The hash of a DataFrame: names, types and values of its columns. Its index is not part of it."""
    parts: list[bytes | str] = []
    for position, name in enumerate(frame.columns):
        parts += [str(name), _series_hash(frame.iloc[:, position])]
    return digest("frame", *parts)


def _series_hash(series: pd.Series[Any]) -> bytes:
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        names = [f"{type(label).__name__} {label}" for label in series.cat.categories]
        return digest("categories", array_hash(series.cat.codes.to_numpy(np.int64)), text_hash(names))
    missing = series.isna().to_numpy()
    if pd.api.types.is_numeric_dtype(series.dtype) and isinstance(series.dtype, np.dtype):
        return array_hash(series.to_numpy())
    if pd.api.types.is_numeric_dtype(series.dtype):  # pandas' own integers and truth values, with their own missing
        values = series.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)
        return digest("nullable", str(series.dtype).lower(), array_hash(values))
    texts = [None if gone else f"{type(v).__name__} {v}" for v, gone in zip(series, missing, strict=True)]
    return text_hash(texts)
