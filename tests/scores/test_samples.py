from __future__ import annotations

import numpy as np
import pytest
import zoo

from bakeoff.errors import MisfitError
from bakeoff.judging import analyse
from bakeoff.scores import Level, Scores, layout, samples, unpaired


def ragged() -> Scores:
    """Three folds of one learner, two of another, none of them shared; one fold failed."""
    return Scores.of(
        [0.7, 0.8, 0.9, 0.6, np.nan, 0.5],
        learner=["a", "a", "a", "b", "b", "b"],
        fold=["1", "2", "3", "4", "5", "6"],
        n_test=[10, 10, 10, 20, 20, 20],
        measures={"accuracy": zoo.measure("accuracy")},
    )


def test_each_learner_has_its_own_values() -> None:
    drawn = samples(ragged(), level=Level.RESAMPLES)
    assert [column.tolist() for column in drawn.values] == [[0.7, 0.8, 0.9], [0.6, 0.5]]
    assert drawn.means.tolist() == pytest.approx([0.8, 0.55])
    assert drawn.best_first == (0, 1)
    assert drawn.n_test == (30.0, 60.0)


def test_finer_rows_are_averaged() -> None:
    values = np.arange(12.0).reshape(6, 2)
    by_task = Scores.of(
        values.ravel(),
        learner=["a", "b"] * 6,
        task=[t for t in "xyz" for _ in range(4)],
        fold=[f for _ in range(3) for f in "1122"],
        measures={"rmse": zoo.measure("rmse")},
    )
    assert samples(by_task, level=Level.TASKS).values[0].tolist() == [1.0, 5.0, 9.0]
    assert samples(by_task, level=Level.RESAMPLES).values[1].tolist() == [1.0, 3.0, 5.0, 7.0, 9.0, 11.0]


def test_unshared_blocks_are_noticed() -> None:
    facts = layout(ragged())
    assert not facts.matched
    assert "no two learners on the same" in facts.sentence
    with pytest.raises(MisfitError, match="no two learners share a block"):
        analyse(ragged(), "corrected-t", ratio=0.1)


def test_shared_blocks_can_be_said_to_be_independent() -> None:
    scores = zoo.table(np.random.default_rng(0).random((5, 2)), kind="kfold")
    assert layout(scores).matched
    said = unpaired(scores)
    assert not layout(said).matched
    assert said.notes[-1] == "learners are independent samples, as you said"
    assert unpaired(scores).only(learners=["ada"]).independent
