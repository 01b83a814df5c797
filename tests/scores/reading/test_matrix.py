from __future__ import annotations

import numpy as np

from bakeoff.scores.factor import Factor
from bakeoff.scores.reading.direction import directed
from bakeoff.scores.reading.matrix import combinations, numbered_within, scores_of_matrix, status_of
from bakeoff.scores.reading.raw import RawTable


def test_scores_stand_row_by_row() -> None:
    raw = RawTable("t", ("x",), (Factor.of(["a", "b"]),), np.array([2, 3]))
    scores = scores_of_matrix(
        raw,
        np.array([[1.0, 2.0], [3.0, np.nan]]),
        ["svm", "knn"],
        {"task": Factor.of(["iris", "wine"])},
        measure=Factor.constant("acc", 2),
        measures=directed(["acc"], None),
        n_train=np.array([10.0, 20.0]),
    )
    frame = scores.to_frame()
    assert frame.task.tolist() == ["iris", "iris", "wine", "wine"]
    assert frame.learner.tolist() == ["svm", "knn", "svm", "knn"]
    assert frame.n_train.tolist() == [10, 10, 20, 20]
    assert frame.status.tolist() == ["ok", "ok", "ok", "missing"]
    assert scores.repeat.labels == ("",)


def test_status_labels_are_in_order_of_appearance() -> None:
    assert status_of(np.array([np.nan, 1.0])).labels == ("missing", "ok")
    assert status_of(np.array([np.nan])).labels == ("missing",)
    assert status_of(np.array([1.0])).labels == ("ok",)


def test_numbers_within_groups_that_are_mixed() -> None:
    groups = [Factor.of(["a", "b", "a", "a", "b"]), Factor.of(["x", "x", "x", "y", "x"])]
    assert numbered_within(groups, 5).values() == ["1", "1", "2", "1", "2"]
    assert combinations(groups, 5) == 3
    assert numbered_within([], 3).values() == ["1", "2", "3"]
