"""DeLong's variance and interval of one AUC; values of pROC are among the oracles."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.measures.auc import auc_interval, auc_variance


def test_the_variance_is_that_of_all_comparisons() -> None:
    rng = np.random.default_rng(1)
    truth, score = rng.integers(0, 2, 40), rng.integers(0, 8, 40)
    positive, negative = score[truth == 1], score[truth == 0]
    wins = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
    v10, v01 = wins.mean(axis=1), wins.mean(axis=0)
    expected = v10.var(ddof=1) / len(v10) + v01.var(ddof=1) / len(v01)
    assert auc_variance(truth, score) == pytest.approx(expected, rel=1e-12)


def test_the_interval_stays_inside_and_grows_with_confidence() -> None:
    truth, score = [0, 1, 0, 1, 1], [0.1, 0.4, 0.5, 0.6, 0.7]
    low, high = auc_interval(truth, score, 0.5)
    lower, higher = auc_interval(truth, score, 0.99)
    assert 0 <= lower < low < high <= higher == 1


def test_a_perfect_score_has_an_interval_without_width() -> None:
    assert auc_interval([0, 0, 1, 1], [1, 2, 3, 4]) == (1, 1)


def test_refusals() -> None:
    with pytest.raises(DegenerateError, match="one positive instance"):
        auc_variance([0, 0, 1], [0.1, 0.2, 0.3])
    with pytest.raises(DegenerateError, match="both classes"):
        auc_variance([1, 1, 1], [0.1, 0.2, 0.3])
    with pytest.raises(UsageError, match="confidence"):
        auc_interval([0, 0, 1, 1], [1, 2, 3, 4], 1.0)
