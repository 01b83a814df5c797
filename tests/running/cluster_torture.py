"""Torture beyond one machine: two coordinators share a study on a PostgreSQL server and a Dask cluster, and whoever the
dice choose is killed: a coordinator, a worker, a process that fits learners for it, the scheduler, the server or one of
its backends. All of them are started again, as an administrator would, and nothing else is done to help.

Results must be those of an undisturbed run on one machine: no cell is lost, done twice, failed or different.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from clusters import Cluster
from postgres import PostgresServer
from proofs import Place, attempts, content, said, until
from torture import AIMED, MOMENTS, undisturbed

KINDS = {"coordinator": 6, "worker": 5, "fitting process": 3, "scheduler": 3, "server": 3, "backend": 2}  # shares
COORDINATORS = 2
# Whoever is killed should be missed soon; otherwise most of the time would be spent waiting.
PROGRAM = "from bakeoff.store import postgresql\npostgresql.SILENCE, postgresql._BEAT = 3.0, 0.5\n" + MOMENTS
AT_ONCE = 0.25  # how often the next kill comes before the last one is got over
PATIENCE = 180.0
# What a coordinator may say that finds no server when it begins: whoever starts it again is served.
REFUSALS = ("The server cannot be reached", "No scheduler of Dask answers", "has no workers")
_OK, _REFUSED, _KILLED = 0, 2, -signal.SIGKILL


@dataclass
class Report:
    """Who was killed, and what it took to finish nevertheless."""

    kills: Counter[str] = field(default_factory=Counter)
    hits: int = 0  # while a coordinator was in the middle of a transaction
    studies: int = 0
    cells: int = 0
    launches: int = 0
    refusals: int = 0

    def __str__(self) -> str:
        who = ", ".join(f"{number} × {kind}" for kind, number in sorted(self.kills.items()))
        return (
            f"torture of a cluster: {self.kills.total()} kills ({who}), {self.hits} of them while cells were written, "
            f"in {self.studies} studies of {self.cells} cells with {self.launches} starts of coordinators, of which "
            f"{self.refusals} found no server; no cell failed, and all scores and predictions equal those of an "
            "undisturbed run on one machine"
        )


def torture_cluster(kills: int, seed: int, folder: Path, *, repeats: int = 30) -> Report:
    """Kill so many times, and check after every study that nothing is lost, doubled or different."""
    text, expected = undisturbed(repeats)
    report, rng = Report(cells=len(expected)), random.Random(f"cluster {seed}")
    with _running(folder) as (cluster, server):
        while report.kills.total() < kills:
            report.studies += 1
            place = Place(folder / f"study-{report.studies}", text)
            place.program = ["-c", PROGRAM]
            table = _Tormented(place, cluster, server, server.new_database(), report, rng)
            try:
                table.go(kills)
                _check(place, table.store, expected)
            finally:
                place.kill_all()
    until(lambda: not _left_behind(folder), f"the end of {_left_behind(folder)}")
    return report


@contextlib.contextmanager
def _running(folder: Path) -> Iterator[tuple[Cluster, PostgresServer]]:
    server = PostgresServer()
    cluster = Cluster(folder)
    try:
        yield cluster, server
    finally:
        cluster.end()
        server.end()


class _Tormented:
    """One study, its coordinators, and those who serve them."""

    def __init__(
        self, place: Place, cluster: Cluster, server: PostgresServer, store: str, report: Report, rng: random.Random
    ) -> None:
        self.place, self.cluster, self.server, self.store = place, cluster, server, store
        self.report, self.rng = report, rng
        self.coordinators: dict[int, subprocess.Popen[str]] = {}
        self.finished: set[int] = set()

    def go(self, kills: int) -> None:
        stored = 0
        while self._tend():
            if self.report.kills.total() >= kills:
                time.sleep(0.05)
                continue
            if self.rng.random() >= AT_ONCE:
                stored = self._wait_for_progress(stored)
            if self._tend():
                self._wait_for_a_moment()
                self._kill()

    # Keeping everybody alive

    def _tend(self) -> bool:
        """Start again who is gone; False when all coordinators have finished."""
        for name, program in list(self.cluster.programs.items()):
            if name.startswith("worker") and program.poll() is not None:
                self.cluster.kill(name)
                self.cluster.add_worker()
        for number in range(COORDINATORS):
            process = self.coordinators.get(number)
            if number in self.finished or (process is not None and process.poll() is None):
                continue
            if process is None or self._ended(number, process):
                self._start(number)
        return len(self.finished) < COORDINATORS

    def _start(self, number: int) -> None:
        mark = self._mark(number)
        mark.unlink(missing_ok=True)
        addresses = ("--engine", self.cluster.address, "--store", self.store)
        self.coordinators[number] = self.place.start("run", "study.toml", "--quiet", *addresses, WRITING=str(mark))
        self.report.launches += 1

    def _ended(self, number: int, process: subprocess.Popen[str]) -> bool:
        """Whether a coordinator is to be started again."""
        done = said(process)
        if done.code == _OK:
            self.finished.add(number)
            return False
        if done.code == _REFUSED:
            assert any(sentence in done.err for sentence in REFUSALS), done.err
            self.report.refusals += 1
            time.sleep(0.5)
        else:
            assert done.code == _KILLED, f"{done.code}: {done.err}{self._failures()}"
        return True

    def _failures(self) -> str:
        """Why cells failed, if any did."""
        self.place.program = ["-m", "bakeoff"]
        return self.place.bakeoff("failures", "study.toml", "--store", self.store).out

    def _mark(self, number: int) -> Path:
        return self.place.folder / f"writing-{number}"

    def _is_writing(self) -> bool:
        return any(self._mark(number).exists() for number in self.coordinators)

    # Moments

    def _stored(self) -> int:
        with contextlib.suppress(Exception):  # not there yet, or not there now
            return int(str(self.server.sql("SELECT count(*) FROM bakeoff.cell", self.store.rpartition("/")[2])[0][0]))
        return 0

    def _wait_for_progress(self, stored: int) -> int:
        """Until more is stored than before, or all is done."""
        end = time.monotonic() + PATIENCE
        while self._tend():
            if (now := self._stored()) > stored:
                return now
            assert time.monotonic() < end, f"{stored} cells are stored, and no more come"
            time.sleep(0.05)
        return stored

    def _wait_for_a_moment(self) -> None:
        if self.rng.random() >= AIMED:
            time.sleep(self.rng.uniform(0.0, 2.0))
            return
        end = time.monotonic() + 5.0
        while time.monotonic() < end and not self._is_writing():
            time.sleep(0.0005)
        time.sleep(self.rng.uniform(0.0, 0.008))

    # Killing

    def _kill(self) -> None:
        kind = self.rng.choices(list(KINDS), list(KINDS.values()))[0]
        found = self._victims(kind)
        if not found:
            return
        try:
            os.kill(self.rng.choice(found), signal.SIGKILL)
        except ProcessLookupError:
            return
        self.report.hits += self._is_writing()
        self.report.kills[kind] += 1
        if kind == "scheduler":
            self.cluster.restart_scheduler()
        elif kind == "server":
            self.server.start_after_kill()

    def _victims(self, kind: str) -> list[int]:
        programs = self.cluster.programs
        workers = [program.pid for name, program in programs.items() if name.startswith("worker")]
        if kind == "coordinator":
            return [process.pid for process in self.coordinators.values() if process.poll() is None]
        if kind == "worker":
            return workers
        if kind == "scheduler":
            return [programs["scheduler"].pid]
        with contextlib.suppress(psutil.Error):
            if kind == "fitting process":
                return [child.pid for pid in workers for child in psutil.Process(pid).children(recursive=True)]
            postmaster = self.server.pid
            return [postmaster] if kind == "server" else [c.pid for c in psutil.Process(postmaster).children()]
        return []


def _check(place: Place, store: str, expected: dict[bytes, Any]) -> None:
    """Brought into a file, it is what a run on one machine would have made of it."""
    place.program = ["-m", "bakeoff"]
    done = place.bakeoff("merge", store, "-o", str(place.store))
    assert done.code == _OK, done.err
    found = content(place.store)
    assert found.keys() == expected.keys(), f"{len(expected.keys() - found.keys())} cells are lost"
    different = [key.hex() for key in expected if found[key] != expected[key]]
    assert not different, f"{len(different)} cells differ from an undisturbed run: {different[:3]}"
    tries = Counter(tuple(each) for each in attempts(place.store).values())
    assert set(tries) == {("ok",)}, f"what was killed from outside is no failure of a learner: {tries}"


def _left_behind(folder: Path) -> list[str]:
    """Processes that came of the cluster and are still there."""
    found = []
    for process in psutil.process_iter(["pid", "cmdline"]):
        with contextlib.suppress(psutil.Error):
            if process.environ().get("BAKEOFF_CLUSTER") == str(folder) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(" ".join(process.info["cmdline"] or [])[:80])
    return found
