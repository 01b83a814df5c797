from __future__ import annotations

import pytest

from bakeoff.judging.per_cent import in_unit, unit_of
from bakeoff.measures import Measure, known_measure
from bakeoff.registry import procedure_named


def test_the_unit_of_a_share() -> None:
    error = known_measure("error")
    assert error is not None
    assert unit_of(error) == 1
    assert unit_of(Measure("error", larger_is_better=False, lower=0, upper=100)) == 100


def test_shares_need_no_other_procedure() -> None:
    wilson = procedure_named("wilson")
    assert in_unit(wilson, 1.0) is wilson


def test_values_are_scaled_and_sizes_are_not() -> None:
    made = in_unit(procedure_named("two-proportions"), 100.0)
    plain = procedure_named("two-proportions").compute([0.25], [0.15], 5000, 30)
    found = made.compute([25.0], [15.0], 5000, 30)
    assert (found.estimate, found.lower, found.upper) == pytest.approx(
        (100 * plain.estimate, 100 * plain.lower, 100 * plain.upper)
    )
    assert (found.p, found.statistic) == pytest.approx((plain.p, plain.statistic))
