"""Splits into a learning and a test part."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.resampling.holdout import (
    Competition,
    DisjointHalves,
    GivenTest,
    HoldOut,
    HoldOutBootstrap,
    first_rows,
    learning_and_test,
)
from bakeoff.resampling.split import Sample


@given(st.integers(2, 200), st.integers(0, 2**32 - 1))
def test_every_row_is_in_one_part(n: int, seed: int) -> None:
    (only,) = HoldOut().splits(Sample(n), seed).splits
    assert sorted([*only.train, *only.test]) == list(range(n))
    assert len(only.test) == round(n / 3)


def test_the_seed_decides() -> None:
    one, two, other = (HoldOut().splits(Sample(30), seed).splits[0].test.tolist() for seed in (1, 1, 2))
    assert one == two != other


def test_refusals() -> None:
    for n_train in (0, 5, 6, -1):
        with pytest.raises(UsageError, match="at least one of the 5 rows"):
            first_rows(5, n_train)
    with pytest.raises(UsageError, match="strictly between 0 and 1"):
        HoldOut(test_share=1)
    with pytest.raises(UsageError, match="at least one"):
        HoldOut(test_share=0.01).splits(Sample(5), 1)


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


# ----------------------------------------------------------------------------------------------------------------------
# Disjoint parts, each halved.


def test_no_two_splits_share_a_row() -> None:
    made = DisjointHalves(parts=10).splits(Sample(207), 1).splits
    assert [(s.repeat, s.fold) for s in made] == [(part, 1) for part in range(1, 11)]
    rows = np.concatenate([np.concatenate([s.train, s.test]) for s in made])
    assert len(np.unique(rows)) == len(rows) == 207
    assert {len(s.train) for s in made} | {len(s.test) for s in made} == {10, 11}


def test_halves_keep_the_classes_in_proportion() -> None:
    strata = np.arange(120) % 3
    for s in DisjointHalves(parts=5).splits(Sample(120, strata), 1).splits:
        assert np.bincount(strata[s.train]).tolist() == np.bincount(strata[s.test]).tolist() == [4, 4, 4]


def test_too_many_parts() -> None:
    with pytest.raises(UsageError, match="Two halves of 10 parts need at least 20 rows; found 19 rows"):
        DisjointHalves().splits(Sample(19), 1)


# ----------------------------------------------------------------------------------------------------------------------
# The test sample that came with the data.


SAMPLE = Sample(12, given_test=np.array([8, 9, 10, 11]))


def test_one_split_as_given() -> None:
    (only,) = GivenTest().splits(SAMPLE, 1).splits
    assert (only.train.tolist(), only.test.tolist()) == (list(range(8)), [8, 9, 10, 11])


def test_competition_learns_from_bootstrap_samples_of_the_rest() -> None:
    made = Competition(repeats=200).splits(SAMPLE, 1).splits
    assert [s.repeat for s in made] == list(range(1, 201))
    assert all(len(s.train) == 8 and s.train.max() < 8 and s.test.tolist() == [8, 9, 10, 11] for s in made)
    left_out = np.mean([8 - len(np.unique(s.train)) for s in made])
    assert left_out == pytest.approx(8 * (7 / 8) ** 8, abs=0.4)


def test_groups_of_the_learning_sample_are_drawn_whole() -> None:
    groups = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 3, 3])
    made = Competition(repeats=20).splits(Sample(12, groups=groups, given_test=np.arange(8, 12)), 1)
    for s in made.splits:
        counts = np.bincount(s.train, minlength=8)
        assert counts[0] == counts[1] == counts[2]
        assert counts[5] == counts[6] == counts[7]
        assert s.train.max() < 8
    assert made.notes == (
        "2 of the 4 rows of the given test sample belong to groups that are also learned from: their scores may be "
        "optimistic.",
    )


@pytest.mark.parametrize("scheme", [GivenTest(), Competition()])
def test_without_a_test_sample_it_is_refused(scheme: GivenTest) -> None:
    with pytest.raises(UsageError, match="needs a test sample that came with the data, and these data have none"):
        scheme.splits(Sample(12), 1)


@pytest.mark.parametrize("rows", [[], [0, 1, 2], [3], [-1], [1, 1]])
def test_a_test_sample_that_cannot_be_is_refused(rows: list[int]) -> None:
    with pytest.raises(UsageError, match="some of the 3 rows, each once"):
        learning_and_test(Sample(3, given_test=np.array(rows, dtype=int)))


# ----------------------------------------------------------------------------------------------------------------------
# Holdout bootstrap


def test_one_test_sample_for_all_repeats_and_bootstrap_samples_of_the_rest() -> None:
    made = HoldOutBootstrap(repeats=20).splits(Sample(60), 1).splits
    assert {s.test.tobytes() for s in made} == {made[0].test.tobytes()}
    assert len(made[0].test) == 20
    rest = set(range(60)) - set(made[0].test.tolist())
    for s in made:
        assert len(s.train) == 40
        assert set(s.train.tolist()) < rest
    distinct = np.mean([len(np.unique(s.train)) for s in made]) / 40
    assert distinct == pytest.approx(1 - (1 - 1 / 40) ** 40, abs=0.05)
    other = HoldOutBootstrap(repeats=20).splits(Sample(60), 2).splits
    assert other[0].test.tolist() != made[0].test.tolist()


def test_classes_are_set_aside_in_proportion() -> None:
    strata = np.repeat([0, 1], [40, 20])
    (s,) = HoldOutBootstrap(repeats=1, test_share=0.25).splits(Sample(60, strata), 1).splits
    assert np.bincount(strata[s.test]).tolist() == [10, 5]


def test_it_solves_the_competition_problem_on_a_split_of_its_own() -> None:
    assert HoldOutBootstrap.problem == "competition"
    assert not HoldOutBootstrap.needs_given_test


@pytest.mark.parametrize("share", [0, 1, "half", True])
def test_shares_of_all_or_nothing_are_refused(share: object) -> None:
    with pytest.raises(UsageError, match="strictly between 0 and 1"):
        HoldOutBootstrap(test_share=share)  # type: ignore[arg-type]
