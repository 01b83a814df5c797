"""Every oracle case that names something we have must agree with us, within its own tolerance."""

from __future__ import annotations

from typing import Any

import harness
import pytest

CHOSEN = harness.chosen_file()
UNCOVERED = harness.HERE / "uncovered.txt"


@pytest.mark.parametrize("case", harness.load(CHOSEN), ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    outcome = harness.run(case, (CHOSEN.resolve().parent, harness.HERE))
    if outcome.state == "uncovered":
        pytest.skip(f"not yet covered: {outcome.why}")
    assert outcome.state == "agrees", outcome.why


def test_the_list_of_the_uncovered_is_true_and_only_shrinks() -> None:
    """A case that became covered is taken off the list; none is ever added to make a failure go away."""
    listed = UNCOVERED.read_text(encoding="utf-8").split()
    uncovered = sorted(outcome.case for outcome in harness.outcomes(harness.OWN) if outcome.state == "uncovered")
    assert sorted(set(listed) - set(uncovered)) == [], "now covered: remove these lines from uncovered.txt"
    assert sorted(set(uncovered) - set(listed)) == [], "covered once, but no longer"
    assert listed == sorted(set(listed)), "the list is sorted, one id a line"


def test_cases_have_names_of_their_own() -> None:
    names = [case["id"] for case in harness.load(harness.OWN)]
    assert len(names) == len(set(names))
