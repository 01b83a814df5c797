"""A real Dask cluster on loopback: a scheduler and workers, each a program with a working directory of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

ENVIRONMENT = {
    "DASK_DISTRIBUTED__ADMIN__TICK__LIMIT": "60s",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "10",
    "DASK_DISTRIBUTED__DASHBOARD__LINK": "",
    # Fifty times a second each of them would look at itself: more work than all studies of a test.
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}


class Cluster:
    """`workers` at the beginning; more can be added, and each can be killed or stopped. One that is silent for so many
    seconds is given up: few only where that is tested, for any of them may stand still on a busy machine."""

    def __init__(self, folder: Path, workers: int = 2, silence: int = 120) -> None:
        self.folder, self.programs, self.started = folder, {}, 0
        self.silence = {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": f"{silence}s"}
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.start_scheduler()
        for _ in range(workers):
            self.add_worker()

    def _start(self, name: str, *command: str) -> None:
        home = self.folder / name
        home.mkdir(exist_ok=True)
        environment = {**os.environ, **ENVIRONMENT, **self.silence, "PYTHONPATH": os.pathsep.join(sys.path)}
        environment["BAKEOFF_CLUSTER"] = str(self.folder)  # by which all that comes of it is found again
        log = (home / "log").open("ab")
        self.programs[name] = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + command[0], *command[1:]],
            cwd=home, env=environment, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        log.close()

    def start_scheduler(self) -> None:
        self._start("scheduler", "scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.1)
        raise AssertionError((self.folder / "scheduler" / "log").read_text("utf-8"))

    def add_worker(self, *, nanny: bool = False) -> str:
        self.started += 1
        name = f"worker{self.started}"
        choice = "--nanny" if nanny else "--no-nanny"
        self._start(name, "worker", self.address, choice, "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1")
        return name

    def signal(self, name: str, number: int = signal.SIGKILL) -> None:
        os.killpg(self.programs[name].pid, number)

    def kill(self, name: str) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.signal(name)
        self.programs.pop(name).wait()

    def restart_scheduler(self) -> None:
        self.kill("scheduler")
        self.start_scheduler()

    def end(self) -> None:
        for name in list(self.programs):
            with contextlib.suppress(ProcessLookupError):
                self.signal(name, signal.SIGCONT)
                self.signal(name)
            self.programs.pop(name).wait()
