"""Power of t tests over correlated folds."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.mathematics.laws import t_quantile
from bakeoff.mathematics.ranks import critical_wins
from bakeoff.power_analysis.formulas import (
    critical_counts,
    power_anova,
    power_binomial,
    power_correlated_t,
    power_hotelling,
    power_mcnemar,
    power_normal_approximation,
    power_proportions,
    power_sign,
    power_t,
    power_two_way,
    power_variance_ratio,
    power_welch,
    power_z,
)
from bakeoff.power_analysis.guess import Guess
from bakeoff.power_analysis.methods import card_of, method_for
from bakeoff.procedures.rates import normal_approximation
from bakeoff.procedures.variance_ratio import compute


def test_without_correlation_it_is_the_t_test() -> None:
    for n, d in ((2, 0.5), (10, 0.3), (100, 0.2)):
        assert power_correlated_t(n, d, 1.0, correlation=0) == pytest.approx(power_t(n, d, 1.0, strict=False))


@pytest.mark.parametrize("k", [2, 5, 10])
def test_the_corrected_test_keeps_its_level_if_the_correlation_is_what_it_takes_it_to_be(k: int) -> None:
    size = power_correlated_t(3 * k, 0.0, 2.0, correlation=1 / k, ratio=1 / (k - 1))
    assert size == pytest.approx(0.025)


def test_by_simulation() -> None:
    rng = np.random.default_rng(1)
    n, rho, d, ratio, runs = 30, 0.2, 0.7, 1 / 9, 40_000
    x = d + np.sqrt(rho) * rng.standard_normal((runs, 1)) + np.sqrt(1 - rho) * rng.standard_normal((runs, n))
    t = x.mean(axis=1) / np.sqrt(x.var(axis=1, ddof=1) * (1 / n + ratio))
    found = (t >= t_quantile(0.975, n - 1)).mean()
    power = power_correlated_t(n, d, 1.0, correlation=rho, ratio=ratio)
    assert power == pytest.approx(found, abs=4 * np.sqrt(0.25 / runs))


@pytest.mark.parametrize(("n", "sd", "rho"), [(1, 1.0, 0.1), (10, 0.0, 0.1), (10, 1.0, 1.0), (10, 1.0, -0.1)])
def test_bad_input(n: int, sd: float, rho: float) -> None:
    with pytest.raises(UsageError):
        power_correlated_t(n, 0.1, sd, correlation=rho)


# ----------------------------------------------------------------------------------------------------------------------
# Exact power of tests that count, against R and against outcomes counted one by one.


@pytest.mark.parametrize(
    ("power", "call"),
    [
        (power_sign(20, 0.75), "sign(20, .75"),
        (power_sign(33, 0.7), "sign(33, .7"),
        (power_sign(15, 0.9, sides=1), "sign(15, .9"),
        (power_binomial(100, 0.2, 0.1), 'rate(100, .2, .1, "two'),
        (power_binomial(250, 0.1, 0.06), "rate(250"),
        (power_binomial(100, 0.2, 0.1, sides=1), 'rate(100, .2, .1, "less'),
        (power_mcnemar(300, 0.05, 0.1), "discordant(300, .05, .1, exact = 25)"),
        (power_mcnemar(300, 0.05, 0.1, method="exact"), "discordant(300, .05, .1, exact = Inf)"),
        (power_mcnemar(200, 0.06, 0.2), "discordant(200"),
        (power_mcnemar(60, 0.1, 0.2), "discordant(60"),
    ],
)
def test_as_r_adds_it_up(power: float, call: str, from_r: Callable[[str], float]) -> None:
    assert power == pytest.approx(from_r(call), abs=2e-12)


def test_critical_counts_are_those_of_the_sign_test() -> None:
    n = np.arange(1, 60)
    wanted = [min(critical_wins(int(each)), int(each) + 1) for each in n]
    assert critical_counts(n, 0.025).tolist() == wanted


def test_mcnemar_by_all_outcomes_one_by_one() -> None:
    n, favour, against = 9, 0.5, 0.1
    total = 0.0
    for x in range(n + 1):
        for y in range(n + 1 - x):
            p = min(1.0, 2 * sum(comb(x + y, k) for k in range(x, x + y + 1)) / 2 ** (x + y))
            chance = comb(n, x) * comb(n - x, y) * favour**x * against**y * (1 - favour - against) ** (n - x - y)
            total += chance * (p <= 0.05 and x > y)
    assert power_mcnemar(n, favour - against, favour + against) == pytest.approx(total)


def test_ends() -> None:
    assert power_sign(5, 1.0) == 0  # 1/16 is the smallest p
    assert power_sign(6, 1.0) == 1
    assert power_mcnemar(10, 0.0, 0.0) == 0
    assert power_mcnemar(10, 1.0, 1.0) == 1
    assert power_binomial(1, 0.01, 0.0) == 0
    assert power_sign(100, 0.5) <= 0.025
    assert power_mcnemar(1000, 0, 0.1) <= 0.025
    assert 0.99 < power_mcnemar(10**6, 0.01, 0.2) <= 1 + 1e-12


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: power_sign(0, 0.5), "one at least"),
        (lambda: power_sign(5.5, 0.5), "whole number"),
        (lambda: power_sign(5, 1.5), "chance to win"),
        (lambda: power_sign(5, 0.5, sides=3), "one or two sides"),
        (lambda: power_sign(5, 0.5, alpha=0), "α"),
        (lambda: power_binomial(5, 0.0, 0.5), "tested against"),
        (lambda: power_binomial(5, 0.1, -0.5), "error rate"),
        (lambda: power_mcnemar(5, 0.2, 0.1), "cannot differ by more"),
        (lambda: power_mcnemar(5, 0.2, 0.3, method="exat"), "Did you mean 'exact'"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=sentence):
        call()


@pytest.mark.parametrize("sides", [1, 2])
def test_the_normal_approximation_rejects_as_often_as_its_procedure(sides: int) -> None:
    side = "two-sided" if sides == 2 else "less"
    for n, p0, rate in ((30, 0.2, 0.05), (57, 0.35, 0.2)):
        counts = [x for x in range(n + 1) if x < n * p0 and normal_approximation(x, n, p0, alternative=side).p <= 0.05]
        expected = sum(float(stats.binom.pmf(x, n, rate)) for x in counts)
        assert power_normal_approximation(n, p0, rate, sides=sides) == pytest.approx(expected, rel=1e-9)


def test_the_normal_approximation_can_exceed_its_level() -> None:
    assert max(power_normal_approximation(n, 0.3, 0.3, sides=1) for n in range(10, 60)) > 0.05
    with pytest.raises(UsageError, match="tested against lies strictly between 0 and 1"):
        power_normal_approximation(20, 1.0, 0.2)


# ----------------------------------------------------------------------------------------------------------------------
# Powers by the noncentral F law.


@pytest.mark.parametrize(("n", "p", "distance", "alpha"), [(20, 2, 0.8, 0.05), (12, 3, 1.5, 0.01), (200, 5, 0.3, 0.1)])
def test_the_law_of_t2(n: int, p: int, distance: float, alpha: float) -> None:
    critical = stats.f.ppf(1 - alpha, p, n - p)
    expected = stats.ncf.sf(critical, p, n - p, n * distance**2)
    assert power_hotelling(n, p, distance, alpha=alpha) == pytest.approx(expected, rel=1e-6)


def test_one_measure_is_the_paired_t_test() -> None:
    both = power_t(15, 0.7, 1.0, kind="paired", strict=True)  # claims in either direction, as T² has none
    assert power_hotelling(15, 1, 0.7) == pytest.approx(both, rel=1e-9)


def test_without_a_distance_power_is_alpha_and_without_blocks_nothing() -> None:
    assert power_hotelling(10, 3, 0.0, alpha=0.07) == pytest.approx(0.07)
    assert power_hotelling(3, 3, 10.0) == 0.0
    powers = [power_hotelling(n, 2, 0.5) for n in (5, 20, 80)]
    assert powers == sorted(powers)


def test_two_way_is_one_way_but_for_the_degrees_of_freedom() -> None:
    critical = stats.f.ppf(0.95, 2, 4 * 3 * 9)
    expected = stats.ncf.sf(critical, 2, 4 * 3 * 9, 2 * 40 * 0.02)
    assert power_two_way(4, 10, 3, 0.02, 1.0) == pytest.approx(expected, rel=1e-6)
    assert power_two_way(4, 10, 3, 0.02, 1.0) < power_anova(40, 3, 0.02, 1.0)
    assert power_two_way(2, 2, 2, 0.0, 1.0) == pytest.approx(0.05)


@pytest.mark.parametrize(("n", "p", "distance"), [(10, 0, 1.0), (10, 2, -0.1)])
def test_strange_distances_are_refused(n: int, p: int, distance: float) -> None:
    with pytest.raises(UsageError, match="one measure at least"):
        power_hotelling(n, p, distance)


@pytest.mark.parametrize("sizes", [(1, 5, 3), (5, 1, 3), (5, 5, 1)])
def test_a_layout_has_two_of_everything(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(UsageError, match="two tasks, two runs and two learners"):
        power_two_way(*sizes, 0.1, 1.0)


def test_the_law_holds_for_drawn_differences() -> None:
    rng = np.random.default_rng(3)
    covariance = np.array([[1.0, 0.6], [0.6, 2.0]])
    mean = np.array([0.5, -0.2])
    distance = float(np.sqrt(mean @ np.linalg.solve(covariance, mean)))
    found, n = 0, 15
    for _ in range(2000):
        d = rng.multivariate_normal(mean, covariance, n)
        t2 = n * d.mean(axis=0) @ np.linalg.solve(np.cov(d, rowvar=False), d.mean(axis=0))
        found += t2 * (n - 2) / (2 * (n - 1)) > stats.f.ppf(0.95, 2, n - 2)
    expected = power_hotelling(n, 2, distance)
    assert found / 2000 == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 2000))


# ----------------------------------------------------------------------------------------------------------------------
# Power of the ratio of two mean squared errors.


@pytest.mark.parametrize("sides", [1, 2])
def test_the_law_of_the_ratio(sides: int) -> None:
    for n, d in ((10, 1.0), (80, 0.3)):
        expected = stats.f.cdf(stats.f.ppf(0.05 / sides, n, n) * np.exp(d), n, n)
        assert power_variance_ratio(n, d, sides=sides) == pytest.approx(expected, rel=1e-9)
    assert power_variance_ratio(20, 0.0, sides=sides) == pytest.approx(0.05 / sides)
    assert power_variance_ratio(20, 5000.0, sides=sides) == pytest.approx(1.0)


def test_the_procedure_finds_it_as_often() -> None:
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(1000):
        result = compute(0.6 * rng.standard_normal(40) ** 2, rng.standard_normal(40) ** 2)
        found += result.p <= 0.05 and result.estimate < 0
    expected = power_variance_ratio(40, -np.log(0.6))
    assert found / 1000 == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 1000))


def test_one_instance_is_none() -> None:
    with pytest.raises(UsageError, match="two instances at least"):
        power_variance_ratio(1, 0.5)


# ----------------------------------------------------------------------------------------------------------------------
# Power of Welch's t test.


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
def test_bad_input_welch(n: int, sd: float) -> None:
    with pytest.raises(UsageError):
        power_welch(n, 0.1, sd)


# ----------------------------------------------------------------------------------------------------------------------
# Power and sample sizes, against R 4.2.2 (stats) and against simulation.


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
    assert power_proportions(249.9819674, 0.15, 0.25) == pytest.approx(0.8, abs=1e-8)
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


@given(KIND, st.sampled_from([1, 2]), st.booleans(), st.floats(0.05, 2), st.floats(2.5, 400))
def test_more_observations_and_larger_differences_are_found_more_often(
    kind: str, sides: int, strict: bool, delta: float, n: float
) -> None:
    settings = {"kind": kind, "sides": sides, "strict": strict}
    here = power_t(n, delta, 1.0, **settings)  # type: ignore[arg-type]
    assert here <= power_t(1.1 * n, delta, 1.0, **settings) + 1e-12  # type: ignore[arg-type]
    assert here <= power_t(n, 1.1 * delta, 1.0, **settings) + 1e-12  # type: ignore[arg-type]


def test_power_at_no_difference_is_alpha() -> None:
    assert power_t(10, 0, 1, alpha=0.01) == pytest.approx(0.01)
    assert power_z(10, 0, 1) == pytest.approx(0.05)
    assert power_t(10, 0, 1, strict=False) == pytest.approx(0.025)
    assert power_anova(5, 3, 0.0, 1.0) == pytest.approx(0.05)
    assert power_proportions(20, 0.3, 0.3, strict=True) == pytest.approx(0.05)


def test_the_z_test_is_the_t_test_with_many_observations() -> None:
    assert power_z(1e6, 0.003, 1.0) == pytest.approx(power_t(1e6, 0.003, 1.0), abs=1e-5)


def test_certain_proportions() -> None:
    assert (power_proportions(5, 0, 1), power_proportions(5, 1, 1)) == (1, 0)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: power_t(1, 0.1, 1.0), "number of observations"),
        (lambda: power_t(10, 0.1, 0.0), "spread"),
        (lambda: power_t(10, 0.1, float("nan")), "spread"),
        (lambda: power_t(10, 0.1, 1.0, alpha=1.0), "α"),
        (lambda: power_t(10, 0.1, 1.0, sides=3), "one or two sides"),
        (lambda: power_t(10, 0.1, 1.0, kind="pairs"), "Did you mean 'paired'"),
        (lambda: power_z(0, 0.1, 1.0), "number of observations"),
        (lambda: power_proportions(10, 0.1, 1.1), "between 0 and 1"),
        (lambda: power_anova(10, 1, 0.1, 1.0), "at least two groups"),
        (lambda: power_anova(10, 3, -0.1, 1.0), "not negative"),
        (lambda: power_anova(10, 3, 0.1, 0.0), "spread"),
    ],
)
def test_bad_input_is_refused_in_a_sentence_power(call, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=sentence):
        call()
