"""Experiments that are carried out: a learner and its copy on a data set, two learners on fresh samples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bakeoff import Study
from bakeoff.errors import MisfitError, UsageError
from bakeoff.lab import null_designs as null
from bakeoff.lab.calibrating import refitting
from bakeoff.lab.calibrating.refitting import Plan, SameEveryTimeError, refitted, whole_experiments
from bakeoff.learners.learner import Learner, Step
from bakeoff.scores import layout
from bakeoff.studies.conducting import Summary, conduct
from bakeoff.tasks.task import Task, as_task, simulated

TREE = Learner("tree", steps=(Step("sklearn.tree.ExtraTreeClassifier"),), prepare="none")
BAYES = Learner("bayes", steps=(Step("sklearn.naive_bayes.GaussianNB"),), prepare="none")
IRIS = as_task("iris", "iris")
NORMS = simulated("twonorm", n=30, name="norms")


def plan_of(*learners: Learner, task: Task = IRIS, resampling: object = 3, seed: int = 0) -> Plan:
    study = Study(tasks=[task], learners=list(learners), resampling=resampling)
    return Plan(study, tuple(learners), study.tasks[0], study.measures[0], seed)


def test_a_learner_and_its_copy_on_a_data_set_are_stored_and_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "c.sqlite"
    ran: list[Summary] = []

    def watched(*given, **options):  # type: ignore[no-untyped-def]
        ran.append(conduct(*given, **options))
        return ran[-1]

    monkeypatch.setattr(refitting, "conduct", watched)
    made = refitted(plan_of(TREE), store, replications=20)
    assert made.null.shape == (20, 3, 2)
    assert made.scores.learners == ("tree", "tree, copy 2")
    assert layout(made.scores).sentence.startswith("2 learners on 3 resamples of one task (K-fold cross-validation)")
    difference = made.null[:, :, 0] - made.null[:, :, 1]
    assert (difference != 0).any()
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(difference.size)
    assert "Two copies of tree" in made.how
    assert made.notes == ()
    assert [run.ok for run in ran] == [150, 0]  # the first batch, and again nothing: it is stored

    again = refitted(plan_of(TREE), store, replications=40)
    assert (again.null[:20] == made.null).all()
    assert [run.ok for run in ran[2:]] == [0, 0, 150]  # one batch more


def test_two_learners_on_fresh_samples_have_their_difference_taken_away(tmp_path: Path) -> None:
    store = tmp_path / "c.sqlite"
    made = refitted(plan_of(TREE, BAYES, task=NORMS), store, replications=20)
    assert made.scores.learners == ("bayes", "tree")  # the better one first
    assert made.scores.tasks == ("norms 1",)
    assert made.null.shape == (20, 3, 2)
    assert made.null.mean(axis=(0, 1))[0] == pytest.approx(made.null.mean(axis=(0, 1))[1])
    assert made.difference == "their own difference"
    assert (made.different[:, :, 1] - made.different[:, :, 0]).mean() == pytest.approx(made.delta)
    asked = refitted(plan_of(TREE, BAYES, task=NORMS), store, replications=20, delta=0.05)
    assert asked.delta == 0.05
    assert asked.difference.startswith("as asked for; their own difference is")
    assert (asked.different - asked.null)[:, :, 1] == pytest.approx(0.05)


@pytest.mark.parametrize(("test", "told"), [("fixed", True), ("fresh", False)])
def test_one_test_sample_for_all_draws_is_told_as_the_reason_of_large_sizes(
    test: str, told: bool, tmp_path: Path
) -> None:
    task = simulated("twonorm", n=20, m=20, test=test, name="norms")
    draws = {"scheme": "simulation", "repeats": 3}
    made = refitted(plan_of(TREE, BAYES, task=task, resampling=draws), tmp_path / "c.sqlite", replications=20)
    assert any("tested on one test sample" in note for note in made.notes) == told


def test_a_learner_without_chance_is_found_out_early(tmp_path: Path) -> None:
    with pytest.raises(SameEveryTimeError, match="bayes gives the same error whatever its seed"):
        refitted(plan_of(BAYES, task=NORMS), tmp_path / "c.sqlite", replications=400)


def test_a_study_says_how_often_it_is_carried_out() -> None:
    several = plan_of(TREE, resampling={"scheme": "cross-validation", "folds": 3, "repeats": 2})
    first, second = several.studies(30)
    assert first.resampling.repeats == 2 * refitting.BATCH
    assert first.seed != second.seed
    assert several.own_repeats == 2
    (halves,) = plan_of(TREE, resampling="5x2").studies(25)
    assert (halves.resampling.folds, halves.resampling.repeats) == (2, 125)
    (drawn,) = plan_of(TREE, task=NORMS).studies(30)
    assert len(drawn.tasks) == 30
    assert plan_of(TREE, seed=1).studies(25)[0].seed != plan_of(TREE).studies(25)[0].seed


def test_what_cannot_be_carried_out_again_is_refused() -> None:
    with pytest.raises(UsageError, match="splits a data set in one way only"):
        plan_of(TREE, resampling="leave-one-out").studies(20)
    own = {"scheme": "simulation", "repeats": 3, "independent": True}
    with pytest.raises(UsageError, match="independent design"):
        plan_of(TREE, task=NORMS, resampling=own).studies(20)
    plan_of(TREE, task=NORMS, resampling="leave-one-out").studies(20)  # fresh samples make another experiment


def experiments(values: np.ndarray, of: list[int]) -> tuple[np.ndarray, int]:
    n = len(of)
    keys = {"repeat": [str(r) for r in of], "fold": [str(of[:i].count(of[i])) for i in range(n)]}
    scores = null.table(values, keys)
    made, table = whole_experiments(scores, np.repeat(np.array(of), 2))
    return made, len(table)


def test_experiments_with_holes_or_lost_blocks_are_left_out() -> None:
    values = np.arange(16.0).reshape(8, 2)
    values[4, 1] = np.nan
    made, rows = experiments(values, [0, 0, 1, 1, 2, 2, 3, 3])
    assert made[:, :, 0].tolist() == [[0, 2], [4, 6], [12, 14]]
    assert rows == 4
    made, _ = experiments(np.arange(14.0).reshape(7, 2), [0, 1, 1, 2, 2, 3, 3])
    assert made[:, :, 0].tolist() == [[2, 4], [6, 8], [10, 12]]


def test_experiments_of_one_block_or_none_complete_are_refused() -> None:
    with pytest.raises(MisfitError, match="one block"):
        experiments(np.ones((3, 2)), [0, 1, 2])
    with pytest.raises(MisfitError, match="No experiment is complete"):
        experiments(np.array([[1.0, np.nan], [1.0, 2.0]]), [0, 0])


def test_fits_that_all_fail_are_told(tmp_path: Path) -> None:
    broken = Learner("broken", steps=(Step("sklearn.tree.DecisionTreeClassifier", {"max_depth": -3}),), prepare="none")
    with pytest.raises(MisfitError, match="bakeoff failures"):
        refitted(plan_of(broken, task=NORMS), tmp_path / "c.sqlite", replications=20)
