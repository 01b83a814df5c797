"""`bakeoff status` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.cli import main
from bakeoff.running.outcome import Outcome
from bakeoff.running.packing import Pace
from bakeoff.studies.conducting import conduct
from bakeoff.studies.file import read_study

Capture = pytest.CaptureFixture[str]


class StopAfterTwo:
    """A user who presses Ctrl-C when two cells are done."""

    def __init__(self) -> None:
        self.seen = 0

    def begin(self, left: dict[tuple[int, int], int], pace: Pace, workers: int) -> None:
        pass

    def finished(self, kind: tuple[int, int], outcome: Outcome) -> None:
        self.seen += 1
        if self.seen == 2:
            raise KeyboardInterrupt


def test_of_a_finished_study(finished_study: Path, capsys: Capture) -> None:
    assert main(["status", str(finished_study)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("6 of 6 cells are done, 0 failed, 0 are left.\n")
    assert "1 run; the last one: finished, started " in said
    assert "majority" in said
    assert "iris" in said


def test_of_a_study_that_was_stopped(small_study: Path, capsys: Capture) -> None:
    conduct(read_study(small_study), small_study.with_suffix(".sqlite"), watcher=StopAfterTwo())
    assert main(["status", str(small_study)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("2 of 6 cells are done, 0 failed, 4 are left: about ")
    assert "the last one: interrupted" in said


def test_as_json(finished_study: Path, capsys: Capture) -> None:
    assert main(["status", str(finished_study), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["study"] == read_study(finished_study).key
    assert (told["cells"], told["by_status"]) == (6, {"ok": 6, "left": 0})
    assert [(part["task"], part["learner"], part["ok"]) for part in told["parts"]] == [
        ("iris", "majority", 3),
        ("iris", "bayes", 3),
    ]
    assert told["runs"][0]["state"] == "finished"
