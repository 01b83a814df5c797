"""Worker processes: how they are started, pinned, limited and cleaned up after, on whatever system this is.

Unlike the standard library's, they do not import the user's script again, so that a script needs no
`if __name__ == "__main__"`; what it defines is sent by value.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import multiprocessing
import multiprocessing.context
import multiprocessing.spawn
import os
import platform
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import psutil

SCRATCH = "bakeoff-run-"  # then the number of the coordinator; folders of that name go when it is gone
COORDINATOR = "BAKEOFF_COORDINATOR"  # in the environment of all that a run starts: the process that started it
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
_HASHES = "PYTHONHASHSEED"
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_LONGEST_PATH = 100  # of a socket: systems allow 104 or 108 bytes
_ROOM = len("/bakeoff-run-12345678-12345678/listener-12345678")


def context(threads: int, preload: Iterable[str] = ()) -> Any:
    """What worker processes are started with: threads pinned, and hashes of texts the same in every run.

    They are forked from a server where the system can fork, which has imported the modules to `preload`; elsewhere each
    is an interpreter of its own.
    """
    settings = {**dict.fromkeys(_THREADS, str(threads)), _HASHES: "0", COORDINATOR: str(os.getpid())}
    if "forkserver" in multiprocessing.get_all_start_methods():
        from bakeoff.running.server import ServerContext

        return ServerContext(settings, preload)
    return SpawnContext(settings)


class SpawnContext(multiprocessing.context.SpawnContext):
    """Fresh interpreters, in the environment of a run."""

    def __init__(self, settings: dict[str, str]) -> None:
        super().__init__()
        self.settings = settings

    def Process(self, *arguments: Any, **options: Any) -> Any:  # type: ignore[override]  # noqa: N802
        process = _SpawnedProcess(*arguments, **options)
        process.settings = self.settings
        return process


class _SpawnedProcess(multiprocessing.context.SpawnProcess):
    settings: dict[str, str]

    def start(self) -> None:
        with environment_with(self.settings), without_main():
            super().start()


@contextmanager
def environment_with(settings: dict[str, str]) -> Iterator[None]:
    """What is started meanwhile has these settings in its environment."""
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


@contextmanager
def without_main() -> Iterator[None]:
    """Processes that are started meanwhile do not import the user's script again."""
    standard = multiprocessing.spawn.get_preparation_data

    def preparation(name: str) -> dict[str, Any]:
        data: dict[str, Any] = standard(name)
        data.pop("init_main_from_name", None)
        data.pop("init_main_from_path", None)
        return data

    multiprocessing.spawn.get_preparation_data = preparation
    try:
        yield
    finally:
        multiprocessing.spawn.get_preparation_data = standard


def place_for_sockets() -> str:
    """Where temporary files go, unless its path is too long."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) + _ROOM <= _LONGEST_PATH else "/tmp"


def become_worker(folder: Path, memory_limit: int | None, threads: int, environment: Mapping[str, str]) -> int:
    """Make this process a worker: own group, dies with its parent, silent, limited. Returns where its output goes."""
    _adopt(environment)
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    _heed_ctrl_c()
    _let_the_server_end()
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
    (folder / f"worker-{os.getpid()}").touch()
    # Temporary files of learners and of the programs that they start go when the run goes, however it ends.
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    log = os.open(_log(folder, os.getpid()), os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    if memory_limit is not None:
        with contextlib.suppress(ImportError, ValueError, OSError):
            import resource

            # What the process allocates; its address space (RLIMIT_AS) would count what libraries only reserve.
            resource.setrlimit(resource.RLIMIT_DATA, (memory_limit, memory_limit))
    # The server has done it once for all, unless it serves another run of this process as well.
    if "bakeoff.running.preloaded" not in sys.modules or os.environ.get(_THREADS[0]) != str(threads):
        os.environ.update(dict.fromkeys(_THREADS, str(threads)))
        with contextlib.suppress(ImportError):
            from threadpoolctl import threadpool_limits

            threadpool_limits(threads)
    _note_own_signals(folder)
    return log


def _adopt(environment: Mapping[str, str]) -> None:
    """Have the environment of whoever started the run: the server was perhaps started for an earlier one."""
    own = {name: value for name in (*_THREADS, _HASHES, COORDINATOR) if (value := os.environ.get(name)) is not None}
    os.environ.clear()
    os.environ.update({**environment, **own})


def _let_the_server_end() -> None:
    """The server lives as long as anybody holds a certain pipe. Workers shall not: it is to end with the coordinator
    however that ends, and they end with it, even in the middle of a fit that takes for ever."""
    server: Any = _server()
    held = getattr(server, "_forkserver_alive_fd", None)
    if held is not None:
        server._forkserver_alive_fd = None
        os.close(held)


def _server() -> Any:
    """The standard library's record of the server that workers are forked from; None where there is none."""
    return getattr(sys.modules.get("multiprocessing.forkserver"), "_forkserver", None)


def _prctl(option: int, value: int) -> None:
    """Ask Linux; other systems have nothing of the kind."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value)


def adopt_orphans() -> None:
    """Called in the server: what leaves the group of a worker, and is left by its parent, becomes a child of the server
    instead of going its own way; and nothing outlives the server."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    server = os.getpid()

    def end_all() -> None:
        if os.getpid() == server:  # workers are forked from it, and inherit what is done at exit
            _kill_children(server, sparing=())

    atexit.register(end_all)


# ----------------------------------------------------------------------------------------------------------------------
# What workers and learners do, seen from outside. psutil knows how to ask each system.


LIVE: set[int] = set()  # the workers of all engines in this process
_CALMED = 20  # times that children of killed processes are looked for
_TOO_LONG = 16_000_000  # bytes of output after which all but its beginning is thrown away
_KEPT = 1_000


def end(process: Any, folder: Path) -> None:
    """Kill a worker with all that came of it."""
    pid: int = process.pid
    _kill_tree(pid)
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    process.join(5)
    LIVE.discard(pid)
    end_strays()
    for name in (f"worker-{pid}", f"log-{pid}", f"head-{pid}", f"signal-{pid}"):
        (folder / name).unlink(missing_ok=True)


def end_strays(*, everywhere: bool = False) -> None:
    """Kill what learners left running: the children of the server that are no workers; on request also what says that
    it is of this process, wherever it stands, as long as no other run of this process is under way."""
    server = getattr(_server(), "_forkserver_pid", None)
    if server is not None:
        _kill_children(server, sparing=LIVE)
    if everywhere and not LIVE:
        for process in _of_run(os.getpid()):
            if process.ppid() != os.getpid():  # the server, and what the standard library keeps beside it
                _kill(process)


def kill_stale(coordinator: int) -> None:
    """Kill what learners of a run that was itself killed left running.

    Numbers of processes are used again, so one is touched only if it says that it is of that run.
    """
    for process in _of_run(coordinator):
        _kill(process)


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped and not told to go on."""
    with contextlib.suppress(psutil.Error):
        return bool(psutil.Process(pid).status() == psutil.STATUS_STOPPED)
    return False


def wake_server() -> None:
    """Let the server go on if somebody stopped it: whoever asks it for a worker would wait for ever."""
    server = getattr(_server(), "_forkserver_pid", None)
    if server is not None and is_stopped(server):
        with contextlib.suppress(OSError):
            os.kill(server, signal.SIGCONT)


def kills_for_lack_of_memory() -> int:
    """How many processes the system has killed because it had no memory left, as far as it tells."""
    for place in ("/sys/fs/cgroup/memory.events", "/proc/vmstat"):
        with contextlib.suppress(OSError, ValueError):
            lines = Path(place).read_text(encoding="ascii").splitlines()
            return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))
    return 0


def _log(folder: Path, pid: int) -> Path:
    return folder / f"log-{pid}"


def cut_log(folder: Path, pid: int) -> None:
    """Throw away what a worker has printed if it is too much; how it began is kept."""
    path = _log(folder, pid)
    with contextlib.suppress(OSError):
        if path.stat().st_size > _TOO_LONG:
            head = folder / f"head-{pid}"
            if not head.exists():
                with path.open("rb") as log:
                    head.write_bytes(log.read(_KEPT))
            os.truncate(path, 0)


def cut_head(folder: Path, pid: int) -> tuple[bytes, bool]:
    """How the output of a worker began that was cut, and whether it was."""
    try:
        return (folder / f"head-{pid}").read_bytes(), True
    except OSError:
        return b"", False


def _note_own_signals(folder: Path) -> None:
    """Have it written down if code in this process, or in one forked from it, sends a signal to the worker: what comes
    from outside is no fault of the learner. (An audit hook would be told of a thousand other things in every fit.)"""
    worker = os.getpid()

    def noting(send: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(send)
        def noted(*arguments: int) -> None:
            whom, number = arguments if len(arguments) == 2 else (os.getpid(), *arguments)
            if number and whom in (worker, 0, -worker):
                (folder / f"signal-{worker}").write_text(str(int(number)))
            send(*arguments)

        return noted

    os.kill, signal.raise_signal = noting(os.kill), noting(signal.raise_signal)
    if hasattr(os, "killpg"):
        os.killpg = noting(os.killpg)


def own_signal(folder: Path, pid: int) -> str | None:
    """The name of the signal that a worker, or a process forked from it, has sent to itself."""
    try:
        return signal.Signals(int((folder / f"signal-{pid}").read_text())).name
    except (OSError, ValueError):
        return None


def _kill_tree(pid: int) -> None:
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        for each in [*process.children(recursive=True), process]:
            _kill(each)


def _kill_children(parent: int, sparing: Collection[int]) -> None:
    """Kill the children of a process but for some, and then those that come to it because their parents are gone."""
    for _ in range(_CALMED):
        strays = [child for child in _children(parent) if child not in sparing]
        if not strays:
            return
        for child in strays:
            _kill_tree(child)
        time.sleep(0.002)


def _children(pid: int) -> list[int]:
    """The children of a process that have not ended: from Linux itself, which is a hundred times as quick."""
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (OSError, ValueError):
        try:
            children = [child.pid for child in psutil.Process(pid).children()]
        except psutil.Error:
            return []
    return [child for child in children if _running(child)]


def _of_run(coordinator: int) -> Iterator[psutil.Process]:
    """The processes that say that they are of a run."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get(COORDINATOR) == str(coordinator):
                yield process


def _kill(process: psutil.Process) -> None:
    with contextlib.suppress(psutil.Error):
        process.kill()


def _running(pid: int) -> bool:
    """Whether a process is there and not just waiting to be collected."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def missing_limits(memory_limit: int | None) -> str:
    """What this system cannot give to a run, in a sentence; empty if it gives everything."""
    if sys.platform.startswith("linux"):
        return ""
    lacking = ["processes that a learner lets loose may outlive the run"]
    if memory_limit is not None:
        lacking.insert(0, "memory_limit is not heeded")
    return f"On {platform.system()} {' and '.join(lacking)}: the system has no means for it."


# ----------------------------------------------------------------------------------------------------------------------
# Interrupts: Ctrl-C and SIGTERM, held back for as long as something must not be left half done.


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def ctrl_c_blocked() -> Iterator[None]:
    """A Ctrl-C that arrives meanwhile is delivered at the end; to what is started meanwhile, when it says so."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_ctrl_c() -> None:
    """Called in what was started while it was blocked: the server imports for a second, and would say where it was."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))


def _heed_ctrl_c() -> None:
    """Called in a worker, which has left the terminal's group: learners and their programs find it as it usually is."""
    if hasattr(signal, "pthread_sigmask"):  # elsewhere nothing was blocked
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))


@contextmanager
def sigint_deferred() -> Iterator[None]:
    """Signals that arrive meanwhile are delivered at the end; only the main thread gets any, so others change nothing.

    >>> before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored, as in the background
    >>> try:
    ...     with sigint_deferred():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("finished")
    ... except KeyboardInterrupt:
    ...     print("interrupted")
    finished
    interrupted
    >>> _ = signal.signal(signal.SIGINT, before)
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
