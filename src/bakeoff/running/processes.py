"""Worker processes: how they are started, pinned, limited and cleaned up after.

Workers are forked from a server process that has imported what they need and nothing else: a fork of the coordinator
would inherit its threads' locks. Unlike the standard library's, they do not import the user's script again, so that a
script needs no `if __name__ == "__main__"`; what it defines is sent by value.
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import multiprocessing.spawn
import os
import signal
import tempfile
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext, ForkServerProcess
from multiprocessing.popen_forkserver import Popen
from pathlib import Path
from typing import Any

from bakeoff.running.server import COORDINATOR, server_as, start_server

# Read by the libraries when they are loaded: OpenMP, OpenBLAS, MKL, BLIS, Accelerate, numexpr, polars.
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "POLARS_MAX_THREADS",
)
_PRELOADED = ["bakeoff.running.worker", "bakeoff.running.preloaded"]
_PR_SET_PDEATHSIG = 1


class _Popen(Popen):
    def _launch(self, process_obj: Any) -> None:
        with server_as(process_obj.server_environment):
            standard = multiprocessing.spawn.get_preparation_data
            multiprocessing.spawn.get_preparation_data = _without_main
            try:
                super()._launch(process_obj)  # type: ignore[misc]
            finally:
                multiprocessing.spawn.get_preparation_data = standard


def _without_main(name: str, _standard: Any = multiprocessing.spawn.get_preparation_data) -> dict[str, Any]:
    made: dict[str, Any] = _standard(name)
    made.pop("init_main_from_name", None)
    made.pop("init_main_from_path", None)
    return made


class _Process(ForkServerProcess):
    server_environment: dict[str, str]

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802 (the name that multiprocessing calls)
        return _Popen(process_obj)


class Context(ForkServerContext):
    """The context that pebble starts workers with."""

    def __init__(self, server_environment: dict[str, str]) -> None:
        super().__init__()
        self.server_environment = server_environment

    def Process(self, *arguments: Any, **options: Any) -> _Process:  # type: ignore[override]  # noqa: N802
        made = _Process(*arguments, **options)
        made.server_environment = self.server_environment
        return made


def context(threads: int) -> Context:
    """A context whose server is running, with threads pinned and hashes of texts the same in every run."""
    settings = {**dict.fromkeys(_THREADS, str(threads)), "PYTHONHASHSEED": "0", COORDINATOR: str(os.getpid())}
    made = Context(settings)
    made.set_forkserver_preload(_PRELOADED)
    start_server(settings)
    return made


def become_worker(folder: Path, memory_limit: int | None, threads: int) -> int:
    """Make this process a worker: own group, dies with its parent, silent, limited. Returns where its output goes."""
    os.setpgid(0, 0)
    _let_the_server_end()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    (folder / f"worker-{os.getpid()}").touch()
    # Temporary files of learners and of the programs that they start go when the run goes, however it ends.
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    log = os.open(folder / f"log-{os.getpid()}", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    if memory_limit is not None:
        import resource

        # What the process allocates; its address space (RLIMIT_AS) would count what libraries only reserve.
        resource.setrlimit(resource.RLIMIT_DATA, (memory_limit, memory_limit))
    with contextlib.suppress(ImportError):
        from threadpoolctl import threadpool_limits

        threadpool_limits(threads)
    return log


def _let_the_server_end() -> None:
    """The server lives as long as anybody holds a certain pipe. Workers shall not: it is to end with the coordinator
    however that ends, and they end with it, even in the middle of a fit that takes for ever."""
    server: Any = forkserver._forkserver
    held, server._forkserver_alive_fd = server._forkserver_alive_fd, None
    if held is not None:
        os.close(held)


def kill_orphans(folder: Path, *, all_groups: bool = False) -> None:
    """Kill what dead workers left running: processes that a learner forked, commands that it started."""
    for mark in folder.glob("worker-*"):
        group = int(mark.name.removeprefix("worker-"))
        if all_groups or not _running(group):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
            mark.unlink(missing_ok=True)


def kill_stale(folder: Path, coordinator: int) -> None:
    """Kill what learners of a run that was itself killed left running.

    Numbers of processes are used again, so a group is touched only if its members say that they are of that run.
    """
    groups = {int(mark.name.removeprefix("worker-")) for mark in folder.glob("worker-*")}
    told = f"{COORDINATOR}={coordinator}".encode()
    for process in Path("/proc").glob("[0-9]*") if groups else ():
        with contextlib.suppress(OSError):
            if os.getpgid(int(process.name)) in groups and told in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)


def _running(pid: int) -> bool:
    """Whether a process is there and not just waiting to be collected."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
