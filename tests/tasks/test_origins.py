from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bakeoff.resampling.draws import Draws
from bakeoff.tasks.memory import dataset_in_memory
from bakeoff.tasks.origins import contents, origin, rows_hash
from bakeoff.tasks.roles import Roles
from bakeoff.tasks.task import simulated

X = np.arange(24.0).reshape(12, 2)
Y = np.array(["a", "b"] * 6)


def data(x: Any = X, y: Any = Y) -> Any:
    return dataset_in_memory("toy", (x, y), Roles())


def with_value(row: int, value: float) -> np.ndarray:
    changed = X.copy()
    changed[row, 0] = value
    return changed


def test_a_sample_is_known_by_its_rows_and_those_of_its_test_sample() -> None:
    draws = Draws(count=3, n=2, m=2, fresh=True)  # learning samples 0–1, 4–5, 8–9; the others test them
    first = contents(data(), draws)
    assert len(set(first)) == 3
    for row, sample in ((4, 1), (6, 1), (10, 2)):
        changed = contents(data(with_value(row, -1.0)), draws)
        assert [old == new for old, new in zip(first, changed, strict=True)] == [b != sample for b in range(3)]
    assert contents(data(y=np.where(np.arange(12) == 5, "a", Y)), draws)[1] != first[1]


def test_a_test_sample_for_all_is_part_of_each() -> None:
    draws = Draws(count=5, n=2, m=2)
    first, changed = (contents(data(x), draws) for x in (X, with_value(2, -1.0)))
    assert all(old != new for old, new in zip(first, changed, strict=True))


def test_the_same_values_elsewhere_have_the_same_hash() -> None:
    twice = np.concatenate([X[:3], X[:3]])
    made = data(twice, np.concatenate([Y[:3], Y[:3]]))
    assert rows_hash(made, np.arange(3)) == rows_hash(made, np.arange(3, 6))
    frame = data(pd.DataFrame(twice, columns=["u", "v"]), np.concatenate([Y[:3], Y[:3]]))
    assert rows_hash(frame, np.arange(3)) == rows_hash(frame, np.arange(3, 6)) != rows_hash(made, np.arange(3))


@pytest.mark.parametrize(
    "other",
    [
        data(y=np.where(np.arange(12) == 11, "c", Y)),
        data(with_value(11, np.nan)),
        data(pd.DataFrame(X, columns=["u", "v"])),
        replace(data(), features=("u", "v")),
        data(y=np.arange(12.0) + 0.5),
    ],
    ids=["another class", "missing values", "a frame", "other names", "numbers"],
)
def test_what_a_learner_is_told_of_all_rows_is_part_of_the_origin(other: Any) -> None:
    law = {"generator": "mine", "n": 4}
    assert origin(data(), law, b"first") == origin(data(), law, b"first")
    assert origin(other, law, b"first") != origin(data(), law, b"first")
    assert len({origin(data(), {"n": n}, first) for n in (4, 5) for first in (b"1", b"2")}) == 4


def late_class(n: int, rng: np.random.Generator) -> Any:
    """A class that is so rare that few samples have none of it."""
    x = rng.random((n, 1))
    return x, np.where(x[:, 0] > 0.97, "rare", np.where(x[:, 0] > 0.5, "high", "low"))


def test_samples_that_bring_another_class_make_another_task() -> None:
    made = [simulated(late_class, n=5, m=2).bound(samples, 4).load() for samples in (2, 3, 40)]
    assert [len(each.classes) for each in made] == [2, 2, 3]
    assert made[0].task_key == made[1].task_key != made[2].task_key
