from __future__ import annotations

import numpy as np
import pytest

from bakeoff.lab import null_designs as null
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
