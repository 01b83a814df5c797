from __future__ import annotations

import json
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from bakeoff.running.environment import environment


def test_the_environment_names_versions_processor_and_threads() -> None:
    found = environment(1, 2)
    assert found["packages"]["scikit-learn"] == version("scikit-learn")
    assert found["threads"] == 1
    assert found["workers"] == 2
    assert found["processor"]
    assert found["memory"] > 2**28
    assert found["commit"] is None
    json.dumps(found)


def test_the_commit_of_the_studys_folder_is_recorded_and_marked_when_files_were_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*arguments: str) -> str:
        settings = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        done = subprocess.run(
            ["git", "-C", str(tmp_path), *settings, *arguments], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init", "-q")
    (tmp_path / "study.toml").write_text("seed = 1\n")
    git("add", ".")
    git("commit", "-q", "-m", "a study")
    commit = git("rev-parse", "HEAD")
    assert environment(1, 1, folder=tmp_path)["commit"] == commit
    (tmp_path / "study.toml").write_text("seed = 2\n")
    assert environment(1, 1, folder=tmp_path)["commit"] == commit + "+"
