"""A store on a PostgreSQL server: the contract of every store, several coordinators, restarts, refusals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from postgres import PostgresServer, needs_postgresql
from store_contract import Registered, StoreContract, counts, failed, ok

from bakeoff.cli import main
from bakeoff.errors import InputError, UsageError
from bakeoff.store import postgresql
from bakeoff.store.database import ConnectionLostError, place_of
from bakeoff.store.reader import Reader
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
import time
from sklearn.dummy import DummyClassifier
class Slow(DummyClassifier):
    def fit(self, X, y):
        time.sleep(0.1)
        return super().fit(X, y)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    needs_postgresql()
    started = PostgresServer()
    yield started
    started.end()


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


def test_two_programs_run_one_study_and_one_of_them_is_killed(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All cells are run, none twice, and the scores are those of an undisturbed run with a file."""
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    study = str(tmp_path / "study.toml")
    program = "from bakeoff.store import postgresql; postgresql.SILENCE = 3.0; postgresql._BEAT = 0.5\n"
    program += (
        f"from bakeoff.cli import main; raise SystemExit(main(['run', {study!r}, '--quiet', '--store', {place!r}]))"
    )
    started = [subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path) for _ in range(2)]
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        time.sleep(0.2)
        try:
            with Reader(place) as reader:
                if counts(reader)["cell"] >= 4:
                    break
        except InputError:
            continue
    os.kill(started[0].pid, signal.SIGKILL)
    assert started[1].wait(timeout=120) == 0
    started[0].wait()
    with Reader(place) as reader:
        rows = counts(reader)
    assert (rows["cell"], rows["attempt"]) == (40, 40)
    assert main(["run", study, "--quiet"]) == 0
    tables = []
    for store in (place, str(tmp_path / "study.sqlite")):
        target = tmp_path / "scores.json"
        assert main(["scores", study, "--store", store, "--measure", "error", "--json", "-o", str(target)]) == 0
        tables.append(json.loads(target.read_text("utf-8")))
    assert tables[0] == tables[1]


# --- the server -------------------------------------------------------------------------------------------------------


def test_a_restart_in_the_middle_loses_nothing(server: PostgresServer, place: str) -> None:
    with Store.open(place) as store:
        ours = Registered(store)
        ours.write((0, 0, ok()), (0, 1, failed()))
        server.restart()
        ours.write((0, 2, ok()), (1, 0, failed()))
        assert len(ours.states()) == 4
        store.finish_run(ours.run)


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
