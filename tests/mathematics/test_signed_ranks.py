"""The law of a signed-rank sum and the order statistics of Walsh averages, by enumeration."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.mathematics import signed_ranks
from bakeoff.mathematics.exactness import midranks
from bakeoff.mathematics.signed_ranks import lower_index, sum_law, tails, walsh_order_statistics


@given(st.lists(st.integers(1, 5), min_size=0, max_size=9))
def test_law_is_the_enumeration_of_all_signs(sizes: list[int]) -> None:
    ranks = midranks(sizes) if sizes else np.empty(0)
    sums = np.array([np.dot(signs, ranks) for signs in product((0, 1), repeat=len(ranks))])
    law = sum_law(ranks)
    assert len(law) == round(2 * ranks.sum()) + 1
    for w in range(len(law)):
        assert law[w] == np.mean(sums == w / 2)
    assert tails(law, sums[-1] / 2 if len(ranks) else 0.0) == (
        pytest.approx(np.mean(sums >= sums[-1] / 2)),
        pytest.approx(np.mean(sums <= sums[-1] / 2)),
    )


def test_lower_index_counts_the_outcomes_that_are_too_rare() -> None:
    law = sum_law(np.arange(1.0, 6))  # P(W ≤ 0) = 1/32, P(W ≤ 1) = 2/32
    assert lower_index(law, 0.025) == 0
    assert lower_index(law, 1 / 32) == 1
    assert lower_index(law, 2 / 32) == 2


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=40))
def test_counting_finds_the_same_as_sorting(values: list[int]) -> None:
    column = np.array(values, dtype=float) / 8
    total = len(values) * (len(values) + 1) // 2
    positions = [0, 1, (total + 1) // 2, total, total + 1]
    made = walsh_order_statistics(column, positions)
    assert made[0] == -inf
    assert made[-1] == inf
    for k in (1, (total + 1) // 2, total):
        assert signed_ranks._walsh_by_counting(np.sort(column), k) == made[positions.index(k)]
