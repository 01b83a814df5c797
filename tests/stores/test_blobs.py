"""Arrays come back from bytes exactly, in as few of them as they need."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bakeoff.stores.blobs import packed, unpacked, unpacked_rows


@given(arrays(np.int64, st.integers(0, 20), elements=st.integers(-(2**63), 2**63 - 1)))
def test_whole_numbers(array: np.ndarray) -> None:
    found = unpacked(packed(array))
    assert found.dtype == np.int64
    assert found.tolist() == array.tolist()


@given(arrays(np.float64, st.integers(0, 20)))
def test_floats_bit_for_bit(array: np.ndarray) -> None:
    assert unpacked(packed(array)).tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("numbers", "size"),
    [
        ([], 0), ([0, 255], 1), ([-128, 127], 1), ([0, 256], 2), ([-1, 255], 2), ([0, 65_535], 2), ([-1, 65_535], 4),
        ([0, 2**32 - 1], 4), ([-1, 2**32 - 1], 8), ([0, 2**32], 8),
    ],
)  # fmt: skip
def test_the_smallest_type_that_holds_them(numbers: list[int], size: int) -> None:
    blob = packed(np.array(numbers, dtype=np.int64))
    assert len(blob) == 1 + size * len(numbers)
    assert unpacked(blob).tolist() == numbers


@pytest.mark.parametrize("dtype", ["<i4", ">i4", "i1", "u2", bool])
def test_every_whole_type(dtype: str) -> None:
    assert unpacked(packed(np.array([0, 1, 1], dtype=dtype))).tolist() == [0, 1, 1]


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "f4"])
def test_every_floating_type(dtype: str) -> None:
    found = unpacked(packed(np.array([0.5, -0.0], dtype=dtype)))
    assert found.dtype == np.float64
    assert found.tolist() == [0.5, -0.0]


def test_columns_and_strides() -> None:
    table = np.arange(12.0).reshape(4, 3)
    np.testing.assert_array_equal(unpacked(packed(table), 3), table)
    np.testing.assert_array_equal(unpacked(packed(table.T), 4), table.T)
    np.testing.assert_array_equal(unpacked(packed(table[:, 1])), table[:, 1])


def test_rows_of_a_sample() -> None:
    found = unpacked_rows(packed(np.array([3, 70_000], dtype=np.int32)))
    assert found.dtype == np.int32
    assert found.tolist() == [3, 70_000]


def test_the_array_is_a_copy_that_can_be_changed() -> None:
    found = unpacked(packed(np.array([1, 2])))
    found[0] = 9
    assert found.tolist() == [9, 2]


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([1j]), np.array([object()]), np.array([2**64 - 1], "u8")])
def test_other_things_are_refused(array: np.ndarray) -> None:
    with pytest.raises(TypeError, match="expected to be stored"):
        packed(array)


@pytest.mark.parametrize("blob", [b"", b"x123", b"d1234567", b"\x80\x04K\x01."])
def test_strange_bytes_are_refused(blob: bytes) -> None:
    with pytest.raises(ValueError, match="hold no array"):
        unpacked(blob)
