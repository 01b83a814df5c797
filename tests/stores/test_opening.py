"""Files that are no stores, and stores that are not what they should be."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_contract import Registered, ok

from bakeoff.errors import InputError
from bakeoff.stores.schema import APPLICATION_ID, SCHEMA_VERSION
from bakeoff.stores.store import Store


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
