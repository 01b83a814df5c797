"""What schemes share: the notes and the refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.resampling import SCHEMES, optimism
from bakeoff.resampling.cross_validation import CrossValidation
from bakeoff.resampling.holdout import DisjointHalves
from bakeoff.resampling.scheme import Combination, check_bool, check_int
from bakeoff.resampling.split import Sample


@pytest.mark.parametrize("value", [1, 2.0, "3", True, None, [3], float("nan")])
def test_what_is_not_a_whole_number_is_refused(value: Any) -> None:
    with pytest.raises(UsageError, match="'folds' must be a whole number of at least 2; found"):
        check_int(value, "folds", 2)


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    check_int(np.int64(2), "folds", 2)


@pytest.mark.parametrize("value", [1, "true", None])
def test_what_is_not_a_truth_value_is_refused(value: Any) -> None:
    with pytest.raises(UsageError, match="'stratify' must be true or false; found"):
        check_bool(value, "stratify")


def test_small_classes_are_a_note_and_no_error() -> None:
    strata = np.array([0] * 20 + [1] * 3 + [2] * 4)
    assert CrossValidation(folds=5).splits(Sample(27, strata), 1).notes == (
        "2 of 3 classes are found in fewer than 5 rows, the smallest in 3: some folds go without.",
    )
    assert DisjointHalves(parts=2).splits(Sample(27, strata), 1).notes == (
        "1 of 3 classes is found in fewer than 4 rows, the smallest in 3: some halves go without.",
    )
    assert CrossValidation(folds=5, stratify=False).splits(Sample(27, strata), 1).notes == ()


def test_a_class_in_few_groups_is_noted_however_many_rows_it_has() -> None:
    groups = np.repeat(np.arange(10), 3)
    (note,) = CrossValidation(folds=5).splits(Sample(30, (groups < 2).astype(int), groups), 1).notes
    assert note == "1 of 2 classes is found in fewer than 5 groups, the smallest in 2: some folds go without."


def test_uneven_groups_are_noted() -> None:
    groups = np.repeat([0, 1, 2, 3], [10, 2, 2, 2])
    (note,) = CrossValidation(folds=2).splits(Sample(16, groups=groups), 1).notes
    assert note == "Groups stay together, so that test samples have between 6 and 10 rows."


def test_a_given_test_sample_that_is_not_kept_apart_is_noted() -> None:
    (note,) = CrossValidation(folds=2).splits(Sample(8, given_test=np.array([6, 7])), 1).notes
    assert note.startswith("The 2 rows of the test sample that came with the data are resampled together")


def test_one_group_cannot_be_resampled() -> None:
    with pytest.raises(UsageError, match="at least 2 groups; found 1 group"):
        CrossValidation(folds=2).splits(Sample(8, groups=np.zeros(8, dtype=int)), 1)


# ----------------------------------------------------------------------------------------------------------------------
# Optimism


@pytest.mark.parametrize("scheme", sorted(SCHEMES))
def test_schemes_that_test_on_what_was_learned_are_those_that_are_warned_of(scheme: str) -> None:
    kind = SCHEMES[scheme]
    weighed = kind.combine in (Combination.WEIGHED, Combination.WEIGHED_PLUS)
    assert bool(kind.optimistic) == (kind.overlaps or weighed)
    assert bool(optimism(scheme)) == bool(kind.optimistic)


def test_how_much_of_a_score_is_optimistic() -> None:
    assert "most of which were learned from" in optimism("bootstrap")
    assert "takes part of each score" in optimism("632+")
