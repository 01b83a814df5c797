"""`bakeoff explain` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.cli import main
from bakeoff.registry import MODULES, explain

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("name", MODULES)
def test_every_procedure_can_be_explained(name: str, capsys: Capture) -> None:
    assert main(["explain", name]) == 0
    assert capsys.readouterr().out == explain(name).to_text() + "\n"
    assert main(["explain", name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == name


def test_options_are_shown_as_they_are_typed(capsys: Capture) -> None:
    assert main(["explain", "mcnemar"]) == 0
    text = capsys.readouterr().out
    assert "--method" in text
    assert "--correction" in text


def test_the_nearest_name_is_offered(capsys: Capture) -> None:
    assert main(["explain", "mcnemarr"]) == 2
    captured = capsys.readouterr()
    assert "Did you mean 'mcnemar'" in captured.err
    assert captured.out == ""


def test_it_can_go_to_a_file(tmp_path: Path, capsys: Capture) -> None:
    assert main(["explain", "friedman", "--output", str(tmp_path / "card.txt")]) == 0
    assert capsys.readouterr().out == ""
    assert (tmp_path / "card.txt").read_text(encoding="utf-8").startswith("friedman: Friedman test")


def test_a_name_is_needed(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        main(["explain"])
    assert left.value.code == 2
    assert "NAME" in capsys.readouterr().err
