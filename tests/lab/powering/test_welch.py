"""Power of Welch's t test."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.power import power_t
from bakeoff.lab.powering.families import card_of, method_for
from bakeoff.lab.powering.guess import Guess
from bakeoff.lab.powering.welch import power_welch


@pytest.mark.parametrize(("n", "d"), [(2, 6.0), (3, 2.5), (5, 1.5)])
@pytest.mark.parametrize("sides", [1, 2])
def test_by_simulation_with_few_values(n: int, d: float, sides: int) -> None:
    from scipy.stats import ttest_ind

    rng, runs = np.random.default_rng(1), 40_000
    a, b = rng.normal(d, 1, (n, runs)), rng.normal(0, 1, (n, runs))
    p = ttest_ind(a, b, equal_var=False, alternative="greater").pvalue
    found = (p <= 0.05 / sides).mean()
    assert power_welch(n, d, 1.0, sides=sides) == pytest.approx(found, abs=4 * np.sqrt(0.25 / runs))
    assert power_welch(n, d, 1.0, sides=sides) < power_t(n, d, 1.0, kind="two-sample", sides=sides) - 0.01


def test_with_many_values_it_is_that_of_students_test() -> None:
    for n in (1_000, 1_000_000_000):
        expected = power_t(n, 3 / np.sqrt(n), 1.0, kind="two-sample", strict=False)
        assert power_welch(n, 3 / np.sqrt(n), 1.0) == pytest.approx(expected, abs=1e-5)


def test_the_units_cancel() -> None:
    assert power_welch(4, 0.25, 0.1) == pytest.approx(power_welch(4, 2.5, 1.0))


def test_the_formula_of_the_unpaired_t_test_agrees_with_its_simulation() -> None:
    card, guess = card_of("unpaired-t"), Guess(sd=1.0)
    simulated = method_for(card, guess, simulate=True, replications=1000).chance(3, 2.5)
    assert abs(method_for(card, guess).chance(3, 2.5).power - simulated.power) < 3 * simulated.error
    # Student's formula, which pools the variances, would promise too much.
    assert abs(power_t(3, 2.5, 1.0, kind="two-sample", strict=False) - simulated.power) > 5 * simulated.error


@pytest.mark.parametrize(("n", "sd"), [(1, 1.0), (10, 0.0), (10, float("nan"))])
def test_bad_input(n: int, sd: float) -> None:
    with pytest.raises(UsageError):
        power_welch(n, 0.1, sd)
