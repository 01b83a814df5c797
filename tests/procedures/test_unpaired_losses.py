"""The unpaired t test on losses: when it fits, and what it leaves to others."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import MisfitError
from bakeoff.judging import advise, analyse
from bakeoff.measures import known_measure
from bakeoff.procedures.unpaired_t import unpaired_t
from bakeoff.scores import Scores


def scores(shared: bool, name: str = "squared_error") -> Scores:
    """Losses of two models on ten and seven instances, the same or others."""
    rng = np.random.default_rng(1)
    measure = known_measure(name)
    assert measure is not None
    learners = ["a"] * 10 + ["b"] * 7
    instances = [str(i) for i in range(10)] + [str(i + (0 if shared else 100)) for i in range(7)]
    return Scores.of(rng.random(17).round(3), learner=learners, instance=instances, measures={name: measure})


def test_two_test_sets_of_different_size() -> None:
    table = scores(shared=False)
    assert advise(table).recommended == "unpaired-losses"
    (row,) = analyse(table, "unpaired-losses").pairs
    found = unpaired_t(table.value[:10], table.value[10:])
    assert (abs(row.statistic), row.p) == pytest.approx((abs(found.statistic), found.p))


def test_shared_instances_are_refused_unless_the_user_insists() -> None:
    table = scores(shared=True)
    with pytest.raises(MisfitError, match="share their blocks"):
        analyse(table, "unpaired-losses", missing="drop-block")
    found = analyse(table, "unpaired-losses", missing="drop-block", anyway=True)
    assert "share their blocks" in found.against_advice[0]
