"""Scratch: the private folder by which the coordinator hands data to its workers, and they hand large results back.

Everything in it is written and read by one run of one user, and removed with it. A run that was killed cannot remove
its folder; the next one does.
"""

from __future__ import annotations

import io
import os
import pickle
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import psutil

from bakeoff.errors import InputError, UsageError
from bakeoff.running.processes import SCRATCH, kill_stale, place_for_sockets


class Scratch:
    """A folder only this user can read, for the length of a run."""

    def __init__(self) -> None:
        try:
            remove_stale()
            self.folder = Path(tempfile.mkdtemp(prefix=f"{SCRATCH}{os.getpid()}-"))
        except OSError as error:
            raise no_room(error) from error

    def put(self, name: str, content: Any) -> None:
        """Hand something to the workers. Functions and classes of a script or notebook are sent by value."""
        data = _by_value(content)
        try:
            (self.folder / name).write_bytes(data)
        except OSError as error:
            raise no_room(error) from error

    def put_each(self, name: str, contents: Iterable[Any]) -> None:
        """Several things, each of which is unpacked by itself: one that cannot be costs nobody else."""
        packed = []
        for content in contents:
            try:
                packed.append(_by_value(content))
            except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
                raise UsageError(
                    f"{getattr(content, 'name', name)} cannot be sent to the processes that are to run it ({error}). "
                    "Put what it is made of into a module of your own, and import it from there."
                ) from error
        self.put(name, packed)

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _by_value(content: Any) -> bytes:
    import cloudpickle

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
        def reducer_override(self, value: Any) -> Any:
            # Which would go by its name, that nobody finds in another process.
            if isinstance(value, _Cached) and value.__module__ == "__main__":
                return _cached_again, (value.__wrapped__, value.cache_parameters())
            return super().reducer_override(value)

    packed = io.BytesIO()
    Pickler(packed, protocol=5).dump(content)
    return packed.getvalue()


_Cached = type(lru_cache(lambda: None))


def _cached_again(function: Callable[..., Any], parameters: dict[str, Any]) -> Callable[..., Any]:
    cached: Callable[..., Any] = lru_cache(**parameters)(function)
    return cached


def no_room(error: OSError) -> InputError:
    """A folder for temporary files that cannot be used, in a sentence."""
    return InputError(
        f"The folder for temporary files cannot be written to ({error.strerror or error}), and the workers get their "
        "data there. Make room in it, or name another one in the environment variable TMPDIR, and run the study again: "
        "it goes on where it stopped.",
        source=tempfile.gettempdir() if tempfile.tempdir else None,
    )


def remove_stale() -> None:
    """Remove folders that runs of this user left behind when they were killed."""
    places = dict.fromkeys((tempfile.gettempdir(), place_for_sockets()))
    for folder in (path for place in places for path in Path(place).glob(f"{SCRATCH}*")):
        owner = re.match(rf"{SCRATCH}(\d+)-", folder.name)
        try:
            mine = not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()
            if owner and mine and not psutil.pid_exists(int(owner[1])):
                kill_stale(int(owner[1]))
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue
