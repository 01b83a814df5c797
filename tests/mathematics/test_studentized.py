"""The Studentized range and maximum modulus: against scipy, against quadrature, and their limits."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from bakeoff.errors import UsageError
from bakeoff.mathematics import studentized
from bakeoff.mathematics.studentized import modulus_quantile, modulus_sf, range_quantile, range_sf


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
    pieces = studentized.tail_pieces(lambda x: studentized._range_tail(x, k))
    integrated, read = studentized._range_tail(q, k), studentized.read_pieces(pieces, q)
    assert read == pytest.approx(integrated, rel=1e-11, abs=1e-140)
    assert studentized.read_pieces(pieces, np.array([38.0, 1e9])).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("df", [1, 2, 3, 5, 10, 60, 380])
def test_tukey_p_is_precise_to_a_billionth(df: float) -> None:
    q = np.linspace(0.05, 12, 120)
    slow = studentized.studentize(lambda x: studentized._range_tail(x, 20), q, df)
    assert range_sf(q, 20, df) == pytest.approx(slow, abs=1e-12)


def test_half_a_million_values_at_once() -> None:
    assert range_sf(np.full((500, 1000), 3.0), 1000, 50.0).shape == (500, 1000)
