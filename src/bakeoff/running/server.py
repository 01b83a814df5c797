"""The server that workers are forked from: how it is started, and started again if somebody kills it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from functools import cache
from multiprocessing import connection, forkserver, util
from typing import Any

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
    made = tempfile.mkdtemp(prefix=f"{SCRATCH}{coordinator}-", dir=place_for_sockets())
    util.Finalize(None, shutil.rmtree, args=(made, True), exitpriority=-100)
    return made


def place_for_sockets() -> str:
    """Where temporary files go, unless its path is too long."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) + _ROOM <= _LONGEST_PATH else "/tmp"
