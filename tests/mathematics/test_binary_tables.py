"""Tables of right and wrong answers: Tango's interval and the pooled variance by their definitions."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import optimize

from bakeoff.errors import UsageError
from bakeoff.mathematics.binary_tables import answers, discordant, tango_interval, tango_intervals

TABLES = st.tuples(st.integers(1, 25), st.integers(2, 6)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(0, 1))
)


@given(bc=st.tuples(st.integers(1, 30), st.integers(1, 30)), rest=st.integers(1, 60))
def test_tango_ends_are_where_the_score_test_rejects(bc: tuple[int, int], rest: int) -> None:
    """The nuisance parameter is found by maximising the likelihood numerically instead of by the quadratic."""
    b, c = bc
    n = b + c + rest

    def score(delta: float) -> float:
        low, high = max(0.0, -delta), (1 - delta) / 2
        best = optimize.minimize_scalar(
            lambda q: -(b * np.log(q + delta) + c * np.log(q) + rest * np.log(1 - 2 * q - delta)),
            bounds=(low + 1e-13, high - 1e-13),
            method="bounded",
            options={"xatol": 1e-13},
        )
        return float((b - c - n * delta) / sqrt(n * (2 * best.x + delta * (1 - delta))))

    lower, upper = tango_interval(b, c, n, confidence=0.95)
    assert score(lower) == pytest.approx(1.959964, rel=1e-5)
    assert score(upper) == pytest.approx(-1.959964, rel=1e-5)


@given(TABLES)
def test_the_variance_is_the_mean_over_pairs_of_their_discordant_share(table: np.ndarray) -> None:
    """For one pair under its null hypothesis it is (b + c) / n²; pooled, the average of that over all pairs."""
    n, k = table.shape
    pairs = [np.sum(table[:, i] != table[:, j]) / n**2 for i in range(k) for j in range(i)]
    found = answers(table)
    assert found.variance == pytest.approx(np.mean(pairs))
    assert found.rates == pytest.approx(table.mean(axis=0))
    assert found.n == n


def test_many_intervals_are_those_of_one_pair() -> None:
    b, c = np.array([0, 0, 1, 7, 20, 30]), np.array([0, 5, 7, 1, 20, 0])
    for alternative, z in (
        ("two-sided", 1.959963984540054),
        ("greater", 1.6448536269514722),
        ("less", 1.6448536269514722),
    ):
        low, high = tango_intervals(b, c, 40, critical=z, alternative=alternative)
        single = [
            tango_interval(*pair, 40, confidence=0.95, alternative=alternative) for pair in zip(b, c, strict=True)
        ]
        assert low == pytest.approx([one[0] for one in single], abs=1e-12)
        assert high == pytest.approx([one[1] for one in single], abs=1e-12)


@given(
    b=st.integers(0, 40),
    c=st.integers(0, 40),
    rest=st.integers(0, 400),
    critical=st.sampled_from([1.0, 1.96, 2.7, 4.5]),
)
def test_intervals_leave_zero_out_where_mcnemars_z_exceeds_the_quantile(
    b: int, c: int, rest: int, critical: float
) -> None:
    n = max(b + c + rest, 1)
    low, high = tango_intervals([b], [c], n, critical=critical)
    z = (b - c) / sqrt(max(b + c, 1))
    if abs(abs(z) - critical) > 1e-9:
        assert (low[0] > 0 or high[0] < 0) == (abs(z) > critical)
    assert -1 <= low[0] <= (b - c) / n + 1e-12
    assert (b - c) / n - 1e-12 <= high[0] <= 1


def test_intervals_of_nothing_and_of_an_infinite_quantile() -> None:
    low, high = tango_intervals([0, 3], [0, 1], 30, critical=np.inf)
    assert (low.tolist(), high.tolist()) == ([-1.0, -1.0], [1.0, 1.0])
    low, high = tango_intervals([0], [0], 50, critical=1.96)
    assert low[0] == pytest.approx(-high[0])
    assert high[0] == pytest.approx(1.96**2 / (50 + 1.96**2))  # no discordant instance: nδ² = z² δ(1 − δ)
    assert tango_intervals([60], [0], 60, critical=2.0)[1][0] == pytest.approx(1.0)
    with pytest.raises(UsageError, match="alternative must be one of"):
        tango_intervals([1], [2], 10, critical=2.0, alternative="both")


@given(TABLES)
def test_discordant_instances_are_counted(table: np.ndarray) -> None:
    found = discordant(table)
    for i in range(table.shape[1]):
        for j in range(table.shape[1]):
            assert found[i, j] == np.sum((table[:, i] == 1) & (table[:, j] == 0))


def test_refusals() -> None:
    with pytest.raises(UsageError, match=r"must be 0 or 1 .* found 2 in row 2, column 1"):
        answers([[0, 1], [2, 0]])
    with pytest.raises(UsageError, match="at least 1 row and 2 columns"):
        answers([[0], [1]])
    with pytest.raises(UsageError, match="finite number"):
        answers([[0, float("nan")]])
