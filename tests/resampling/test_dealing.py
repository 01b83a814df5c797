"""Dealing into equal parts: sizes, classes, groups; scikit-learn has the same sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.resampling.dealing import deal
from bakeoff.resampling.randomness import generator
from bakeoff.resampling.split import Sample
from bakeoff.resampling.units import Units


def table(part: np.ndarray, labels: np.ndarray, parts: int) -> np.ndarray:
    """Parts × classes."""
    _, codes = np.unique(labels, return_inverse=True)
    return np.array([np.bincount(codes[part == p], minlength=codes.max() + 1) for p in range(parts)])


@given(st.integers(2, 12), st.lists(st.integers(0, 4), min_size=12, max_size=80), st.integers(0, 99))
def test_rows_differ_by_one_at_most_in_all_and_in_each_class(parts: int, strata: list[int], seed: int) -> None:
    sample = Sample(len(strata), np.array(strata))
    part = deal(Units.of(sample, stratify=True), parts, generator(seed, 1))
    counts = table(part, np.array(strata), parts)
    assert np.ptp(counts.sum(axis=1)) <= 1
    assert (np.ptp(counts, axis=0) <= 1).all()


@pytest.mark.parametrize(("n", "parts"), [(10, 10), (61, 10), (99, 7), (5, 2)])
def test_sizes_are_those_of_scikit_learn(n: int, parts: int) -> None:
    from sklearn.model_selection import KFold

    part = deal(Units.of(Sample(n)), parts, generator(0, 1))
    assert np.bincount(part).tolist() == [len(test) for _, test in KFold(parts).split(np.zeros(n))]


@given(st.integers(2, 6), st.lists(st.integers(1, 30), min_size=6, max_size=40), st.integers(0, 99))
def test_parts_of_groups_are_about_as_large(parts: int, sizes: list[int], seed: int) -> None:
    groups = np.repeat(np.arange(len(sizes)), sizes)
    part = deal(Units.of(Sample(len(groups), groups=groups)), parts, generator(seed, 1))
    rows = np.bincount(part, weights=sizes, minlength=parts)
    assert (rows > 0).all()
    # Largest first to the emptiest: a part that ends up largest was the smallest before its last group.
    assert rows.max() - rows.min() <= max(sizes)


def test_groups_of_one_row_are_dealt_as_evenly_as_rows() -> None:
    rng = np.random.default_rng(1)
    for seed in range(20):
        n = int(rng.integers(30, 90))
        strata = rng.integers(0, 3, n)
        part = deal(Units.of(Sample(n, strata, np.arange(n)), stratify=True), 5, generator(seed, 1))
        counts = table(part, strata, 5)
        assert np.ptp(counts.sum(axis=1)) <= 1
        assert (np.ptp(counts, axis=0) <= 1).all()


def test_groups_of_one_class_each_are_spread_over_the_parts() -> None:
    # 20 groups of 4 rows, each of one class: 8 of the first, 12 of the second; four parts can have 2 and 3 each.
    groups = np.repeat(np.arange(20), 4)
    strata = (groups >= 8).astype(int)
    for seed in range(10):
        part = deal(Units.of(Sample(80, strata, groups), stratify=True), 4, generator(seed, 1))
        assert table(part[groups], strata, 4).tolist() == [[8, 12]] * 4


def test_mixed_groups_come_no_less_in_proportion_than_scikit_learns() -> None:
    from sklearn.model_selection import StratifiedGroupKFold

    rng = np.random.default_rng(2)
    ours, theirs = [], []
    for seed in range(10):
        groups = rng.permutation(np.concatenate([np.arange(40), rng.integers(0, 40, 260)]))
        strata = (rng.random(300) < rng.beta(1, 2, 40)[groups]).astype(int)
        share = strata.mean()
        part = deal(Units.of(Sample(300, strata, groups), stratify=True), 5, generator(seed, 1))
        ours += [abs(strata[part[groups] == p].mean() - share) for p in range(5)]
        folds = StratifiedGroupKFold(5, shuffle=True, random_state=seed).split(strata, strata, groups)
        theirs += [abs(strata[test].mean() - share) for _, test in folds]
    assert np.mean(ours) <= 1.5 * np.mean(theirs)


def test_copies_of_a_unit_are_dealt_one_by_one() -> None:
    chosen = np.array([0, 0, 0, 2, 2, 3])
    for groups in (None, np.arange(4)):
        part = deal(Units.of(Sample(4, groups=groups)), 3, generator(1, 1), chosen)
        assert len(part) == 6
        assert np.bincount(part).tolist() == [2, 2, 2]


def test_which_rows_come_together_is_left_to_chance() -> None:
    together = [
        part[0] == part[1] for part in (deal(Units.of(Sample(10)), 2, generator(3, repeat)) for repeat in range(3000))
    ]
    # In two parts of five the first two of ten rows are together with chance 4/9; the bound is five standard errors.
    assert np.mean(together) == pytest.approx(4 / 9, abs=5 * np.sqrt(4 / 9 * 5 / 9 / 3000))
