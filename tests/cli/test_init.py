"""`bakeoff init` as a user types it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.cli import main
from bakeoff.studies.template import TEMPLATE

Capture = pytest.CaptureFixture[str]


def test_in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    assert (tmp_path / "study.toml").read_text(encoding="utf-8") == TEMPLATE
    said = capsys.readouterr().out
    for step in ("bakeoff plan study.toml", "bakeoff run study.toml -j 2", "bakeoff judge study.toml"):
        assert step in said
    assert main(["plan", "study.toml"]) == 0


def test_the_comments_name_the_file_as_it_is_called(tmp_path: Path) -> None:
    assert main(["init", str(tmp_path / "wines.toml")]) == 0
    text = (tmp_path / "wines.toml").read_text(encoding="utf-8")
    assert "bakeoff run wines.toml" in text
    assert "study.toml" not in text


def test_a_file_that_is_there_is_kept_unless_told_otherwise(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "study.toml"
    path.write_text("mine")
    assert main(["init", str(path)]) == 2
    assert "is there already. Name another file, or write over it with --force." in capsys.readouterr().err
    assert path.read_text() == "mine"
    assert main(["init", str(path), "--force"]) == 0
    assert path.read_text(encoding="utf-8") == TEMPLATE


@pytest.mark.parametrize(("name", "says"), [("study.yaml", "ends in .toml"), ("no/study.toml", "cannot be written")])
def test_what_cannot_be(tmp_path: Path, name: str, says: str, capsys: Capture) -> None:
    assert main(["init", str(tmp_path / name)]) == 2
    assert says in capsys.readouterr().err
