from __future__ import annotations

import numpy as np

from bakeoff.measures.prediction import Truth


def test_rows_of_the_truth_keep_kind_and_classes() -> None:
    truth = Truth("classification", np.array([0, 1, 1]), ("no", "yes"))
    part = truth.rows(np.array([2, 0]))
    assert (part.kind, part.values.tolist(), part.classes) == ("classification", [1, 0], ("no", "yes"))
