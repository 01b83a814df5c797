"""`bakeoff order`: a full order of learners, cost deciding where the data do not."""

from __future__ import annotations

import json

import pytest

from bakeoff.cli import main


def test_an_order_in_words(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["order", wide, "--measure", "accuracy", "--cost", "C4.5", "--cost", "C4.5+m", "--cost", "C4.5+cf"]
    assert main(asked) == 0
    shown = capsys.readouterr().out
    assert "Cost, cheapest first: C4.5, C4.5+m, C4.5+cf." in shown
    assert "First is C4.5: no costlier learner is significantly better." in shown


def test_an_order_as_json(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [
        "order",
        wide,
        "--measure",
        "accuracy",
        "--with",
        "sign",
        "--ties",
        "dropped",
        "--json",
        "--adjust",
        "none",
    ]
    asked += [part for name in ("C4.5+cf", "C4.5", "C4.5+m") for part in ("--cost", name)]
    assert main(asked) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["procedure"] == "sign"
    assert found["cost_order"] == ["C4.5+cf", "C4.5", "C4.5+m"]
    assert len(found["tests"]) == 3


def test_a_learner_without_a_cost_is_refused(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["order", wide, "--measure", "accuracy", "--cost", "C4.5"]) == 2
    assert "must name every learner, cheapest first; not in it: C4.5+m and C4.5+cf" in capsys.readouterr().err


def test_options_go_with_a_procedure(wide: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["order", wide, "--measure", "accuracy", "--cost", "C4.5", "--ties", "dropped"]) == 2
    assert "go with --with NAME" in capsys.readouterr().err
