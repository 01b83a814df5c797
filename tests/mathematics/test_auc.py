"""The AUC and its structural components, by counting all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.auc import auc, components


def both_classes(instances: list[tuple[bool, int]]) -> bool:
    return len({positive for positive, _ in instances}) == 2


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=40).filter(both_classes))
def test_all_pairs(instances: list[tuple[bool, int]]) -> None:
    truth, scores = (np.array(part, dtype=float) for part in zip(*instances, strict=True))
    positives, negatives = scores[truth == 1], scores[truth == 0]
    wins = (positives[:, None] > negatives) + 0.5 * (positives[:, None] == negatives)
    found = components(truth, scores)
    assert found.auc == pytest.approx(wins.mean())
    assert found.positives == pytest.approx(wins.mean(axis=1))
    assert found.negatives == pytest.approx(wins.mean(axis=0))


def test_ends() -> None:
    assert auc([0, 1], [0.1, 0.9]) == 1
    assert auc([0, 1], [0.9, 0.1]) == 0
    assert auc([0, 1, 0, 1], [0.5] * 4) == 0.5


def test_only_the_order_of_scores_counts() -> None:
    rng = np.random.default_rng(1)
    truth, scores = np.arange(50) % 2, rng.random(50)
    assert auc(truth, scores) == auc(truth, np.log(scores)) == auc(truth, scores * 1e-300)


@pytest.mark.parametrize("truth", [[0, 0], [1, 1], [1]])
def test_one_class_is_refused(truth: list[int]) -> None:
    with pytest.raises(DegenerateError, match="instances of both classes"):
        auc(truth, [0.5] * len(truth))


def test_bad_arguments() -> None:
    with pytest.raises(UsageError, match="must be 0 or 1"):
        auc([0, 2], [0.1, 0.2])
    with pytest.raises(UsageError, match="equally long"):
        auc([0, 1], [0.1])
    with pytest.raises(UsageError, match="finite number"):
        auc([0, 1], [0.1, float("nan")])


def test_many_instances_are_sorted_not_compared() -> None:
    rng = np.random.default_rng(2)
    truth, scores = rng.integers(0, 2, 500_000), rng.random(500_000)  # whose pairs would take minutes and 60 GB
    assert auc(truth, scores) == pytest.approx(0.5, abs=0.01)
