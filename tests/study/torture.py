"""Torture: processes of a run are killed at random moments, and its results must be those of an undisturbed one.

torture(50, "run", 1, folder)       the run itself, which is then started again until it is finished
torture(50, "worker", 1, folder)    a process that fits learners
torture(50, "server", 1, folder)    the process that these are forked from
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from proofs import Place, attempts, cells, content, odd, rows, said, study_text, until

Target = Literal["run", "worker", "server"]

# Cells are short, so that batches are many and most kills hit something; the learners notice any change of seed.
LEARNERS = {
    "numpy": odd("GlobalNumpy", seconds=0.004),
    "hash order": odd("HashOrder", seconds=0.002),
    "tree": 'path = "sklearn.tree.DecisionTreeClassifier"\nparameters = { max_features = 1 }',
}
_OK, _SOME_FAILED, _KILLED = 0, 4, -signal.SIGKILL
_MOST_LAUNCHES = 10  # of one round beyond the number of kills: more would mean that it does not get on


@dataclass
class Report:
    """What was done to the runs, and how they took it."""

    target: Target
    kills: int = 0
    rounds: int = 0
    launches: int = 0
    cells: int = 0
    stored_at_kill: list[int] = field(default_factory=list)
    crashes: int = 0  # cells that were killed twice in a row, and so were stored as failed and tried again

    def __str__(self) -> str:
        early = sum(stored == 0 for stored in self.stored_at_kill)
        return (
            f"torture of the {self.target}: {self.kills} kills, {early} of them before anything was stored, in "
            f"{self.rounds} studies of {self.cells} cells with {self.launches} starts; {self.crashes} cells were hit "
            "twice; all scores and predictions equal those of an undisturbed run"
        )


def torture(kills: int, target: Target, seed: int, folder: Path, *, repeats: int = 30) -> Report:
    """Kill so many times, and check after every round that nothing is lost, doubled, different or left behind."""
    text = study_text(LEARNERS, folds=5, repeats=repeats)
    undisturbed = Place(folder / "undisturbed", text)
    done = undisturbed.run("-j", "2")
    assert done.code == _OK, done.err
    expected = content(undisturbed.store)
    report = Report(target, cells=len(expected))
    rng = random.Random(f"{target} {seed}")
    while report.kills < kills:
        report.rounds += 1
        place = Place(folder / f"round-{report.rounds}", text)
        try:
            _round(place, report, kills, rng)
            _check(place, expected, report)
        finally:
            place.kill_all()
    return report


def _round(place: Place, report: Report, kills: int, rng: random.Random) -> None:
    """One study, started again and again until it is finished."""
    for launch in range(kills + _MOST_LAUNCHES):
        retry = () if launch == 0 or report.target == "run" else ("--retry", "failed")
        process = place.start("run", "study.toml", "--quiet", "-j", "2", *retry)
        report.launches += 1
        if report.target == "run":
            _kill_the_run(process, place, report, kills, rng)
        else:
            _kill_what_it_started(process, place, report, kills, rng)
        code = said(process).code
        until(lambda: not place.processes(), f"the end of {place.processes()}")
        if code == _OK:
            return
        allowed = _KILLED if report.target == "run" else _SOME_FAILED
        assert code == allowed, f"exit code {code}"
    raise AssertionError(f"not finished after {launch + 1} starts")


def _kill_the_run(process: subprocess.Popen[str], place: Place, report: Report, kills: int, rng: random.Random) -> None:
    if report.kills >= kills:
        return
    if rng.random() < 0.7:  # otherwise at any moment from the very start, while it imports, reads and prepares
        before = set(place.scratch())
        _wait_for(process, lambda: set(place.scratch()) - before)
        _wait_for(process, place.workers)
    _sleep(process, rng.uniform(0.0, 1.5))
    if process.poll() is None:
        report.stored_at_kill.append(cells(place.store))
        process.send_signal(signal.SIGKILL)
        report.kills += 1


def _kill_what_it_started(
    process: subprocess.Popen[str], place: Place, report: Report, kills: int, rng: random.Random
) -> None:
    def victims() -> list[int]:
        if report.target == "worker":
            return place.workers()
        return [pid for pid, command in place.processes().items() if "multiprocessing.forkserver import" in command]

    while report.kills < kills and process.poll() is None:
        if rng.random() < 0.6:  # otherwise as soon as there is one, while it imports and loads
            goal = cells(place.store) + rng.randrange(1, 100)
            _wait_for(process, lambda goal=goal: [goal] if cells(place.store) >= goal else [])
        _sleep(process, rng.uniform(0.0, 0.5))
        found = _wait_for(process, victims)
        if not found:
            return
        stored = cells(place.store)
        try:
            os.kill(rng.choice(found), signal.SIGKILL)
        except ProcessLookupError:
            continue
        report.kills += 1
        report.stored_at_kill.append(stored)


def _wait_for(process: subprocess.Popen[str], condition: object) -> list[int]:
    """What the condition gives as soon as it gives something; nothing if the run ends before."""
    assert callable(condition)
    found = until(lambda: process.poll() is not None or condition(), "the run to get on")
    return [] if found is True else list(found)


def _sleep(process: subprocess.Popen[str], seconds: float) -> None:
    """As long as the run is there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        time.sleep(0.001)


def _check(place: Place, expected: dict[bytes, object], report: Report) -> None:
    found = content(place.store)
    assert found.keys() == expected.keys(), f"{len(expected.keys() - found.keys())} cells are lost"
    different = [key.hex() for key in expected if found[key] != expected[key]]
    assert not different, f"{len(different)} cells differ from an undisturbed run: {different[:3]}"
    for key, tries in attempts(place.store).items():
        counted = Counter(tries)
        assert counted.pop("ok") == 1, f"cell {key.hex()}: {tries}"
        assert report.target != "run" or not counted, f"cell {key.hex()} failed: {tries}"
        assert counted.keys() <= {"crash"}, f"cell {key.hex()}: {tries}"
        report.crashes += counted["crash"]
    assert rows(place.store, "PRAGMA integrity_check") == [("ok",)]
    assert rows(place.store, "PRAGMA foreign_key_check") == []
    left = sorted(path.name for path in place.temporary.iterdir())
    assert not left, f"left behind in the folder for temporary files: {left}"
