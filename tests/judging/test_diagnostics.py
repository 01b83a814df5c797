"""What the data show about assumptions: numbers against scipy's, and blocks by their names."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
import zoo
from scipy import stats

from bakeoff.errors import MisfitError, UsageError
from bakeoff.figures.quantiles import normal_quantiles
from bakeoff.judging import judge
from bakeoff.judging.diagnostics import FAR, diagnose, spread, usual_range
from bakeoff.scores import Level, unpaired
from bakeoff.scores import blocks as blocks_of

RNG = np.random.default_rng(3)


def test_skewness_and_kurtosis_are_those_of_scipy() -> None:
    values = RNG.gamma(2.0, size=40)
    found = spread(values)
    assert found.skewness == pytest.approx(stats.skew(values))
    assert found.kurtosis == pytest.approx(stats.kurtosis(values))


def test_what_is_usual_is_what_normal_samples_have() -> None:
    samples = RNG.standard_normal((4000, 25))
    skewness, kurtosis = usual_range(25)
    assert np.mean(np.abs(stats.skew(samples, axis=1)) < skewness) == pytest.approx(0.95, abs=0.02)
    assert np.mean(np.abs(stats.kurtosis(samples, axis=1)) < kurtosis) == pytest.approx(0.95, abs=0.03)
    assert all(map(isnan, usual_range(3)))


def test_neighbours_are_looked_at_where_blocks_have_an_order() -> None:
    walk = np.cumsum(RNG.standard_normal(400))
    assert spread(walk, ordered=True).neighbours > 0.9
    assert isnan(spread(walk).neighbours)


def test_nothing_is_made_up_where_nothing_varies() -> None:
    found = spread(np.zeros(10))
    assert isnan(found.skewness)
    assert isnan(found.distance)
    assert found.zeros == 1
    assert spread(np.array([])).n == 0


def test_an_outlying_task_is_named() -> None:
    values = 0.8 + 0.01 * RNG.standard_normal((15, 3))
    values[4, 0] = 0.2
    scores = zoo.table(values, kind="tasks")
    found = diagnose(scores, judge(scores).finding)
    assert found is not None
    assert found.of == "differences"
    assert len(found.spreads) == 3
    worst = found.outlying[0]
    table = blocks_of(scores, level=Level.TASKS)
    assert worst.far == table.label(4)
    assert worst.distance > FAR
    assert worst.carried > 0.5


def test_learners_that_share_no_blocks_are_looked_at_one_by_one() -> None:
    scores = unpaired(zoo.table(0.8 + 0.01 * RNG.standard_normal((12, 3)), kind="kfold"))
    found = diagnose(scores, judge(scores).finding)
    assert found is not None
    assert found.of == "values"
    assert {each.first for each in found.spreads} == set(scores.learners)


def test_quantiles_show_the_least_normal_pair() -> None:
    values = 0.8 + 0.01 * RNG.standard_normal((40, 3))
    values[7, 1] = 0.3
    table = blocks_of(zoo.table(values, kind="tasks"), level=Level.TASKS)
    made = normal_quantiles(table)
    assert table.learners[1] in (made.first, made.second)
    frame = made.to_frame()
    assert list(frame["difference"]) == sorted(frame["difference"])
    assert table.label(7) in (frame["block"].iloc[0], frame["block"].iloc[-1])
    assert list(frame["normal quantile"]) == pytest.approx(stats.norm.ppf((np.arange(1, 41) - 0.375) / 40.25))


@pytest.mark.parametrize("n", [12, 60])
def test_nineteen_of_twenty_points_of_a_normal_law_lie_in_the_band(n: int) -> None:
    inside = []
    for _ in range(200):
        table = blocks_of(zoo.table(0.5 + 0.05 * RNG.standard_normal((n, 2)), kind="tasks"), level=Level.TASKS)
        frame = normal_quantiles(table).to_frame()
        inside.append(((frame["band from"] <= frame["difference"]) & (frame["difference"] <= frame["band to"])).mean())
    assert 0.94 < np.mean(inside) < 0.98


def test_quantiles_refuse_what_cannot_be_drawn() -> None:
    few = blocks_of(zoo.table(RNG.standard_normal((3, 2)), kind="tasks"), level=Level.TASKS)
    with pytest.raises(MisfitError, match="at least 4 blocks"):
        normal_quantiles(few)
    alike = blocks_of(zoo.table(np.tile(RNG.standard_normal((9, 1)), 2), kind="tasks"), level=Level.TASKS)
    with pytest.raises(MisfitError, match="differ by the same"):
        normal_quantiles(alike)
    table = blocks_of(zoo.table(RNG.standard_normal((9, 2)), kind="tasks"), level=Level.TASKS)
    with pytest.raises(UsageError, match="two of the learners"):
        normal_quantiles(table, ("nobody", table.learners[0]))
