"""Every oracle case that names something we have must agree with us, within its own tolerance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import harness
import pytest

CHOSEN = harness.chosen_files()
UNCOVERED = harness.HERE / "uncovered.txt"


LISTED = UNCOVERED.read_text(encoding="utf-8").split()
OURS = CHOSEN == harness.OWN
OWN_CASES = [case for path in harness.OWN for case in harness.load(path)]


@pytest.mark.parametrize(
    ("case", "path"), [pytest.param(case, path, id=case["id"]) for path in CHOSEN for case in harness.load(path)]
)
def test_case(case: dict[str, Any], path: Path) -> None:
    """It agrees. Of our own files, a case is uncovered if and only if it is on the list, which only shrinks."""
    outcome = harness.run(case, harness.folders_for(path))
    if outcome.state == "uncovered":
        assert not OURS or case["id"] in LISTED, f"covered once, but no longer: {outcome.why}"
        pytest.skip(f"not yet covered: {outcome.why}")
    assert outcome.state == "agrees", outcome.why
    assert not OURS or case["id"] not in LISTED, "now covered: remove its line from uncovered.txt"


def test_the_list_of_the_uncovered_is_sorted_and_names_cases() -> None:
    assert sorted(set(LISTED)) == LISTED
    assert set(LISTED) <= {case["id"] for case in OWN_CASES}


def test_cases_have_names_of_their_own() -> None:
    names = [case["id"] for case in OWN_CASES]
    assert len(names) == len(set(names))


def test_the_readme_says_how_many_are_covered() -> None:
    readme = (harness.HERE.parent.parent / "README.md").read_text(encoding="utf-8")
    assert f"(tests/oracles), {len(OWN_CASES) - len(LISTED)} cases)" in " ".join(readme.split())
