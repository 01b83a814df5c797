"""Schemes on bootstrap samples."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.resampling.bootstrap import chance_left_out
from bakeoff.resampling.bootstrap_samples import (
    Bootstrap,
    Bootstrap632,
    Bootstrap632Plus,
    OutOfBootstrap,
    OutOfBootstrap2n,
)
from bakeoff.resampling.split import APPARENT, TEST, Sample


def test_out_of_bootstrap_tests_on_exactly_what_was_not_drawn() -> None:
    made = OutOfBootstrap(repeats=500).splits(Sample(40), 1).splits
    assert all(sorted({*s.train.tolist(), *s.test.tolist()}) == list(range(40)) for s in made)
    assert np.mean([len(s.test) for s in made]) == pytest.approx(40 * chance_left_out(40), abs=0.4)


def test_all_draw_the_same_samples() -> None:
    sample = Sample(15, given_test=np.array([14]))
    schemes = (Bootstrap, OutOfBootstrap, OutOfBootstrap2n, Bootstrap632, Bootstrap632Plus)
    drawn = [[s.train.tolist() for s in kind(repeats=5).splits(sample, 4).splits if s.role == TEST] for kind in schemes]
    assert all(one == drawn[0] for one in drawn)


def test_the_bootstrap_says_that_it_is_optimistic() -> None:
    (note,) = Bootstrap(repeats=2).splits(Sample(9), 1).notes
    assert "optimistic" in note


def test_632_has_one_apparent_split_which_stays_first() -> None:
    for kind in (Bootstrap632, Bootstrap632Plus):
        first, *rest = kind(repeats=5).splits(Sample(9), 1).splits
        assert (first.repeat, first.role) == (0, APPARENT)
        assert first.train.tolist() == first.test.tolist() == list(range(9))
        assert [(s.repeat, s.role) for s in rest] == [(repeat, TEST) for repeat in range(1, 6)]
        assert kind(repeats=5).count(Sample(9)) == 6


def test_samples_that_leave_nothing_out_are_skipped_and_keep_their_number() -> None:
    made = OutOfBootstrap(repeats=40).splits(Sample(2), 1)
    # Two rows are both drawn half of the time.
    assert 8 < len(made.splits) < 32
    assert all(s.train[0] == s.train[1] != s.test[0] for s in made.splits)
    numbers = [s.repeat for s in made.splits]
    assert numbers != list(range(1, len(numbers) + 1))
    skipped = 40 - len(made.splits)
    assert made.notes == (f"Of 40 bootstrap samples {skipped} left nothing out to test on and had to be skipped.",)


def test_skipping_is_counted_among_test_splits_for_632() -> None:
    made = Bootstrap632(repeats=40).splits(Sample(2), 1)
    (note,) = made.notes
    assert note.startswith(f"Of 40 bootstrap samples {41 - len(made.splits)} left")


@pytest.mark.parametrize("kind", [OutOfBootstrap, Bootstrap632])
def test_if_all_are_skipped_it_is_an_error(kind: type[OutOfBootstrap]) -> None:
    seed = next(seed for seed in range(50) if set(Bootstrap(1).splits(Sample(2), seed).splits[0].train) == {0, 1})
    with pytest.raises(UsageError, match="leaves nothing to test on: 2 rows are too few"):
        kind(repeats=1).splits(Sample(2), seed)


def test_groups_are_drawn_and_not_rows() -> None:
    groups = np.repeat(np.arange(6), [5, 1, 2, 1, 1, 4])
    for s in OutOfBootstrap(repeats=30).splits(Sample(14, groups=groups), 1).splits:
        copies = np.bincount(s.train, minlength=14)
        per_group = [set(copies[groups == group].tolist()) for group in range(6)]
        assert all(len(times) == 1 for times in per_group)
        assert sum(times.pop() for times in per_group) == 6


def test_2n_needs_the_sample_to_merge() -> None:
    with pytest.raises(UsageError, match="'out-of-bootstrap-2n' needs a test sample"):
        OutOfBootstrap2n().splits(Sample(20), 1)
    made = OutOfBootstrap2n(repeats=20).splits(Sample(20, given_test=np.arange(10, 20)), 1)
    assert made.notes == ()
    assert any(s.train.max() >= 10 and s.test.min() < 10 for s in made.splits)
