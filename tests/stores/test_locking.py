"""One writer, and nobody is locked out by a dead one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.errors import InputError
from bakeoff.stores.locking import WriterLock

HOLD = "import sys, pathlib\nfrom bakeoff.stores.locking import WriterLock\n"
HOLD += "lock = WriterLock(pathlib.Path(sys.argv[1]))\nprint('held', flush=True)\nsys.stdin.read()"


def test_the_second_is_told_who_holds_it(tmp_path: Path) -> None:
    lock = WriterLock(tmp_path / "s.db")
    with pytest.raises(InputError, match=rf"process {os.getpid()}, started 2\d\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC"):
        WriterLock(tmp_path / "s.db")
    lock.release()


def test_released_and_taken_again(tmp_path: Path) -> None:
    for _ in range(3):
        lock = WriterLock(tmp_path / "s.db")
        assert lock.path.exists()
        lock.release()
        lock.release()
        assert list(tmp_path.iterdir()) == []


def test_a_killed_writer_locks_nobody_out(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(InputError, match=f"process {holder.pid}"):
            WriterLock(store)
        holder.kill()
        holder.wait()
    WriterLock(store).release()


def test_programs_started_meanwhile_do_not_hold_it(tmp_path: Path) -> None:
    lock = WriterLock(tmp_path / "s.db")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False) as child:
        lock.release()
        WriterLock(tmp_path / "s.db").release()
        child.communicate(b"\n")


def test_a_lock_file_without_content(tmp_path: Path) -> None:
    """As it is in the moment between taking the lock and saying who has taken it."""
    lock = WriterLock(tmp_path / "s.db")
    lock.path.write_text("")
    with pytest.raises(InputError, match="a process that has just started"):
        WriterLock(tmp_path / "s.db")
    lock.release()


def test_a_lock_file_that_was_replaced_is_not_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file was removed by its last holder between our opening and our locking it: ask again for the new one."""
    import fcntl

    real, removed = fcntl.flock, []

    def flock(descriptor: int, how: int) -> None:
        if not removed:
            (tmp_path / "s.db.lock").unlink()
            removed.append(True)
        real(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    lock = WriterLock(tmp_path / "s.db")
    with pytest.raises(InputError, match="Another run"):
        WriterLock(tmp_path / "s.db")
    lock.release()


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"lock file s.db.lock cannot be written \(No such file or directory\)"):
        WriterLock(tmp_path / "nowhere" / "s.db")
