"""Cross-validation, 5×2 and leave-one-out."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.resampling.cross_validation import CrossValidation, FiveByTwo, LeaveOneOut
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
