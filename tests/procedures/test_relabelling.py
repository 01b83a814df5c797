"""What the permutation tests share: a p that is never zero, its error, and one refusal for all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import sqrt
from typing import Any

import pytest

from bakeoff.errors import UsageError
from bakeoff.procedures.closed_testing import closed_testing
from bakeoff.procedures.paired_permutation import paired_permutation
from bakeoff.procedures.permutation import permutation
from bakeoff.procedures.permutation_independent import permutation_independent
from bakeoff.procedures.relabelling import METHODS, checked_resamples, monte_carlo_p
from bakeoff.registry import procedures

COLUMNS = [0.1, 0.5, 0.3, 0.7], [0.2, 0.4, 0.6, 0.9]
ROWS = [list(row) for row in zip(*COLUMNS, [0.3, 0.1, 0.5, 0.2], strict=True)]


@pytest.mark.parametrize(("extreme", "p"), [(0, 0.01), (99, 1.0), (24, 0.25)])
def test_the_data_are_one_relabelling(extreme: int, p: float) -> None:
    details: dict[str, Any] = {}
    found, note = monte_carlo_p(extreme, 99, details)
    assert found == p
    assert details["p_standard_error"] == pytest.approx(sqrt(p * (1 - p) / 100))
    assert note.startswith("Monte Carlo, 99 relabellings; standard error of p ")


@pytest.mark.parametrize(
    "test",
    [
        partial(permutation, ROWS),
        partial(closed_testing, ROWS),
        partial(paired_permutation, *COLUMNS),
        partial(permutation_independent, *COLUMNS),
    ],
    ids=lambda test: test.func.__name__,
)
def test_every_monte_carlo_test_wants_a_resample(test: Callable[..., object]) -> None:
    for resamples, sentence in ((0, "at least one resample; found 0"), (-3, "not negative"), (1.5, "whole number")):
        with pytest.raises(UsageError, match=sentence):
            test(method="monte-carlo", resamples=resamples)
    assert checked_resamples(1) == 1


def test_whoever_draws_relabellings_has_the_same_seed_and_says_so() -> None:
    drawing = [each.card for each in procedures() if any(option.name == "resamples" for option in each.card.options)]
    assert len(drawing) == 4
    for card in drawing:
        options = {option.name: option for option in card.options}
        assert options["seed"].default == 1
        assert options["resamples"].default == 100_000
        assert set(options["method"].choices) <= set(METHODS)
        assert any(line.startswith("Relabellings are drawn a part at a time") for line in card.conventions)
