"""Cross-validation, 5×2 and leave-one-out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.resampling.bootstrap import Bootstrap, OutOfBootstrap
from bakeoff.resampling.cross_validation import (
    BootstrapCrossValidation,
    CrossValidation,
    FiveByTwo,
    LeaveOneOut,
    inner_groups,
    inner_splits,
)
from bakeoff.resampling.split import Sample

STRATA = np.array([0] * 33 + [1] * 17)


def test_ten_times_ten() -> None:
    made = CrossValidation(folds=10, repeats=10).splits(Sample(50, STRATA), 1).splits
    assert [(s.repeat, s.fold) for s in made] == [(r, f) for r in range(1, 11) for f in range(1, 11)]
    assert all(len(s.test) == 5 for s in made)
    assert {int((STRATA[s.test] == 1).sum()) for s in made} == {1, 2}


def test_without_stratification_classes_fall_as_they_may() -> None:
    made = CrossValidation(folds=10, repeats=10, stratify=False).splits(Sample(50, STRATA), 1).splits
    assert len({int((STRATA[s.test] == 1).sum()) for s in made}) > 2


def test_as_many_folds_as_rows_is_leave_one_out_in_another_order() -> None:
    folds, one = (
        {(tuple(s.train.tolist()), tuple(s.test.tolist())) for s in scheme.splits(Sample(7), 1).splits}
        for scheme in (CrossValidation(folds=7), LeaveOneOut())
    )
    assert folds == one


def test_five_by_two_is_five_times_two_folds() -> None:
    made = FiveByTwo().splits(Sample(50, STRATA), 3)
    same = CrossValidation(folds=2, repeats=5).splits(Sample(50, STRATA), 3)
    assert [(s.repeat, s.fold, s.key) for s in made.splits] == [(s.repeat, s.fold, s.key) for s in same.splits]
    for first, second in zip(made.splits[::2], made.splits[1::2], strict=True):
        assert (first.train.tolist(), first.test.tolist()) == (second.test.tolist(), second.train.tolist())


def test_five_by_two_has_the_notes_of_cross_validation() -> None:
    assert FiveByTwo().splits(Sample(9, np.array([0] * 8 + [1])), 1).notes == (
        "1 of 2 classes is found in fewer than 2 rows, the smallest in 1: some folds go without.",
    )


def test_leave_one_out_goes_through_the_rows() -> None:
    made = LeaveOneOut().splits(Sample(4), 1).splits
    assert [(s.repeat, s.fold, s.test.tolist()) for s in made] == [(1, 1, [0]), (1, 2, [1]), (1, 3, [2]), (1, 4, [3])]
    assert LeaveOneOut().count(Sample(4, groups=np.array([1, 1, 2, 2]))) == 2


def test_too_many_folds() -> None:
    with pytest.raises(UsageError, match="10 folds need at least 10 rows; found 6 rows"):
        CrossValidation().splits(Sample(6), 1)
    with pytest.raises(UsageError, match="10 folds need at least 10 groups; found 3 groups"):
        CrossValidation().splits(Sample(60, groups=np.arange(60) % 3), 1)


# ----------------------------------------------------------------------------------------------------------------------
# Cross-validation of bootstrap samples: against a plain loop over positions.


def test_folds_divide_the_positions_of_the_bootstrap_sample() -> None:
    n, scheme = 23, BootstrapCrossValidation(folds=5, repeats=20)
    samples = {s.repeat: s.train for s in Bootstrap(repeats=20).splits(Sample(n), 3).splits}
    for s in scheme.splits(Sample(n), 3).splits:
        whole, learned, tested = (np.bincount(rows, minlength=n) for rows in (samples[s.repeat], s.train, s.test))
        in_fold = whole - learned
        assert (in_fold >= 0).all()
        assert in_fold.sum() in (4, 5)
        # Tested on is what stands in the fold and nowhere else, as often as it stands there.
        assert tested.tolist() == np.where(learned == 0, in_fold, 0).tolist()


def test_copies_in_the_fold_count_as_often_as_they_were_drawn() -> None:
    made = BootstrapCrossValidation(folds=2, repeats=30).splits(Sample(10), 1).splits
    assert any(len(np.unique(s.test)) < len(s.test) for s in made)


def test_empty_folds_are_skipped_counted_and_keep_their_number() -> None:
    made = BootstrapCrossValidation(folds=4, repeats=50).splits(Sample(4), 1)
    skipped = 200 - len(made.splits)
    assert skipped > 0
    assert any(note.startswith(f"Of 200 folds {skipped} had nothing left") for note in made.notes)
    numbers = {repeat: [s.fold for s in made.splits if s.repeat == repeat] for repeat in range(1, 51)}
    assert any(folds and folds != list(range(1, len(folds) + 1)) for folds in numbers.values())


def test_nothing_empty_at_the_size_of_the_paper() -> None:
    made = BootstrapCrossValidation(folds=5, repeats=50).splits(Sample(150), 1)
    assert len(made.splits) == 250
    assert made.notes == ()


def test_folds_of_groups_are_about_as_large() -> None:
    groups = np.repeat(np.arange(30), 3)
    for s in BootstrapCrossValidation(folds=5, repeats=10).splits(Sample(90, groups=groups), 1).splits:
        assert len(s.train) == 72
        assert not np.isin(groups[s.test], groups[s.train]).any()


def test_classes_are_dealt_evenly_if_asked() -> None:
    strata = np.array([0] * 40 + [1] * 10)

    def spread(stratify: bool) -> int:
        scheme = BootstrapCrossValidation(folds=5, repeats=30, stratify=stratify)
        made = scheme.splits(Sample(50, strata), 1).splits
        learned = {(s.repeat, s.fold): int((strata[s.train] == 1).sum()) for s in made}
        return max(
            max(counts) - min(counts)
            for counts in ([n for (r, _), n in learned.items() if r == repeat] for repeat in range(1, 31))
        )

    assert spread(stratify=True) <= 1 < spread(stratify=False)


def test_too_many_folds_bootstrap_cv() -> None:
    with pytest.raises(UsageError, match="5 folds of a bootstrap sample need at least 5 rows; found 4 rows"):
        BootstrapCrossValidation().splits(Sample(4), 1)


# ----------------------------------------------------------------------------------------------------------------------
# Splits inside a learning sample.


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
