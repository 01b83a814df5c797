"""The test sample that came with the data."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.resampling.given_test import Competition, GivenTest, learning_and_test
from bakeoff.resampling.split import Sample

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
