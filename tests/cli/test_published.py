"""`bakeoff published` as a user types it, and the page that is made from the same catalogue."""

from __future__ import annotations

import doctest
import json
from importlib import import_module
from pathlib import Path

import pytest

from bakeoff.cli import main
from bakeoff.lab.published.catalogue import published_results, regenerate

Capture = pytest.CaptureFixture[str]


def test_the_listing_has_a_line_for_each_with_its_outcome(capsys: Capture) -> None:
    assert main(["published"]) == 0
    table = capsys.readouterr().out.partition("\n\n")[0]
    _, _, *lines = table.splitlines()
    assert [line.split()[0] for line in lines] == [result.name for result in published_results()]
    assert "…" not in table  # none is cut short
    line = next(line for line in lines if line.startswith("feelders-familywise"))
    assert "reproduced but for F4" in line
    assert line.split()[-2:] == ["exact", "1"]


def test_one_is_computed_again_beside_the_document(capsys: Capture) -> None:
    assert main(["published", "feelders-table4"]) == 0
    text = capsys.readouterr().out
    assert "1.16364" in text
    assert "1.1636 " in text
    assert "Of 9 numbers beside a printed one, 9 agree to the digits printed." in text


def test_json_holds_everything(capsys: Capture) -> None:
    assert main(["published", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [result.to_dict() for result in published_results()]
    assert main(["published", "feelders-table3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == regenerate("feelders-table3").to_dict()


def test_it_can_go_to_a_file(tmp_path: Path, capsys: Capture) -> None:
    assert main(["published", "slides-two-models", "-o", str(tmp_path / "s.txt")]) == 0
    assert capsys.readouterr().out == ""
    assert "ERRATUM S4" in (tmp_path / "s.txt").read_text(encoding="utf-8")


def test_size_seed_and_workers_reach_the_result(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    from bakeoff.cli import published

    asked = {}

    def told(name: str, **options: object) -> object:
        asked.update(options)
        return regenerate(name)

    monkeypatch.setattr(published, "regenerate", told)
    assert main(["published", "feelders-table4", "--full", "--seed", "7", "-j", "2", "--store", "x.sqlite"]) == 0
    assert asked == {"full": True, "seed": 7, "jobs": 2, "store": "x.sqlite"}


def test_a_figure_is_drawn_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    from bakeoff.lab.published import hothorn_tables

    right = hothorn_tables.compare_table1
    monkeypatch.setattr(hothorn_tables, "compare_table1", lambda *_: right(2))
    path = tmp_path / "power.svg"
    assert main(["published", "hothorn-table1", "--figure", str(path)]) == 0
    assert "competition" in path.read_text(encoding="utf-8")
    assert "hothorn-table1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["feelders-tabel3"], "Did you mean 'feelders-table3'"),
        (["--full"], "name it"),
        (["--figure", "x.svg"], "name it"),
        (["feelders-table4", "--figure", "x.svg"], "has no figure; hothorn-table1"),
        (["hothorn-table2", "--figure", "x.doc"], ".svg, .pdf or .png"),
        (["hothorn-table2", "--figure", "no/such/folder/x.svg"], "There is no directory"),
        (["feelders-table4", "--store", "x.sqlite"], "cannot be resumed; hothorn-boston"),
        (["feelders-table4", "-j", "0"], "1 or more, or -1"),
        (["feelders-table4", "--seed", "-3"], "'seed' must be a whole number"),
        (["feelders-table4", "-o", "no/such/folder/x.txt"], "cannot be written"),
    ],
)
def test_a_mistake_is_a_sentence(arguments: list[str], message: str, capsys: Capture) -> None:
    assert main(["published", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_numbers_of_replications_are_both_shown_where_they_differ() -> None:
    from bakeoff.cli.published import _both

    assert _both(1000, 5000) == "1,000 (5,000)"
    assert _both(1000, 1000) == "1,000"


def test_the_page_is_what_the_catalogue_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "tools"))
    tool = import_module("published_docs")
    assert doctest.testmod(tool).failed == 0
    assert tool.main(["--check"]) == 0
    text = tool.PAGE.read_text(encoding="utf-8")
    assert all(f"\n### {result.name}\n" in text for result in published_results())
    monkeypatch.setattr(tool, "PAGE", Path("nowhere.md"))
    assert "run `make docs`" in tool.main(["--check"])
