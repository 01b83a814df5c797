"""A split is known by its indices."""

from __future__ import annotations

import numpy as np

from bakeoff.resampling.split import APPARENT, Split


def rows(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int32)


def test_the_key_is_that_of_the_indices_alone() -> None:
    one = Split(1, 1, rows(0, 1), rows(2))
    assert one.key == Split(3, 2, rows(0, 1), rows(2), APPARENT).key
    assert one.key == Split(1, 1, np.array([0, 1], dtype=">i4"), np.array([2], dtype=np.int64)).key  # type: ignore[arg-type]
    others = [
        Split(1, 1, *parts).key for parts in ((rows(0), rows(1, 2)), (rows(0, 1, 1), rows(2)), (rows(2), rows(0, 1)))
    ]
    assert len({one.key, *others}) == 4


def test_rows_that_were_drawn_are_part_of_the_key() -> None:
    keys = {Split(1, 1, rows(0, 1), rows(2), content=content).key for content in (b"", b"one", b"other")}
    assert len(keys) == 3


def test_the_key_stays_what_it_is() -> None:
    # Stored results are found by it: another value here would mean that every one of them is lost.
    assert Split(1, 1, rows(0, 1), rows(2)).key.hex() == "d2d79987e3c5c645d0cbd0e7ef3d7a0d"
