"""Drawing a share: sizes, classes, groups."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.resampling.drawing import draw
from bakeoff.resampling.randomness import generator
from bakeoff.resampling.split import Sample
from bakeoff.resampling.units import Units


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
