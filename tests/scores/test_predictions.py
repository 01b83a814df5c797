"""Predictions that are numbers stay beside the losses made from them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bakeoff.scores import Scores

Read = Callable[..., Scores]
TABLE = "truth,task,a,b\n1,x,0.9,0.2\n0,x,0.1,0.3\n1,y,0.6,0.7\n0,y,0.4,0.8\n"


def test_numbers_are_kept(read: Read) -> None:
    kept = read(TABLE).predictions
    assert kept is not None
    assert kept.binary
    assert kept.truth.tolist() == [1.0, 0.0, 1.0, 0.0]
    assert kept.values[:, 1].tolist() == [0.2, 0.3, 0.7, 0.8]


def test_they_follow_the_choice_of_tasks_and_learners(read: Read) -> None:
    kept = read(TABLE).only(tasks=["y"], learners=["b"]).predictions
    assert kept is not None
    assert kept.learners == ("b",)
    assert kept.values.tolist() == [[0.7], [0.8]]
    assert np.array_equal(kept.truth, [1.0, 0.0])


def test_labels_and_gaps_are_not(read: Read) -> None:
    assert read("truth,a,b\ncat,cat,dog\ndog,dog,dog\n").predictions is None
    assert read("truth,a,b\n1,0.9,\n0,0.1,0.3\n").predictions is None
