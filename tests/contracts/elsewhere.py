"""As if this were a system without what Linux has: modules, calls and folders are blocked.

A plugin of pytest (`-p elsewhere`), or imported first by a script. Interpreters that are started meanwhile are not
blocked: what a worker is on another system cannot be had here, what the coordinator does can.
"""

from __future__ import annotations

import builtins
import ctypes
import io
import multiprocessing
import os
import subprocess  # noqa: F401 (it takes a system that has msvcrt for Windows)
import sys
import types
from typing import Any

import psutil  # noqa: F401 (it stands for the one of the other system)

MODULES = ("fcntl", "resource", "multiprocessing.forkserver", "multiprocessing.popen_forkserver")
CALLS = (
    *("fork", "forkpty", "setpgid", "getpgid", "killpg", "setsid", "pread", "pwrite", "sysconf"),
    *("lockf", "waitid", "posix_spawn", "sched_getaffinity"),
)
FOLDERS = ("/proc", "/sys")
# Who knows its system, and may ask for it.
OF_OTHERS = ("psutil", "subprocess", "multiprocessing", "threadpoolctl", "joblib", "_pytest")

_lockf = os.lockf


class _Blocker:
    """A finder of modules that finds some of them not to be there."""

    def find_spec(self, name: str, *_: object) -> None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}: blocked", name=name)


def _asked_by_others() -> bool:
    frame = sys._getframe(2)
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] in OF_OTHERS:
            return True
        frame = frame.f_back
    return False


def _guarded(function: Any) -> Any:
    def guard(path: Any, *arguments: Any, **options: Any) -> Any:
        text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else ""
        if str(text).startswith(FOLDERS) and not _asked_by_others():
            raise FileNotFoundError(2, "No such file or directory: blocked", text)
        return function(path, *arguments, **options)

    return guard


def _no_library(name: Any, *arguments: Any, **options: Any) -> Any:
    if name is None and not _asked_by_others():
        raise OSError("blocked")
    return _library(name, *arguments, **options)


def _locking(descriptor: int, mode: int, length: int) -> None:
    """What Windows has instead of fcntl, as far as a store uses it."""
    _lockf(descriptor, os.F_TLOCK, length)


_library = ctypes.CDLL


def block() -> None:
    """Take away what other systems do not have."""
    for name in MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, _Blocker())  # type: ignore[arg-type]
    for name in CALLS:
        if hasattr(os, name):
            delattr(os, name)
    builtins.open = io.open = _guarded(builtins.open)
    os.open = _guarded(os.open)
    ctypes.CDLL = _no_library  # type: ignore[assignment,misc]
    multiprocessing.get_all_start_methods = lambda: ["spawn"]  # type: ignore[method-assign]
    windows = types.ModuleType("msvcrt")
    windows.locking, windows.LK_NBLCK = _locking, 2  # type: ignore[attr-defined]
    sys.modules["msvcrt"] = windows


_may_start = False


def pytest_configure() -> None:
    """Whoever would start a worker is left out: it imports everything anew, which takes two seconds each time."""
    from multiprocessing.popen_spawn_posix import Popen

    import pytest

    start = Popen.__init__

    def start_or_skip(*arguments: Any) -> None:
        if not _may_start:
            pytest.skip("a worker is started")
        start(*arguments)

    Popen.__init__ = start_or_skip  # type: ignore[method-assign]


def pytest_fixture_setup(fixturedef: Any) -> None:
    """The study that all tests share is run, once, so that they can plan, read and judge what is stored."""
    global _may_start  # noqa: PLW0603
    _may_start = fixturedef.argname == "finished_study"


def pytest_runtest_call() -> None:
    global _may_start  # noqa: PLW0603
    _may_start = False


# Collecting doctests imports every module of the tests: only a process that is meant to be blocked is.
if os.environ.get("BAKEOFF_ELSEWHERE"):
    block()
