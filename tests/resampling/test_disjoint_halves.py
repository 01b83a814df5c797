"""Disjoint parts, each halved."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.resampling.disjoint_halves import DisjointHalves
from bakeoff.resampling.split import Sample


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
