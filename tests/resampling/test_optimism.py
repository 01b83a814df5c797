from __future__ import annotations

import pytest

from bakeoff.resampling.optimism import OPTIMISTIC, optimism
from bakeoff.resampling.schemes import SCHEMES


@pytest.mark.parametrize("scheme", sorted(SCHEMES))
def test_schemes_that_test_on_what_was_learned_are_those_that_are_warned_of(scheme: str) -> None:
    kind = SCHEMES[scheme]
    assert (scheme in OPTIMISTIC) == (kind.overlaps or kind.combine in ("632", "632+"))
    assert bool(optimism(scheme)) == (scheme in OPTIMISTIC)


def test_how_much_of_a_score_is_optimistic() -> None:
    assert "most of which were learned from" in optimism("bootstrap")
    assert "takes part of each score" in optimism("632+")
