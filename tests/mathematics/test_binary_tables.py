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
from bakeoff.mathematics.binary_tables import answers, tango_interval

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


def test_refusals() -> None:
    with pytest.raises(UsageError, match=r"must be 0 or 1 .* found 2 in row 2, column 1"):
        answers([[0, 1], [2, 0]])
    with pytest.raises(UsageError, match="at least 1 row and 2 columns"):
        answers([[0], [1]])
    with pytest.raises(UsageError, match="finite number"):
        answers([[0, float("nan")]])
