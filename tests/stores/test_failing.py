"""What happens when the disk is full or the file is damaged: a sentence, and nothing that was acknowledged is lost."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError
from store_contract import Registered, counts, folds, ok

from bakeoff.errors import InputError
from bakeoff.stores.failing import explained
from bakeoff.stores.store import Store

WIDE = folds(6, repeats=30)


def write_until_full(ours: Registered) -> int:
    """Batches of one cell until there is no room; returns how many were acknowledged."""
    written = 0
    cells = ((learner, split) for split in range(len(ours.splits)) for learner in range(2))

    def write_all() -> None:
        nonlocal written
        for learner, split in cells:
            written += ours.write((learner, split, ok(notes=("x" * 3000,))))

    with pytest.raises(InputError, match=r"full.*goes on where it stopped"):
        write_all()
    return written


def test_no_page_is_left(store: Store) -> None:
    ours = Registered(store, splits=WIDE)
    with store.snapshot() as connection:
        pages = int(connection.exec_driver_sql("PRAGMA page_count").scalar() or 0)
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 40}")
    written = write_until_full(ours)
    assert 10 < written < 180
    assert counts(store)["cell"] == counts(store)["attempt"] == written
    # Room is made: the same store goes on.
    with store.snapshot() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    ours.fill([0, 1])
    assert counts(store)["cell"] == 2 * len({number for number, _ in ours.splits})


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte, where the tests may make one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may make a small disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_disk_that_is_full(small_disk: Path) -> None:
    path = small_disk / "s.db"
    with Store.open(path) as store:
        written = write_until_full(Registered(store, splits=WIDE))
    with Store.read(path) as reader:
        assert counts(reader)["cell"] == counts(reader)["attempt"] == written > 10


def test_a_disk_that_is_full_from_the_beginning(small_disk: Path) -> None:
    with pytest.raises(OSError, match="No space"):
        (small_disk / "other").write_bytes(b"x" * 2**21)
    with pytest.raises(InputError, match=r"has room|is full"):
        Store.open(small_disk / "s.db")


def test_a_page_that_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Store.open(path) as store:
        Registered(store).fill([0, 1])
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(bytes(content))
    with pytest.raises(InputError, match="damaged"), Store.read(path) as reader:
        counts(reader)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (sqlite3.SQLITE_FULL, "Nothing of the last batch"),
        (sqlite3.SQLITE_IOERR_WRITE, "The disk failed"),
        (sqlite3.SQLITE_READONLY_DIRECTORY, "may not be written"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "in use by another program"),
        (sqlite3.SQLITE_CANTOPEN_ISDIR, "cannot be opened"),
        (sqlite3.SQLITE_CORRUPT_INDEX, "damaged"),
    ],
)
def test_complaints_in_all_their_variants(code: int, sentence: str) -> None:
    error = sqlite3.OperationalError("complaint")
    error.sqlite_errorcode = code
    with pytest.raises(InputError, match=f"s.db: .*{sentence}"), explained(Path("s.db")):
        raise error


def test_our_own_mistakes_are_not_explained_away(store: Store) -> None:
    with pytest.raises(IntegrityError), store.snapshot() as connection:
        connection.exec_driver_sql("INSERT INTO split VALUES (1, 99, 1, x'00', 1, 1, x'00', x'00')")
    Registered(store)
