"""The ten differences of 5×2 cross-validation, in their order."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.procedures.five_by_two import ten_differences


def test_splits_are_put_in_order() -> None:
    repeat, fold = [4, 3, 2, 1, 0] * 2, [1] * 5 + [0] * 5
    found, size = ten_differences(range(10), [1] * 10, repeat, fold, "t")
    assert found.tolist() == [[8, 3], [7, 2], [6, 1], [5, 0], [4, -1]]
    assert size == 9


def test_repeats_may_be_numbered_anyhow() -> None:
    repeat = np.repeat([7, 3, 9, 1, 5], 2)
    found, _ = ten_differences(range(10), [0] * 10, repeat, np.tile([2, 1], 5), "t")
    assert found[0].tolist() == [7, 6]


@pytest.mark.parametrize(
    ("a", "b", "repeat", "sentence"),
    [
        (range(8), range(8), None, "5×2 cv t test needs ten paired scores; found 8"),
        (range(10), range(9), None, "equally long"),
        (range(10), range(10), [0] * 4 + [1] * 6, "five repeats of two folds"),
    ],
)
def test_refusals(a: range, b: range, repeat: list[int] | None, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        ten_differences(a, b, repeat, None, "t")
