"""`bakeoff plan` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.cli import main

Capture = pytest.CaptureFixture[str]


def test_before_and_after_a_run(small_study: Path, finished_study: Path, capsys: Capture) -> None:
    assert main(["plan", str(small_study)]) == 0
    before = capsys.readouterr().out
    assert before.startswith("Is anything learned from iris?\n")
    assert "cells:      6; 0 stored" in before
    assert not small_study.with_suffix(".sqlite").exists(), "a plan writes nothing"
    assert main(["plan", str(finished_study)]) == 0
    assert "cells:      6; 6 stored" in capsys.readouterr().out
    assert main(["plan", str(small_study), "--store", str(finished_study.with_suffix(".sqlite"))]) == 0
    assert "cells:      6; 6 stored" in capsys.readouterr().out


def test_as_json_and_into_a_file(small_study: Path, tmp_path: Path) -> None:
    assert main(["plan", str(small_study), "--json", "-o", str(tmp_path / "plan.json")]) == 0
    assert json.loads((tmp_path / "plan.json").read_text(encoding="utf-8"))["cells"] == 6


def test_a_mistake_in_the_file_is_a_message(small_study: Path, capsys: Capture) -> None:
    small_study.write_text(small_study.read_text().replace("seed", "sead"))
    assert main(["plan", str(small_study)]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(f"bakeoff: {small_study}, key sead: There is no key 'sead' here. Did you mean 'seed'?")
    assert said.out == ""


def test_a_target_that_the_data_do_not_have(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "mine.csv").write_text("x,y,class\n1,2,a\n2,3,b\n")
    path = tmp_path / "study.toml"
    text = '[[task]]\nfile = "mine.csv"\ntarget = "clas"\n[[learner]]\npath = "sklearn.dummy.DummyClassifier"\n'
    path.write_text(text)
    assert main(["plan", str(path)]) == 2
    assert "'clas'" in (said := capsys.readouterr().err)
    assert "class" in said.replace("'clas'", "")
    path.write_text(text.replace('target = "clas"\n', ""))
    assert main(["plan", str(path)]) == 2
    assert "target" in capsys.readouterr().err
