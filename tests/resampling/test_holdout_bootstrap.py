from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.resampling.holdout_bootstrap import HoldOutBootstrap
from bakeoff.resampling.split import Sample


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
