"""`bakeoff demo` as a user types it. The study itself takes half a minute: here a smaller one stands in its place."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bakeoff.cli import main
from bakeoff.study.file import study_from

Capture = pytest.CaptureFixture[str]
FILES = {"study.toml", "study.sqlite", "critical-difference.svg", "verdict.json", "report.html"}
SCORES = {"scores.csv", "critical-difference.svg", "verdict.json", "report.html"}


@pytest.fixture
def folder(tmp_path: Path, small_study: Path) -> Path:
    """A folder in which the study of the demo was made smaller."""
    made = tmp_path / "demo"
    made.mkdir()
    (made / "study.toml").write_text(small_study.read_text(encoding="utf-8"), encoding="utf-8")
    return made


def test_the_study_is_a_real_one() -> None:
    table = tomllib.loads((files("bakeoff") / "data" / "demo.toml").read_text(encoding="utf-8"))
    study = study_from(table, "demo.toml", "demo", Path())
    assert len(study.learners) >= 4
    assert any(learner.tuning is not None for learner in study.learners)
    assert len(study.tasks) >= 10, "enough for the verdict to say something"
    assert not any(task.runs_code for task in study.tasks)
    assert study.plan().cells == 300


def test_it_ends_with_a_verdict_and_says_where_the_files_are(folder: Path, capsys: Capture) -> None:
    assert main(["demo", "--output", str(folder)]) == 0
    text = capsys.readouterr().out
    assert {path.name for path in folder.iterdir()} == FILES
    assert all(str(folder / name) in text for name in FILES)
    assert "bayes is better than majority" in " ".join(text.split())
    assert "is there already, and is used as it is." in " ".join(text.split())
    verdict = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))["verdicts"][0]
    assert verdict["standing"]["planned"] is True
    assert ElementTree.parse(folder / "critical-difference.svg").getroot().tag.endswith("svg")


def test_the_commands_that_it_shows_can_be_typed(folder: Path, capsys: Capture) -> None:
    assert main(["demo", "--output", str(folder)]) == 0
    demo = capsys.readouterr().out
    shown = [line.removeprefix("$ bakeoff ").split() for line in demo.splitlines() if line.startswith("$ bakeoff ")]
    assert [command[0] for command in shown] == ["plan", "run", "judge"]
    assert all(main(command) == 0 for command in shown)
    assert capsys.readouterr().out.split("Next:")[1].partition("\n")[2] in demo, "the verdict is the same"


def test_what_fails_on_the_way_fails_the_demo(folder: Path, capsys: Capture) -> None:
    (folder / "study.toml").write_text("seed = 1\n")
    with pytest.raises(SystemExit) as left:
        main(["demo", "--output", str(folder)])
    assert left.value.code == 2
    assert "There is no task" in capsys.readouterr().err


# By published scores: bakeoff demo --scores


def test_scores_end_with_a_verdict_and_say_where_the_files_are(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "a" / "demo"  # neither is there yet
    assert main(["demo", "--scores", "--output", str(folder)]) == 0
    text = capsys.readouterr().out
    assert {path.name for path in folder.iterdir()} == SCORES
    assert all(str(folder / name) in text for name in SCORES)
    assert "AdaBoosted C4.5, Randomized C4.5 and Bagged C4.5 are each better than C4.5" in " ".join(text.split())


def test_the_files_are_what_they_say(tmp_path: Path) -> None:
    assert main(["demo", "--scores", "--output", str(tmp_path)]) == 0
    shipped = (files("bakeoff") / "data" / "dietterich2000.csv").read_text(encoding="utf-8")
    assert (tmp_path / "scores.csv").read_text(encoding="utf-8") == shipped
    verdict = json.loads((tmp_path / "verdict.json").read_text(encoding="utf-8"))["verdict"]
    assert verdict["finding"]["n_blocks"] == 33
    assert len(verdict["finding"]["learners"]) == 4
    assert ElementTree.parse(tmp_path / "critical-difference.svg").getroot().tag.endswith("svg")


def test_the_command_that_it_shows_can_be_typed(tmp_path: Path, capsys: Capture) -> None:
    assert main(["demo", "--scores", "--output", str(tmp_path / "demo")]) == 0
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
        assert main(["demo", "--scores"]) == 0
        answers.append(capsys.readouterr().out)
    assert {path.name for path in (tmp_path / "demo").iterdir()} == SCORES
    assert answers[0] == answers[1]


def test_a_folder_that_cannot_be_made_is_a_message(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "taken").write_text("a file")
    for flags in ([], ["--scores"]):
        assert main(["demo", *flags, "--output", str(tmp_path / "taken")]) == 2
        captured = capsys.readouterr()
        assert "The demo cannot write there" in captured.err
        assert captured.out == ""
    assert (tmp_path / "taken").read_text() == "a file"


def test_what_fails_on_the_way_fails_this_one_too(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "verdict.json").mkdir()
    with pytest.raises(SystemExit) as left:
        main(["demo", "--scores", "--output", str(tmp_path)])
    assert left.value.code == 2
    assert "verdict.json cannot be written" in capsys.readouterr().err
