"""`bakeoff measures` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.cli import main
from bakeoff.measures.responses import COMPUTED

Capture = pytest.CaptureFixture[str]


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


def test_it_can_go_to_a_file(tmp_path: Path, capsys: Capture) -> None:
    assert main(["measures", "-o", str(tmp_path / "list.txt")]) == 0
    assert capsys.readouterr().out == ""
    assert "balanced_accuracy" in (tmp_path / "list.txt").read_text(encoding="utf-8")
