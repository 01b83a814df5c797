"""Experiments row by row, from stored predictions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bakeoff import Study, calibrate
from bakeoff.lab.calibrating.experiments import MANY_FITS, Experiments
from bakeoff.lab.calibrating.refitting import Plan, refitted
from bakeoff.lab.calibrating.row_by_row import answers_in, as_answers, each_row_tested_once
from bakeoff.learners.learner import Learner, Step
from bakeoff.measures import known_measure
from bakeoff.resampling.schemes import resampling_from
from bakeoff.scores import Level, layout
from bakeoff.tasks.task import simulated

TREE = Learner("tree", steps=(Step("sklearn.tree.ExtraTreeClassifier"),), prepare="none")
BAYES = Learner("bayes", steps=(Step("sklearn.naive_bayes.GaussianNB"),), prepare="none")
NORMS = simulated("twonorm", n=30, name="norms")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("calibration")


def carried_out(kept: Path, *learners: Learner, measure: str = "error", resampling: object = 3) -> Experiments:
    study = Study(tasks=[NORMS], learners=list(learners), resampling=resampling, measures=[measure])
    plan = Plan(study, tuple(learners), study.tasks[0], study.measures[0])
    return refitted(plan, kept / "c.sqlite", replications=20)


def test_answers_are_those_that_the_folds_are_averages_of(kept: Path) -> None:
    made = carried_out(kept, TREE)
    answers = made.answers
    assert answers is not None
    assert answers.null.shape == (20, 30, 2)
    assert set(np.unique(answers.null).tolist()) == {0.0, 1.0}
    # Three folds of ten rows each: the mean over rows is that over folds.
    assert answers.null.mean(axis=1) == pytest.approx(made.null.mean(axis=1))
    lost = (answers.different - answers.null)[:, :, 1]
    assert lost.min() == 0
    assert lost.mean() == pytest.approx(made.delta, abs=4 * np.sqrt(made.delta / lost.size))
    assert (answers.different[:, :, 0] == answers.null[:, :, 0]).all()
    facts = layout(answers.scores)
    assert (facts.level, facts.binary, facts.n_blocks) == (Level.INSTANCES, True, 30)
    assert facts.learners == ("tree", "tree, copy 2")


def test_two_learners_have_their_difference_taken_away_row_by_row(kept: Path) -> None:
    made = carried_out(kept, TREE, BAYES)
    answers = made.answers
    assert answers is not None
    assert answers.scores.learners == made.scores.learners == ("bayes", "tree")  # the better one first
    better, worse = answers.different.mean(axis=(0, 1))
    assert worse - better == pytest.approx(made.delta)
    assert abs(np.diff(answers.null.mean(axis=(0, 1)))[0]) < 4 * np.sqrt(made.delta / answers.null[:, :, 0].size)


def test_where_rows_are_tested_on_several_times_or_have_no_scores_there_are_none(kept: Path) -> None:
    several = {"scheme": "cross-validation", "folds": 3, "repeats": 2}
    assert carried_out(kept, TREE, resampling=several).answers is None
    assert carried_out(kept, TREE, measure="f1").answers is None


def test_a_user_sees_what_tests_of_rows_would_do(tmp_path: Path) -> None:
    study = Study(tasks=[NORMS], learners=[TREE], resampling=3)
    found = calibrate(study, "tree", replications=20, procedures=["mcnemar", "corrected-t"])
    assert [(row.procedure, row.on_answers) for row in found.rows] == [("mcnemar", True), ("corrected-t", False)]
    assert MANY_FITS in found["mcnemar"].against
    assert found.recommended in ("corrected-t", "")
    assert "mcnemar*‡" in found.to_text()
    assert "‡ reads the answers on single rows" in found.to_text()


@pytest.mark.parametrize(
    ("scheme", "once"),
    [
        ({"scheme": "cross-validation", "folds": 4}, True),
        ({"scheme": "leave-one-out"}, True),
        ({"scheme": "cross-validation", "repeats": 2}, False),
        ({"scheme": "5x2"}, False),
        ({"scheme": "hold-out"}, False),
        ({"scheme": "out-of-bootstrap"}, False),
    ],
)
def test_schemes_that_test_each_row_once(scheme: dict[str, object], once: bool) -> None:
    assert each_row_tested_once(resampling_from(scheme)) == once


def test_experiments_that_lack_an_answer_are_left_out(kept: Path) -> None:
    study = Study(tasks=[NORMS], learners=[TREE, BAYES], resampling=3)
    study.run(store=kept / "whole.sqlite")
    assert len(answers_in(kept / "whole.sqlite", study.key, "error", lambda task, said: task)) == 1
    # Each fold taken for an experiment of its own has answers on a third of the rows only.
    assert answers_in(kept / "whole.sqlite", study.key, "error", lambda task, said: said.split.fold) == []


def test_what_cannot_be_made_is_left_out() -> None:
    error, names = known_measure("error"), ("a", "b")
    right = [np.zeros((4, 2)) for _ in range(3)]
    assert as_answers([], names, error, (0.0, 0.1), 1) is None
    assert as_answers(right, names, error, (0.0, 1.5), 1) is None, "no learner is wrong more often than always"
    assert as_answers(right, names, error, (-0.1, 0.0), 1) is None, "nor less often than never"
    made = as_answers([*right, np.zeros((5, 2))], names, error, (0.0, 0.5), 1)
    assert made is not None
    assert made.null.shape == (3, 4, 2)
