"""Many nearest-mean classifiers at once are what they are one by one."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.lab.nearest_mean import fold_errors, nearest_mean_errors, nearest_mean_mistakes


def by_hand(label, x, truth, seen):  # type: ignore[no-untyped-def]
    """One learner, by distances."""
    first, second = x[~label].mean(axis=0), x[label].mean(axis=0)
    nearer = ((seen - second) ** 2).sum(axis=1) < ((seen - first) ** 2).sum(axis=1)
    return nearer != truth


@pytest.mark.parametrize("features", [1, 3])
def test_each_learner_assigns_the_class_whose_mean_is_nearest(features: int) -> None:
    rng = np.random.default_rng(1)
    label, truth = rng.random(30) < 0.5, rng.random(20) < 0.5
    x, seen = rng.standard_normal((30, 2, features)), rng.standard_normal((20, 2, features))
    mistakes = nearest_mean_mistakes(label, x, truth, seen)
    for j in range(2):
        assert mistakes[:, j].tolist() == by_hand(label, x[:, j], truth, seen[:, j]).tolist()
    assert nearest_mean_errors(label, x, truth, seen).tolist() == mistakes.mean(axis=0).tolist()


def test_folds_are_tested_by_what_was_learned_from_the_others() -> None:
    rng = np.random.default_rng(2)
    n, folds = 23, 4
    label, x = rng.random(n) < 0.5, rng.standard_normal((n, 2, 5))
    fold = rng.permuted(np.tile(np.arange(n) % folds, (3, 1)), axis=1)
    found = fold_errors(label, x, fold, folds)
    assert found.shape == (3, folds, 2)
    for repeat in range(3):
        for f in range(folds):
            test = fold[repeat] == f
            expected = [by_hand(label[~test], x[~test, j], label[test], x[test, j]).mean() for j in range(2)]
            assert found[repeat, f].tolist() == pytest.approx(expected)


def test_a_class_that_is_not_there_has_its_mean_at_zero_and_breaks_nothing() -> None:
    label = np.array([True, True, True])
    assert np.isfinite(fold_errors(label, np.ones((3, 1, 1)), np.array([[0, 1, 1]]), 2)).all()
