"""Programs in processes of their own, started in a moment: forked from a process that has imported what they need.

    program = start(["-m", "bakeoff", "run", "study.toml"], cwd=folder, env=os.environ)
    out, err = program.communicate(timeout=60)

An interpreter that imports numpy, pandas and scikit-learn takes a second or two to say anything, and tests start a
hundred of them. These have a number, a group, an environment, files and signals of their own, and whatever *they* start
is a fresh interpreter, but for the server of their workers, which is forked from them. What differs: they were not
interrupted while they imported, and what Python and its libraries read from the environment when they start
(OMP_NUM_THREADS, and PYTHONHASHSEED, which is that of workers) is that of this process, as it is in `/proc`.

This file is also the process that they are forked from.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import itertools
import json
import os
import select
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from math import inf
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

IMPORTED = (
    "pandas", "scipy.sparse", "scipy.special", "sklearn.base", "sklearn.dummy", "sklearn.model_selection",
    "sklearn.neighbors", "sklearn.pipeline", "sklearn.preprocessing", "bakeoff.cli.study", "bakeoff.results.scores",
    "bakeoff.study.run", "bakeoff.study.study", "sqlalchemy.dialects.sqlite",
)  # fmt: skip
_MOST = 1 << 20  # bytes of a request
_MOST_FILES = 4096


# --- in the tests -----------------------------------------------------------------------------------------------------


class Program:
    """A process that was started, with as much of `subprocess.Popen` as the tests use."""

    def __init__(self, arguments: Sequence[str], cwd: Path, env: Mapping[str, str], given: str) -> None:
        self.args, self.returncode = list(arguments), None
        request = json.dumps({"arguments": self.args, "cwd": str(cwd), "env": dict(env)}).encode()
        pipes = [os.pipe() for _ in range(3)]
        self._said, self._ended = [ours for ours, _ in pipes[:2]], pipes[2][0]
        with tempfile.TemporaryFile("w+", encoding="utf-8") as read, contextlib.closing(_to_the_server()) as server:
            read.write(given)
            read.seek(0)
            socket.send_fds(server, [request], [read.fileno(), *(theirs for _, theirs in pipes)])
            for _, theirs in pipes:
                os.close(theirs)
            self.pid = int(server.recv(64))

    returncode: int | None

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.wait(0.0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._ended], [], [], None if timeout is None else max(0.0, timeout))[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            self.returncode = int(os.read(self._ended, 64))
            os.close(self._ended)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """What it said, when all are gone that could say more: it, and whatever it started."""
        end, parts = time.monotonic() + (timeout or inf), dict.fromkeys(self._said, b"")
        while open_ones := self._said:
            ready, _, _ = select.select(open_ones, [], [], max(0.0, min(end - time.monotonic(), 3600)))
            if not ready:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            for pipe in ready:
                part = os.read(pipe, 1 << 16)
                parts[pipe] += part
                if not part:
                    os.close(pipe)
                    self._said = [each for each in self._said if each != pipe]
        self.wait(end - time.monotonic() if timeout else None)
        out, err = (part.decode() for part in parts.values())
        return out, err

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Program:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.wait()
        for pipe in self._said:
            os.close(pipe)
        self._said = []


def start(arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str], given: str = "") -> Program:
    """Start what `python ARGUMENTS` would: `-m MODULE …`, `-c CODE …`, `SCRIPT …`, or nothing and the code is given."""
    return Program(arguments, cwd, env, given)


def _to_the_server() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        socket.send_fds(_server(os.getpid()), [b"x"], [theirs.fileno()])
    return ours


@cache
def _server(_process: int) -> socket.socket:
    """The process that programs are forked from, started when it is first needed; it ends with the tests."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        # One thread, so that nothing is lost by a fork.
        single = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
        command = [sys.executable, __file__, str(theirs.fileno())]
        process = subprocess.Popen(command, env=single, pass_fds=[theirs.fileno()], process_group=0)

    def end() -> None:
        ours.close()
        process.wait(60)

    atexit.register(end)
    return ours


# --- in the server ----------------------------------------------------------------------------------------------------


def serve(requests: socket.socket) -> dict[str, Any] | None:
    """Fork whenever somebody asks: returns in each of the forks, with what is to be run, and None at the end."""
    waiting = selectors.DefaultSelector()
    waiting.register(requests, selectors.EVENT_READ)
    while True:
        for key, _ in waiting.select():
            if key.fileobj is not requests:
                _tell(key, waiting)
                continue
            message, files, _, _ = socket.recv_fds(requests, 1, 1)
            if not message:
                return None
            with socket.socket(fileno=files[0]) as asking:
                text, files, _, _ = socket.recv_fds(asking, _MOST, 4)
                request: dict[str, Any] = json.loads(text)
                if not (pid := os.fork()):
                    os.setpgid(0, 0)
                    for number, file in enumerate(files[:3]):
                        os.dup2(file, number)
                    for file in (*files, requests.detach(), waiting.fileno()):
                        os.close(file)
                    return request
                with contextlib.suppress(PermissionError, ProcessLookupError):  # whoever comes first
                    os.setpgid(pid, pid)
                for file in files[:3]:
                    os.close(file)
                waiting.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, files[3]))
                asking.send(str(pid).encode())


def _tell(key: selectors.SelectorKey, waiting: selectors.BaseSelector) -> None:
    """A program has ended: how."""
    pid, told = key.data
    _, status = os.waitpid(pid, 0)
    waiting.unregister(key.fileobj)
    os.close(key.fd)
    with contextlib.suppress(BrokenPipeError):
        os.write(told, str(os.waitstatus_to_exitcode(status)).encode())
    os.close(told)


def run(request: dict[str, Any]) -> None:
    """Be the program that is asked for, as if the interpreter had just been started."""
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    tempfile.tempdir = None
    # Whether they can be sought in, and more, was asked when the server was started.
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    signal.signal(signal.SIGINT, signal.default_int_handler)
    fork_servers_of_workers()
    kind, *rest = request["arguments"] or [""]
    main = ModuleType("__main__")
    sys.modules["__main__"] = main
    if kind == "-m":
        import runpy

        sys.argv, sys.path[0] = rest, os.getcwd()
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        return
    sys.argv, sys.path[0] = [kind, *rest], ""
    if kind == "-c":
        sys.argv = ["-c", *rest[1:]]
        code = compile(rest[0], "<string>", "exec", dont_inherit=True)
    elif kind:
        main.__file__, sys.path[0] = kind, str(Path(kind).absolute().parent)
        code = compile(Path(kind).read_text("utf-8"), kind, "exec", dont_inherit=True)
    else:
        code = compile(sys.stdin.read(), "<stdin>", "exec", dont_inherit=True)
    exec(code, main.__dict__)


def fork_servers_of_workers() -> None:
    """Have the standard library fork them from this program, in place of an interpreter that imports it all again."""
    from multiprocessing import util

    fresh = util.spawnv_passfds

    def start_server(path: bytes, arguments: list[str], passed: Sequence[int]) -> int:
        code = arguments[-1]
        if "forkserver" not in code:
            return fresh(path, arguments, passed)
        if pid := os.fork():
            return pid
        # Nothing of the program is to end here, nor what it holds to be let go, whose numbers are soon those of others.
        atexit._clear()
        gc.freeze()
        kept = sorted({0, 1, 2, *passed})
        for before, after in itertools.pairwise([*kept, _MOST_FILES]):
            os.closerange(before + 1, after)
        try:
            exec(code, {"__name__": "__main__"})
        finally:
            atexit._run_exitfuncs()
            os._exit(0)

    util.spawnv_passfds = start_server  # type: ignore[assignment]


def warm() -> None:
    """Import what programs need."""
    from importlib import import_module

    for name in IMPORTED:
        import_module(name)
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    given = int(sys.argv[1])
    warm()
    if (asked := serve(socket.socket(fileno=given))) is not None:
        run(asked)
