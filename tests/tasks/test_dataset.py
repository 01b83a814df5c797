"""A data set hands out copies."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bakeoff.tasks.dataset import Dataset, Kind


def test_rows_of_a_frame_are_copies_with_an_index_of_their_own() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    made = Dataset("t", Kind.REGRESSION, frame, np.arange(3.0), (), None, ("a",), (), 0, "k")
    inputs, labels = made.rows(np.array([2, 0, 2]))
    assert list(inputs.index) == [0, 1, 2]
    assert inputs["a"].tolist() == [3, 1, 3]
    assert labels.tolist() == [2, 0, 2]
    inputs.loc[0, "a"] = 9.0
    labels[:] = 9
    assert frame["a"].tolist() == [1, 2, 3]
    assert made.y is not None
    assert made.y.tolist() == [0, 1, 2]
    assert made.n == 3
