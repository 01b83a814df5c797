"""Every oracle case that names something we have must agree with us, within its own tolerance."""

from __future__ import annotations

from typing import Any

import harness
import pytest

CHOSEN = harness.chosen_file()
UNCOVERED = harness.HERE / "uncovered.txt"


LISTED = UNCOVERED.read_text(encoding="utf-8").split()
OURS = CHOSEN == harness.OWN


@pytest.mark.parametrize("case", harness.load(CHOSEN), ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    """It agrees. Of our own file, a case is uncovered if and only if it is on the list, which only shrinks."""
    outcome = harness.run(case, (CHOSEN.resolve().parent, harness.HERE))
    if outcome.state == "uncovered":
        assert not OURS or case["id"] in LISTED, f"covered once, but no longer: {outcome.why}"
        pytest.skip(f"not yet covered: {outcome.why}")
    assert outcome.state == "agrees", outcome.why
    assert not OURS or case["id"] not in LISTED, "now covered: remove its line from uncovered.txt"


def test_the_list_of_the_uncovered_is_sorted_and_names_cases() -> None:
    assert sorted(set(LISTED)) == LISTED
    assert set(LISTED) <= {case["id"] for case in harness.load(harness.OWN)}


def test_cases_have_names_of_their_own() -> None:
    names = [case["id"] for case in harness.load(harness.OWN)]
    assert len(names) == len(set(names))
