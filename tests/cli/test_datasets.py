"""`bakeoff datasets` as a user types it, and the page that is made from the same table."""

from __future__ import annotations

import doctest
import json
from importlib import import_module
from pathlib import Path

import pytest

from bakeoff.cli import main
from bakeoff.tasks.bundled import bundled, bundled_sets

Capture = pytest.CaptureFixture[str]


def test_the_listing_has_a_line_for_each(capsys: Capture) -> None:
    assert main(["datasets"]) == 0
    table = capsys.readouterr().out.partition("\n\n")[0]
    _, _, *lines = table.splitlines()
    assert [line.split()[0] for line in lines] == list(bundled_sets())
    assert "…" not in table  # none is cut short
    assert next(line for line in lines if line.startswith("ozone")).split()[-3:] == ["366", "12", "196"]


def test_one_in_full_names_creators_licence_and_what_was_changed(capsys: Capture) -> None:
    assert main(["datasets", "heart"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for part in ("Detrano", "CC BY 4.0", "archive.ics.uci.edu", "lost its decimal points", "x3, x7 and x13"):
        assert part in text
    assert 'data = "heart"' in text


def test_groups_test_sample_and_dropped_columns_are_told(capsys: Capture) -> None:
    assert main(["datasets", "vowel"]) == 0
    assert "the last 462 rows" in capsys.readouterr().out
    assert main(["datasets", "wpbc"]) == 0
    assert "not used: time" in capsys.readouterr().out


def test_json_holds_everything(capsys: Capture) -> None:
    assert main(["datasets", "--json"]) == 0
    cards = json.loads(capsys.readouterr().out)
    assert [card["name"] for card in cards] == list(bundled_sets())
    assert main(["datasets", "tae", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == bundled("tae").to_dict()


def test_a_wrong_name_is_a_sentence(capsys: Capture) -> None:
    assert main(["datasets", "iros"]) == 2
    assert "Did you mean 'iris'" in capsys.readouterr().err


def test_it_can_go_to_a_file(tmp_path: Path, capsys: Capture) -> None:
    assert main(["datasets", "iris", "-o", str(tmp_path / "iris.txt")]) == 0
    assert capsys.readouterr().out == ""
    assert "Fisher" in (tmp_path / "iris.txt").read_text(encoding="utf-8")


def test_the_page_is_what_the_table_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "tools"))
    tool = import_module("dataset_docs")
    assert doctest.testmod(tool).failed == 0
    assert tool.main(["--check"]) == 0
    text = tool.PAGE.read_text(encoding="utf-8")
    assert all(f"\n### {name}\n" in text for name in bundled_sets())
    monkeypatch.setattr(tool, "PAGE", Path("nowhere.md"))
    assert "run `make docs`" in tool.main(["--check"])
