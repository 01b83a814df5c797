"""`bakeoff datasets` as a user types it, and the page that is made from the same table."""

from __future__ import annotations

import doctest
import json
from importlib import import_module
from pathlib import Path

import pytest

from bakeoff.cli import main
from bakeoff.measures.responses import COMPUTED
from bakeoff.procedures import explain, procedure_names
from bakeoff.tasks.sources import bundled, bundled_sets

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


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff explain` as a user types it.


@pytest.mark.parametrize("name", procedure_names())
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


def test_it_can_go_to_a_file_explain(tmp_path: Path, capsys: Capture) -> None:
    assert main(["explain", "friedman", "--output", str(tmp_path / "card.txt")]) == 0
    assert capsys.readouterr().out == ""
    assert (tmp_path / "card.txt").read_text(encoding="utf-8").startswith("friedman: Friedman test")


def test_a_name_is_needed(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        main(["explain"])
    assert left.value.code == 2
    assert "NAME" in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff measures` as a user types it.


def test_the_listing_has_a_line_for_each_in_order(capsys: Capture) -> None:
    assert main(["measures"]) == 0
    table, _, more = capsys.readouterr().out.partition("\n\n")
    header, _, *lines = table.splitlines()
    assert header.split() == ["measure", "better", "range", "tasks", "needs", "note"]
    assert [line.split()[0] for line in lines] == list(COMPUTED)
    for line, response in zip(lines, COMPUTED.values(), strict=True):
        assert line.endswith(response.note or str(response.needs))  # none is cut short
    assert "loss_matrix" in more
    assert "scikit-learn's scorers" in more


def test_a_line_tells_direction_range_kinds_and_needs(capsys: Capture) -> None:
    assert main(["measures"]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line}
    assert lines["fp_rate"].split()[1:9] == ["smaller", "0", "…", "1", "two", "classes", "labels", "the"]
    assert lines["r2"].split()[1:] == ["larger", "-∞", "…", "1", "regression", "numbers"]
    assert lines["fit_time"].split()[1:] == ["smaller", "0", "…", "∞", "all", "resources", "seconds"]


def test_json_has_a_record_for_each(capsys: Capture) -> None:
    assert main(["measures", "--json"]) == 0
    records = {record["name"]: record for record in json.loads(capsys.readouterr().out)}
    assert list(records) == list(COMPUTED)
    assert records["recall"] == {
        "name": "recall",
        "other_names": ["sensitivity", "tpr", "tp_rate", "true_positive_rate", "hit_rate"],
        "better": "larger",
        "lower": 0,
        "upper": 1,
        "kinds": ["classification"],
        "two_classes_only": True,
        "needs": "labels",
        "pointwise": False,
        "after_the_run": True,
        "note": "the second class is the positive one",
    }
    assert records["log_likelihood"]["upper"] == "Infinity"
    assert not records["peak_memory"]["after_the_run"]
    assert not records["squared_error"]["two_classes_only"]


def test_it_can_go_to_a_file_measures(tmp_path: Path, capsys: Capture) -> None:
    assert main(["measures", "-o", str(tmp_path / "list.txt")]) == 0
    assert capsys.readouterr().out == ""
    assert "balanced_accuracy" in (tmp_path / "list.txt").read_text(encoding="utf-8")


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff procedures` as a user types it.


def test_the_listing_has_a_line_for_each_in_order_procedures(capsys: Capture) -> None:
    assert main(["procedures"]) == 0
    header, _, *lines = capsys.readouterr().out.partition("\n\n")[0].splitlines()
    assert header.split() == ["procedure", "compares", "over", "title"]
    assert [line.split()[0] for line in lines] == list(procedure_names())
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
    assert [card["name"] for card in cards] == list(procedure_names())
    assert all(card["question"] and card["needs"] and card["references"] for card in cards)


def test_it_can_go_to_a_file_procedures(tmp_path: Path, capsys: Capture) -> None:
    assert main(["procedures", "-o", str(tmp_path / "list.txt")]) == 0
    assert capsys.readouterr().out == ""
    assert "friedman" in (tmp_path / "list.txt").read_text(encoding="utf-8")


def test_it_takes_no_arguments(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        main(["procedures", "friedman"])
    assert left.value.code == 2
    assert "unrecognised arguments: friedman" in capsys.readouterr().err
