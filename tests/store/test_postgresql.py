"""A store on a PostgreSQL server: the contract of every store, several coordinators, restarts, refusals."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
import warm
from postgres import PostgresServer, is_missing, needs_postgresql
from sqlalchemy import select
from store_contract import Registered, StoreContract, counts, failed, folds, ok

from bakeoff.cli import main
from bakeoff.errors import InputError, UsageError
from bakeoff.store import postgresql, schema
from bakeoff.store.database import ConnectionLostError, place_of
from bakeoff.store.reader import Reader
from bakeoff.store.schema import CHECKED, SCHEMA_VERSION
from bakeoff.store.writer import Store

STUDY = """\
question = "Which is quicker to be fooled?"
seed = 3
[[task]]
data = "iris"
[[learner]]
name = "slow"
path = "slow.Slow"
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[resampling]
scheme = "cross-validation"
folds = 10
repeats = 2
"""
SLOW = """\
import pathlib, time
from sklearn.dummy import DummyClassifier
HERE = pathlib.Path(__file__).parent
class Slow(DummyClassifier):
    "Four fit at once; the others wait as long as there is a file that holds them."
    def fit(self, X, y):
        with (HERE / "fitted").open("a") as file:
            file.write("x")
        while (HERE / "fitted").stat().st_size > 4 and (HERE / "hold").exists():
            time.sleep(0.05)
        time.sleep(0.05)
        return super().fit(X, y)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    needs_postgresql()
    started = PostgresServer()
    yield started
    started.end()


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk with room for one small database, where the tests may make one; others may enter its folder."""
    with tempfile.TemporaryDirectory(prefix="bakeoff-disk-") as folder:
        Path(folder).chmod(0o755)
        disk = Path(folder) / "disk"
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(disk)]
        if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
            is_missing("only root may make a small disk")
        yield disk
        subprocess.run(["umount", str(disk)], check=True)


@pytest.fixture
def place(server: PostgresServer) -> str:
    return server.new_database()


class TestContract(StoreContract):
    def writer(self, place: Any) -> Store:
        return Store.open(place)

    def reader(self, place: Any) -> Reader:
        return Store.read(place)


# --- several coordinators ---------------------------------------------------------------------------------------------


def test_two_coordinators_share_the_cells(place: str) -> None:
    with Store.open(place) as one, Store.open(place) as two:
        first, second = Registered(one), Registered(two)
        keys = [first.cell(0, split).key for split in range(3)]
        assert one.take(keys[:2]) == set(keys[:2])
        assert two.take(keys) == {keys[2]}, "what another has taken is not taken twice"
        assert one.take(keys) == set(keys[:2]), "what is ours stays ours"
        first.write((0, 0, ok()))
        assert two.take(keys) == {keys[2]}, "what is stored need not be run"
        one.finish_run(first.run)
        assert two.take(keys) == set(keys[1:]), "what was given up is free again"
        assert second.run != first.run


def test_a_failed_cell_is_taken_only_by_whoever_tries_again(place: str) -> None:
    with Store.open(place) as store:
        ours = Registered(store)
        ours.write((0, 0, failed()))
        key = ours.cell(0, 0).key
        assert store.take([key]) == set()
        assert store.take([key], retry=True) == {key}


def test_the_silent_lose_their_cells(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "SILENCE", 0.0)
    with Store.open(place) as one, Store.open(place) as two:
        first = Registered(one)
        keys = [first.cell(0, 0).key]
        one.take(keys)
        monkeypatch.setattr(postgresql, "SILENCE", 30.0)
        second = Registered(two)
        assert two.take(keys) == set()
        monkeypatch.setattr(postgresql, "SILENCE", 0.0)
        assert two.take(keys) == set(keys)
        first.write((0, 0, ok(0.25)))  # it was only slow: what comes first counts
        second.write((0, 0, ok(0.5)))
        assert counts(two)["attempt"] == 1


def test_a_run_that_lives_is_not_called_interrupted(server: PostgresServer, place: str) -> None:
    with Store.open(place) as one, Store.open(place) as two:
        Registered(one), Registered(two)
        database = place.rpartition("/")[2]
        assert server.sql("SELECT state FROM bakeoff.run", database) == [("running",), ("running",)]


PROGRAM = """
from bakeoff.store import postgresql
postgresql.SILENCE, postgresql._BEAT = 3.0, 0.5
from bakeoff.cli import main
raise SystemExit(main(["run", {study!r}, "--quiet", "--store", {store!r}]))
"""


SHORT_SILENCE = 4.0  # longer than this process may stand still by itself, as when it collects its garbage
Start = Callable[..., warm.Program]


@pytest.fixture
def coordinator() -> Iterator[Start]:
    """Starts programs that run a study, and that others soon miss when they are silent; none outlives its test."""
    started: list[warm.Program] = []

    def start(folder: Path, place: str, text: str = STUDY, slow: str = SLOW) -> warm.Program:
        if not (folder / "study.toml").exists():
            folder.mkdir(exist_ok=True)
            (folder / "study.toml").write_text(text, encoding="utf-8")
            (folder / "slow.py").write_text(slow, encoding="utf-8")
        program = PROGRAM.format(study=str(folder / "study.toml"), store=place)
        started.append(warm.start(["-c", program], cwd=folder, env=os.environ))
        return started[-1]

    yield start
    for one in started:
        one.kill()
        with one:  # which waits for it
            pass


def wait_for_cells(place: str, number: int) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        time.sleep(0.1)
        try:
            with Reader(place) as reader:
                if counts(reader)["cell"] >= number:
                    return
        except InputError:
            continue
    raise AssertionError(f"there are no {number} cells")


def check_as_in_a_file(folder: Path, place: str) -> None:
    """The scores of the study in this folder are those of an undisturbed run with a file."""
    study = str(folder / "study.toml")
    assert main(["run", study, "--quiet"]) == 0
    tables = []
    for store in (place, str(folder / "study.sqlite")):
        target = folder / "scores.json"
        assert main(["scores", study, "--store", store, "--measure", "error", "--json", "-o", str(target)]) == 0
        tables.append(json.loads(target.read_text("utf-8")))
    assert tables[0] == tables[1]


def test_two_programs_run_one_study_and_one_of_them_is_killed(tmp_path: Path, place: str, coordinator: Start) -> None:
    """All cells are run, none twice, and the scores are those of an undisturbed run with a file."""
    (tmp_path / "hold").touch()
    started = [coordinator(tmp_path, place) for _ in range(2)]
    wait_for_cells(place, 4)
    os.kill(started[0].pid, signal.SIGKILL)
    (tmp_path / "hold").unlink()
    assert started[1].wait(timeout=120) == 0
    started[0].wait()
    with Reader(place) as reader:
        rows = counts(reader)
    assert (rows["cell"], rows["attempt"]) == (40, 40)
    check_as_in_a_file(tmp_path, place)


def test_one_that_stands_still_loses_its_lease_and_goes_on(tmp_path: Path, place: str, coordinator: Start) -> None:
    """It is cut off with cells that it has taken, another runs them, and when it is back nothing is stored twice."""
    (tmp_path / "hold").touch()
    first = coordinator(tmp_path, place)
    wait_for_cells(place, 4)
    os.kill(first.pid, signal.SIGSTOP)
    (tmp_path / "hold").unlink()
    try:
        second = coordinator(tmp_path, place)
        assert second.wait(timeout=120) == 0, "it waits for no one who is silent"
        with Reader(place) as reader:
            assert counts(reader)["attempt"] == 40
    finally:
        os.kill(first.pid, signal.SIGCONT)
    assert first.wait(timeout=120) == 0
    with Reader(place) as reader:
        rows = counts(reader)
    assert (rows["cell"], rows["attempt"]) == (40, 40), "what comes first counts"
    check_as_in_a_file(tmp_path, place)


def test_one_that_stands_still_in_its_turn_loses_the_turn(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was stopped in the middle of a transaction, for the end of which all others wait. When it is back it does
    again what was undone."""
    monkeypatch.setattr(postgresql, "SILENCE", SHORT_SILENCE)
    with Store.open(place) as one, Store.open(place) as two:
        first, second = Registered(one), Registered(two)
        write, written, records = Store._write, [], counts(one)["record"]

        def stopped(store: Store, *arguments: Any) -> int:
            monkeypatch.setattr(Store, "_write", write)
            with store.snapshot() as connection:
                store.insert(connection, schema.record, [dict.fromkeys(schema.record.c.keys(), "half")])
                second.write((0, 0, ok(0.25)))
                written.append(counts(two)["attempt"])
                connection.execute(select(schema.cell.c.id)).all()
            raise AssertionError("its turn had gone to another")

        monkeypatch.setattr(Store, "_write", stopped)
        first.write((0, 0, ok(0.5)), (0, 1, ok(0.75)))
        assert written == [1]
        assert counts(one)["attempt"] == 2, "what comes first counts"
        assert counts(one)["record"] == records, "nothing is half written"


def test_one_that_stands_still_while_it_sends_rows_loses_the_turn(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "SILENCE", SHORT_SILENCE)
    monkeypatch.setattr(postgresql, "_SECONDS_TO_COPY", 0.5)
    with Store.open(place) as one, Store.open(place) as two:
        first, second = Registered(one), Registered(two)
        insert, written = postgresql.Server.insert, []

        class Stopped(list[dict[str, Any]]):
            def __iter__(self) -> Iterator[dict[str, Any]]:
                yield self[0]
                second.write((0, 0, ok(0.25)))
                written.append(counts(two)["attempt"])

        def stand_still(self: Any, connection: Any, table: Any, rows: Any) -> None:
            monkeypatch.setattr(postgresql.Server, "insert", insert)
            insert(self, connection, table, Stopped(rows))

        monkeypatch.setattr(postgresql.Server, "insert", stand_still)
        first.write((0, 0, ok(0.5)), (0, 1, ok(0.75)))
        assert written == [1]
        assert counts(one)["attempt"] == 2


def test_two_versions_of_one_study_at_the_same_time(tmp_path: Path, place: str, coordinator: Start) -> None:
    """One has another learner and other code of its own; what both have in common is run once, and the rest apart."""
    other = STUDY + '[[learner]]\nname = "tree"\npath = "sklearn.tree.DecisionTreeClassifier"\n'
    edited = SLOW.replace("return super().fit(X, y)", "return super().fit(X, y[::-1])")
    both = [coordinator(tmp_path / "one", place), coordinator(tmp_path / "two", place, other, edited)]
    assert [each.wait(timeout=120) for each in both] == [0, 0]
    with Reader(place) as reader:
        rows = counts(reader)
    assert (rows["study"], rows["cell"], rows["attempt"]) == (2, 80, 80), "bayes in common, slow twice, tree once"
    check_as_in_a_file(tmp_path / "one", place)
    check_as_in_a_file(tmp_path / "two", place)


# --- the server -------------------------------------------------------------------------------------------------------


def test_a_restart_in_the_middle_loses_nothing(server: PostgresServer, place: str) -> None:
    with Store.open(place) as store:
        ours = Registered(store)
        ours.write((0, 0, ok()), (0, 1, failed()))
        server.restart()
        ours.write((0, 2, ok()), (1, 0, failed()))
        assert len(ours.states()) == 4
        store.finish_run(ours.run)


def test_a_server_that_stands_still_is_waited_for(
    server: PostgresServer, tmp_path: Path, place: str, coordinator: Start
) -> None:
    (tmp_path / "hold").touch()
    run = coordinator(tmp_path, place)
    wait_for_cells(place, 4)
    group = [psutil.Process(server.pid), *psutil.Process(server.pid).children()]
    for process in group:
        with suppress(psutil.NoSuchProcess):
            process.suspend()
    time.sleep(4.0)  # longer than a coordinator may be silent
    assert run.poll() is None
    (tmp_path / "hold").unlink()
    for process in group:
        with suppress(psutil.NoSuchProcess):  # what the server does now and then may just have ended
            process.resume()
    assert run.wait(timeout=120) == 0
    with Reader(place) as reader:
        assert counts(reader)["attempt"] == 40
    check_as_in_a_file(tmp_path, place)


def test_the_disk_of_the_server_is_full(server: PostgresServer, small_disk: Path) -> None:
    if server.user:
        shutil.chown(small_disk, "nobody", "nogroup")
    small_disk.chmod(0o700)
    server.sql(f"CREATE TABLESPACE small LOCATION '{small_disk}'")
    server.sql("CREATE DATABASE crammed TABLESPACE small")
    filler = small_disk / "filler"
    with Store.open(server.address("crammed")) as store:
        ours = Registered(store, splits=folds(3, 3))
        ours.write((0, 0, ok()))
        free = os.statvfs(small_disk)
        filler.write_bytes(b"x" * (free.f_bavail * free.f_bsize - 40_000))
        long = [(0, split, failed(os.urandom(40_000).hex())) for split in range(1, 9)]
        with pytest.raises(InputError, match=r"The disk of the server is full.*all batches before are kept"):
            ours.write(*long)
        filler.unlink()
        before = counts(store)["attempt"]
        ours.write((1, 0, ok()))
        assert counts(store)["attempt"] == before + 1, "with room again it goes on"
    server.sql("DROP DATABASE crammed WITH (FORCE)")
    server.sql("DROP TABLESPACE small")


def test_a_store_of_another_version(server: PostgresServer, place: str) -> None:
    """One of the future is refused, by readers and writers; one of the past is read, and brought up to date."""
    database = place.rpartition("/")[2]
    with Store.open(place) as store:
        Registered(store).fill([0, 1])
        expected = counts(store)["score"]
    server.sql("UPDATE bakeoff.meta SET value = '99' WHERE name = 'schema'", database)
    for opened in (Reader, Store.open):
        with pytest.raises(InputError, match="newer"):
            opened(place)
    for table in CHECKED:
        server.sql(f"ALTER TABLE bakeoff.{table.name} DROP COLUMN checksum", database)
    server.sql("DROP TABLE bakeoff.position, bakeoff.record", database)
    server.sql("UPDATE bakeoff.meta SET value = '1' WHERE name = 'schema'", database)
    with Reader(place) as reader:
        assert reader.task(1).n
        assert reader.records("remark") == {}
    with Store.open(place) as store:
        assert store.schema == SCHEMA_VERSION
        assert counts(store)["score"] == expected
    tables = {row[0] for row in server.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'bakeoff'", database)}
    assert {"position", "record"} <= tables


def test_a_batch_that_was_committed_unheard_is_not_written_twice(
    server: PostgresServer, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(place) as store:
        ours = Registered(store)
        plain = store._write

        def write(*arguments: Any) -> int:
            plain(*arguments)
            monkeypatch.setattr(store, "_write", plain)
            raise ConnectionLostError("cut after the commit")

        monkeypatch.setattr(store, "_write", write)
        ours.write((0, 0, failed()), (0, 1, ok()))
        assert counts(store)["attempt"] == 2


def test_what_is_no_server_no_database_no_right(server: PostgresServer, place: str) -> None:
    with pytest.raises(InputError, match="The server cannot be reached"):
        Reader("postgresql://bakeoff@127.0.0.1:1/x")
    with pytest.raises(InputError, match="The server has no such database"):
        Reader(server.address("nowhere"))
    with pytest.raises(InputError, match="There is no store here"):
        Reader(place)
    with Store.open(place) as store:
        Registered(store)
    server.sql("CREATE ROLE guest LOGIN", place.rpartition("/")[2])
    with pytest.raises(InputError, match="may not do this"):
        Store.open(place.replace("bakeoff@", "guest@"))


def test_another_program_s_schema_is_left_alone(server: PostgresServer, place: str) -> None:
    database = place.rpartition("/")[2]
    server.sql("CREATE SCHEMA bakeoff", database)
    server.sql("CREATE TABLE bakeoff.meta (name text, value text)", database)
    with pytest.raises(InputError, match="of another program"):
        Store.open(place)


def test_addresses(capsys: pytest.CaptureFixture[str]) -> None:
    told = str(place_of("postgresql://me:geheim@host/db?sslmode=require"))
    assert told == "postgresql://me:***@host/db"
    assert place_of("postgres://host/db") == place_of("postgresql://host/db")
    assert place_of("a.sqlite") == Path("a.sqlite")
    with pytest.raises(UsageError, match="names no database"):
        place_of("postgresql://host")
    with pytest.raises(UsageError, match="begins with mysql:"):
        place_of("mysql://host/db")


def test_a_password_is_shown_nowhere(tmp_path: Path, place: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "study.toml").write_text(STUDY.replace("slow.Slow", "sklearn.dummy.DummyClassifier"), encoding="utf-8")
    secret = place.replace("bakeoff@", "bakeoff:geheim@")
    study = str(tmp_path / "study.toml")
    for command in ("run", "status", "plan", "scores", "judge"):
        assert main([command, study, "--store", secret, *(["--quiet"] if command == "run" else [])]) == 0
    assert main(["export", study, "--store", secret, "-o", str(tmp_path / "all"), "--format", "csv"]) == 0
    printed = capsys.readouterr()
    kept = "".join(path.read_text("utf-8") for path in (tmp_path / "all").iterdir())
    assert "geheim" not in printed.out + printed.err + kept
    assert "postgresql://bakeoff:***@" in printed.out


def test_a_file_goes_to_the_server_and_back(tmp_path: Path, place: str, finished_study: Path) -> None:
    """Nothing is lost or changed on the way, by the table of scores."""
    file = str(finished_study.with_suffix(".sqlite"))
    back = str(tmp_path / "back.sqlite")
    assert main(["merge", file, "-o", place]) == 0
    assert main(["merge", place, "-o", back]) == 0
    tables = []
    for store in (file, place, back):
        target = tmp_path / "scores.csv"
        assert main(["scores", str(finished_study), "--store", store, "-o", str(target)]) == 0
        tables.append(target.read_text("utf-8"))
    assert tables[0] == tables[1] == tables[2]
