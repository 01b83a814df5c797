"""Splits into a learning and a test part."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.resampling.holdout import HoldOut, first_rows, random_split
from bakeoff.resampling.split import Sample


@given(st.integers(2, 200), st.integers(0, 2**32 - 1))
def test_every_row_is_in_one_part(n: int, seed: int) -> None:
    train, test = random_split(n, np.random.default_rng(seed))
    assert sorted([*train, *test]) == list(range(n))
    assert len(test) == round(n / 3)


def test_the_seed_decides() -> None:
    one, two, other = (random_split(30, np.random.default_rng(seed))[1].tolist() for seed in (1, 1, 2))
    assert one == two != other


def test_refusals() -> None:
    for n_train in (0, 5, 6, -1):
        with pytest.raises(UsageError, match="at least one of the 5 rows"):
            first_rows(5, n_train)
    with pytest.raises(UsageError, match="strictly between 0 and 1"):
        random_split(5, np.random.default_rng(), test_share=1)
    with pytest.raises(UsageError, match="at least one"):
        random_split(5, np.random.default_rng(), test_share=0.01)


@pytest.mark.parametrize(("n", "share", "n_test"), [(9, 1 / 3, 3), (100, 0.1, 10), (2, 0.5, 1), (150, 0.99, 148)])
def test_the_share_is_that_of_all_rows(n: int, share: float, n_test: int) -> None:
    (only,) = HoldOut(test_share=share).splits(Sample(n), 1).splits
    assert (only.repeat, only.fold, len(only.test), len(only.train)) == (1, 1, n_test, n - n_test)


def test_classes_are_kept_in_proportion_unless_told_otherwise() -> None:
    strata = np.array([0] * 80 + [1] * 10)
    kept, left = (
        [
            int((strata[s.test] == 1).sum())
            for s in HoldOut(stratify=stratify, repeats=30).splits(Sample(90, strata), 1).splits
        ]
        for stratify in (True, False)
    )
    assert set(kept) == {3}  # of 3⅓; the 26⅔ of the other class have the larger remainder
    assert len(set(left)) > 2


def test_small_classes_are_noted() -> None:
    (note,) = HoldOut().splits(Sample(9, np.array([0] * 4 + [1] * 4 + [2])), 1).notes
    assert note == "1 of 3 classes is found in fewer than 3 rows, the smallest in 1: one of the parts may go without."
    assert not HoldOut(stratify=False).splits(Sample(9, np.array([0] * 8 + [2])), 1).notes


@pytest.mark.parametrize("share", [0, 1, -0.5, 1.5, True, "a third", float("nan"), None])
def test_a_strange_share_is_refused(share: object) -> None:
    with pytest.raises(UsageError, match="strictly between 0 and 1; found"):
        HoldOut(test_share=share)  # type: ignore[arg-type]


def test_an_empty_part_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one of the 5 rows; found 5 to learn from and 0 to test on"):
        HoldOut(test_share=0.05).splits(Sample(5), 1)
