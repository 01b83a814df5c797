"""`bakeoff export` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from bakeoff.cli import main
from bakeoff.studies.file import read_study

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("form", [None, "csv"])
def test_a_folder_with_everything(form: str | None, finished_study: Path, tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "out"
    assert main(["export", str(finished_study), "-o", str(folder), *(["--format", form] if form else [])]) == 0
    ending = form or "parquet"
    tables = {f"{name}.{ending}" for name in ("scores", "predictions", "splits", "attempts")}
    assert {path.name for path in folder.iterdir()} == {*tables, "study.json"}
    read = pd.read_csv if form == "csv" else pd.read_parquet
    assert len(read(folder / f"predictions.{ending}")) == 2 * 150
    assert len(read(folder / f"splits.{ending}")) == 3 * 150
    assert json.loads((folder / "study.json").read_text(encoding="utf-8"))["key"] == read_study(finished_study).key


def test_the_files_are_listed(finished_study: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["export", str(finished_study), "-o", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.split() == sorted(str(path) for path in (tmp_path / "out").iterdir())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_scores_alone(ending: str, finished_study: Path, tmp_path: Path) -> None:
    target = tmp_path / f"scores.{ending}"
    assert main(["export", str(finished_study), "-o", str(target)]) == 0
    assert main(["compare", str(target), "--measure", "error"]) == 0


def test_what_is_there_stays(finished_study: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("mine")
    assert main(["export", str(finished_study), "-o", str(tmp_path / "out")]) == 2
    assert "is there already. Name a folder that is not there yet" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine"]


def test_two_formats_at_once(finished_study: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["export", str(finished_study), "-o", str(tmp_path / "x.csv"), "--format", "parquet"]) == 2
    assert "--format parquet contradicts the ending of x.csv" in capsys.readouterr().err
    assert not (tmp_path / "x.csv").exists()
