"""A server over a folder of results and two stores of an earlier version."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import DATA, KEPT, SCORES, Served, serving

from bakeoff.web.safety import Rules
from bakeoff.web.workspace import Workspace


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("served") / "results"
    made.mkdir()
    shutil.copy(DATA / SCORES, made)
    (made / ".hidden.csv").write_text("a,b\n1,2\n")
    (made.parent / "secret.csv").write_text("a,b\n1,2\n")
    (made / "outside.csv").symlink_to(made.parent / "secret.csv")
    for name in ("folds.sqlite", "bootstrap.sqlite"):
        shutil.copy(KEPT / name, made)
    return made


@pytest.fixture(scope="session")
def served(folder: Path) -> Iterator[Served]:
    rules = Rules(most_bytes=1 << 20)
    with serving(Workspace(str(folder), most_bytes=rules.most_bytes), rules) as started:
        yield started
