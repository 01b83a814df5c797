"""`bakeoff demo` as a user types it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bakeoff.cli import main

Capture = pytest.CaptureFixture[str]
FILES = {"scores.csv", "critical-difference.svg", "verdict.json"}


def test_it_ends_with_a_verdict_and_says_where_the_files_are(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "a" / "demo"  # neither is there yet
    assert main(["demo", "--output", str(folder)]) == 0
    text = capsys.readouterr().out
    assert {path.name for path in folder.iterdir()} == FILES
    assert all(str(folder / name) in text for name in FILES)
    assert "AdaBoosted C4.5 is better than C4.5" in " ".join(text.split())


def test_the_files_are_what_they_say(tmp_path: Path) -> None:
    assert main(["demo", "--output", str(tmp_path)]) == 0
    shipped = (files("bakeoff") / "data" / "dietterich2000.csv").read_text(encoding="utf-8")
    assert (tmp_path / "scores.csv").read_text(encoding="utf-8") == shipped
    verdict = json.loads((tmp_path / "verdict.json").read_text(encoding="utf-8"))["verdict"]
    assert verdict["finding"]["n_blocks"] == 33
    assert len(verdict["finding"]["learners"]) == 4
    assert ElementTree.parse(tmp_path / "critical-difference.svg").getroot().tag.endswith("svg")


def test_the_command_that_it_shows_can_be_typed(tmp_path: Path, capsys: Capture) -> None:
    assert main(["demo", "--output", str(tmp_path / "demo")]) == 0
    demo = capsys.readouterr().out
    (shown,) = [line for line in demo.splitlines() if line.startswith("$ bakeoff ")]
    assert main(shown.removeprefix("$ bakeoff ").split()) == 0
    assert capsys.readouterr().out in demo


def test_without_a_folder_it_makes_one_and_may_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    answers = []
    for _ in range(2):
        assert main(["demo"]) == 0
        answers.append(capsys.readouterr().out)
    assert {path.name for path in (tmp_path / "demo").iterdir()} == FILES
    assert answers[0] == answers[1]


def test_a_folder_that_cannot_be_made_is_a_message(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "taken").write_text("a file")
    assert main(["demo", "--output", str(tmp_path / "taken")]) == 2
    captured = capsys.readouterr()
    assert "The demo cannot write there" in captured.err
    assert captured.out == ""
    assert (tmp_path / "taken").read_text() == "a file"


def test_what_fails_on_the_way_fails_the_demo(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "verdict.json").mkdir()
    with pytest.raises(SystemExit) as left:
        main(["demo", "--output", str(tmp_path)])
    assert left.value.code == 2
    assert "verdict.json cannot be written" in capsys.readouterr().err
