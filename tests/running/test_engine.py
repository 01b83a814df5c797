from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
import pytest
from proofs import is_running, until

from bakeoff.cli import main
from bakeoff.learners.learner import Learner, Step, facts_of
from bakeoff.measures.response import packed, unpacked
from bakeoff.measures.responses import response_from
from bakeoff.running.engine import ChunkSizer, Engine, EngineError, Schedule
from bakeoff.running.scratch import Scratch
from bakeoff.running.work import Limits, Outcome, Status, Work
from bakeoff.study.prepare import truth_of
from bakeoff.tasks.task import as_task

HERE = str(Path(__file__).parent)
LIMITS = Limits(time_limit=120.0, memory_limit=700_000_000)  # what does not hang is far from it on any machine


def outcomes_of(
    names: list[str],
    *,
    limits: Limits = LIMITS,
    workers: int = 2,
    parameters: dict[str, object] | None = None,
    meanwhile: Callable[[Path], None] | None = None,
) -> dict[str, Outcome]:
    """Run learners of hostile.py by name on one split of iris."""
    work = [Work(number, number, 0, 1, 7) for number in range(len(names))]
    found = run(names, work, ChunkSizer(), limits, workers, parameters, meanwhile)
    return {names[outcome.cell]: outcome for outcome in found}


def run(
    names: list[str],
    work: list[Work],
    pace: ChunkSizer,
    limits: Limits = LIMITS,
    workers: int = 2,
    parameters: dict[str, object] | None = None,
    meanwhile: Callable[[Path], None] | None = None,
    preload: tuple[str, ...] = (),
    chunks: list[int] | None = None,
) -> list[Outcome]:
    data = as_task("iris", "iris").load()
    learners = [Learner(name, steps=(Step(f"hostile.{name}", parameters or {}),), folder=HERE) for name in names]
    rows = np.arange(data.n, dtype=np.int32)
    split = (packed(rows[rows % 3 != 0]), packed(rows[rows % 3 == 0]))
    scratch = Scratch()
    try:
        scratch.put("task-0", (data, truth_of(data), facts_of(data)))
        scratch.put("responses", [[response_from("error")]])
        scratch.put_each("learners", learners)
        with Engine(scratch.folder, workers=workers, limits=limits, import_from=[HERE], preload=preload) as engine:
            if meanwhile is not None:
                threading.Thread(target=meanwhile, args=(scratch.folder,), daemon=True).start()
            schedule = Schedule(
                work, lambda splits, soon: dict.fromkeys(splits, split), pace, cells=1000, workers=workers
            )
            answers = list(engine.run(schedule))
            found = [outcome for some in answers for outcome in some]
    finally:
        scratch.close()
    if chunks is not None:
        chunks += map(len, answers)
    assert sorted(outcome.cell for outcome in found) == [each.cell for each in work], "each cell is answered once"
    return found


EXPECTED = {
    "Majority": (Status.OK, ""),
    "Raises": (Status.ERROR, "ValueError: no convergence after 7 iterations"),
    "RaisesInPredict": (Status.ERROR, "RuntimeError: lost the weights"),
    "Exits": (Status.ERROR, "SystemExit: 3"),
    "ExitsHard": (Status.CRASH, "exit code 5"),
    "ExitsQuietly": (Status.CRASH, "the process ended itself with exit code 0"),
    "KillsItself": (Status.CRASH, "the process was killed by SIGKILL"),
    "KillsItsGroup": (Status.CRASH, "the process was killed by SIGKILL"),
    "RaisesASignal": (Status.CRASH, "the process was killed by SIGKILL"),
    "StopsItself": (Status.CRASH, "the process was stopped by SIGSTOP"),
    "Segfaults": (Status.CRASH, "SIGSEGV"),
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
HANG = {"Hangs": "past the time limit of 1 s", "HangsDeafly": "past the time limit of 1 s"}


@pytest.fixture(scope="module")
def alone() -> dict[str, Outcome]:
    return outcomes_of(list(EXPECTED))


@pytest.mark.parametrize("name", EXPECTED)
def test_a_hostile_learner_is_one_row_with_a_message(name: str, alone: dict[str, Outcome]) -> None:
    status, message = EXPECTED[name]
    assert alone[name].status is status
    assert message in alone[name].message


def test_settings_are_those_of_the_run_and_not_of_an_earlier_one_in_this_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    messages = []
    for flavour, threads, module in (("sweet", 1, "sklearn.tree"), ("sour", 2, "sklearn.svm"), (None, 1, "")):
        if flavour is None:
            monkeypatch.delenv("FLAVOUR")
        else:
            monkeypatch.setenv("FLAVOUR", flavour)
        limits, preload = Limits(time_limit=120.0, threads=threads), (module,) if module else ()
        (outcome,) = run(["TellsItsSettings"], [Work(0, 0, 0, 1, 7)], ChunkSizer(), limits, 1, preload=preload)
        messages.append(outcome.message.removeprefix("ValueError: "))
    first, second, third = messages
    assert first.startswith("sweet, [1] threads, heeds Ctrl-C")
    assert "sklearn.tree" in first
    assert second == "sour, [2] threads, heeds Ctrl-C, ['sklearn.tree', 'sklearn.svm']"
    assert third == "None, [1] threads, heeds Ctrl-C, ['sklearn.tree', 'sklearn.svm']"


def test_a_chunk_that_dies_costs_only_the_cell_that_killed_it() -> None:
    pace = ChunkSizer()
    pace.learn((0, 0), 0.001)
    found = run(["DiesBySeed"], [Work(seed, 0, 0, 1, seed) for seed in range(6)], pace, Limits(time_limit=5.0))
    assert {outcome.cell: outcome.status for outcome in found} == {
        0: Status.OK,
        1: Status.CRASH,
        2: Status.TIMEOUT,
        3: Status.ERROR,
        4: Status.CRASH,
        5: Status.OK,
    }


def test_cells_of_a_chunk_keep_what_is_their_own() -> None:
    """They are judged together, when the last of them has answered."""
    pace = ChunkSizer()
    pace.learn((0, 0), 0.001)
    chunks: list[int] = []
    found = run(["Sloppy"], [Work(seed, 0, 0, 1, seed) for seed in range(24)], pace, workers=1, chunks=chunks)
    assert max(chunks) > 2
    marks = [int(np.random.RandomState(seed).randint(1_000_000)) for seed in range(24)]
    assert len({mark % 3 for mark in marks}) == 3
    for outcome, mark in zip(sorted(found, key=lambda each: each.cell), marks, strict=True):
        assert outcome.notes == (f"UserWarning: warned {mark}",)
        if mark % 3 == 0:
            assert outcome.status is Status.INVALID
            assert f"no class {mark}" in outcome.message
            assert outcome.detail.endswith(f"printed:\nprinted {mark}")
        else:
            assert outcome.prediction is not None
            assert unpacked(outcome.prediction.predicted).tolist() == [mark % 3] * 50


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP])
def test_a_worker_that_somebody_kills_or_stops_is_no_failure_of_its_learner(
    how: signal.Signals, tmp_path: Path
) -> None:
    killed: set[int] = set()

    def kill_four_times(_: Path) -> None:
        while len(killed) < 4:
            for pid in {int(mark.name) for mark in tmp_path.iterdir()} - killed:
                os.kill(pid, how)
                killed.add(pid)
            time.sleep(0.01)
        (tmp_path / "go").touch()

    waits = {"folder": str(tmp_path)}
    found = outcomes_of(["Waits"], limits=Limits(), workers=1, parameters=waits, meanwhile=kill_four_times)
    assert len(killed) == 4
    assert found["Waits"].status is Status.OK


def test_a_server_that_somebody_stops_goes_on(tmp_path: Path) -> None:
    """Nobody would ever get a worker from it, and there is no limit of time for that."""
    stopped: list[int] = []

    def stop_the_server(_: Path) -> None:
        while not (marks := [int(mark.name) for mark in tmp_path.iterdir()]):
            time.sleep(0.01)
        stopped.append(psutil.Process(marks[0]).ppid())
        os.kill(stopped[0], signal.SIGSTOP)
        os.kill(marks[0], signal.SIGKILL)  # so that another one is needed
        (tmp_path / "go").touch()

    waits = {"folder": str(tmp_path)}
    found = outcomes_of(["Waits"], limits=Limits(), workers=1, parameters=waits, meanwhile=stop_the_server)
    assert found["Waits"].status is Status.OK
    assert psutil.Process(stopped[0]).status() != psutil.STATUS_STOPPED


def test_what_hangs_is_ended_whether_it_listens_or_not() -> None:
    found = outcomes_of(list(HANG), limits=Limits(time_limit=1.0, memory_limit=LIMITS.memory_limit))
    assert {outcome.status for outcome in found.values()} == {Status.TIMEOUT}
    for name, message in HANG.items():
        assert message in found[name].message


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
    assert len(unpacked(outcome.prediction.predicted)) == 50
    assert {"fit_time", "fit_cpu", "predict_time", "predict_cpu", "peak_memory", "seconds"} <= set(outcome.resources)


def test_much_printing_is_kept_to_its_beginning_and_its_end() -> None:
    sizes: list[int] = []

    def watch(folder: Path) -> None:
        while folder.exists():
            sizes.extend(log.stat().st_size for log in folder.glob("log-*") if log.exists())
            time.sleep(0.05)

    detail = outcomes_of(["PrintsMuch"], limits=Limits(), meanwhile=watch)["PrintsMuch"].detail
    assert "the very first line" in detail
    assert "the very last line" in detail
    assert "more …" in detail
    assert len(detail) < 6000
    assert max(sizes) < 30_000_000, "32 MB were printed"


def test_commands_to_a_terminal_are_shown_as_text() -> None:
    found = outcomes_of(["Paints"])["Paints"]
    assert r"\x1b]0;new title\x07printed" in found.detail


@pytest.mark.parametrize("name", ["LeavesAChild", "LeavesADaemon"])
def test_a_process_that_a_learner_left_behind_is_killed(name: str, tmp_path: Path) -> None:
    note = tmp_path / "children"
    found = outcomes_of([name], parameters={"note": str(note)})
    assert found[name].status is Status.OK
    child = int(note.read_text())
    try:
        until(lambda: not is_running(child), "the end of the child")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, 9)


def test_the_same_seed_gives_the_same_whatever_ran_before(alone: dict[str, Outcome]) -> None:
    again = outcomes_of(["Prints", "GlobalSeed", "Majority"], workers=1)
    first, second = alone["GlobalSeed"].prediction, again["GlobalSeed"].prediction
    assert first is not None
    assert first == second


def test_workers_that_cannot_be_started_end_the_run_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from multiprocessing import forkserver

    def refuse(*_: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(forkserver, "connect_to_new_process", refuse)
    with pytest.raises(EngineError, match=r"No worker process can be started: .*Resource temporarily unavailable"):
        outcomes_of(["Majority"])


def test_a_worker_that_is_killed_before_it_is_asked_is_replaced(
    monkeypatch: pytest.MonkeyPatch, small_study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start, killed = Engine._started, iter([True])

    def start_and_kill(engine: Engine, place: int, learner: int) -> object:
        worker = start(engine, place, learner)
        if worker is not None and next(killed, False):
            os.kill(worker.process.pid, signal.SIGKILL)
            worker.process.join()
        return worker

    monkeypatch.setattr(Engine, "_started", start_and_kill)
    assert main(["run", str(small_study), "--quiet"]) == 0
    assert main(["status", str(small_study)]) == 0
    assert "6 of 6" in capsys.readouterr().out


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
