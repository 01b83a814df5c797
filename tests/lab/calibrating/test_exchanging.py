"""Outcomes exchanged at random within blocks."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.lab import null_designs as null
from bakeoff.lab.calibrating.calibration import calibrated
from bakeoff.lab.calibrating.exchanging import exchanged

RNG = np.random.default_rng(1)
FOLDS = null.cross_validation(1, 10)(RNG, 3)
PAIR = ("learner 1", "learner 3")


def test_each_block_keeps_its_two_outcomes_in_one_order_or_the_other() -> None:
    made = exchanged(FOLDS, PAIR, replications=300, seed=1)
    own = FOLDS.only(learners=list(PAIR)).value.reshape(10, 2)
    assert made.null.shape == (300, 10, 2)
    assert (np.sort(made.null, axis=2) == np.sort(own, axis=1)).all()
    swapped = (made.null != own).any(axis=2)[:, own[:, 0] != own[:, 1]]
    assert swapped.mean() == pytest.approx(0.5, abs=0.04)
    assert made.scores.learners == PAIR


def test_the_seed_decides() -> None:
    first, again, other = (exchanged(FOLDS, PAIR, replications=20, seed=s).null for s in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_folds_are_said_to_be_made_independent_and_only_who_makes_up_for_it_is_recommended() -> None:
    made = exchanged(FOLDS, PAIR, replications=100)
    assert made.breaks_dependence
    found = calibrated(made, ["kfold-t", "corrected-t", "paired-permutation"])
    assert "share training rows" in found.notes[0]
    assert found.recommended == "corrected-t"
    assert "It makes up for shared training rows." in found.because


@pytest.mark.parametrize(
    ("design", "procedures"),
    [(null.answers, ["mcnemar", "paired-t"]), (null.tasks, ["wilcoxon", "sign"])],
    ids=["instances", "tasks"],
)
def test_instances_and_tasks_are_independent_as_they_are(design: null.Design, procedures: list[str]) -> None:
    made = exchanged(design(np.random.default_rng(2), 2), replications=100)
    assert not made.breaks_dependence
    assert made.notes == ()
    found = calibrated(made, procedures)
    assert found.recommended in procedures
    assert all(row.verdict != "liberal" for row in found.rows)


def test_answers_stay_answers_where_one_learner_is_made_worse() -> None:
    made = exchanged(null.answers(np.random.default_rng(2), 2), replications=50, delta=0.1)
    assert set(np.unique(made.different)) == {0.0, 1.0}


@pytest.mark.parametrize("pair", [None, ("learner 1",), ("learner 1", "learner 1")])
def test_there_are_two_learners(pair: tuple[str, ...] | None) -> None:
    with pytest.raises(UsageError, match="between two learners"):
        exchanged(FOLDS, pair)


def test_a_misspelt_learner_is_named() -> None:
    with pytest.raises(UsageError, match="Did you mean"):
        exchanged(FOLDS, ("learner 1", "lerner 2"))


def test_one_block_is_not_enough() -> None:
    alone = null.table(np.array([[0.1, 0.2]]), {"task": ["iris"]})
    with pytest.raises(MisfitError, match="one block"):
        exchanged(alone)


def test_learners_that_never_differ_have_nothing_to_exchange() -> None:
    same = null.table(np.full((5, 2), 0.2), {"fold": list("12345")})
    with pytest.raises(DegenerateError, match="nothing to exchange"):
        exchanged(same)
