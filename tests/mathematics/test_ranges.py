"""The largest |t| of a family: against tables, other laws, brute force, and itself."""

from __future__ import annotations

import tracemalloc
from itertools import combinations, product
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from bakeoff.errors import UsageError
from bakeoff.mathematics import ranges
from bakeoff.mathematics.ranges import (
    LargestT,
    maximum_quantile,
    maximum_sf,
    modulus_quantile,
    modulus_sf,
    product_loadings,
    range_quantile,
    range_sf,
)


def all_pairs(k: int) -> np.ndarray:
    rows = np.zeros((k * (k - 1) // 2, k))
    for row, (i, j) in zip(rows, combinations(range(k), 2), strict=True):
        row[i], row[j] = 1, -1
    return rows


def against_control(k: int) -> np.ndarray:
    return np.hstack([np.eye(k - 1), -np.ones((k - 1, 1))])


@pytest.mark.parametrize(
    ("k", "df", "alpha", "printed"),
    [  # Dunnett (1964), two-sided, number of treatments without the control
        (2, 5, 0.05, 3.03),
        (3, 10, 0.05, 2.76),
        (5, 20, 0.05, 2.73),
    ],
)
def test_dunnett_s_table(k: int, df: float, alpha: float, printed: float) -> None:
    assert LargestT(against_control(k + 1), np.eye(k + 1), df).critical(alpha) == pytest.approx(printed, abs=0.0051)


@pytest.mark.parametrize(("k", "q"), [(9, 2.7), (4, 3.7), (2, 1.0)])
def test_dunnett_by_plain_quadrature(k: int, q: float) -> None:
    """The product written out for equal samples, where every λ² is ½, by Gauss and Legendre's rule."""
    df = 12
    x, weight = np.polynomial.legendre.leggauss(200)
    s, z = 1.5 * (x + 1)[:, None], 8.5 * x
    one = special.ndtr(z + 2**0.5 * q * s) - special.ndtr(z - 2**0.5 * q * s)
    inside = one**k * stats.norm.pdf(z) * stats.chi.pdf(s * df**0.5, df) * df**0.5
    expected = 1 - 1.5 * 8.5 * weight @ inside @ weight
    assert float(LargestT(against_control(k + 1), np.eye(k + 1), df).sf(q)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("df", [4, 30, inf])
@pytest.mark.parametrize("sizes", [(5, 7, 4, 9), (20, 3, 3), (4, 4, 4, 4, 12)])
def test_dunnett_of_unequal_samples_against_scipy(sizes: tuple[int, ...], df: float) -> None:
    k = len(sizes)
    covariance = np.diag(1 / np.array(sizes))
    law = LargestT(against_control(k), covariance, df)
    rows = against_control(k)
    shape = rows @ covariance @ rows.T
    scale = np.sqrt(np.diag(shape))
    shape = shape / np.outer(scale, scale)
    for q in (1.0, 2.2, 3.0):
        joint = stats.multivariate_normal(cov=shape) if df == inf else stats.multivariate_t(shape=shape, df=df)
        options = {} if df == inf else {"maxpts": 40_000, "random_state": 1}
        inside = joint.cdf(np.full(k - 1, q), lower_limit=np.full(k - 1, -q), **options)
        assert float(law.sf(q)) == pytest.approx(1 - inside, abs=2e-4)


@pytest.mark.parametrize(("k", "df"), [*product([3, 4, 6], [3, 45, inf]), (12, 45)])
def test_all_pairs_of_equal_variances_are_the_studentized_range(k: int, df: float) -> None:
    q = np.linspace(0.5, 6, 12)
    assert LargestT(all_pairs(k), np.eye(k), df).sf(q) == pytest.approx(range_sf(q * 2**0.5, k, df), abs=2e-7)


@pytest.mark.parametrize("sizes", [(5, 7, 4, 9, 30), (3, 60, 10, 5, 5, 8, 20, 4)])
def test_all_pairs_of_unequal_variances_by_brute_force(sizes: tuple[int, ...]) -> None:
    """Simulated means over 400,000 draws: the error of the check itself is 8e-4 at most, of which .002 is 2½ times."""
    k, df = len(sizes), 21
    n = np.array(sizes)
    rng = np.random.default_rng(3)
    law = LargestT(all_pairs(k), np.diag(1 / n), df)
    means = rng.standard_normal((400_000, k), dtype=np.float32) / np.sqrt(n)
    s = np.sqrt(rng.chisquare(df, len(means)) / df)
    largest = np.zeros(len(means))
    for i, j in combinations(range(k), 2):
        np.maximum(largest, np.abs(means[:, i] - means[:, j]) / np.sqrt(1 / n[i] + 1 / n[j]), out=largest)
    for q in (1.5, 2.5, 3.0, 3.5):
        assert float(law.sf(q)) == pytest.approx(np.mean(largest > q * s), abs=0.002)


def test_another_seed_changes_little(monkeypatch: pytest.MonkeyPatch) -> None:
    n = np.array([5, 7, 4, 9, 30, 12])
    q = np.linspace(1, 4, 9)
    found = []
    for seed in range(4):
        monkeypatch.setattr(ranges, "SEED", seed)
        found.append(LargestT(all_pairs(6), np.diag(1 / n), 61).sf(q))
    assert np.ptp(found, axis=0).max() < 4e-4


def test_the_same_every_time() -> None:
    n = np.array([5, 7, 4, 9])
    one, two = (LargestT(all_pairs(4), np.diag(1 / n), 21).critical(0.05) for _ in range(2))
    assert one == two


@pytest.mark.parametrize("df", [5, inf])
def test_one_contrast_and_repeated_contrasts_are_student_s_t(df: float) -> None:
    for rows in ([[1.0, -1.0]], [[1.0, -1.0], [-2.0, 2.0]]):
        assert LargestT(rows, np.eye(2), df).critical(0.05) == pytest.approx(stats.t(df).ppf(0.975), rel=1e-9)


def test_independent_contrasts_are_the_maximum_modulus() -> None:
    from bakeoff.mathematics.ranges import modulus_quantile

    assert LargestT(np.eye(6), np.eye(6), 105).critical(0.10) == pytest.approx(modulus_quantile(0.10, 6, 105), rel=1e-9)


def test_never_outside_the_bounds_of_one_contrast_and_bonferroni() -> None:
    n = np.array([2, 50, 3, 40, 5])
    law = LargestT(all_pairs(5), np.diag(1 / n), 8)
    q = np.linspace(0, 40, 200)
    one = 2 * stats.t(8).sf(q)
    assert (law.sf(q) >= one * (1 - 1e-12)).all()
    assert (law.sf(q) <= np.minimum(10 * one, 1) * (1 + 1e-12)).all()
    assert (np.diff(law.sf(q)) <= 1e-12).all()


def test_constant_contrasts_are_left_out() -> None:
    rows = np.array([[1.0, -1.0, 0.0], [0.0, 0.0, 0.0]])
    assert LargestT(rows, np.eye(3), 9).size == 1
    assert LargestT(rows[1:], np.eye(3), 9).size == 0
    assert float(LargestT(rows[1:], np.eye(3), 9).sf(2.0)) == pytest.approx(2 * stats.t(9).sf(2.0))


def test_products_are_recognised() -> None:
    loadings = np.array([0.9, -0.3, 0.5, 0.0])
    correlation = np.outer(loadings, loadings)
    np.fill_diagonal(correlation, 1.0)
    found = product_loadings(correlation)
    assert found is not None
    assert np.outer(found, found)[~np.eye(4, dtype=bool)] == pytest.approx(correlation[~np.eye(4, dtype=bool)])
    correlation[0, 1] = correlation[1, 0] = 0.2
    assert product_loadings(correlation) is None
    assert product_loadings(np.eye(3)) is not None
    assert product_loadings(np.array([[1, -0.4], [-0.4, 1]])) is not None


# ----------------------------------------------------------------------------------------------------------------------
# The Studentized range and maximum modulus: against scipy, against quadrature, and their limits.


@pytest.mark.parametrize("k", [2, 3, 7, 20, 100])
@pytest.mark.parametrize("df", [2, 5, 30, 400, inf])
def test_range_agrees_with_scipy(k: int, df: float) -> None:
    for q in (0.5, 2.0, 3.5, 6.0):
        assert float(range_sf(q, k, df)) == pytest.approx(stats.studentized_range.sf(q, k, df), rel=1e-6, abs=1e-9)


@given(t=st.floats(0.01, 12), df=st.sampled_from([1.0, 3.0, 8.0, 50.0, 2000.0, inf]))
def test_range_of_two_is_student_t(t: float, df: float) -> None:
    law = stats.norm if df == inf else stats.t(df)
    assert float(range_sf(sqrt(2) * t, 2, df)) == pytest.approx(2 * law.sf(t), rel=1e-8)


@given(t=st.floats(0.01, 12), df=st.sampled_from([1.0, 3.0, 8.0, 50.0, 2000.0, inf]))
def test_modulus_of_one_is_student_t(t: float, df: float) -> None:
    law = stats.norm if df == inf else stats.t(df)
    assert float(modulus_sf(t, 1, df)) == pytest.approx(2 * law.sf(t), rel=1e-8)


@pytest.mark.parametrize("k", [2, 6, 45])
@pytest.mark.parametrize("df", [3, 20, 105])
def test_modulus_by_quadrature(k: int, df: int) -> None:
    s = stats.chi(df, scale=1 / sqrt(df))
    for q in (1.0, 2.4, 5.0):
        inside, _ = integrate.quad(lambda x, q=q: s.pdf(x) * (1 - 2 * stats.norm.sf(q * x)) ** k, 0, 6, epsabs=1e-13)
        assert float(modulus_sf(q, k, df)) == pytest.approx(1 - inside, rel=1e-7, abs=1e-11)


@pytest.mark.parametrize(
    ("k", "df", "alpha", "quantile"),
    [
        (6, 105, 0.1, 2.41271918494691),
        (3, 105, 0.1, 2.13993134776956),
        (6, 105, 0.05, 2.67918614903747),
        (15, 60, 0.01, 3.58564039398963),
        (1, 10, 0.05, 2.22813885198627),
        (20, 9, 0.1, 3.43556522502004),
        (6, 39, 0.1, 2.47273079644407),
    ],
)
def test_modulus_quantiles_of_the_oracles(k: int, df: float, alpha: float, quantile: float) -> None:
    assert modulus_quantile(alpha, k, df) == pytest.approx(quantile, rel=1e-9)


@pytest.mark.parametrize(
    ("k", "q"),
    [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (7, 2.949), (8, 3.031), (9, 3.102), (10, 3.164)],
)
def test_demsars_table_5a(k: int, q: float) -> None:
    """Demšar (2006), critical values of the Nemenyi test at α = .05: the range with infinite df over √2."""
    assert range_quantile(0.05, k) / sqrt(2) == pytest.approx(q, abs=1.01e-3)


@pytest.mark.parametrize("family", [(range_sf, range_quantile), (modulus_sf, modulus_quantile)])
@given(alpha=st.floats(1e-10, 0.9999), k=st.integers(2, 300), df=st.sampled_from([1.0, 2.0, 7.0, 40.0, 1e4, inf]))
@settings(max_examples=60)
def test_quantiles_invert_tails(family: tuple, alpha: float, k: int, df: float) -> None:  # type: ignore[type-arg]
    tail, quantile = family
    assert float(tail(quantile(alpha, k, df), k, df)) == pytest.approx(alpha, rel=1e-8)


@pytest.mark.parametrize("tail", [range_sf, modulus_sf])
@pytest.mark.parametrize("df", [2.0, 12.0, inf])
def test_tails_fall_in_q_and_rise_in_k(tail, df: float) -> None:  # type: ignore[no-untyped-def]
    q = np.linspace(0.01, 15, 200)
    for k in (2, 5, 30):
        assert np.all(np.diff(tail(q, k, df)) <= 0)
        assert np.all(tail(q, k + 1, df) >= tail(q, k, df))
    assert float(tail(0.0, 3, df)) == 1.0
    assert float(tail(-1.0, 3, df)) == 1.0


def test_small_tails_keep_their_digits() -> None:
    """Far out the largest of k is about the sum of k: Bonferroni's bound becomes exact."""
    assert float(modulus_sf(9.0, 6)) == pytest.approx(12 * stats.norm.sf(9.0), rel=1e-9)
    assert float(range_sf(9.0 * sqrt(2), 4)) == pytest.approx(12 * stats.norm.sf(9.0), rel=1e-4)


def test_shapes_are_kept() -> None:
    q = np.array([[1.0, 2.0], [3.0, 4.0]])
    for tail in (range_sf, modulus_sf):
        found = tail(q, 4, 10)
        assert found.shape == (2, 2)
        assert found[1, 0] == pytest.approx(float(tail(3.0, 4, 10)), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: range_sf(1.0, 1), "At least 2 variables"),
        (lambda: modulus_sf(1.0, 0), "At least 1 variables"),
        (lambda: range_sf(1.0, 3, 0), "Degrees of freedom must be positive"),
        (lambda: range_quantile(0.0, 3), "strictly between 0 and 1"),
        (lambda: modulus_quantile(1.0, 3), "strictly between 0 and 1"),
    ],
)
def test_bad_arguments_are_refused(call, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=sentence):
        call()


@pytest.mark.parametrize("k", [2, 3, 10, 20, 100, 1000])
def test_the_table_is_the_integral(k: int) -> None:
    """With s, the tail is read from a table: as precise as integrating at every point, also far out."""
    q = np.linspace(0, 37.9, 3001)
    pieces = ranges.tail_pieces(lambda x: ranges._range_tail(x, k))
    integrated, read = ranges._range_tail(q, k), ranges.read_pieces(pieces, q)
    assert read == pytest.approx(integrated, rel=1e-11, abs=1e-140)
    assert ranges.read_pieces(pieces, np.array([38.0, 1e9])).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("df", [1, 2, 3, 5, 10, 60, 380])
def test_tukey_p_is_precise_to_a_billionth(df: float) -> None:
    q = np.linspace(0.05, 12, 120)
    slow = ranges.studentize(lambda x: ranges._range_tail(x, 20), q, df)
    assert range_sf(q, 20, df) == pytest.approx(slow, abs=1e-12)


def test_many_values_at_once_take_little_memory() -> None:
    """All at once would be some two hundred numbers for each, 100 MB a table of them."""
    q = np.full((60, 1000), 3.0)
    tracemalloc.start()
    found = range_sf(q, 1000, 50.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.shape == (60, 1000)
    assert peak < 20e6


# --- the Studentized maximum ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "df", "alpha", "expected"),
    [  # R: integrate(pnorm(q s)^k times the density of s), uniroot to 1e-13
        (6, 105, 0.1, 2.1358131677243),
        (1, 10, 0.05, 1.8124611228117),
        (3, 4, 0.01, 5.0442846419277),
        (20, 9, 0.05, 3.5469087677089),
        (2, 12, 0.9, -0.49649224694388),
    ],
)
def test_quantiles_of_the_maximum(k: int, df: float, alpha: float, expected: float) -> None:
    assert maximum_quantile(alpha, k, df) == pytest.approx(expected, rel=1e-12)
    assert float(maximum_sf(expected, k, df)) == pytest.approx(alpha, rel=1e-11)


def test_the_maximum_with_known_variance_is_that_of_normal_variables() -> None:
    q = np.array([-2.0, 0.0, 3.0, 30.0])
    assert maximum_sf(q, 4) == pytest.approx(-np.expm1(4 * stats.norm.logcdf(q)), rel=1e-12)
    assert maximum_quantile(0.05, 4) == pytest.approx(stats.norm.ppf(0.95**0.25), rel=1e-12)


@pytest.mark.parametrize(("k", "df", "alpha"), [(0, 5, 0.1), (2, 0, 0.1), (2, 5, 0.0), (2, 5, 1.0)])
def test_no_maximum_of_nothing(k: int, df: float, alpha: float) -> None:
    with pytest.raises(UsageError):
        maximum_quantile(alpha, k, df)
