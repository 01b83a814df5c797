from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bakeoff.running.packing import Pace, packed
from bakeoff.running.work import Chunk, Work


def work(n: int, learners: int = 1) -> Iterator[Work]:
    return (Work(number, number % learners, 0, number // learners, 0) for number in range(n))


def rows(split: int) -> tuple[np.ndarray, np.ndarray]:
    return np.array([split], dtype=np.int32), np.array([split + 1], dtype=np.int32)


def sizes(chunks: Iterator[Chunk]) -> list[int]:
    return [len(chunk.work) for chunk in chunks]


def test_cells_of_unknown_length_go_alone() -> None:
    assert sizes(packed(work(5), rows, Pace(), left=lambda: 100, workers=2)) == [1] * 5


def test_short_cells_go_together_and_long_ones_alone() -> None:
    pace = Pace()
    pace.learn((0, 0), 0.01)
    assert sizes(packed(work(10), rows, pace, left=lambda: 10_000, workers=2)) == [5, 5]
    pace.learn((0, 0), 10.0)
    assert sizes(packed(work(3), rows, pace, left=lambda: 10_000, workers=2)) == [1, 1, 1]


def test_chunks_become_small_toward_the_end() -> None:
    pace = Pace()
    pace.learn((0, 0), 1e-6)
    left = iter(range(40, 0, -1))
    made = sizes(packed(work(40), rows, pace, left=lambda: next(left), workers=2))
    assert sum(made) == 40
    assert made[0] > made[-1]
    assert max(made) <= 5


def test_a_chunk_brings_the_rows_of_its_splits_once() -> None:
    pace = Pace()
    for learner in range(3):
        pace.learn((learner, 0), 0.001)
    chunk = next(packed(work(30, learners=3), rows, pace, left=lambda: 10_000, workers=1))
    assert len(chunk.work) == 30
    assert len(chunk.splits) == 10
    assert [len(one.splits) for one in chunk.one_by_one()] == [1] * 30


def test_the_pace_follows_what_it_sees() -> None:
    pace = Pace()
    assert pace.of((0, 0)) is None
    pace.learn((0, 0), 1.0)
    pace.learn((0, 0), 2.0)
    assert pace.of((0, 0)) == 1.3
