"""The card: what is said about a procedure, and the needs that several procedures share."""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, replace
from math import isnan, nan
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff import procedures as package
from bakeoff.errors import UsageError
from bakeoff.inference.adjustments import ADJUSTMENTS
from bakeoff.judging.topics import TOPICS
from bakeoff.measures import Measure
from bakeoff.procedures import needs, procedures
from bakeoff.procedures.card import Answers, Card, Compares, Need, Option, Published, Scope
from bakeoff.procedures.needs import (
    at_least_blocks,
    at_least_learners,
    at_level,
    not_repeated,
    right_or_wrong,
    three_or_more,
)
from bakeoff.procedures.procedure import ManyResult, Procedure, Result, is_constant, no_arguments
from bakeoff.procedures.references import Reference, cite
from bakeoff.scores import Blocks, Layout, Level

LAYOUT = Layout(
    source="scores.csv",
    measure=Measure("accuracy", larger_is_better=True, lower=0, upper=1),
    measures=("accuracy",),
    level=Level.TASKS,
    learners=("ada", "bob", "cyd"),
    tasks=("a", "b", "c", "d"),
    n_blocks=4,
    repeats=1,
    folds=1,
    resampling="one value per task",
    n_train=nan,
    n_test=nan,
    n_instances=0,
    binary=False,
    n_missing=0,
    n_cells=12,
    unequal_folds=False,
)


def _values() -> Mapping[str, float]:
    return {"p": 0.0312}


CARD = Card(
    name="mine",
    title="My <test>",
    question="Does it differ? " * 12,
    null="nothing differs & nothing matters",
    compares=Compares.PAIR,
    answers=Answers.PAIRS,
    speaks_about=Scope.PROBLEMS,
    level=Level.TASKS,
    needs=(at_level(Level.TASKS), three_or_more),
    assumes=("Tasks are independent.",),
    conventions=("Ties are split.", "p < α & q is <rare>."),
    cautions=("It is slow. Measured: 4.9 %.",),
    sources=(Reference("Me (2020), J. 1, 1–2.", "10.1/x"), Reference("You (2021).")),
    published=Published("Table 1", "p = 0.031", _values),
    recommended_for="reasons",
    rank=3,
    options=(Option("how_far", 2, "how far it goes.", kind=int), Option("way", None, "the way", ("a", "b"))),
)


@pytest.mark.parametrize(
    ("need", "layout", "reason"),
    [
        (at_level(Level.TASKS), {}, None),
        (
            at_level(Level.INSTANCES),
            {},
            "it reads instances as blocks, and here the blocks are: tasks",
        ),
        (
            at_level(Level.RESAMPLES),
            {"level": Level.SINGLE},
            "it reads resamples as blocks, and here the blocks are: single run",
        ),
        (at_least_blocks(4), {}, None),
        (at_least_blocks(5), {}, "it needs at least 5 blocks, and there are 4"),
        (at_least_blocks(2), {"n_blocks": 1}, "it needs at least 2 blocks, and there is 1"),
        (at_least_blocks(1), {"n_blocks": 0}, "it needs at least 1 block, and there are 0"),
        (at_least_learners(3), {}, None),
        (at_least_learners(4), {}, "it needs at least 4 learners, and there are 3"),
        (at_least_learners(2), {"learners": ("ada",)}, "it needs at least 2 learners, and there is 1"),
        (three_or_more, {}, None),
        (three_or_more, {"learners": ("ada",)}, None),  # at_least_learners says it
        (
            three_or_more,
            {"learners": ("ada", "bob")},
            "it is made for three learners or more, and there are 2: a procedure for pairs is sharper",
        ),
        (not_repeated, {}, None),
        (not_repeated, {"folds": 10}, None),
        (not_repeated, {"repeats": 10}, None),
        (
            not_repeated,
            {"repeats": 5, "folds": 10, "resampling": "repeated K-fold cross-validation"},
            "it takes blocks as independent, and here they come from repeated K-fold cross-validation (5 × 10), "
            "which tests on the same instances once a repeat",
        ),
        (right_or_wrong, {"binary": True}, None),
        (
            right_or_wrong,
            {},
            "it counts right and wrong answers, and the values of accuracy are not 0 or 1 per instance",
        ),
    ],
)
def test_a_need_gives_its_reason(need: Need, layout: dict[str, Any], reason: str | None) -> None:
    assert need.unmet(replace(LAYOUT, **layout)) == reason


@pytest.mark.parametrize(
    ("need", "asks", "essential"),
    [
        (at_level(Level.RESAMPLES), "blocks that are resamples", True),
        (at_least_blocks(1), "at least 1 block", True),
        (at_least_blocks(2), "at least 2 blocks", True),
        (at_least_learners(1), "at least 1 learner", True),
        (at_least_learners(2), "at least 2 learners", True),
        (three_or_more, "three learners or more", False),
        (not_repeated, "blocks that are not repeated cross-validation or random splits", False),
        (right_or_wrong, "a value of 0 or 1 for each instance (right or wrong)", True),
    ],
)
def test_a_need_says_what_it_asks(need: Need, asks: str, essential: bool) -> None:
    assert (need.asks, need.essential, need.supplied_by) == (asks, essential, "")


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        (Reference("Me (2020)."), "Me (2020)."),
        (Reference("Me (2020).", "10.1/x"), "Me (2020). doi:10.1/x"),
        (Option("p0", None, "the rate"), "--p0: the rate"),
        (Option("how_far", 2, "how far it goes."), "--how-far: how far it goes; default 2"),
        (Option("way", "a", "the way", ("a", "b")), "--way (a, b): the way; default a"),
        (Option("fix", False, "whether it is fixed", kind=bool), "--fix: whether it is fixed; default False"),
        (Option("seed", 0, "the seed", kind=int), "--seed: the seed; default 0"),
    ],
)
def test_as_text(thing: object, text: str) -> None:
    assert str(thing) == text


def test_a_flag_has_hyphens() -> None:
    assert Option("how_far_it", 2, "").flag == "--how-far-it"


def test_the_page_has_all_sections_in_order() -> None:
    text = CARD.to_text()
    parts = [
        "mine: My <test>\n", "Does it differ?", "Null hypothesis: nothing differs & nothing matters.",
        "Compares pair; blocks are tasks; answers about pairs of learners.",
        "Its conclusion speaks about these learners on new problems.",
        "It needs:\n  - blocks that are tasks\n  - three learners or more (unless --anyway)\n",
        "It assumes:\n  - Tasks are independent.\n", "Conventions:\n  - Ties are split.\n  - p < α & q is <rare>.\n",
        "Beware:\n  - It is slow. Measured: 4.9 %.\n",
        "Options:\n  - --how-far: how far it goes; default 2\n  - --way (a, b): the way\n",
        "Reproduces:\n  - Table 1: p = 0.031\n",
        "References:\n  - Me (2020), J. 1, 1–2. doi:10.1/x\n  - You (2021).",
    ]  # fmt: skip
    places = [text.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)
    assert str(CARD) == text


def test_the_page_is_no_wider_than_96_columns() -> None:
    lines = CARD.to_text().splitlines()
    assert max(map(len, lines)) <= 96
    assert sum("Does it differ?" in line for line in lines) > 1


def test_empty_sections_are_left_out() -> None:
    bare = replace(CARD, options=(), cautions=())
    for shown in (bare.to_text(), bare._repr_html_()):
        assert "Options" not in shown
        assert "Beware" not in shown
        assert "Conventions" in shown


def test_json_has_no_code_in_it() -> None:
    made = CARD.to_dict()
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    assert json.loads(CARD.to_json()) == made
    assert made["name"] == "mine"
    assert (made["compares"], made["level"], made["speaks_about"]) == ("pair", "tasks", Scope.PROBLEMS.value)
    assert made["needs"] == ["blocks that are tasks", "three learners or more"]
    assert made["cautions"] == ["It is slow. Measured: 4.9 %."]
    assert made["references"][0] == {"text": "Me (2020), J. 1, 1–2.", "doi": "10.1/x"}
    assert made["published"] == {"where": "Table 1", "values": {"p": "0.031"}}
    assert list(made["options"]) == ["how_far", "way"]
    assert made["options"]["how_far"]["default"] == 2
    assert made["options"]["way"]["choices"] == ["a", "b"]


def test_html_is_escaped_and_complete() -> None:
    page = CARD._repr_html_()
    assert page.startswith("<h3>My &lt;test&gt;</h3>")
    assert "nothing differs &amp; nothing matters" in page
    assert "<li>p &lt; α &amp; q is &lt;rare&gt;.</li>" in page
    assert not {"<test>", "<rare>"} & set(re.findall(r"<\w+>", page))
    items = [line for _, lines in CARD.sections() for line in lines]
    assert page.count("<li>") == len(items) == 2 + 1 + 2 + 1 + 2 + 1 + 2
    assert page.count("<h4>") == 7


# ----------------------------------------------------------------------------------------------------------------------
# What the mathematics of a procedure returns: nothing that was not computed.


def test_what_a_procedure_does_not_give_stays_nan() -> None:
    result = Result()
    numbers = (result.estimate, result.lower, result.upper, result.statistic, result.p)
    assert all(isnan(number) for number in numbers)
    assert (result.statistic_name, result.df, result.note) == ("", (), "")
    assert (ManyResult().tests, ManyResult().estimates) == ((), None)


@pytest.mark.parametrize("kind", [Result, ManyResult])
def test_details_are_not_shared(kind: type[Result]) -> None:
    one, other = kind(), kind()
    cast(dict[str, Any], one.details)["mine"] = 1
    assert dict(other.details) == {}


@pytest.mark.parametrize(("made", "name"), [(Result(), "p"), (ManyResult(), "tests")])
def test_results_are_frozen(made: object, name: str) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(made, name, 0.01)


def test_a_procedure_reads_no_arguments_unless_told() -> None:
    card = procedures()[0].card
    plain = Procedure(card=card, compute=lambda x: Result())
    assert plain.arguments_from is no_arguments
    assert no_arguments(cast(Blocks, None), cast(Layout, None)) == {}
    assert plain.over_pairs is None
    assert plain.name == card.name


def test_rounding_error_is_constant() -> None:
    noisy = np.array([0.1 + 0.2, 0.3, 0.7 - 0.4])
    assert np.ptp(noisy) > 0
    assert is_constant(noisy, 0.3)
    assert not is_constant([0.3, 0.3 + 1e-12], 0.3)


def test_constant_is_relative_to_the_scale() -> None:
    values = [1.0, 1.0 + 1e-9]
    assert not is_constant(values, 1.0)
    assert is_constant(values, 1e6)
    assert not is_constant([1e-20, 2e-20], 1e-20)
    assert is_constant([1e-20, 2e-20], 1.0)


def test_constant_at_the_edges() -> None:
    assert is_constant([5.0], 0.0)
    assert is_constant([0.0, 0.0, 0.0], 0.0)
    assert not is_constant([0.0, 5e-324], 0.0)
    assert is_constant([0, 100 * np.finfo(float).eps], 1.0)
    assert not is_constant([0, 101 * np.finfo(float).eps], 1.0)
    assert type(is_constant(np.array([1.0, 2.0]), 1.0)) is bool


@given(
    values=st.lists(st.integers(-1000, 1000), min_size=1, max_size=10), factor=st.sampled_from([1e-9, 1e-3, 0.1, 1e6])
)
def test_units_do_not_matter(values: list[int], factor: float) -> None:
    scale = max(abs(value) for value in values)
    assert is_constant(np.array(values) * factor, scale * factor) == (len(set(values)) == 1)


# ----------------------------------------------------------------------------------------------------------------------
# What many cards say is written once.


LONG = 60  # characters, from which on a text is a sentence and not a name


def test_no_sentence_is_written_in_three_procedures() -> None:
    """Two may say the same by chance; a third one takes it from where it stands."""
    modules = defaultdict(set)
    for path in Path(str(package.__file__)).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) >= LONG:
                modules[node.value].add(path.stem)
    often = {text: sorted(names) for text, names in modules.items() if len(names) > 2}
    assert not often, f"write it once and import it: {often}"


@pytest.mark.parametrize("name", ["SAMPLE_OF_PROBLEMS", "NEW_INSTANCES", "SAME_FOLDS"])
def test_every_shared_sentence_is_on_several_cards(name: str) -> None:
    shared = getattr(needs, name)
    assert sum(shared in procedure.card.assumes for procedure in procedures()) > 2


def test_every_source_is_cited_and_reads_like_a_sentence() -> None:
    import tomllib

    entries = tomllib.loads((Path(str(package.__file__)).parents[1] / "data" / "references.toml").read_text())
    cited = {str(source).partition(" ")[0] for procedure in procedures() for source in procedure.card.sources}
    cited |= {source.partition(" ")[0] for topic in TOPICS.values() for source in topic.sources}
    cited |= {source for adjustment in ADJUSTMENTS.values() for source in adjustment.sources}
    assert cited == set(entries)
    for key in entries:
        assert re.fullmatch(r"\D+ \(\d{4}\), [^,].*\.", cite(key).text), key
    with pytest.raises(UsageError, match=r"no source .nadeau2004.*Did you mean .nadeau2003."):
        cite("nadeau2004")
