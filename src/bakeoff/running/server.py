"""The server that workers are forked from, on systems that can fork: a process that has imported what they need and
nothing else. A fork of the coordinator would inherit its threads' locks, and a fresh interpreter costs seconds.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from multiprocessing import connection, forkserver, util
from multiprocessing.context import ForkServerContext, ForkServerProcess
from multiprocessing.popen_forkserver import Popen
from typing import Any

from bakeoff.running.processes import LIVE, SCRATCH, environment_with, place_for_sockets, without_main

_LAUNCHING = threading.Lock()
_OWNER: list[int] = []  # the process that has started the server which the standard library knows of
_FIRST, _LAST = ("bakeoff.running.worker", "bakeoff.tasks.task"), "bakeoff.running.preloaded"


class ServerContext(ForkServerContext):
    """A context whose server is running, in the environment of a run."""

    def __init__(self, settings: dict[str, str], preload: Iterable[str] = ()) -> None:
        super().__init__()
        self.settings = settings
        _disown_inherited()
        self.set_forkserver_preload([*_FIRST, *preload, _LAST])
        # Before the first worker asks for one: it takes a while to import what they need.
        with _server_as(settings):
            forkserver.ensure_running()

    def Process(self, *arguments: Any, **options: Any) -> _Process:  # type: ignore[override]  # noqa: N802
        process = _Process(*arguments, **options)
        process.server_environment = self.settings
        return process


def _disown_inherited() -> None:
    """In a process that was forked from a coordinator, as pools of processes are: its server and its workers are not
    ours. The standard library would take the server for a child that has ended, and for its own."""
    known: Any = forkserver._forkserver
    if _OWNER and _OWNER[0] != os.getpid():
        known._forkserver_pid = known._forkserver_fd = known._forkserver_alive_fd = known._forkserver_address = None
        LIVE.clear()
    _OWNER[:] = [os.getpid()]


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
    and by one thread at a time, because it changes what all of them see.
    """
    with _LAUNCHING, environment_with(settings), _short_addresses():
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
