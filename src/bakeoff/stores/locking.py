"""One writer a store: a lock file beside it, which the kernel lets go of however the writer ends."""

from __future__ import annotations

import fcntl
import json
import os
import socket
from datetime import UTC, datetime
from pathlib import Path

from bakeoff.errors import InputError


class WriterLock:
    """Held from making to `release`. Readers do not ask for it.

    The lock is on the open file, not in its content: that only tells who holds it. It does not pass to programs that
    are started meanwhile, so a worker that outlives its coordinator locks nobody out.
    """

    def __init__(self, store: Path) -> None:
        self.path = store.with_name(store.name + ".lock")
        self._descriptor = -1
        try:
            self._descriptor = _acquire(self.path, store)
            content = json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "started": _now()})
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, content.encode(), 0)
        except OSError as error:
            self.release()
            raise InputError(
                f"The store cannot be opened for writing: its lock file {self.path.name} cannot be written "
                f"({error.strerror}). Choose a folder that you may write to and that has room.",
                source=str(store),
            ) from error

    def release(self) -> None:
        if self._descriptor >= 0:
            # Removed while it is still held: whoever waits for this file finds that it is no longer the one beside the
            # store, and asks again.
            self.path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1


def _acquire(path: Path, store: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 1000, 0)
            os.close(descriptor)
            raise InputError(
                f"Another run is writing to this store: {_in_words(holder)}. Wait until it has ended, or stop it; "
                "what it has finished is kept.",
                source=str(store),
            ) from None
        if _is_still_at(descriptor, path):
            return descriptor
        os.close(descriptor)


def _is_still_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _in_words(holder: bytes) -> str:
    try:
        told = json.loads(holder)
        where = "" if told["host"] == socket.gethostname() else f" on {told['host']}"
        return f"process {told['pid']}{where}, started {told['started']}"
    except (ValueError, KeyError, TypeError):  # it has taken the lock and not said yet who it is
        return "a process that has just started"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
