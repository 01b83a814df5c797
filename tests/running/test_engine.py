from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bakeoff.learners.learner import Learner, Step, facts_of
from bakeoff.measures.responses import response_from
from bakeoff.running.engine import ChunkSizer, Engine, EngineError, packed
from bakeoff.running.scratch import Scratch
from bakeoff.running.work import Chunk, Limits, Outcome, Status, Work
from bakeoff.study.prepare import truth_of
from bakeoff.tasks.task import as_task

HERE = str(Path(__file__).parent)
LIMITS = Limits(time_limit=5.0, memory_limit=700_000_000)


def outcomes_of(
    names: list[str],
    *,
    limits: Limits = LIMITS,
    workers: int = 2,
    together: bool = False,
    parameters: dict[str, object] | None = None,
) -> dict[str, Outcome]:
    """Run learners of hostile.py by name on one split of iris, each in a chunk of its own or all in one."""
    data = as_task("iris", "iris").load()
    learners = [Learner(name, steps=(Step(f"hostile.{name}", parameters or {}),)) for name in names]
    rows = np.arange(data.n, dtype=np.int32)
    split = (rows[rows % 3 != 0], rows[rows % 3 == 0])
    work = [Work(number, number, 0, 1, 7) for number in range(len(names))]
    chunks = [Chunk(tuple(work), {1: split})] if together else [Chunk((each,), {1: split}) for each in work]
    scratch = Scratch()
    try:
        scratch.put("task-0", (data, truth_of(data), facts_of(data)))
        scratch.put("responses", [[response_from("error")]])
        scratch.put("learners", learners)
        with Engine(scratch.folder, workers=workers, limits=limits, import_from=[HERE]) as engine:
            found = [outcome for some in engine.run(iter(chunks)) for outcome in some]
    finally:
        scratch.close()
    assert sorted(outcome.cell for outcome in found) == list(range(len(names))), "each cell is answered once"
    return {names[outcome.cell]: outcome for outcome in found}


EXPECTED = {
    "Majority": (Status.OK, ""),
    "Raises": (Status.ERROR, "ValueError: no convergence after 7 iterations"),
    "RaisesInPredict": (Status.ERROR, "RuntimeError: lost the weights"),
    "Exits": (Status.ERROR, "SystemExit: 3"),
    "ExitsHard": (Status.CRASH, "exit code 5"),
    "Segfaults": (Status.CRASH, "SIGSEGV"),
    "Hangs": (Status.TIMEOUT, "past the time limit of 5 s"),
    "Forks": (Status.OK, ""),
    "EatsMemory": (Status.MEMORY, "past the memory limit"),
    "Prints": (Status.OK, ""),
    "TooFew": (Status.INVALID, "expected were 50 predictions"),
    "Unknown": (Status.INVALID, "no class of the data"),
    "Nonsense": (Status.INVALID, "expected were 50 predictions"),
    "NanProbabilities": (Status.INVALID, "not finite"),
    "Mutates": (Status.OK, ""),
    "GlobalSeed": (Status.OK, ""),
}


@pytest.fixture(scope="module")
def alone() -> dict[str, Outcome]:
    return outcomes_of(list(EXPECTED))


@pytest.mark.parametrize("name", EXPECTED)
def test_a_hostile_learner_is_one_row_with_a_message(name: str, alone: dict[str, Outcome]) -> None:
    status, message = EXPECTED[name]
    assert alone[name].status is status
    assert message in alone[name].message


def test_a_chunk_that_dies_costs_only_the_cell_that_killed_it() -> None:
    found = outcomes_of(["Majority", "Segfaults", "Prints", "Hangs", "Raises"], together=True)
    statuses = {name: outcome.status for name, outcome in found.items()}
    assert statuses == {
        "Majority": Status.OK,
        "Segfaults": Status.CRASH,
        "Prints": Status.OK,
        "Hangs": Status.TIMEOUT,
        "Raises": Status.ERROR,
    }


def test_a_deaf_learner_is_killed_as_well() -> None:
    assert outcomes_of(["HangsDeafly"], limits=Limits(time_limit=0.5))["HangsDeafly"].status is Status.TIMEOUT


def test_what_a_learner_printed_is_shown_with_its_failure_only(
    alone: dict[str, Outcome], capfd: pytest.CaptureFixture[str]
) -> None:
    found = outcomes_of(["Prints", "PrintsAndRaises"])
    assert "straight to the file descriptor" in found["PrintsAndRaises"].detail
    assert "epoch 1" in found["PrintsAndRaises"].detail
    assert found["Prints"].detail == ""
    assert "epoch" not in "".join(capfd.readouterr())


def test_the_traceback_is_the_learners_own(alone: dict[str, Outcome]) -> None:
    detail = alone["Raises"].detail
    assert 'raise ValueError("no convergence after 7 iterations")' in detail
    assert "worker.py" not in detail


def test_scores_and_predictions_come_back(alone: dict[str, Outcome]) -> None:
    outcome = alone["Majority"]
    assert outcome.scores["error"] == pytest.approx(2 / 3, abs=0.05)
    assert outcome.prediction is not None
    assert len(outcome.prediction.values) == 50
    assert {"fit_time", "fit_cpu", "predict_time", "predict_cpu", "peak_memory", "seconds"} <= set(outcome.resources)


def test_a_process_that_a_learner_left_behind_is_killed(tmp_path: Path) -> None:
    note = tmp_path / "children"
    found = outcomes_of(["LeavesAChild"], parameters={"note": str(note)})
    assert found["LeavesAChild"].status is Status.OK
    child = int(note.read_text())
    for _ in range(50):
        if not Path(f"/proc/{child}").exists() or " Z " in Path(f"/proc/{child}/stat").read_text():
            break
        time.sleep(0.05)
    else:
        os.kill(child, 9)
        pytest.fail("the child is still running")


def test_the_same_seed_gives_the_same_whatever_ran_before(alone: dict[str, Outcome]) -> None:
    again = outcomes_of(["Prints", "GlobalSeed", "Majority"], workers=1, together=True)
    first, second = alone["GlobalSeed"].prediction, again["GlobalSeed"].prediction
    assert first is not None
    assert second is not None
    assert (first.values == second.values).all()


def test_workers_that_cannot_be_started_end_the_run_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from multiprocessing import forkserver

    def refuse(*_: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(forkserver, "connect_to_new_process", refuse)
    with pytest.raises(EngineError, match=r"No worker process can be started: .*Resource temporarily unavailable"):
        outcomes_of(["Majority"])


def test_a_worker_that_was_refused_for_a_while_is_started_later(monkeypatch: pytest.MonkeyPatch) -> None:
    from multiprocessing import forkserver

    ask, refusals = forkserver.connect_to_new_process, iter(range(3))

    def refuse_at_first(fds: list[int]) -> tuple[int, int]:
        if next(refusals, None) is not None:
            raise EOFError("unexpected EOF")
        made: tuple[int, int] = ask(fds)
        return made

    monkeypatch.setattr(forkserver, "connect_to_new_process", refuse_at_first)
    found = outcomes_of(["Majority", "Prints", "GlobalSeed"])
    assert {outcome.status for outcome in found.values()} == {Status.OK}


# ----------------------------------------------------------------------------------------------------------------------
# Packing


def work(n: int, learners: int = 1) -> Iterator[Work]:
    return (Work(number, number % learners, 0, number // learners, 0) for number in range(n))


def rows(split: int) -> tuple[np.ndarray, np.ndarray]:
    return np.array([split], dtype=np.int32), np.array([split + 1], dtype=np.int32)


def sizes(chunks: Iterator[Chunk]) -> list[int]:
    return [len(chunk.work) for chunk in chunks]


def test_cells_of_unknown_length_go_alone() -> None:
    assert sizes(packed(work(5), rows, ChunkSizer(), left=lambda: 100, workers=2)) == [1] * 5


def test_short_cells_go_together_and_long_ones_alone() -> None:
    pace = ChunkSizer()
    pace.learn((0, 0), 0.01)
    assert sizes(packed(work(10), rows, pace, left=lambda: 10_000, workers=2)) == [5, 5]
    pace.learn((0, 0), 10.0)
    assert sizes(packed(work(3), rows, pace, left=lambda: 10_000, workers=2)) == [1, 1, 1]


def test_chunks_become_small_toward_the_end() -> None:
    pace = ChunkSizer()
    pace.learn((0, 0), 1e-6)
    left = iter(range(40, 0, -1))
    made = sizes(packed(work(40), rows, pace, left=lambda: next(left), workers=2))
    assert sum(made) == 40
    assert made[0] > made[-1]
    assert max(made) <= 5


def test_a_chunk_brings_the_rows_of_its_splits_once() -> None:
    pace = ChunkSizer()
    for learner in range(3):
        pace.learn((learner, 0), 0.001)
    chunk = next(packed(work(30, learners=3), rows, pace, left=lambda: 10_000, workers=1))
    assert len(chunk.work) == 30
    assert len(chunk.splits) == 10
    assert [len(one.splits) for one in chunk.one_by_one()] == [1] * 30


def test_the_pace_follows_what_it_sees() -> None:
    pace = ChunkSizer()
    assert pace.of((0, 0)) is None
    pace.learn((0, 0), 1.0)
    pace.learn((0, 0), 2.0)
    assert pace.of((0, 0)) == 1.3
