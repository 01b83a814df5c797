from __future__ import annotations

import numpy as np
import pytest

from bakeoff.calibration import null_designs as null
from bakeoff.calibration.null_designs import fold_errors, nearest_mean_errors, nearest_mean_mistakes
from bakeoff.scores import Level, blocks, layout

DESIGNS = [
    (null.tasks, Level.TASKS, 15),
    (null.losses, Level.INSTANCES, 200),
    (null.answers, Level.INSTANCES, 200),
    (null.cross_validation(1, 10), Level.RESAMPLES, 10),
    (null.cross_validation(5, 2), Level.RESAMPLES, 10),
    (null.fresh_draws, Level.RESAMPLES, 10),
    (null.fixed_test_set, Level.RESAMPLES, 50),
]


@pytest.mark.parametrize(("design", "level", "n"), DESIGNS)
def test_shapes(design: null.Design, level: Level, n: int) -> None:
    facts = layout(design(np.random.default_rng(0), 3))
    assert (facts.level, facts.n_blocks, facts.n_learners) == (level, n, 3)


@pytest.mark.parametrize(("design", "level", "n"), DESIGNS)
def test_no_learner_is_better(design: null.Design, level: Level, n: int) -> None:
    rng = np.random.default_rng(1)
    means = np.array([blocks(design(rng, 2)).means for _ in range(150)])
    difference = means[:, 0] - means[:, 1]
    assert abs(difference.mean()) < 4 * difference.std(ddof=1) / np.sqrt(len(difference))


def test_schemes_are_recognised() -> None:
    rng = np.random.default_rng(2)
    assert layout(null.cross_validation(5, 2)(rng, 2)).resampling == "5×2 cross-validation"
    assert layout(null.cross_validation(10, 10)(rng, 2)).resampling == "repeated K-fold cross-validation"
    assert not layout(null.independent_runs(rng, 2)).matched
    assert layout(null.answers(rng, 2)).binary


def test_the_classifiers_have_learned_something() -> None:
    errors = blocks(null.cross_validation(1, 10)(np.random.default_rng(3), 4)).means
    assert np.all((errors > 0.2) & (errors < 0.42))  # Φ(−1/2) = .31


# ----------------------------------------------------------------------------------------------------------------------
# Many nearest-mean classifiers at once are what they are one by one.


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
