"""Units: rows, or groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.resampling.split import Sample
from bakeoff.resampling.units import Units, assign_folds, bootstrap_draw, draw, generator, shuffled

STRATA, GROUPS = np.array([5, 5, 9, 9, 9]), np.array([-1, 4, 4, -1, 4])


def test_rows_are_units_without_groups() -> None:
    units = Units.of(Sample(5, STRATA), stratify=True)
    assert (units.n, units.n_classes, units.grouped) == (5, 2, False)
    assert units.spread.tolist() == [2, 3]
    assert units.rows([1, 0, 3, 0, 1]).tolist() == [0, 2, 2, 2, 4]


def test_groups_are_units_with_them() -> None:
    units = Units.of(Sample(5, STRATA, GROUPS), stratify=True)
    assert (units.n, units.n_classes, units.grouped) == (2, 2, True)
    assert units.classes.tolist() == [[1, 1], [1, 2]]
    assert units.spread.tolist() == [2, 2]
    assert units.rows(np.array([True, False])).tolist() == [0, 3]


def test_classes_count_only_if_asked_for() -> None:
    assert Units.of(Sample(5, STRATA, GROUPS)).classes.tolist() == [[2], [3]]
    assert Units.of(Sample(5, None, GROUPS), stratify=True).n_classes == 1


def test_words() -> None:
    assert Units.of(Sample(5)).word(1) == "1 row"
    assert Units.of(Sample(5, groups=GROUPS)).word(2) == "2 groups"


def test_an_empty_sample_has_no_units() -> None:
    assert Units.of(Sample(0)).n == 0


# ----------------------------------------------------------------------------------------------------------------------
# Dealing into equal parts: sizes, classes, groups; scikit-learn has the same sizes.


def table(part: np.ndarray, labels: np.ndarray, parts: int) -> np.ndarray:
    """Parts × classes."""
    _, codes = np.unique(labels, return_inverse=True)
    return np.array([np.bincount(codes[part == p], minlength=codes.max() + 1) for p in range(parts)])


@given(st.integers(2, 12), st.lists(st.integers(0, 4), min_size=12, max_size=80), st.integers(0, 99))
def test_rows_differ_by_one_at_most_in_all_and_in_each_class(parts: int, strata: list[int], seed: int) -> None:
    sample = Sample(len(strata), np.array(strata))
    part = assign_folds(Units.of(sample, stratify=True), parts, generator(seed, 1))
    counts = table(part, np.array(strata), parts)
    assert np.ptp(counts.sum(axis=1)) <= 1
    assert (np.ptp(counts, axis=0) <= 1).all()


@pytest.mark.parametrize(("n", "parts"), [(10, 10), (61, 10), (99, 7), (5, 2)])
def test_sizes_are_those_of_scikit_learn(n: int, parts: int) -> None:
    from sklearn.model_selection import KFold

    part = assign_folds(Units.of(Sample(n)), parts, generator(0, 1))
    assert np.bincount(part).tolist() == [len(test) for _, test in KFold(parts).split(np.zeros(n))]


@given(st.integers(2, 6), st.lists(st.integers(1, 30), min_size=6, max_size=40), st.integers(0, 99))
def test_parts_of_groups_are_about_as_large(parts: int, sizes: list[int], seed: int) -> None:
    groups = np.repeat(np.arange(len(sizes)), sizes)
    part = assign_folds(Units.of(Sample(len(groups), groups=groups)), parts, generator(seed, 1))
    rows = np.bincount(part, weights=sizes, minlength=parts)
    assert (rows > 0).all()
    # Largest first to the emptiest: a part that ends up largest was the smallest before its last group.
    assert rows.max() - rows.min() <= max(sizes)


def test_groups_of_one_row_are_dealt_as_evenly_as_rows() -> None:
    rng = np.random.default_rng(1)
    for seed in range(20):
        n = int(rng.integers(30, 90))
        strata = rng.integers(0, 3, n)
        part = assign_folds(Units.of(Sample(n, strata, np.arange(n)), stratify=True), 5, generator(seed, 1))
        counts = table(part, strata, 5)
        assert np.ptp(counts.sum(axis=1)) <= 1
        assert (np.ptp(counts, axis=0) <= 1).all()


def test_groups_of_one_class_each_are_spread_over_the_parts() -> None:
    # 20 groups of 4 rows, each of one class: 8 of the first, 12 of the second; four parts can have 2 and 3 each.
    groups = np.repeat(np.arange(20), 4)
    strata = (groups >= 8).astype(int)
    for seed in range(10):
        part = assign_folds(Units.of(Sample(80, strata, groups), stratify=True), 4, generator(seed, 1))
        assert table(part[groups], strata, 4).tolist() == [[8, 12]] * 4


def test_mixed_groups_come_no_less_in_proportion_than_scikit_learns() -> None:
    from sklearn.model_selection import StratifiedGroupKFold

    rng = np.random.default_rng(2)
    ours, theirs = [], []
    for seed in range(10):
        groups = rng.permutation(np.concatenate([np.arange(40), rng.integers(0, 40, 260)]))
        strata = (rng.random(300) < rng.beta(1, 2, 40)[groups]).astype(int)
        share = strata.mean()
        part = assign_folds(Units.of(Sample(300, strata, groups), stratify=True), 5, generator(seed, 1))
        ours += [abs(strata[part[groups] == p].mean() - share) for p in range(5)]
        folds = StratifiedGroupKFold(5, shuffle=True, random_state=seed).split(strata, strata, groups)
        theirs += [abs(strata[test].mean() - share) for _, test in folds]
    assert np.mean(ours) <= 1.5 * np.mean(theirs)


def test_copies_of_a_unit_are_dealt_one_by_one() -> None:
    chosen = np.array([0, 0, 0, 2, 2, 3])
    for groups in (None, np.arange(4)):
        part = assign_folds(Units.of(Sample(4, groups=groups)), 3, generator(1, 1), chosen)
        assert len(part) == 6
        assert np.bincount(part).tolist() == [2, 2, 2]


def test_which_rows_come_together_is_left_to_chance() -> None:
    together = [
        part[0] == part[1]
        for part in (assign_folds(Units.of(Sample(10)), 2, generator(3, repeat)) for repeat in range(3000))
    ]
    # In two parts of five the first two of ten rows are together with chance 4/9; the bound is five standard errors.
    assert np.mean(together) == pytest.approx(4 / 9, abs=5 * np.sqrt(4 / 9 * 5 / 9 / 3000))


# ----------------------------------------------------------------------------------------------------------------------
# Drawing a share: sizes, classes, groups.


@given(st.lists(st.integers(0, 4), min_size=2, max_size=60), st.data())
def test_each_class_gives_its_share_rounded_up_or_down(strata: list[int], data: st.DataObject) -> None:
    n, labels = len(strata), np.array(strata)
    n_rows = data.draw(st.integers(1, n - 1))
    taken = draw(Units.of(Sample(n, labels), stratify=True), n_rows, generator(data.draw(st.integers(0, 99)), 1))
    assert taken.sum() == n_rows
    for label in set(strata):
        share = n_rows * (labels == label).sum() / n
        assert np.floor(share) <= taken[labels == label].sum() <= np.ceil(share)


def test_chance_decides_which_class_is_rounded_up() -> None:
    strata = np.repeat([0, 1, 2], 4)
    units = Units.of(Sample(12, strata), stratify=True)
    ones = {int(np.argmax(np.bincount(strata[draw(units, 4, generator(1, r))], minlength=3))) for r in range(40)}
    assert ones == {0, 1, 2}


@given(st.lists(st.integers(1, 20), min_size=2, max_size=30), st.data())
def test_groups_come_as_near_as_their_sizes_allow(sizes: list[int], data: st.DataObject) -> None:
    groups = np.repeat(np.arange(len(sizes)), sizes)
    n_rows = data.draw(st.integers(1, len(groups) - 1))
    units = Units.of(Sample(len(groups), groups=groups))
    taken = draw(units, n_rows, generator(data.draw(st.integers(0, 99)), 1))
    assert 0 < taken.sum() < len(sizes)
    assert abs(np.dot(taken, sizes) - n_rows) <= max(sizes)


def test_every_group_has_its_turn() -> None:
    groups = np.repeat(np.arange(6), [10, 3, 3, 3, 3, 3])
    units = Units.of(Sample(len(groups), groups=groups))
    often = np.mean([draw(units, 8, generator(1, repeat)) for repeat in range(200)], axis=0)
    assert (often > 0.05).all()


def test_groups_keep_the_classes_in_proportion() -> None:
    groups = np.repeat(np.arange(30), 4)
    strata = (groups >= 10).astype(int)
    units = Units.of(Sample(120, strata, groups), stratify=True)
    for repeat in range(10):
        taken = draw(units, 40, generator(1, repeat))[groups]
        counts = np.bincount(strata[taken], minlength=2)
        assert abs(counts[0] - 40 / 3) <= 4
        assert abs(counts[1] - 80 / 3) <= 4


def test_one_huge_group_is_left_to_learn_from() -> None:
    groups = np.repeat([0, 1], [99, 1])
    for repeat in range(10):
        assert draw(Units.of(Sample(100, groups=groups)), 33, generator(1, repeat)).tolist() == [False, True]


# ----------------------------------------------------------------------------------------------------------------------
# Chance from a seed and a repeat.


def test_shuffled_is_a_permutation_and_every_one_is_as_likely() -> None:
    seen: dict[tuple[int, ...], int] = {}
    for repeat in range(6000):
        order = tuple(shuffled(3, generator(1, repeat)).tolist())
        seen[order] = seen.get(order, 0) + 1
    assert len(seen) == 6
    # χ² with 5 degrees of freedom exceeds 25.7 once in ten thousand seeds.
    assert sum((count - 1000) ** 2 / 1000 for count in seen.values()) < 25.7


def test_every_number_is_drawn_as_often() -> None:
    counts = np.bincount(bootstrap_draw(7, 70_000, generator(2, 1)), minlength=7)
    # χ² with 6 degrees of freedom exceeds 27.9 once in ten thousand seeds.
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 27.9


def test_seed_and_repeat_both_matter() -> None:
    orders = {tuple(shuffled(20, generator(seed, repeat)).tolist()) for seed in range(5) for repeat in range(5)}
    assert len(orders) == 25


@pytest.mark.parametrize("n", [0, 1])
def test_the_smallest(n: int) -> None:
    assert shuffled(n, generator(0, 1)).tolist() == list(range(n))
