from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.running.scratch import Scratch, remove_stale


@pytest.fixture(autouse=True)
def _own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_what_cannot_be_sent_is_told_by_its_name() -> None:
    scratch = Scratch()
    try:
        with pytest.raises(UsageError, match=r"a generator cannot be sent .* Put what it is made of into a module"):
            scratch.put_each("learners", [SimpleNamespace(name="a generator", inside=(n for n in (1, 2)))])
    finally:
        scratch.close()


def test_what_is_put_there_can_be_read_and_goes_with_the_run(tmp_path: Path) -> None:
    scratch = Scratch()
    scratch.put("learners", [1, 2])
    assert pickle.loads((scratch.folder / "learners").read_bytes()) == [1, 2]
    assert scratch.folder.stat().st_mode & 0o077 == 0, "nobody else may look"
    scratch.close()
    assert list(tmp_path.iterdir()) == []


def test_a_function_of_a_script_is_sent_by_value(tmp_path: Path) -> None:
    code = (
        "import tempfile; tempfile.tempdir = r'" + str(tmp_path) + "'\n"
        "from bakeoff.running.scratch import Scratch\n"
        "def double(x): return 2 * x\n"
        "scratch = Scratch(); scratch.put('f', double); print(scratch.folder)"
    )
    folder = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert pickle.loads((Path(folder) / "f").read_bytes())(21) == 42


def test_folders_of_killed_runs_are_removed_and_others_kept(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    dead = tmp_path / f"bakeoff-run-{process.pid}-abc"
    alive = tmp_path / f"bakeoff-run-{os.getpid()}-abc"
    foreign = tmp_path / "bakeoff-run-notes"
    for folder in (dead, alive, foreign):
        folder.mkdir()
    remove_stale()
    assert not dead.exists()
    assert alive.exists()
    assert foreign.exists()


def test_a_folder_that_cannot_be_written_to_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match=r"cannot be written to \(No such file or directory\).*TMPDIR"):
        Scratch()


def test_no_room_for_the_data_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = Scratch()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match=r"No space left on device.*goes on where it stopped"):
        scratch.put("task-0", [1])
    scratch.close()
