"""Answers go to the screen or to a file: whole, or not at all."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from bakeoff.cli import main
from bakeoff.cli.output import emit
from bakeoff.errors import UsageError

Capture = pytest.CaptureFixture[str]


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_without_a_file_it_is_printed(capsys: Capture) -> None:
    emit(Namespace(output=None), "α = 0.05")
    assert capsys.readouterr().out == "α = 0.05\n"


def test_a_file_holds_what_would_be_printed(tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "answer.txt"
    target.write_text("of yesterday, and much longer than what comes now")
    emit(Namespace(output=str(target)), "α = 0.05")
    assert target.read_bytes() == "α = 0.05\n".encode()
    assert capsys.readouterr().out == ""
    assert names(tmp_path) == {"answer.txt"}


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"answer cannot be written: .*Name a file in a folder that exists"):
        emit(Namespace(output=str(tmp_path / "no" / "answer")), "text")
    assert names(tmp_path) == set()


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="folder cannot be written"):
        emit(Namespace(output=str(tmp_path / "folder")), "text")
    assert names(tmp_path) == {"folder"}


def test_a_failure_keeps_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "answer.txt"
    target.write_text("of yesterday")

    def full(path: Path, text: str, **_further: object) -> int:
        path.write_bytes(text[:3].encode())
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UsageError, match="No space left on device"):
        emit(Namespace(output=str(target)), "of today")
    assert target.read_text() == "of yesterday"
    assert names(tmp_path) == {"answer.txt"}


def test_a_command_writes_to_the_file(wide: str, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "answer.json"
    assert main(["advise", wide, "--measure", "auc", "--json", "-o", str(target)]) == 0
    assert capsys.readouterr().out == ""
    assert json.loads(target.read_text(encoding="utf-8"))["recommended"] == "friedman"
    assert names(tmp_path) == {"answer.json", Path(wide).name}
    assert main(["advise", wide, "--measure", "auc", "-o", str(tmp_path / "no" / "answer")]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "says"), [(".", "directory"), ("/", "directory"), ("", "the name given is empty")])
def test_a_name_that_is_no_file_is_refused_by_every_command(
    name: str, says: str, wide: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["adjust", "0.1"], ["compare", wide, "--measure", "auc"], ["procedures"], ["measures", "--json"]):
        assert main([*words, "-o", name]) == 2
        said = capsys.readouterr()
        assert says in said.err
        assert "Name a file" in said.err
        assert said.out == ""
    assert names(tmp_path) == {Path(wide).name}
