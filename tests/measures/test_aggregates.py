"""Aggregates of runs × tasks; values of rliable are among the oracles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.measures.aggregates import aggregates, trimmed_mean


@pytest.mark.parametrize("shape", [(1, 1), (3, 2), (10, 7), (5, 26)])
def test_definitions(shape: tuple[int, int]) -> None:
    scores = np.random.default_rng(1).gamma(2, 0.5, shape)
    found = aggregates(scores, gamma=0.8)
    assert found.iqm == pytest.approx(stats.trim_mean(scores, 0.25, axis=None))
    assert found.median == pytest.approx(np.median(scores.mean(axis=0)))
    assert found.optimality_gap == pytest.approx(np.maximum(0.8 - scores, 0).mean())


def test_an_outlying_run_moves_the_mean_and_not_the_interquartile_mean() -> None:
    scores = np.tile([[0.4], [0.5], [0.5], [0.6], [0.5], [0.5], [0.5], [0.5]], 2)
    wild = scores.copy()
    wild[3, 0] = 60.0
    assert aggregates(wild).iqm == aggregates(scores).iqm == 0.5
    assert aggregates(wild).mean > 4


def test_refusals() -> None:
    with pytest.raises(UsageError, match="finite number"):
        aggregates([[0.1, float("nan")]])
    with pytest.raises(UsageError, match="γ"):
        aggregates([[0.1]], gamma=float("inf"))
    with pytest.raises(UsageError, match="share to trim"):
        trimmed_mean([1, 2], 0.5)
