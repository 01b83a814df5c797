"""Chance from a seed and a repeat."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.resampling.randomness import drawn, generator, shuffled


def test_shuffled_is_a_permutation_and_every_one_is_as_likely() -> None:
    seen: dict[tuple[int, ...], int] = {}
    for repeat in range(6000):
        order = tuple(shuffled(3, generator(1, repeat)).tolist())
        seen[order] = seen.get(order, 0) + 1
    assert len(seen) == 6
    # χ² with 5 degrees of freedom exceeds 25.7 once in ten thousand seeds.
    assert sum((count - 1000) ** 2 / 1000 for count in seen.values()) < 25.7


def test_every_number_is_drawn_as_often() -> None:
    counts = np.bincount(drawn(7, 70_000, generator(2, 1)), minlength=7)
    # χ² with 6 degrees of freedom exceeds 27.9 once in ten thousand seeds.
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 27.9


def test_seed_and_repeat_both_matter() -> None:
    orders = {tuple(shuffled(20, generator(seed, repeat)).tolist()) for seed in range(5) for repeat in range(5)}
    assert len(orders) == 25


@pytest.mark.parametrize("n", [0, 1])
def test_the_smallest(n: int) -> None:
    assert shuffled(n, generator(0, 1)).tolist() == list(range(n))
