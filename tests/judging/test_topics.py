"""What can be explained beside procedures."""

from __future__ import annotations

import json

import pytest

import bakeoff
from bakeoff.cli import main
from bakeoff.errors import UsageError
from bakeoff.inference.adjustments import ADJUSTMENTS
from bakeoff.judging.topics import ALSO_CALLED, TOPICS, Topic, explain
from bakeoff.procedures import procedure_names
from bakeoff.procedures.card import Card

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("name", [*TOPICS, *ALSO_CALLED, *ADJUSTMENTS])
def test_topics_tell_how_they_are_asked_for(name: str, capsys: Capture) -> None:
    topic = explain(name)
    assert isinstance(topic, Topic)
    assert main(["explain", name]) == 0
    text = capsys.readouterr().out
    assert text == f"{topic}\n"
    assert "Use it:\n  bakeoff " in text
    assert main(["explain", name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == topic.name


def test_procedures_keep_their_cards() -> None:
    assert all(isinstance(explain(name), Card) for name in procedure_names())
    assert isinstance(bakeoff.explain("Friedman"), Card)
    assert isinstance(bakeoff.explain("5x2_f"), Card)


def test_no_name_means_two_things() -> None:
    names = [*procedure_names(), *TOPICS, *ALSO_CALLED, *ADJUSTMENTS]
    assert len(set(names)) == len(names)


def test_the_nearest_name_is_offered() -> None:
    with pytest.raises(UsageError, match=r"nothing called 'multitset' to explain.* Did you mean 'multitest'"):
        explain("multitset")
