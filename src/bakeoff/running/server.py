"""The server that workers are forked from, on systems that can fork: a process that has imported what they need and
nothing else. A fork of the coordinator would inherit its threads' locks, and a fresh interpreter costs seconds.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import connection, forkserver, resource_tracker, util
from multiprocessing.context import ForkServerContext, ForkServerProcess
from multiprocessing.popen_forkserver import Popen
from typing import Any

from bakeoff.running.processes import (
    LIVE,
    SCRATCH,
    ctrl_c_blocked,
    end_strays,
    environment_with,
    place_for_sockets,
    without_main,
)

_LAUNCHING = threading.Lock()
_OWNER: list[int] = []  # the process that has started the server which the standard library knows of
MODULES: set[str] = set()  # that the server imports for the studies which were run here so far
_FIRST, _LAST = ("bakeoff.running.worker", "bakeoff.tasks.task"), "bakeoff.running.preloaded"


class ServerContext(ForkServerContext):
    """A context whose server is running, in the environment of a run."""

    def __init__(self, settings: dict[str, str], preload: Iterable[str] = ()) -> None:
        super().__init__()
        self.settings = settings
        _disown_inherited()
        # Before the first worker asks for one: it takes a while to import what they need.
        with _server_as(settings):
            self._preload(set(preload))
            forkserver.ensure_running()

    def _preload(self, modules: set[str]) -> None:
        """End the server of an earlier study of this process if it lacks some of them: each worker would import them
        for itself."""
        lacking = modules - MODULES
        MODULES.update(lacking)
        self.set_forkserver_preload([*_FIRST, *sorted(MODULES), _LAST])
        if lacking and not LIVE:  # workers of another run would end with it
            _end()

    def Process(self, *arguments: Any, **options: Any) -> _Process:  # type: ignore[override]  # noqa: N802
        process = _Process(*arguments, **options)
        process.server_environment = self.settings
        return process


def _disown_inherited() -> None:
    """In a process that was forked from a coordinator, as pools of processes are: its server and its workers are not
    ours. The standard library would take the server for a child that has ended, and for its own."""
    if _OWNER and _OWNER[0] != os.getpid():
        _forget()
        LIVE.clear()
    _OWNER[:] = [os.getpid()]


def _forget() -> None:
    known: Any = forkserver._forkserver
    known._forkserver_pid = known._forkserver_alive_fd = known._forkserver_address = None


def _end() -> None:
    """End the server, if there is one, whatever state it is in."""
    known: Any = forkserver._forkserver
    if known._forkserver_pid is None:
        return
    end_strays()
    for step in (
        lambda: os.kill(known._forkserver_pid, signal.SIGKILL),
        lambda: os.waitpid(known._forkserver_pid, 0),
        lambda: os.close(known._forkserver_alive_fd),
        lambda: os.unlink(known._forkserver_address),
    ):
        with suppress(OSError):
            step()
    _forget()


class _Process(ForkServerProcess):
    server_environment: dict[str, str]

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802 (the name that multiprocessing calls)
        return _Popen(process_obj)


class _Popen(Popen):
    def _launch(self, process_obj: Any) -> None:
        with _server_as(process_obj.server_environment), without_main():
            super()._launch(process_obj)  # type: ignore[misc]


@contextmanager
def _server_as(settings: dict[str, str]) -> Iterator[None]:
    """A server that is started meanwhile has these settings in its environment.

    Every start of a worker starts the server as well if it is found dead, so that none may be started outside of this;
    and by one thread at a time, because it changes what all of them see. A Ctrl-C at the terminal is for the
    coordinator: what is started here inherits that it waits, and ignores it before it lets it in.
    """
    with _LAUNCHING, environment_with(settings), _short_addresses():
        resource_tracker.ensure_running()  # with the server, if not before: its start lets Ctrl-C in again
        with ctrl_c_blocked():
            yield


@contextmanager
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
