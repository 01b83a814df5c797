"""`bakeoff procedures` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.cli import main
from bakeoff.registry import MODULES, explain

Capture = pytest.CaptureFixture[str]


def test_the_listing_has_a_line_for_each_in_order(capsys: Capture) -> None:
    assert main(["procedures"]) == 0
    header, _, *lines = capsys.readouterr().out.partition("\n\n")[0].splitlines()
    assert header.split() == ["procedure", "compares", "over", "title"]
    assert [line.split()[0] for line in lines] == list(MODULES)
    for line in lines:
        name, compares, level, title = line.split(maxsplit=3)
        card = explain(name)
        assert (compares, level, title) == (card.compares.value, card.level.value, card.title)  # none is cut short


def test_it_says_where_there_is_more(capsys: Capture) -> None:
    assert main(["procedures"]) == 0
    assert capsys.readouterr().out.endswith("`bakeoff explain NAME` tells more about each.\n")


def test_json_is_a_list_of_cards(capsys: Capture) -> None:
    assert main(["procedures", "--json"]) == 0
    cards = json.loads(capsys.readouterr().out)
    assert [card["name"] for card in cards] == list(MODULES)
    assert all(card["question"] and card["needs"] and card["references"] for card in cards)


def test_it_can_go_to_a_file(tmp_path: Path, capsys: Capture) -> None:
    assert main(["procedures", "-o", str(tmp_path / "list.txt")]) == 0
    assert capsys.readouterr().out == ""
    assert "friedman" in (tmp_path / "list.txt").read_text(encoding="utf-8")


def test_it_takes_no_arguments(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        main(["procedures", "friedman"])
    assert left.value.code == 2
    assert "unrecognised arguments: friedman" in capsys.readouterr().err
