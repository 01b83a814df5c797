"""The standard error of a simulated probability."""

from __future__ import annotations

import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.monte_carlo import monte_carlo_se


def test_largest_at_one_half_and_zero_at_the_ends() -> None:
    assert monte_carlo_se([0, 0.5, 1], 100).tolist() == [0, 0.05, 0]


@pytest.mark.parametrize(("p", "runs"), [(-0.1, 10), (1.1, 10), (float("nan"), 10), (0.5, 0), (0.5, float("nan"))])
def test_refusals(p: float, runs: float) -> None:
    with pytest.raises(UsageError, match=r"between 0 and 1|at least one replication"):
        monte_carlo_se(p, runs)
