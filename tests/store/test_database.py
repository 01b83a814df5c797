"""Arrays come back from bytes exactly, in as few of them as they need."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sqlalchemy import Column, Integer, MetaData, Table, create_engine, insert, inspect, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError
from store_contract import Registered, counts, folds, ok

from bakeoff.errors import InputError
from bakeoff.measures.response import packed, unpacked, unpacked_rows
from bakeoff.results.scores import scores_of
from bakeoff.store.database import WriterLock, _compiled, insert_rows, sqlite_errors_as_input_errors
from bakeoff.store.reader import Reader
from bakeoff.store.schema import APPLICATION_ID, SCHEMA_VERSION, score
from bakeoff.store.writer import Store


@given(arrays(np.int64, st.integers(0, 20), elements=st.integers(-(2**63), 2**63 - 1)))
def test_whole_numbers(array: np.ndarray) -> None:
    found = unpacked(packed(array))
    assert found.dtype == np.int64
    assert found.tolist() == array.tolist()


@given(arrays(np.float64, st.integers(0, 20)))
def test_floats_bit_for_bit(array: np.ndarray) -> None:
    assert unpacked(packed(array)).tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("numbers", "size"),
    [
        ([], 0), ([0, 255], 1), ([-128, 127], 1), ([0, 256], 2), ([-1, 255], 2), ([0, 65_535], 2), ([-1, 65_535], 4),
        ([0, 2**32 - 1], 4), ([-1, 2**32 - 1], 8), ([0, 2**32], 8),
    ],
)  # fmt: skip
def test_the_smallest_type_that_holds_them(numbers: list[int], size: int) -> None:
    blob = packed(np.array(numbers, dtype=np.int64))
    assert len(blob) == 1 + size * len(numbers)
    assert unpacked(blob).tolist() == numbers


@pytest.mark.parametrize("dtype", ["<i4", ">i4", "i1", "u2", bool])
def test_every_whole_type(dtype: str) -> None:
    assert unpacked(packed(np.array([0, 1, 1], dtype=dtype))).tolist() == [0, 1, 1]


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "f4"])
def test_every_floating_type(dtype: str) -> None:
    found = unpacked(packed(np.array([0.5, -0.0], dtype=dtype)))
    assert found.dtype == np.float64
    assert found.tolist() == [0.5, -0.0]


def test_columns_and_strides() -> None:
    table = np.arange(12.0).reshape(4, 3)
    np.testing.assert_array_equal(unpacked(packed(table), 3), table)
    np.testing.assert_array_equal(unpacked(packed(table.T), 4), table.T)
    np.testing.assert_array_equal(unpacked(packed(table[:, 1])), table[:, 1])


def test_rows_of_a_sample() -> None:
    found = unpacked_rows(packed(np.array([3, 70_000], dtype=np.int32)))
    assert found.dtype == np.int32
    assert found.tolist() == [3, 70_000]


def test_the_array_is_a_copy_that_can_be_changed() -> None:
    found = unpacked(packed(np.array([1, 2])))
    found[0] = 9
    assert found.tolist() == [9, 2]


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([1j]), np.array([object()]), np.array([2**64 - 1], "u8")])
def test_other_things_are_refused(array: np.ndarray) -> None:
    with pytest.raises(TypeError, match="expected to be stored"):
        packed(array)


@pytest.mark.parametrize("blob", [b"", b"x123", b"d1234567", b"\x80\x04K\x01."])
def test_strange_bytes_are_refused(blob: bytes) -> None:
    with pytest.raises(ValueError, match="hold no array"):
        unpacked(blob)


# ----------------------------------------------------------------------------------------------------------------------
# Failing


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
    with pytest.raises(InputError, match=f"s.db: .*{sentence}"), sqlite_errors_as_input_errors(Path("s.db")):
        raise error


def test_our_own_mistakes_are_not_explained_away(store: Store) -> None:
    with pytest.raises(IntegrityError), store.snapshot() as connection:
        connection.exec_driver_sql("INSERT INTO split VALUES (1, 99, 1, x'00', 1, 1, x'00', x'00', NULL)")
    Registered(store)


# ----------------------------------------------------------------------------------------------------------------------
# Rows in bulk, for drivers with positions and for drivers with names.


TABLE = Table("t", MetaData(), Column("a", Integer), Column("b", Integer))


def test_rows_come_in_whatever_order_their_values_are_in() -> None:
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        TABLE.create(connection)
        insert_rows(connection, TABLE, [{"b": 2, "a": 1}, {"a": 3, "b": None}])
        insert_rows(connection, TABLE, [])
        assert [tuple(row) for row in connection.execute(select(TABLE))] == [(1, 2), (3, None)]
    engine.dispose()


def test_a_driver_with_named_parameters_gets_the_rows_themselves() -> None:
    row = {"cell": 1, "measure": 2, "value": 0.5, "reason": None}
    dialect = postgresql.psycopg2.dialect()
    statement, parameters = _compiled(score, dialect)
    assert parameters(row) == row
    assert statement == str(insert(score).compile(dialect=dialect))
    assert "%(cell)s" in statement


# ----------------------------------------------------------------------------------------------------------------------
# One writer, and nobody is locked out by a dead one.


HOLD = "import sys, pathlib\nfrom bakeoff.store.database import WriterLock\n"
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


# ----------------------------------------------------------------------------------------------------------------------
# Files that are no stores, and stores that are not what they should be.


def made(path: Path) -> Path:
    with Store.open(path) as store:
        Registered(store).write((0, 0, ok()))
    return path


def both_refuse(path: Path, sentence: str) -> None:
    """Neither a writer nor a reader opens it, and nothing is changed or left behind."""
    before, beside = path.read_bytes(), sorted(path.parent.iterdir())
    for opening in (Store.open, Store.read):
        with pytest.raises(InputError, match=sentence):
            opening(path)
        assert path.read_bytes() == before
        assert sorted(path.parent.iterdir()) == beside


def test_nothing_is_left_beside_a_closed_store(tmp_path: Path) -> None:
    path = made(tmp_path / "s.db")
    with Store.read(path) as reader:
        assert reader.studies()
    assert list(tmp_path.iterdir()) == [path]


def test_how_a_store_is_set_up(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store, store.snapshot() as connection:

        def ask(pragma: str) -> object:
            return connection.exec_driver_sql(f"PRAGMA {pragma}").scalar()

        assert ask("application_id") == APPLICATION_ID
        assert ask("journal_mode") == "wal"
        assert ask("synchronous") == 1
        assert ask("foreign_keys") == 1
        assert ask("busy_timeout") == 30_000


@pytest.mark.parametrize("content", [b"task,learner,value\n", b"x", b"\0" * 5000, b"SQLite format 3 is not this"])
def test_a_file_that_is_no_database(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(content)
    both_refuse(path, "not a store of bakeoff: the file is no SQLite database")


def test_a_file_that_only_begins_like_a_database(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.write_bytes(b"SQLite format 3\0" + b"nonsense" * 1000)
    both_refuse(path, "no SQLite database|damaged")


@pytest.mark.parametrize("application", [0, 4711, APPLICATION_ID])
def test_a_database_of_another_program(tmp_path: Path, application: int) -> None:
    path = tmp_path / "places.sqlite"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id = {application}")
    connection.execute("CREATE TABLE meta (name, value)")
    connection.execute("INSERT INTO meta VALUES ('application', 'browser')")
    connection.commit()
    connection.close()
    both_refuse(path, "database of another program, not a store of bakeoff")


@pytest.mark.parametrize("name", ["schema", "keys"])
def test_a_store_of_a_newer_version(tmp_path: Path, name: str) -> None:
    path = made(tmp_path / "s.db")
    connection = sqlite3.connect(path)
    connection.execute("UPDATE meta SET value = '7' WHERE name = ?", [name])
    connection.execute("UPDATE meta SET value = '9.1' WHERE name = 'version'")
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.commit()
    connection.close()
    both_refuse(path, r"written by a newer bakeoff \(9.1\): its schema is \d with keys \d.*Update bakeoff")


KEPT = Path(__file__).parents[1] / "kept"
OLDER = sorted(KEPT.glob("*/*.sqlite"))


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT value FROM meta WHERE name = 'schema'").fetchone()[0])


def test_a_store_of_every_earlier_version_was_kept() -> None:
    assert {version_of(path) for path in OLDER} == set(range(1, SCHEMA_VERSION))


@pytest.mark.parametrize("kept", OLDER, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_an_older_store_is_read_as_it_is_and_brought_up_to_date(kept: Path, tmp_path: Path) -> None:
    path = tmp_path / kept.name
    shutil.copy(kept, path)
    content = path.read_bytes()

    def scores() -> list[Any]:
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute("SELECT cell, measure, value, reason FROM score ORDER BY 1, 2").fetchall()

    before = scores()
    with Reader(path) as reader:
        assert reader.schema == version_of(kept)
        (study,) = reader.studies()
        table = scores_of(reader, study.key).value
    assert path.read_bytes() == content, "a reader changes nothing"
    with Store.open(path) as store:
        assert store.schema == SCHEMA_VERSION
        np.testing.assert_array_equal(scores_of(store, study.key).value, table)
    assert version_of(path) == SCHEMA_VERSION
    assert scores() == before
    with Store.open(path) as store, store.snapshot() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
        assert {"position", "record"} <= set(inspect(connection).get_table_names())


def test_a_store_of_an_older_version(tmp_path: Path) -> None:
    path = made(tmp_path / "s.db")
    connection = sqlite3.connect(path)
    connection.execute("UPDATE meta SET value = '0' WHERE name = 'schema'")
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.commit()
    connection.close()
    both_refuse(path, f"older bakeoff.*its schema is 0 .* writes {SCHEMA_VERSION}")


def test_an_empty_file_is_filled_by_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.touch()
    with pytest.raises(InputError, match="The store is empty: no study was run in it yet"):
        Store.read(path)
    made(path)
    assert Store.read(path).studies()


def test_a_database_without_tables_is_filled_by_a_writer(tmp_path: Path) -> None:
    """What is left if the first writer is killed while it makes the tables."""
    path = tmp_path / "s.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    assert path.stat().st_size
    with pytest.raises(InputError, match="empty"):
        Store.read(path)
    made(path)
    assert Store.read(path).studies()


def test_a_store_that_was_cut_off(tmp_path: Path) -> None:
    path = made(tmp_path / "s.db")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    both_refuse(path, "The store is damaged: it is shorter than it says")


def test_no_store(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no store here\. `bakeoff run` makes one"):
        Store.read(tmp_path / "s.db")
    with pytest.raises(InputError, match="no store here"):
        Store.open(tmp_path / "s.db", create=False)
    with pytest.raises(InputError, match=r"there is no folder .*nowhere\. Make it first"):
        Store.open(tmp_path / "nowhere" / "s.db")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_place_of_a_store(tmp_path: Path) -> None:
    for opening in (Store.open, Store.read):
        with pytest.raises(InputError, match=r"cannot be read \(Is a directory\)"):
            opening(tmp_path)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may enter: pytest's own are closed to others."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.fixture
def ordinary_user() -> Iterator[None]:
    """Root may write everywhere: become somebody else for the time of a test."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def read_only(open_folder: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A store in a folder that may not be written to."""
    path = made(open_folder / "s.db")
    path.chmod(0o444)
    open_folder.chmod(0o555)
    request.getfixturevalue("ordinary_user")
    yield path
    if os.geteuid() == 65534:
        os.seteuid(0)
    open_folder.chmod(0o755)


def test_a_read_only_folder_can_be_read(read_only: Path) -> None:
    with Store.read(read_only) as reader:
        assert [record.key for record in reader.studies()] == ["study key"]


def test_a_read_only_folder_cannot_be_written_to(read_only: Path) -> None:
    with pytest.raises(InputError, match="The store may not be written to"):
        Store.open(read_only)
    with pytest.raises(
        InputError, match=r"lock file .* cannot be written \(Permission denied\)\. Choose a folder that"
    ):
        Store.open(read_only.with_name("new.db"))


def test_a_file_that_may_not_be_read(open_folder: Path, request: pytest.FixtureRequest) -> None:
    path = made(open_folder / "s.db")
    path.chmod(0)
    request.getfixturevalue("ordinary_user")
    with pytest.raises(InputError, match=r"cannot be read \(Permission denied\)"):
        Store.read(path)


def test_a_read_only_file_in_a_folder_of_ones_own(open_folder: Path, request: pytest.FixtureRequest) -> None:
    path = made(open_folder / "s.db")
    path.chmod(0o444)
    open_folder.chmod(0o777)
    request.getfixturevalue("ordinary_user")
    with pytest.raises(InputError, match="The store may not be written to"):
        Store.open(path)
    assert not path.with_name("s.db.lock").exists()
