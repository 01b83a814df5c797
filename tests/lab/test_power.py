"""Power and sample sizes, against R 4.2.2 (stats) and against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.lab.power import (
    anova_size,
    needed,
    power_anova,
    power_proportions,
    power_t,
    power_z,
    proportions_size,
    t_difference,
    t_size,
    z_size,
)


@pytest.mark.parametrize(
    ("n", "delta", "expected"),
    [
        (3, 0.0, 0.05),
        (3, 0.1, 0.0513883595146488),
        (3, 1.0, 0.179255393776663),
        (3, 3.0, 0.745268007006682),
        (10, 0.1, 0.0592903008930326),
        (10, 1.0, 0.803096856633018),
        (10, 3.0, 0.999999999850638),
        (50, 0.1, 0.106629064194756),
        (1000, 0.1, 0.884789098890712),
        (1000, 3.0, 1.0),
    ],
)
def test_power_of_the_paired_t_test(n: int, delta: float, expected: float) -> None:
    """power.t.test(n = n, delta = delta, type = "paired", strict = TRUE)$power"""
    assert power_t(n, delta, 1.0) == pytest.approx(expected, rel=1e-7)
    assert power_t(n, -delta, 1.0) == pytest.approx(expected, rel=1e-7)


def test_several_sizes_of_r() -> None:
    """power.prop.test(p1 = .15, p2 = .25, power = .8)$n; power.anova.test(groups = 5, n = 32, …)$power"""
    assert proportions_size(0.15, 0.25) == pytest.approx(249.9819674, rel=1e-6)
    assert power_anova(32, 5, 1e-4, 8e-4) == pytest.approx(0.902345471574, rel=1e-9)


def test_power_is_how_often_a_test_rejects() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(0.4, 1.0, (20000, 15))
    rejected = (stats.ttest_1samp(x, 0, axis=1).pvalue < 0.05).mean()
    assert power_t(15, 0.4, 1.0) == pytest.approx(rejected, abs=4 * np.sqrt(0.25 / 20000))
    groups = rng.normal(0, 1, (3, 20000, 8)) + np.array([0.0, 0.5, 1.0])[:, None, None]
    rejected = (stats.f_oneway(*groups, axis=1).pvalue < 0.05).mean()
    assert power_anova(8, 3, 0.25, 1.0) == pytest.approx(rejected, abs=4 * np.sqrt(0.25 / 20000))


KIND = st.sampled_from(["paired", "one-sample", "two-sample"])


@given(KIND, st.sampled_from([1, 2]), st.booleans(), st.floats(0.05, 2), st.floats(0.3, 0.99))
def test_a_size_has_the_power_wanted(kind: str, sides: int, strict: bool, delta: float, power: float) -> None:
    n = t_size(delta, 1.0, power=power, kind=kind, sides=sides, strict=strict)
    reached = power_t(n, delta, 1.0, kind=kind, sides=sides, strict=strict)
    assert reached == pytest.approx(power, abs=1e-6) if n > 2 else reached >= power
    found = t_difference(max(n, 2.5), 1.0, power=power, kind=kind, sides=sides, strict=strict)
    assert found == pytest.approx(delta, rel=1e-6) if n > 2.5 else found > 0


def test_power_at_no_difference_is_alpha() -> None:
    assert power_t(10, 0, 1, alpha=0.01) == pytest.approx(0.01)
    assert power_z(10, 0, 1) == pytest.approx(0.05)
    assert power_t(10, 0, 1, strict=False) == pytest.approx(0.025)
    assert power_anova(5, 3, 0.0, 1.0) == pytest.approx(0.05)
    assert power_proportions(20, 0.3, 0.3, strict=True) == pytest.approx(0.05)


def test_the_z_test_is_the_t_test_with_many_observations() -> None:
    assert power_z(1e6, 0.003, 1.0) == pytest.approx(power_t(1e6, 0.003, 1.0), abs=1e-5)
    assert power_z(z_size(0.3, 1.0, power=0.9), 0.3, 1.0) == pytest.approx(0.9)


def test_certain_proportions() -> None:
    assert (power_proportions(5, 0, 1), power_proportions(5, 1, 1)) == (1, 0)
    assert proportions_size(0, 1) == 1


def test_enough_from_the_start_needs_the_least() -> None:
    assert needed(lambda n: 1.0, 0.8, least=2) == 2
    assert t_size(1e6, 1.0) == 2


@pytest.mark.parametrize(
    "call",
    [
        lambda: t_size(0.0, 1.0),
        lambda: t_size(-0.1, 1.0, sides=1),
        lambda: z_size(0.0, 1.0),
        lambda: proportions_size(0.2, 0.2),
        lambda: anova_size(3, 0.0, 1.0),
        lambda: needed(lambda n: 0.1, 0.8, least=1, most=100),
    ],
)
def test_what_no_number_of_observations_finds(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DegenerateError):
        call()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: power_t(1, 0.1, 1.0), "number of observations"),
        (lambda: power_t(10, 0.1, 0.0), "spread"),
        (lambda: power_t(10, 0.1, float("nan")), "spread"),
        (lambda: power_t(10, 0.1, 1.0, alpha=1.0), "α"),
        (lambda: power_t(10, 0.1, 1.0, sides=3), "one or two sides"),
        (lambda: power_t(10, 0.1, 1.0, kind="pairs"), "Did you mean 'paired'"),
        (lambda: t_size(float("nan"), 1.0), "finite number"),
        (lambda: t_size(0.1, 1.0, power=1.0), "strictly between 0 and 1"),
        (lambda: power_z(0, 0.1, 1.0), "number of observations"),
        (lambda: power_proportions(10, 0.1, 1.1), "between 0 and 1"),
        (lambda: power_anova(10, 1, 0.1, 1.0), "at least two groups"),
        (lambda: power_anova(10, 3, -0.1, 1.0), "not negative"),
        (lambda: power_anova(10, 3, 0.1, 0.0), "spread"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=sentence):
        call()
