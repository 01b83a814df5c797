"""Splits inside a learning sample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.resampling.bootstrap_samples import OutOfBootstrap
from bakeoff.resampling.inner import inner_groups, inner_splits
from bakeoff.resampling.split import Sample


@given(st.integers(2, 50), st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_every_position_is_validated_on_once(n: int, folds: int, seed: int) -> None:
    made = inner_splits(n, folds, seed=seed)
    assert len(made) == min(n, folds)
    assert sorted(np.concatenate([test for _, test in made]).tolist()) == list(range(n))
    assert all(sorted([*train.tolist(), *test.tolist()]) == list(range(n)) for train, test in made)


def test_copies_of_a_row_are_on_one_side() -> None:
    for outer in OutOfBootstrap(repeats=20).splits(Sample(25), 1).splits:
        for train, test in inner_splits(25, 5, groups=inner_groups(outer.train), seed=1):
            assert not np.isin(outer.train[test], outer.train[train]).any()


def test_groups_of_the_data_go_before_copies() -> None:
    groups = np.array([1, 1, 2, 2, 3])
    found = inner_groups(np.array([0, 0, 1, 3]), groups)
    assert found is not None
    assert found.tolist() == [1, 1, 1, 2]


def test_classes_are_kept_in_proportion() -> None:
    strata = np.array(["a"] * 30 + ["b"] * 10)
    for _, test in inner_splits(40, 5, strata=strata, seed=3):  # type: ignore[arg-type]
        assert (strata[test] == "b").sum() == 2


def test_the_seed_decides() -> None:
    one, two, other = ([test.tolist() for _, test in inner_splits(20, 4, seed=seed)] for seed in (1, 1, 2))
    assert one == two != other


def test_what_cannot_be_divided_is_refused() -> None:
    with pytest.raises(UsageError, match="needs two different rows or groups; found 1 group among 6 rows"):
        inner_splits(6, 3, groups=np.zeros(6, dtype=int))
    with pytest.raises(UsageError, match="found 1 row among 1 row"):
        inner_splits(1, 3)
    with pytest.raises(UsageError, match="'folds' must be a whole number of at least 2"):
        inner_splits(6, 1)
