"""Arrays as bytes and back: one byte for the type, then the numbers, little-endian. No pickle.

So they lie in a store, and so the rows of splits go to the workers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# The letters are struct's. Whole numbers are packed into the first type that holds them.
_TYPES: dict[bytes, np.dtype[Any]] = {
    b"B": np.dtype("<u1"),
    b"b": np.dtype("<i1"),
    b"H": np.dtype("<u2"),
    b"h": np.dtype("<i2"),
    b"I": np.dtype("<u4"),
    b"i": np.dtype("<i4"),
    b"q": np.dtype("<i8"),
    b"d": np.dtype("<f8"),
}
_WHOLE = tuple((letter, dtype, np.iinfo(dtype)) for letter, dtype in _TYPES.items() if dtype.kind in "iu")


def packed(array: NDArray[Any]) -> bytes:
    """The numbers of an array; its shape is not kept.

    >>> packed(np.array([0, 1, 2]))
    b'B\\x00\\x01\\x02'
    >>> len(packed(np.array([0.1, 0.2])))
    17
    """
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize <= 8:
        return b"d" + np.ascontiguousarray(array, dtype="<f8").tobytes()
    if kind not in "iub":
        raise TypeError(f"Numbers were expected to be stored; found an array of {array.dtype}.")
    least, most = (int(array.min()), int(array.max())) if array.size else (0, 0)
    for letter, dtype, limits in _WHOLE:
        if limits.min <= least and most <= limits.max:
            return letter + np.ascontiguousarray(array, dtype=dtype).tobytes()
    raise TypeError(f"Whole numbers of at most 64 bits were expected to be stored; found {most}.")


def unpacked(blob: bytes, columns: int | None = None) -> NDArray[Any]:
    """The array again: int64 or float64, in rows of so many columns if there are several.

    >>> unpacked(packed(np.array([3, -4], dtype=np.int8)))
    array([ 3, -4])
    """
    stored = _numbers(blob)
    numbers = stored.astype(np.float64 if stored.dtype.kind == "f" else np.int64)
    return numbers if columns is None else numbers.reshape(-1, columns)


def unpacked_rows(blob: bytes) -> NDArray[np.int32]:
    """Row numbers of a sample, as splits hold them."""
    return _numbers(blob).astype(np.int32)


def _numbers(blob: bytes) -> NDArray[Any]:
    dtype = _TYPES.get(blob[:1])
    if dtype is None or (len(blob) - 1) % dtype.itemsize:
        raise ValueError(f"These {len(blob)} bytes hold no array that bakeoff has packed.")
    return np.frombuffer(blob, dtype=dtype, offset=1)
