"""What is said of cells without a value: why they have none, and only what helps."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import MisfitError
from bakeoff.measures import known_measure
from bakeoff.scores import Scores, blocks
from bakeoff.scores.blocks import Missing, grid
from bakeoff.scores.missing import UNDEFINED, Reason, reasons, undefined_because

ONE_CLASS = "All test rows (12) are of the class 'a'; an ROC curve needs rows of both classes."


def table(values: list[list[float]], statuses: dict[tuple[int, int], tuple[str, str]], tasks: bool = False) -> Scores:
    """A row a block, a column a learner; NaN has the status and message that are given, or is not there at all."""
    rows = [(b, k) for b, row in enumerate(values) for k, v in enumerate(row) if not np.isnan(v) or (b, k) in statuses]
    told = [statuses.get(cell, ("ok", "")) for cell in rows]
    return Scores.of(
        [values[b][k] for b, k in rows],
        learner=["abcdef"[k] for _, k in rows],
        measures={"auc": known_measure("auc")},
        status=[status for status, _ in told],
        message=[message for _, message in told],
        **{"task" if tasks else "fold": [str(b + 1) for b, _ in rows]},
    )


NAN = float("nan")
HALF = table([[NAN, NAN], [0.7, 0.6], [0.8, 0.9]], {(0, 0): (UNDEFINED, ONE_CLASS), (0, 1): (UNDEFINED, ONE_CLASS)})


def refusal(scores: Scores, missing: Missing = Missing.ERROR) -> MisfitError:
    with pytest.raises(MisfitError) as caught:
        blocks(scores, missing=missing)
    return caught.value


def test_a_measure_that_does_not_exist_is_no_failure() -> None:
    said = refusal(HALF)
    assert said.unmet == (f"2 cells, such as a on fold 1, are not defined: {ONE_CLASS}",)
    remedies = " ".join(said.alternatives)
    assert "stratify = true" in remedies
    assert "--measure NAME" in remedies
    assert "--missing drop-block" in remedies
    assert "worst" not in remedies
    assert "failed" not in remedies


def test_what_is_dropped_or_filled_keeps_its_reason() -> None:
    assert blocks(HALF, missing=Missing.DROP_BLOCK).undefined == ONE_CLASS
    assert blocks(HALF, missing=Missing.WORST).undefined == ONE_CLASS
    mixed = table([[NAN, 0.5], [0.7, NAN], [1, 1]], {(0, 0): (UNDEFINED, ONE_CLASS), (1, 1): ("timeout", "past 2 s")})
    assert blocks(mixed, missing=Missing.WORST).undefined == ""
    assert blocks(table([[0.1, 0.2]], {})).undefined == ""


def test_failures_are_told_with_what_they_said() -> None:
    said = refusal(table([[NAN, 0.5, 0.4], [0.7, 0.6, 0.5]], {(0, 0): ("error", "singular matrix")}))
    assert said.unmet == ("a on fold 1 failed (error): singular matrix",)
    remedies = " ".join(said.alternatives)
    assert "--missing worst" in remedies
    assert "--without NAME (repeated): leave learners out; without a nothing is missing" in remedies
    assert "stratify" not in remedies


def test_where_nothing_has_a_value_no_policy_is_offered() -> None:
    for status in (UNDEFINED, "error"):
        none = table([[NAN, NAN]] * 2, {(b, k): (status, "no reason") for b in range(2) for k in range(2)})
        for policy in Missing:
            said = refusal(none, policy)
            assert said.args[0].startswith("No cell of scores has a value for auc:")
            assert not [remedy for remedy in said.alternatives if "--missing" in remedy or "--without" in remedy]
            assert said.alternatives


def test_blocks_are_not_offered_to_be_dropped_if_each_has_a_hole() -> None:
    said = refusal(table([[NAN, 0.5], [NAN, 0.6]], {(b, 0): ("error", "x") for b in range(2)}))
    assert "drop-block" not in " ".join(said.alternatives)
    assert "--without" not in " ".join(said.alternatives), "one learner would be left"


@pytest.mark.parametrize(("tasks", "offered"), [(True, True), (False, False)])
def test_ranks_within_tasks_are_offered_where_a_learner_lacks_a_task(tasks: bool, offered: bool) -> None:
    said = refusal(table([[NAN, 0.5, 0.4], [0.7, 0.6, 0.5], [0.9, 0.6, 0.5]], {}, tasks))
    assert ("--with skillings-mack" in " ".join(said.alternatives)) is offered
    assert "a on " in said.unmet[0]


def test_reasons_are_counted_and_the_most_frequent_comes_first() -> None:
    mixed = table(
        [[NAN, 0.5], [NAN, NAN], [NAN, 1]],
        {(0, 0): ("error", "x"), (1, 0): (UNDEFINED, "y"), (1, 1): (UNDEFINED, "y")},
    )
    found = reasons(grid(mixed))
    assert [(reason.status, len(reason.cells)) for reason in found] == [(UNDEFINED, 2), ("error", 1), ("", 1)]
    assert undefined_because(found) == ""
    assert undefined_because(found[:1]) == "y"
    assert undefined_because(()) == ""


def test_a_reason_in_words() -> None:
    assert str(Reason("crash", "", ("a on fold 1",))) == "a on fold 1 failed (crash): no reason is told"
    assert not Reason("", "", ("a on fold 1",)).told
