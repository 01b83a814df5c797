"""Scratch: the private folder by which the coordinator hands data to its workers, and they hand large results back.

Everything in it is written and read by one run of one user, and removed with it. A run that was killed cannot remove
its folder; the next one does.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import psutil

from bakeoff.errors import InputError
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
        import cloudpickle

        data = cloudpickle.dumps(content, protocol=5)
        try:
            (self.folder / name).write_bytes(data)
        except OSError as error:
            raise no_room(error) from error

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


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
    for folder in (found for place in places for found in Path(place).glob(f"{SCRATCH}*")):
        owner = re.match(rf"{SCRATCH}(\d+)-", folder.name)
        try:
            mine = not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()
            if owner and mine and not psutil.pid_exists(int(owner[1])):
                kill_stale(int(owner[1]))
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue
