"""Units: rows, or groups."""

from __future__ import annotations

import numpy as np

from bakeoff.resampling.split import Sample
from bakeoff.resampling.units import Units

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
