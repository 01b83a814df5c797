"""Tables of right and wrong answers: the pooled variance by its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bakeoff.errors import UsageError
from bakeoff.mathematics.right_or_wrong import answers

TABLES = st.tuples(st.integers(1, 25), st.integers(2, 6)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(0, 1))
)


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
