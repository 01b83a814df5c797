"""What can be explained beside procedures."""

from __future__ import annotations

import json

import pytest

import bakeoff
from bakeoff.cli import main
from bakeoff.errors import UsageError
from bakeoff.inference.adjustments import ADJUSTMENTS
from bakeoff.judging.topics import ALSO_CALLED, TOPICS, Matches, Topic, explain
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


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("how many seeds do I need", "power"),
        ("sample size", "power"),
        ("multiple testing", "multiple-comparisons"),
        ("LLM evals", "language-models"),
        ("Elo", "language-models"),
    ],
)
def test_what_people_ask_for_beside_procedures(question: str, topic: str) -> None:
    assert explain(question).to_dict()["name"] == topic


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


@pytest.mark.parametrize(
    ("name", "procedure"),
    [
        ("nemenyi", "friedman"),
        ("Wilcoxon signed rank", "wilcoxon"),
        ("the Wilcoxon signed-rank test", "wilcoxon"),
        ("Welch's t-test", "unpaired-t"),
        ("mann-whitney u test", "kruskal-wallis"),
        ("repeated measures anova", "rm-anova"),
        ("Cochran's Q", "cochran-q"),
        ("comparison of ROC curves", "delong"),
        ("mcnemars test", "mcnemar"),
    ],
)
def test_a_procedure_is_found_by_any_name_that_people_use(name: str, procedure: str) -> None:
    found = explain(name)
    assert isinstance(found, Card)
    assert found.name == procedure


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("two models one test set", "mcnemar"),
        ("two classifiers on one hold-out", "mcnemar"),
        ("compare two learners by 10-fold cross-validation", "corrected-t"),
        ("many algorithms over several data sets", "task-flips"),
        ("two methods, many data sets", "wilcoxon"),
        ("several systems on the same questions", "bootstrap-t"),
        ("AUC of two models", "delong"),
        ("two forecasts in time", "diebold-mariano"),
    ],
)
def test_procedures_are_found_by_a_question(question: str, first: str) -> None:
    found = explain(question)
    cards = found.cards if isinstance(found, Matches) else (found,)
    assert cards[0].name == first, [card.name for card in cards]


def test_a_name_of_several_tests_lists_them(capsys: Capture) -> None:
    assert main(["explain", "t", "test"]) == 0
    text = capsys.readouterr().out
    assert {"paired-t", "corrected-t", "unpaired-t"} <= {line.strip().partition(":")[0] for line in text.splitlines()}
    assert main(["explain", "two models one test set", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["procedures"][0]["name"] == "mcnemar"


def test_every_procedure_is_found_by_its_title_and_its_synonyms() -> None:
    for name in procedure_names():
        card = explain(name)
        assert isinstance(card, Card)
        for called in (card.title, *card.synonyms):
            found = explain(called)
            cards = found.cards if isinstance(found, Matches) else (found,)
            assert isinstance(found, Topic) or card.name in [each.name for each in cards], called
