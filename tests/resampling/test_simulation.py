from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.resampling import resampling_from
from bakeoff.resampling.simulation import Simulation
from bakeoff.resampling.split import Draws, Sample


def sample(fresh: bool = False) -> Sample:
    draws = Draws(count=5, n=4, m=2, fresh=fresh)
    return Sample(draws.rows, strata=np.zeros(draws.rows, dtype=int), draws=draws)


@pytest.mark.parametrize("fresh", [False, True])
def test_each_repeat_learns_from_its_own_sample(fresh: bool) -> None:
    made = Simulation(repeats=5).splits(sample(fresh), 1)
    assert [(s.repeat, s.fold) for s in made.splits] == [(b, 1) for b in range(1, 6)]
    learned = np.concatenate([s.train for s in made.splits])
    assert len(set(learned.tolist())) == 20
    assert len({s.test.tobytes() for s in made.splits}) == (5 if fresh else 1)
    for s in made.splits:
        assert not np.isin(s.test, learned).any()
        assert not s.train.flags.writeable
    assert len({s.key for s in made.splits}) == 5
    assert Simulation(repeats=5).count(sample(fresh)) == 5


def test_the_seed_has_no_say_because_the_samples_are_drawn_already() -> None:
    first, other = (Simulation(repeats=5).splits(sample(), seed).splits for seed in (1, 2))
    assert [s.key for s in first] == [s.key for s in other]


def test_a_data_set_cannot_be_simulated() -> None:
    with pytest.raises(UsageError, match=r"needs a task that draws its samples .* use 'out-of-bootstrap'"):
        Simulation().splits(Sample(10), 1)


def test_rows_that_are_not_those_drawn_are_refused() -> None:
    with pytest.raises(UsageError, match="22 rows were to be drawn; found 21"):
        Simulation().splits(Sample(21, draws=Draws(5, 4, 2)), 1)


def test_from_a_study_file_and_back() -> None:
    made = resampling_from({"scheme": "simulation", "repeats": 7, "independent": True})
    assert made == Simulation(7, independent=True)
    assert resampling_from(made.describe()) == made
    assert Simulation.problem == "simulation"
    with pytest.raises(FrozenInstanceError):
        made.repeats = 3  # type: ignore[misc]


@pytest.mark.parametrize("bad", [{"repeats": 0}, {"repeats": 2.5}, {"independent": 1}])
def test_parameters_are_checked(bad: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="must be"):
        resampling_from({"scheme": "simulation", **bad})


def test_splits_go_by_what_was_drawn_where_that_is_known() -> None:
    one, other = (
        Simulation(repeats=2).splits(Sample(10, draws=Draws(2, 4, 2, contents=said)), 1).splits
        for said in ((b"first", b"second"), (b"first", b"changed"))
    )
    assert one[0].key == other[0].key
    assert one[1].key != other[1].key
