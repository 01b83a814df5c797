"""For tests of your own: assertions about results of models.

from bakeoff.testing import assert_not_worse

def test_the_new_prompt_is_no_worse():
    assert_not_worse("baseline.jsonl", "candidate.jsonl", margin=0.02)
"""

from __future__ import annotations

from typing import Any

from bakeoff.judging.gates import Gate, gate


def assert_not_worse(baseline: Any, candidate: Any, *, margin: float, **options: Any) -> Gate:
    """Fail unless the candidate is shown not to be worse than the baseline by the margin or more.

    Arguments are those of `bakeoff.gate`; with `on_undecided="warn"` what the data do not decide does not fail. What
    was found is returned, or is the message of the AssertionError.
    """
    decision = gate(baseline, candidate, margin=margin, **options)
    if decision.exit_code:
        raise AssertionError(decision.to_text())
    return decision
