"""The unpaired t test: scipy, R's numbers for the slides' df, and data without spread."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.judging import advise, analyse
from bakeoff.measures import known_measure
from bakeoff.procedures.unpaired_t import unpaired_t
from bakeoff.scores import Scores

A = [0.125, 0.15, 0.11, 0.14, 0.16, 0.135, 0.12, 0.145, 0.155, 0.13]
B = [0.118, 0.139, 0.121, 0.128, 0.149, 0.131, 0.117]


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("df", ["welch", "pooled"])
def test_scipy(alternative: str, df: str) -> None:
    ours = unpaired_t(A, B, df=df, alternative=alternative, confidence=0.9)
    theirs = stats.ttest_ind(A, B, equal_var=df == "pooled", alternative=alternative)
    bounds = theirs.confidence_interval(0.9)
    assert (ours.statistic, ours.p, ours.df[0]) == pytest.approx((theirs.statistic, theirs.pvalue, theirs.df))
    assert (ours.lower, ours.upper) == pytest.approx((bounds.low, bounds.high))


def test_the_slides() -> None:
    """t of Welch with min(10, 7) − 1 = 6 degrees of freedom."""
    found, welch = unpaired_t(A, B, df="smaller"), unpaired_t(A, B)
    assert (found.statistic, found.df) == (welch.statistic, (6.0,))
    assert found.p == pytest.approx(2 * stats.t.sf(welch.statistic, 6))
    assert round(found.p, 3) == 0.281


def test_no_spread() -> None:
    same = unpaired_t([0.5] * 3, [0.5] * 4)
    assert (same.statistic, same.p, same.estimate) == (0, 1, 0)
    for found in (same, unpaired_t([0.5] * 3, [0.5] * 4, alternative="greater")):
        assert isnan(found.lower)
        assert isnan(found.upper)
    with pytest.raises(DegenerateError, match="one value only"):
        unpaired_t([0.5] * 3, [0.6] * 3)
    assert unpaired_t([0.5] * 3, [0.6, 0.7, 0.6]).p < 1  # one of them has a spread: that is enough


@pytest.mark.parametrize("unit", [1e-200, 1e-9, 1e200])
def test_any_unit(unit: float) -> None:
    found = unpaired_t(np.array(A) * unit, np.array(B) * unit)
    assert found.p == pytest.approx(unpaired_t(A, B).p)
    assert found.upper / unit == pytest.approx(unpaired_t(A, B).upper)


def test_bad_arguments() -> None:
    with pytest.raises(UsageError, match="at least two values in each sample"):
        unpaired_t([0.1], B)
    with pytest.raises(UsageError, match="found nan at position 2"):
        unpaired_t([0.1, float("nan")], B)


# ----------------------------------------------------------------------------------------------------------------------
# The unpaired t test on losses: when it fits, and what it leaves to others.


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
