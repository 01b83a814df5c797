from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from bakeoff.running.engine import ChunkSizer, Schedule
from bakeoff.running.work import Chunk, Work


def work(n: int, learners: int = 1) -> Iterator[Work]:
    return (Work(number, number % learners, 0, number // learners, 0) for number in range(n))


def rows(splits: list[int], soon: Iterable[int] = ()) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    return {split: (np.array([split], dtype=np.int32), np.array([split + 1], dtype=np.int32)) for split in splits}


def paced(seconds: float, learners: int = 1) -> ChunkSizer:
    pace = ChunkSizer()
    for learner in range(learners):
        pace.learn((learner, 0), seconds)
    return pace


def taken(schedule: Schedule) -> list[Chunk]:
    """All chunks, as one worker takes them."""
    chunks: list[Chunk] = []
    while (chunk := schedule.take(chunks[-1].learner if chunks else None)) is not None:
        chunks.append(chunk)
    return chunks


def sizes(n: int, pace: ChunkSizer, cells: int = 10_000) -> list[int]:
    return [len(chunk.work) for chunk in taken(Schedule(work(n), rows, pace, cells=cells, workers=2))]


def test_cells_of_unknown_length_go_alone() -> None:
    assert sizes(5, ChunkSizer()) == [1] * 5


def test_short_cells_go_together_and_long_ones_alone() -> None:
    assert sizes(14, paced(0.015)) == [7, 7]
    assert sizes(3, paced(10.0)) == [1, 1, 1]


def test_chunks_become_small_toward_the_end() -> None:
    made = sizes(40, paced(1e-6), cells=40)
    assert sum(made) == 40
    assert made[0] > made[-1]
    assert max(made) <= 5


def test_a_cluster_that_has_no_worker_at_this_moment() -> None:
    made = taken(Schedule(work(9), rows, paced(0.01), cells=9, workers=0))
    assert sum(len(chunk.work) for chunk in made) == 9


def test_a_chunk_brings_the_rows_of_its_splits_once() -> None:
    chunk = Schedule(work(30), rows, paced(0.001), cells=10_000, workers=1).take(None)
    assert chunk is not None
    assert sorted(chunk.splits) == list(range(30))
    assert [len(one.splits) for one in chunk.one_by_one()] == [1] * 30


def test_a_chunk_is_of_one_learner_and_turns_are_worth_a_process() -> None:
    chunks = taken(Schedule(work(3000, learners=3), rows, paced(0.01, learners=3), cells=3000, workers=1))
    assert sorted(each.cell for chunk in chunks for each in chunk.work) == list(range(3000))
    assert all({each.learner for each in chunk.work} == {chunk.learner} for chunk in chunks)
    turns = sum(one.learner != other.learner for one, other in itertools.pairwise(chunks))
    assert turns <= 3 * 1000 * 0.01 / 1.5 + 3


def test_a_run_that_is_stopped_has_complete_blocks() -> None:
    chunks = taken(Schedule(work(3000, learners=3), rows, paced(0.01, learners=3), cells=3000, workers=1))
    half = [each for chunk in chunks[: len(chunks) // 2] for each in chunk.work]
    done = [{each.split for each in half if each.learner == learner} for learner in range(3)]
    assert len(set.intersection(*done)) > 0.6 * max(map(len, done))


def test_processes_that_take_long_to_start_have_longer_turns() -> None:
    schedule = Schedule(work(9000, learners=3), rows, paced(0.01, learners=3), cells=9000, workers=1)
    schedule.process_took(0.25)  # forty times as long is ten seconds
    chunks = taken(schedule)
    assert sum(one.learner != other.learner for one, other in itertools.pairwise(chunks)) <= 9


def test_workers_take_different_learners_and_help_each_other_out() -> None:
    schedule = Schedule(work(2000, learners=2), rows, paced(0.01, learners=2), cells=2000, workers=2)
    first = schedule.take(None)
    assert first is not None
    other = schedule.take(None, others={first.learner})
    assert other is not None
    assert other.learner != first.learner
    assert schedule.take(7, only=True) is None
    assert schedule.take(7) is not None


def test_what_is_given_back_comes_first() -> None:
    schedule = Schedule(work(10, learners=2), rows, paced(0.01, learners=2), cells=1000, workers=1)
    chunk = schedule.take(0)
    assert chunk is not None
    schedule.give_back(chunk.one_by_one())
    again = schedule.take(0)
    assert again is not None
    assert again.work == chunk.work[:1]


def test_the_pace_follows_what_it_sees() -> None:
    pace = ChunkSizer()
    assert pace.of((0, 0)) is None
    pace.learn((0, 0), 1.0)
    pace.learn((0, 0), 2.0)
    assert pace.of((0, 0)) == 1.3


def test_after_the_end_nothing_is_handed_out_though_much_is_waiting() -> None:
    """Of a short learner beside a long one a wide window is open: all of the long one's cells in it would follow."""
    pace = paced(0.001, learners=2)
    pace.learn((1, 0), 60.0)
    clock = [0.0]
    schedule = Schedule(work(200, learners=2), rows, pace, cells=200, workers=2, is_over=lambda: clock[0] > 1)
    assert schedule.take(None) is not None
    assert not schedule.spent
    clock[0] = 2.0
    assert [schedule.take(learner) for learner in (0, 1, None)] == [None] * 3
    assert schedule.spent
    over = Schedule(work(1), rows, pace, cells=1, workers=1, is_over=lambda: clock[0] > 3)
    assert len(taken(over)) == 1
    assert not over.spent
