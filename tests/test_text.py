from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import Enum
from math import inf, nan

import numpy as np
import pytest

from bakeoff import text as show
from bakeoff.text import CodedWarning, TaskRemark, grouped


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (-0.0, "0"), (1.0, "1"), (0.123456, "0.1235"), (-0.5, "-0.5"), (123456.0, "123456"),
        (1234567.0, "1.235e6"), (0.00001234, "1.234e-5"), (nan, ""), (inf, "∞"), (-inf, "-∞"), (999.96, "1000"),
    ],
)  # fmt: skip
def test_numbers(value: float, text: str) -> None:
    assert show.number(value) == text


def test_p_values_are_never_zero() -> None:
    assert show.p_value(0.0) == "<0.001"
    assert show.p_equals(1e-9) == "p < 0.001"
    assert show.p_equals(0.04999) == "p = 0.050"


def test_tables_align_wide_characters() -> None:
    lines = show.text_table(["name", "n"], [["🙂", "1"], ["née", "22"]]).splitlines()
    assert {show.width(line) for line in lines} == {8}


def test_long_cells_are_shortened_to_one_line() -> None:
    assert show.shortened("a\nb", 10) == "a b"
    assert show.shortened("a\x1b[31mb", 10) == "a [31mb"
    assert show.width(show.shortened("🙂" * 50, 11)) <= 11
    for text in ("née" * 30, "🙂 ü" * 20, "e\u0301" * 40, "plain " * 20):
        for most in range(1, 30):
            whole = " ".join(text.split())
            cut = next(whole[:n] for n in range(len(whole), -1, -1) if show.width(whole[:n]) < most)  # the longest
            assert show.shortened(text, most) == cut + "…"


def test_html_is_escaped() -> None:
    page = show.html_table(["<h>"], [['<script>alert("x")</script>']], caption="a & b")
    assert "<script>" not in page
    assert "<h>" not in page
    assert "a &amp; b" in page


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Thing:
    colour: Colour
    values: np.ndarray
    bad: float
    _hidden: int = 1


def test_json_has_no_nan() -> None:
    text = show.to_json({"thing": Thing(Colour.RED, np.array([1.0, nan, -inf]), nan), 1: {2}})
    assert json.loads(text) == {"thing": {"colour": "red", "values": [1.0, None, "-Infinity"], "bad": None}, "1": [2]}


def test_warnings_that_say_the_same_of_several_tasks_are_one() -> None:
    rest = "% of the test rows have a twin, the same in inputs and target."
    twins = [TaskRemark("twins", f"{name} {share}", (rest,), "Drop them.") for name, share in
             (("iris:", 4), ("my task:", 5.5), ("zoo:", 61))]  # fmt: skip
    other = CodedWarning("other", "Task zoo: something else.", "Look.")
    same_code = CodedWarning("twins", "Ties overlap, so that there is no order.", "Drop them.")
    assert grouped([twins[0], other, *twins[1:]]) == (
        CodedWarning("twins", f"Tasks iris: 4; my task: 5.5; zoo: 61 {rest}", "Drop them."), other
    )  # fmt: skip
    alone = CodedWarning("twins", f"Task iris: 4 {rest}", "Drop them.")
    assert grouped([twins[0], same_code]) == (alone, same_code)
    assert grouped(twins[:1]) == (alone,)
    assert grouped([]) == ()
    assert grouped([twins[0], replace(twins[1], shared=("% differ.",))]) == (
        alone, CodedWarning("twins", "Task my task: 5.5 % differ.", "Drop them."),
    )  # fmt: skip


def test_passages_that_tasks_share_by_chance_are_said_once_too() -> None:
    drift = [TaskRemark("drift", own, (p, "they differ."), "Look.") for own, p in
             (("a: AUC 0.9", "(p = 0.01):"), ("b: AUC 0.9", "(p = 0.01):"), ("c: AUC 0.7", "(p = 0.02):"))]  # fmt: skip
    assert [one.text for one in grouped(drift[:2])] == ["Tasks a: AUC 0.9; b: AUC 0.9 (p = 0.01): they differ."]
    assert [one.text for one in grouped(drift[1:])] == [
        "Tasks b: AUC 0.9 (p = 0.01):; c: AUC 0.7 (p = 0.02): they differ."
    ]
