"""Partitions of learners, and how many pairs can be alike at once."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bakeoff.mathematics import logical_relations
from bakeoff.mathematics.logical_relations import partitions, possible_counts

BELL = [1, 2, 5, 15, 52, 203, 877, 4140, 21147]


def all_of(k: int) -> np.ndarray:
    return np.concatenate(list(partitions(k)))


@pytest.mark.parametrize("k", range(1, 10))
def test_there_are_as_many_partitions_as_bell_counted(k: int) -> None:
    found = all_of(k)
    assert len(found) == len(np.unique(found, axis=0)) == BELL[k - 1]
    # Restricted growth: each learner is in a group before it, or in the next new one.
    grown = np.maximum.accumulate(found, axis=1)
    assert np.all(found[:, 0] == 0)
    assert np.all(found[:, 1:] <= grown[:, :-1] + 1)


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.unique(all_of(6), axis=0)
    monkeypatch.setattr(logical_relations, "CHUNK", 7)
    assert max(map(len, partitions(6))) <= 7
    assert np.array_equal(np.unique(all_of(6), axis=0), whole)


@pytest.mark.parametrize("k", range(1, 9))
def test_possible_counts_are_those_of_the_partitions(k: int) -> None:
    counts = {sum(int(row[i] == row[j]) for i, j in combinations(range(k), 2)) for row in all_of(k)}
    assert possible_counts(k) == sorted(counts)


def test_shaffers_own_table() -> None:
    """Shaffer (1986): for five means the possible numbers of true hypotheses are 0 to 4, 6 and 10."""
    assert possible_counts(5) == [0, 1, 2, 3, 4, 6, 10]
    assert possible_counts(1) == [0]
    assert possible_counts(60)[-2:] == [59 * 58 // 2, 60 * 59 // 2]
