"""What can happen to a run from outside: a sentence says what, nothing is lost, and the next run goes on."""

from __future__ import annotations

import os
import random
import re
import shutil
import sqlite3
import struct
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from proofs import Place, attempts, cells, content, odd, said, study_text, until

from bakeoff.errors import UsageError
from bakeoff.store.reader import Reader, _mixed, score_checksums
from bakeoff.study.file import read_study
from bakeoff.study.run import Summary, checked_workers, run_study
from bakeoff.study.study import Study

LEARNERS = {"numpy": odd("GlobalNumpy"), "tree": 'path = "sklearn.tree.DecisionTreeClassifier"'}
SMALL, LARGE = study_text(LEARNERS), study_text(LEARNERS, repeats=30)


def conducted(place: Place) -> Summary:
    """Without a process of its own, where nothing goes wrong."""
    return run_study(read_study(place.folder / "study.toml"), place.store, workers=2)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = Place(tmp_path_factory.mktemp("undisturbed") / "study", LARGE)
    assert conducted(place).ok == 180
    return place


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own, where one may be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.getuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root may mount a disk to fill")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no disk may be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def fill(disk: Path, room: int) -> Path:
    """Leave so many bytes of room."""
    free = os.statvfs(disk)
    filler = disk / "filler"
    filler.write_bytes(b"x" * (free.f_bavail * free.f_bsize - room))
    return filler


def test_a_full_disk(disk: Path, undisturbed: Place, tmp_path: Path) -> None:
    place = Place(tmp_path / "study", SMALL)
    place.store = disk / "study.sqlite"
    assert conducted(place).ok == 6
    before = content(place.store)
    place.write(LARGE)
    filler = fill(disk, 200_000)
    done = place.run("--store", str(place.store), "-j", "2")
    assert done.code == 2
    assert done.err.startswith(f"bakeoff: {place.store}: The disk is full.")
    assert "goes on where it stopped" in done.err
    kept = content(place.store)
    assert before.items() <= kept.items()
    assert len(kept) < 180
    assert place.processes() == {}
    filler.unlink()
    assert conducted(place).left == 0
    assert content(place.store) == content(undisturbed.store)
    assert set(map(tuple, attempts(place.store).values())) == {("ok",)}


FILES = {
    "judge": (["judge", "study.toml"], "v.json", "Make room there"),
    "report": (["report", "study.toml"], "r.html", "Make room there"),
    "figure": (["plot", "box-density", "study.toml"], "f.svg", "cannot be written: No space left"),
    "tables": (["export", "study.toml"], "tables", "cannot be written"),
    "scores": (["export", "study.toml"], "scores.csv", "cannot be written"),
}


@pytest.mark.parametrize("what", [*FILES, "init"])
def test_no_room_for_what_is_asked_for(what: str, disk: Path, undisturbed: Place) -> None:
    fill(disk, 4096 if what != "init" else 0)
    command, name, says = FILES.get(what, (["init"], "", "Make room there"))
    target = str(disk / (name or "new.toml"))
    done = undisturbed.command(*command, *(["-o"] if name else []), target)
    assert done.code == 2, done.out
    assert says in done.err
    assert [path.name for path in disk.iterdir()] == ["filler"]


def test_no_room_for_temporary_files(disk: Path, tmp_path: Path) -> None:
    place = Place(tmp_path / "study", SMALL)
    filler = fill(disk, 5_000)
    done = place.run(TMPDIR=str(disk))
    assert done.code == 2
    assert "The folder for temporary files cannot be written to" in done.err
    assert "TMPDIR" in done.err
    assert cells(place.store) == 0
    filler.unlink()
    assert conducted(place).ok == 6


def test_a_folder_that_may_not_be_written_to(disk: Path, tmp_path: Path) -> None:
    place = Place(tmp_path / "study", SMALL)
    place.store = disk / "study.sqlite"
    store = ("--store", str(place.store))
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    refused = place.command("run", "study.toml", "--quiet", *store)
    assert refused.code == 2
    assert re.search(r"cannot be opened for writing.*Choose a folder that you may write to", refused.err, re.DOTALL)
    subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    assert conducted(place).ok == 6
    kept = content(place.store)
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    assert place.command("run", "study.toml", "--quiet", *store).code == 2
    looked = place.command("status", "study.toml", *store)
    assert (looked.code, looked.err) == (0, "")
    assert "6 of 6 cells are done" in looked.out
    assert content(place.store) == kept


def test_two_runs_of_one_study(tmp_path: Path) -> None:
    place = Place(tmp_path / "study", study_text({"held": odd("GlobalNumpy")}, repeats=20))
    place.hold(6)
    first = place.start("run", "study.toml", "--quiet")
    until(lambda: cells(place.store), "the first batch of results")
    second = place.command("run", "study.toml", "--quiet")
    assert second.code == 2
    assert f"Another run is writing to this store: process {first.pid}" in second.err
    assert place.command("status", "study.toml").code == 0, "looking is allowed"
    place.let_go()
    assert said(first).code == 0
    assert cells(place.store) == 60
    assert set(map(tuple, attempts(place.store).values())) == {("ok",)}
    assert place.command("run", "study.toml", "--quiet").code == 0


def set_schema(store: Path, version: str) -> None:
    connection = sqlite3.connect(store)
    with connection:
        connection.execute("UPDATE meta SET value = ? WHERE name = 'schema'", (version,))
    connection.close()


def test_a_store_of_a_future_version(undisturbed: Place, tmp_path: Path) -> None:
    place = Place(tmp_path / "study", LARGE)
    shutil.copy(undisturbed.store, place.store)
    set_schema(place.store, "99")
    before = place.store.read_bytes()
    for command in (("run", "study.toml", "--quiet"), ("status", "study.toml"), ("judge", "study.toml")):
        done = place.command(*command)
        assert done.code == 2
        assert "The store was written by a newer bakeoff" in done.err
        assert "Update bakeoff, or choose another file" in done.err
    assert place.store.read_bytes() == before
    set_schema(place.store, "1")
    assert place.command("run", "study.toml", "--quiet").code == 0
    assert content(place.store) == content(undisturbed.store)


HELD = study_text({"held": odd("GlobalNumpy")}, folds=5, repeats=12)


@pytest.mark.parametrize("how", ["removed", "replaced", "with its folder"])
def test_a_store_that_vanishes_while_it_is_written_to(how: str, tmp_path: Path) -> None:
    place = Place(tmp_path / "study", HELD)
    place.hold(6)
    home = tmp_path / "home"
    home.mkdir()
    place.store = home / "k.sqlite"
    process = place.start("run", "study.toml", "--quiet", "--store", str(place.store))
    until(lambda: cells(place.store), "the first batch of results")
    if how == "with its folder":
        shutil.rmtree(home)
    else:
        place.store.unlink()
    if how == "replaced":
        place.store.write_bytes(b"")
    place.let_go()
    done = said(process)
    assert done.code == 2
    assert "Results: " not in done.out
    assert (
        "The store was removed, moved or replaced while it was written to. All that is finished was saved" in done.err
    )
    (saved,) = [*tmp_path.rglob("k-rescued-*.sqlite")]
    kept = cells(saved)
    assert 0 < kept <= 60
    home.mkdir(exist_ok=True)
    saved.rename(place.store)
    again = place.run_here("--store", str(place.store))
    assert (again.code, f"{kept} were stored before" in again.out or kept == 60) == (0, True)
    assert cells(place.store) == 60


def test_a_store_that_was_put_in_the_place_of_another_stays_what_it_is(undisturbed: Place, tmp_path: Path) -> None:
    """What SQLite keeps beside the one that is gone would be written into it as soon as it is opened."""
    place = Place(tmp_path / "study", HELD)
    place.hold(6)
    process = place.start("run", "study.toml", "--quiet")
    until(lambda: cells(place.store), "the first batch of results")
    shutil.copy(undisturbed.store, place.folder / "other.sqlite")
    (place.folder / "other.sqlite").rename(place.store)
    place.let_go()
    done = said(process)
    assert done.code == 2
    assert "All that is finished was saved as" in done.err
    assert [*place.folder.glob("study.sqlite*")] == [place.store]
    assert content(place.store) == content(undisturbed.store)


def test_a_store_that_somebody_wrote_into_is_no_success(tmp_path: Path) -> None:
    place = Place(tmp_path / "study", HELD)
    assert place.command("run", "study.toml", "--quiet", "--only", "held").code == 0
    place.write(HELD.replace("repeats = 12", "repeats = 24"))
    place.hold(1)
    process = place.start("run", "study.toml", "--quiet")
    until(lambda: cells(place.store) > 60, "the first batch of results")
    size = place.store.stat().st_size
    with place.store.open("r+b") as file:
        file.seek(size // 3)
        file.write(b"\0" * (size // 3))
    place.let_go()
    done = said(process)
    assert done.code == 2
    assert "The store is damaged" in done.err
    assert "Results: " not in done.out


def test_a_folder_that_vanishes_with_the_study_its_code_and_its_store(tmp_path: Path) -> None:
    """What has to be told is that the results are gone, and where they were saved; not that the code is another."""
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    place = Place(home, HELD)
    place.hold(1)
    place.temporary = temporary
    temporary.mkdir()
    process = place.start("run", "study.toml", "--quiet")
    until(lambda: cells(place.store), "the first batch of results")
    shutil.rmtree(home)
    done = said(process)
    assert done.code == 2
    assert "All that is finished was saved as" in done.err
    (saved,) = temporary.glob("study-rescued-*.sqlite")
    assert str(saved) in done.err
    assert 0 < cells(saved) <= 60


FLIPS = {
    "a score of task 'iris'": ("score", "value", "scores"),
    "a prediction for task 'iris'": ("prediction", "predicted", "confusion"),
    "the truth of task 'iris'": ("task", "truth", "confusion"),
}


@pytest.mark.parametrize("what", FLIPS)
def test_a_bit_that_was_turned_is_found_when_it_is_read(what: str, undisturbed: Place, tmp_path: Path) -> None:
    table, column, command = FLIPS[what]
    place = Place(tmp_path / "study", LARGE)
    shutil.copy(undisturbed.store, place.store)
    assert place.command(command, "study.toml").code == 0
    connection = sqlite3.connect(place.store)
    with connection:
        key, value = connection.execute(
            f"SELECT rowid, {column} FROM {table}"
            if table != "score"
            else ("SELECT cell || ' ' || measure, value FROM score WHERE value IS NOT NULL")
        ).fetchone()
        raw = bytearray(struct.pack("<d", value) if isinstance(value, float) else value)
        raw[-2 if table == "score" else 3] ^= 1
        new = struct.unpack("<d", raw)[0] if isinstance(value, float) else bytes(raw)
        where = "cell || ' ' || measure" if table == "score" else "rowid"
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where} = ?", (new, key))
    connection.close()
    told = place.command(command, "study.toml")
    assert told.code == 2
    assert f"The store is damaged: {what}" in told.err
    assert "its checksum is another" in told.err


# A letter of what was planned, which is legible JSON all the same; a bracket; a byte that is no text.
ALTERED = {
    "a letter": ("study", "description", b'"error"', b'"errpr"'),
    "a bracket": ("study", "description", b"{", b"["),
    "the bracket of a scheme": ("splitting", "scheme", b"{", b"["),
    "the bracket of a measure": ("measure", "description", b"{", b"["),
    "the bracket of an environment": ("run", "environment", b"{", b"["),
    "no text": ("study", "description", b"e", b"\xe5"),
}


@pytest.mark.parametrize("what", ALTERED)
def test_a_text_that_was_altered_is_a_sentence(what: str, undisturbed: Place, tmp_path: Path) -> None:
    table, column, old, new = ALTERED[what]
    place = Place(tmp_path / "study", LARGE)
    shutil.copy(undisturbed.store, place.store)
    connection = sqlite3.connect(place.store)
    with connection:
        for key, value in connection.execute(f"SELECT id, CAST({column} AS BLOB) FROM {table}").fetchall():
            altered = value.replace(old, new, 1)
            assert altered != value
            connection.execute(f"UPDATE {table} SET {column} = CAST(? AS TEXT) WHERE id = ?", (altered, key))
    connection.close()
    for command in ("status",) if table == "run" else ("status", "judge"):
        told = place.command(command, "study.toml")
        assert told.code == 2, told.out
        assert "The store is damaged: a text in it is not what was written there" in told.err


def pages(content: bytes) -> Iterator[int]:
    """Where the pages of trees begin that hold rows or entries of an index, or lead to such."""
    size = int.from_bytes(content[16:18], "big")
    for start in range(size, len(content), size):
        if content[start] in (2, 5, 10, 13) and int.from_bytes(content[start + 3 : start + 5], "big") > 1:
            yield start


def test_a_row_that_is_lost_with_its_page_is_noticed(undisturbed: Place, tmp_path: Path) -> None:
    """The number of rows of a page, one less: rows have checksums, and one that is not there has none."""
    place = Place(tmp_path / "study", LARGE)
    content = undisturbed.store.read_bytes()
    starts = list(pages(content))
    assert len(starts) > 20
    for start in starts:
        altered = bytearray(content)
        altered[start + 4] -= 1
        place.store.write_bytes(altered)
        told = place.command("judge", "study.toml")
        assert told.code == 2, f"page {start}: {told.out}"
        assert "The store is damaged" in told.err


def test_damage_anywhere_is_a_sentence_or_changes_nothing(undisturbed: Place, tmp_path: Path) -> None:
    place = Place(tmp_path / "study", LARGE)
    content = undisturbed.store.read_bytes()
    place.store.write_bytes(content)
    rng, size, told = random.Random(1), int.from_bytes(content[16:18], "big"), 0
    answer = place.command("judge", "study.toml", "--json")
    assert answer.code == 0
    for number in range(40):
        altered = bytearray(content)
        start, other = (rng.randrange(len(content) // size) * size for _ in range(2))
        if number % 2:
            altered[start : start + size] = content[other : other + size]  # a page in the place of another
        else:
            altered[start + rng.randrange(size if number % 4 else 12)] ^= 1 << rng.randrange(8)
        place.store.write_bytes(altered)
        found = place.command("judge", "study.toml", "--json")
        assert found == answer or (found.code == 2 and "bakeoff: " in found.err), found
        told += found.code == 2
    assert told > 10


@pytest.mark.parametrize("command", ["judge", "status", "export", "run"])
@pytest.mark.parametrize(
    ("old", "new"), [(b"value FLOAT", b"vblue FLOAT"), (b"CREATE TABLE score", b"CREATE TABLE scqre")]
)
def test_a_damaged_definition_of_a_table_is_a_sentence(
    old: bytes, new: bytes, command: str, undisturbed: Place, tmp_path: Path
) -> None:
    place = Place(tmp_path / "study", LARGE)
    content = undisturbed.store.read_bytes()
    assert old in content
    place.store.write_bytes(content.replace(old, new))
    told = place.command(command, "study.toml", *(["-o", "out"] if command == "export" else []))
    assert told.code == 2, told.out
    assert "The store is damaged" in told.err


# Rows without a checksum of their own, which hold no value and say where values belong.
MISPLACED = {
    "DELETE FROM study_learner WHERE number = 1": "which learners belong to study",
    "UPDATE study_task SET name = 'irjs'": "which tasks belong to study",
    "DELETE FROM place WHERE number = 7": "the list of splits",
    "UPDATE place SET fold = 3 WHERE number = 7": "the list of splits",
    "UPDATE split SET n_train = 3 WHERE id = 7": "the list of splits",
    "UPDATE split SET train = 'text' WHERE id = 7": "a value of the table split",
    "UPDATE score SET value = 'text' WHERE cell = 7": "a number",
    "UPDATE cell SET status = 'error' WHERE id = 7": "the status of a cell",
    "UPDATE attempt SET status = 'error' WHERE cell = 7": "the status of a cell",
    "UPDATE task SET classes = replace(classes, 'versi', 'versj')": "the truth of task 'iris', or what it means",
    "UPDATE task SET features = x'00'": "the truth of task 'iris', or what it means",
    "UPDATE attempt SET fit_time = fit_time * 2 WHERE cell = 7": "what is stored of an attempt",
    "UPDATE attempt SET predict_time = NULL WHERE cell = 7": "what is stored of an attempt",
    "UPDATE attempt SET seconds = 'text' WHERE cell = 7": "what is stored of an attempt",
    "UPDATE attempt SET message = 'x' WHERE cell = 7": "what is stored of an attempt",
    "UPDATE attempt SET notes = x'00' WHERE cell = 7": "what is stored of an attempt",
}


@pytest.mark.parametrize("statement", MISPLACED)
def test_what_says_where_values_belong_is_checked(statement: str, undisturbed: Place, tmp_path: Path) -> None:
    place = Place(tmp_path / "study", LARGE)
    shutil.copy(undisturbed.store, place.store)
    connection = sqlite3.connect(place.store)
    with connection:
        assert connection.execute(statement).rowcount > 0
    connection.close()
    told = place.command("status", "study.toml", "--check")
    told = place.command("judge", "study.toml") if "score" in statement and told.code == 0 else told
    assert told.code == 2, told.out
    assert f"The store is damaged: {MISPLACED[statement]}" in told.err or "pages contradict" in told.err


@pytest.mark.parametrize(
    "command", [["scores", "study.toml", "--measure", "fit_time"], ["export", "study.toml", "-o", "out"]]
)
def test_a_bit_of_a_time_that_was_turned_is_found_when_it_is_read(
    command: list[str], undisturbed: Place, tmp_path: Path
) -> None:
    """A measure that the study did not name is made of what was measured in each attempt."""
    place = Place(tmp_path / "study", LARGE)
    shutil.copy(undisturbed.store, place.store)
    with closing(sqlite3.connect(place.store)) as connection, connection:
        ((value,),) = connection.execute("SELECT fit_time FROM attempt WHERE cell = 3")
        raw = bytearray(struct.pack("<d", value))
        raw[-3] ^= 1
        connection.execute("UPDATE attempt SET fit_time = ? WHERE cell = 3", struct.unpack("<d", raw))
    told = place.command(*command)
    assert told.code == 2
    assert "The store is damaged: what " in told.err
    assert "task 'iris' is not what was written there" in told.err


def test_what_a_failure_said_is_what_was_written(tmp_path: Path) -> None:
    place = Place(tmp_path / "study", study_text({"wrong": 'path = "wrong.Wrong"', **LEARNERS}))
    (place.folder / "wrong.py").write_text(
        "from sklearn.dummy import DummyClassifier\n"
        "class Wrong(DummyClassifier):\n    def fit(self, X, y):\n        raise ValueError('as planned')\n"
    )
    assert place.command("run", "study.toml", "--quiet").code == 4
    assert "as planned" in place.command("failures", "study.toml").out
    with closing(sqlite3.connect(place.store)) as connection, connection:
        connection.execute("UPDATE attempt SET message = 'as  planned' WHERE status <> 'ok'")
    for command in ("failures", "scores", "status"):
        told = place.command(command, "study.toml")
        assert told.code == 2
        assert "The store is damaged: what is stored of a failure" in told.err


def test_a_score_of_minus_zero_is_no_damage(tmp_path: Path) -> None:
    """As scikit-learn's neg_mean_squared_error of a perfect learner: a file keeps no sign of a zero."""
    rows = np.arange(30.0)[:, None]
    learners = {"linear": "sklearn.linear_model.LinearRegression", "mean": "sklearn.dummy.DummyRegressor"}
    study = Study({"line": (rows, rows[:, 0] / 8)}, learners, measures=["squared_error", minus_zero], resampling=3)
    store = tmp_path / "s.sqlite"
    scores = study.run(store=store)
    assert set(scores.only(measure="minus_zero").value) == {0.0}
    with Reader(store) as reader:
        assert reader.check() > 0
    with closing(sqlite3.connect(store)) as connection, connection:  # as earlier versions wrote it
        number, *_ = connection.execute("SELECT id FROM measure WHERE name = 'minus_zero'").fetchone()
        with_sign = int(_mixed(np.array([-0.0]), number)[0])
        connection.execute("UPDATE score SET checksum = ? WHERE measure = ?", (with_sign, number))
    with Reader(store) as reader:
        assert reader.check() > 0


def minus_zero(estimator: Any, X: Any, y: Any) -> float:
    return -0.0


def test_all_that_is_stored_can_be_looked_at(undisturbed: Place, tmp_path: Path) -> None:
    place = Place(tmp_path / "study", LARGE)
    shutil.copy(undisturbed.store, place.store)
    assert "values are what was written" in place.command("status", "study.toml", "--check").out
    connection = sqlite3.connect(place.store)
    with connection:
        connection.execute("UPDATE prediction SET predicted = predicted || x'00' WHERE cell = 3")
    connection.close()
    assert place.command("status", "study.toml").code == 0  # which reads no prediction
    told = place.command("status", "study.toml", "--check")
    assert told.code == 2
    assert "The store is damaged: a value of the table prediction" in told.err


def test_every_bit_of_a_score_counts() -> None:
    values = np.array([0.25, 1 / 3, -7.5e300, 0.0])
    for bit in range(64):
        values = values if bit < 63 else values[:3]  # a zero has no sign
        turned = (values.view(np.uint64) ^ np.uint64(1 << bit)).view(np.float64)
        assert (score_checksums(turned, 3) != score_checksums(values, 3)).all(), bit


@pytest.mark.parametrize("asked", ["0", "-100", "100000"])
def test_a_number_of_workers_that_cannot_be(asked: str, tmp_path: Path) -> None:
    place = Place(tmp_path / "study", SMALL)
    done = place.command("run", "study.toml", f"-j={asked}")
    assert done.code == 2
    assert "workers" in done.err
    assert asked in done.err
    assert not place.store.exists()


@pytest.mark.parametrize("n_jobs", [True, 1.5, "2", None, float("nan")])
def test_something_that_is_no_number_of_workers(n_jobs: Any) -> None:
    with pytest.raises(UsageError, match=re.escape(f"found {n_jobs!r}")):
        checked_workers(n_jobs)


def test_minus_one_is_all_processors() -> None:
    cores = os.cpu_count() or 1
    assert checked_workers(-1) == cores
    assert checked_workers(-cores) == 1
    assert checked_workers(3) == 3
