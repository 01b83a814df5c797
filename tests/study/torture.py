"""Torture: processes of a run are killed while cells are written, and its results must be those of an undisturbed one.

torture(50, "run", 1, folder)       the run itself, which is then started again until it is finished
torture(50, "worker", 1, folder)    a process that fits learners
torture(50, "server", 1, folder)    the process that these are forked from
torture(50, "stop", 1, folder)      a worker is stopped instead (SIGSTOP), and never told to go on

Runs that are tortured commit often, and take their time with it: MOMENTS is run in them before bakeoff is. A file says
that they are in the middle of a transaction. Three of four kills are aimed at that moment, the others come at any time,
while modules are imported as well; a kill has hit if the file is there when it is done.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from proofs import Place, attempts, cells, content, odd, rows, said, study_text, until

Target = Literal["run", "worker", "server", "stop"]

# Cells are short, so that batches are many; the learners notice any change of seed.
LEARNERS = {
    "numpy": odd("GlobalNumpy", seconds=0.004),
    "hash order": odd("HashOrder", seconds=0.002),
    "tree": 'path = "sklearn.tree.DecisionTreeClassifier"\nparameters = { max_features = 1 }',
}
MOMENTS = """
import faulthandler, os, signal, sys, time
faulthandler.register(signal.SIGUSR1)
from bakeoff.store import writer
from bakeoff.study import run
run._SECONDS_BETWEEN_COMMITS = 0.05
mark, insert, write = os.environ["WRITING"], writer.Store.insert, writer.Store.write
def slowly(self, *given):
    insert(self, *given)
    time.sleep(0.004)
def marked(self, *given):
    writer.Store.insert = slowly
    open(mark, "w").close()
    try:
        return write(self, *given)
    finally:
        os.unlink(mark)
        writer.Store.insert = insert
writer.Store.write = marked
from bakeoff.cli import main
sys.exit(main())
"""
AIMED = 0.75
# Seconds within which the other kills fall: what is started anew imports modules for most of them.
_WHILE: dict[Target, float] = {"run": 1.0, "server": 1.0, "worker": 0.3, "stop": 0.3}
_OK, _KILLED = 0, -signal.SIGKILL
_MOST_LAUNCHES = 10  # of one round beyond the number of kills: more would mean that it does not get on


@dataclass
class Report:
    """What was done to the runs, and how they took it."""

    target: Target
    kills: int = 0
    hits: int = 0  # kills in the middle of a transaction
    rounds: int = 0
    launches: int = 0
    cells: int = 0
    early: int = 0  # kills before anything was stored

    def __str__(self) -> str:
        return (
            f"torture of the {self.target}: {self.kills} kills, {self.hits} of them while cells were written and "
            f"{self.early} before any was, in {self.rounds} studies of {self.cells} cells with {self.launches} starts; "
            "no cell failed, and all scores and predictions equal those of an undisturbed run"
        )


@cache
def undisturbed(repeats: int) -> tuple[str, dict[bytes, Any]]:
    """A study, and what must come of it: run once, whatever is then done to others of its kind."""
    text = study_text(LEARNERS, folds=5, repeats=repeats)
    with TemporaryDirectory(prefix="torture-") as folder:
        place = Place(Path(folder) / "undisturbed", text)
        done = place.run("-j", "2")
        assert done.code == _OK, done.err
        return text, content(place.store)


def torture(kills: int, target: Target, seed: int, folder: Path, *, repeats: int = 30) -> Report:
    """Kill so many times, and check after every round that nothing is lost, doubled, different or left behind."""
    text, expected = undisturbed(repeats)
    report = Report(target, cells=len(expected))
    rng = random.Random(f"{target} {seed}")
    while report.kills < kills:
        report.rounds += 1
        place = Place(folder / f"round-{report.rounds}", text)
        place.program = ["-c", MOMENTS]
        try:
            _round(place, report, kills, rng)
            _check(place, expected)
        finally:
            place.kill_all()
    return report


def _round(place: Place, report: Report, kills: int, rng: random.Random) -> None:
    """One study, started again and again until it is finished."""
    writing = place.folder / "writing"
    for _ in range(kills + _MOST_LAUNCHES):
        writing.unlink(missing_ok=True)
        process = place.start("run", "study.toml", "--quiet", "-j", "2", WRITING=str(writing))
        report.launches += 1
        while report.kills < kills and process.poll() is None:
            if not _kill(process, place, report, rng) or report.target == "run":
                break
        done = said(process)
        until(lambda: not place.processes(), f"the end of {place.processes()}")
        if done.code == _OK:
            return
        assert report.target == "run", f"{done.code}: {done.err}"
        assert done.code == _KILLED, f"{done.code}: {done.err}"
    raise AssertionError(f"not finished after {report.launches} starts")


def _kill(process: subprocess.Popen[str], place: Place, report: Report, rng: random.Random) -> bool:
    """Kill once, at the moment that the dice choose; False if the run ended before."""
    writing = place.folder / "writing"

    def victims() -> list[int]:
        if report.target == "run":
            return [process.pid]
        if report.target in ("worker", "stop"):
            return place.workers()
        return [pid for pid, command in place.processes().items() if "multiprocessing.forkserver import" in command]

    found = _wait_for(process, victims)
    if rng.random() < AIMED:
        for _ in range(rng.randrange(1, 3)):
            _wait_for(process, lambda: not writing.exists())
            _wait_for(process, writing.exists)
        found = victims() if report.target == "server" else place.workers() if report.target != "run" else found
        time.sleep(rng.uniform(0.0, 0.008))
    else:
        _sleep(process, rng.uniform(0.0, _WHILE[report.target]))
        found = _wait_for(process, victims)
    if not found or process.poll() is not None:
        return False
    stored = cells(place.store) if report.target != "run" else int(place.store.exists())
    try:
        os.kill(rng.choice(found), signal.SIGSTOP if report.target == "stop" else signal.SIGKILL)
    except ProcessLookupError:
        return True
    report.hits += writing.exists()
    report.kills += 1
    report.early += stored == 0
    return True


def _wait_for(process: subprocess.Popen[str], condition: Callable[[], Any]) -> Any:
    """What the condition gives as soon as it gives something; nothing if the run ends before."""
    end = time.monotonic() + 120
    while process.poll() is None:
        if found := condition():
            return found
        if time.monotonic() > end:
            process.send_signal(signal.SIGUSR1)  # it shall tell where it stands
            time.sleep(1)
            process.kill()
            raise AssertionError(f"the run does not get on:\n{process.communicate()[1]}")
        time.sleep(0.0005)
    return []


def _sleep(process: subprocess.Popen[str], seconds: float) -> None:
    """As long as the run is there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        time.sleep(0.001)


def _check(place: Place, expected: dict[bytes, object]) -> None:
    found = content(place.store)
    assert found.keys() == expected.keys(), f"{len(expected.keys() - found.keys())} cells are lost"
    different = [key.hex() for key in expected if found[key] != expected[key]]
    assert not different, f"{len(different)} cells differ from an undisturbed run: {different[:3]}"
    tries = Counter(tuple(each) for each in attempts(place.store).values())
    assert set(tries) == {("ok",)}, f"what was killed from outside is no failure of a learner: {tries}"
    assert rows(place.store, "PRAGMA integrity_check") == [("ok",)]
    assert rows(place.store, "PRAGMA foreign_key_check") == []
    left = sorted(path.name for path in place.temporary.iterdir())
    assert not left, f"left behind in the folder for temporary files: {left}"
