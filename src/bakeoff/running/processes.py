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
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from multiprocessing import connection, forkserver, util
from multiprocessing.context import ForkServerContext, ForkServerProcess
from multiprocessing.popen_forkserver import Popen
from pathlib import Path
from types import FrameType
from typing import Any

# ----------------------------------------------------------------------------------------------------------------------
# The server that workers are forked from: how it is started, and started again if somebody kills it.


SCRATCH = "bakeoff-run-"  # then the number of the coordinator; folders of that name go when it is gone
COORDINATOR = "BAKEOFF_COORDINATOR"  # in the environment of all that a run starts: the process that started it
_LAUNCHING = threading.Lock()
_LONGEST_PATH = 100  # of a socket: systems allow 104 or 108 bytes
_ROOM = len("/bakeoff-run-12345678-12345678/listener-12345678")


@contextlib.contextmanager
def server_as(settings: dict[str, str]) -> Iterator[None]:
    """A server that is started meanwhile has these settings in its environment.

    Every start of a worker starts the server as well if it is found dead, so that none may be started outside of this;
    and by one thread at a time, because it changes what all of them see.
    """
    with _LAUNCHING, _environment(settings), _short_addresses():
        yield


def start_server(settings: dict[str, str]) -> None:
    """Have a server running before the first worker asks for one: it takes a while to import what they need."""
    with server_as(settings):
        forkserver.ensure_running()


@contextlib.contextmanager
def _environment(settings: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _short_addresses() -> Iterator[None]:
    """The standard library puts the socket where temporary files go, however long that path is, and where nobody
    removes it after a kill."""
    addresses: Any = connection
    standard = addresses.arbitrary_address
    addresses.arbitrary_address = _address
    try:
        yield
    finally:
        addresses.arbitrary_address = standard


def _address(family: str) -> str:
    return os.path.join(_folder(os.getpid()), f"listener-{os.urandom(4).hex()}")


@cache
def _folder(coordinator: int) -> str:
    """A private folder with a path short enough, removed at the end; after a kill by the next run."""
    folder = tempfile.mkdtemp(prefix=f"{SCRATCH}{coordinator}-", dir=place_for_sockets())
    util.Finalize(None, shutil.rmtree, args=(folder, True), exitpriority=-100)
    return folder


def place_for_sockets() -> str:
    """Where temporary files go, unless its path is too long."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) + _ROOM <= _LONGEST_PATH else "/tmp"


# ----------------------------------------------------------------------------------------------------------------------


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
    data: dict[str, Any] = _standard(name)
    data.pop("init_main_from_name", None)
    data.pop("init_main_from_path", None)
    return data


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
        process = _Process(*arguments, **options)
        process.server_environment = self.server_environment
        return process


def context(threads: int) -> Context:
    """A context whose server is running, with threads pinned and hashes of texts the same in every run."""
    settings = {**dict.fromkeys(_THREADS, str(threads)), "PYTHONHASHSEED": "0", COORDINATOR: str(os.getpid())}
    new = Context(settings)
    new.set_forkserver_preload(_PRELOADED)
    start_server(settings)
    return new


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
    marker = f"{COORDINATOR}={coordinator}".encode()
    for process in Path("/proc").glob("[0-9]*") if groups else ():
        with contextlib.suppress(OSError):
            if os.getpgid(int(process.name)) in groups and marker in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)


def _running(pid: int) -> bool:
    """Whether a process is there and not just waiting to be collected."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


# ----------------------------------------------------------------------------------------------------------------------
# Interrupts: Ctrl-C and SIGTERM, held back for as long as something must not be left half done.


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def sigint_deferred() -> Iterator[None]:
    """Signals that arrive meanwhile are delivered at the end; only the main thread gets any, so others change nothing.

    >>> try:
    ...     with sigint_deferred():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("finished")
    ... except KeyboardInterrupt:
    ...     print("interrupted")
    finished
    interrupted
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        arrived.append(number)

    before = {number: signal.signal(number, note) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
        for late in dict.fromkeys(arrived):
            signal.raise_signal(late)
