from __future__ import annotations

from math import inf

from bakeoff.measures import Measure


def test_direction_is_asked_of_the_measure_alone() -> None:
    accuracy = Measure("accuracy", larger_is_better=True, lower=0, upper=1)
    loss = Measure("loss", larger_is_better=False, lower=0)
    assert (accuracy.sign, accuracy.better, accuracy.best, accuracy.worst) == (1, "larger", 1, 0)
    assert (loss.sign, loss.better, loss.best, loss.worst) == (-1, "smaller", 0, inf)
    assert accuracy.advantage(0.9, 0.8) > 0 > accuracy.advantage(0.8, 0.9)
    assert loss.advantage(1, 2) == 1
