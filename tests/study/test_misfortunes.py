"""What can happen to a run from outside: a sentence says what, nothing is lost, and the next run goes on."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from proofs import Place, attempts, cells, content, odd, said, study_text, until

from bakeoff.errors import UsageError
from bakeoff.study.file import read_study
from bakeoff.study.run import Summary, checked_workers, run_study

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
    place = Place(tmp_path / "study", study_text({"slow": odd("GlobalNumpy", seconds=0.05)}, repeats=20))
    first = place.start("run", "study.toml", "--quiet")
    until(lambda: cells(place.store), "the first batch of results")
    second = place.command("run", "study.toml", "--quiet")
    assert second.code == 2
    assert f"Another run is writing to this store: process {first.pid}" in second.err
    assert place.command("status", "study.toml").code == 0, "looking is allowed"
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
