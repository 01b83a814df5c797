"""`bakeoff` alone: what to type next in this folder."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import bakeoff
from bakeoff.cli import main, parser
from bakeoff.cli.here import next_steps
from bakeoff.study.file import TEMPLATE

Capture = pytest.CaptureFixture[str]
SHIPPED = Path(bakeoff.__file__).parent / "data" / "dietterich2000.csv"


def commands(text: str) -> list[list[str]]:
    """The commands that are shown, as a shell would cut them up."""
    return [shlex.split(line.split("  ", 2)[1]) for line in text.splitlines() if line.startswith("  bakeoff")]


def test_an_empty_folder_says_how_to_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([]) == 2
    text = capsys.readouterr().out
    assert [words[1] for words in commands(text)] == ["demo", "compare", "init"]
    assert "bakeoff --help" in text


def test_what_lies_there_is_named_and_what_is_shown_can_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my scores.csv").write_text(SHIPPED.read_text())
    (tmp_path / "study.toml").write_text(TEMPLATE)
    (tmp_path / "pyproject.toml").write_text("[learner]\ntask = 1\n")
    text = next_steps(tmp_path)
    shown = commands(text)
    assert ["bakeoff", "compare", "my scores.csv"] in shown
    assert [words[1:3] for words in shown[:3]] == [
        ["plan", "study.toml"],
        ["run", "study.toml"],
        ["judge", "study.toml"],
    ]
    assert "pyproject" not in text
    for words in shown:
        parser().parse_args(words[1:])
    assert main(["compare", "my scores.csv", "--measure", "error", "-o", "verdict.json"]) == 0
    assert ["bakeoff", "compare", "verdict.json", "-o", "table.tex"] in commands(next_steps(tmp_path))
    (tmp_path / "study.sqlite").write_text("")
    assert [words[1] for words in commands(next_steps(tmp_path))[:3]] == ["judge", "status", "run"]


def test_names_command_no_terminal(tmp_path: Path) -> None:
    (tmp_path / "\x1b[31mred.csv").write_text("a,b\n1,2\n")
    assert "\x1b" not in next_steps(tmp_path)
