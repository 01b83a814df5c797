"""The same thing once more, under another key."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from bakeoff import calibrate
from bakeoff.calibration import null_designs as null
from bakeoff.calibration import refit
from bakeoff.calibration.apply import calibrated
from bakeoff.calibration.designs import MANY_FITS, Experiments
from bakeoff.calibration.refit import (
    RefitPlan,
    SameEveryTimeError,
    answers_in,
    as_answers,
    copy_of,
    drawn_again,
    each_row_tested_once,
    exchanged,
    refitted,
    whole_experiments,
)
from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.learners.learner import Learner, Step, Tuning
from bakeoff.measures import known_measure
from bakeoff.resampling import resampling_from
from bakeoff.scores import Level, layout
from bakeoff.study.run import Summary, run_study
from bakeoff.study.study import Study
from bakeoff.tasks.task import Task, as_task, simulated

TREE = Learner("tree", steps=(Step("sklearn.tree.ExtraTreeClassifier"),), prepare="none", tuning=Tuning({"C": (1, 2)}))


def test_a_copy_is_the_same_learner_under_another_key() -> None:
    again = copy_of(TREE)
    assert (again.steps, again.prepare, again.tuning) == (TREE.steps, TREE.prepare, TREE.tuning)
    assert again.name == "tree, copy 2"
    assert again.key != TREE.key
    assert again.key == copy_of(TREE).key
    assert {**TREE.describe(), "copy": 2} == again.describe()
    assert isinstance(again, Learner)


def test_it_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(copy_of(Learner("x", command=("fit",))))).key


def test_tasks_that_are_drawn_again_have_samples_of_their_own() -> None:
    law = simulated("twonorm", n=20)
    first, second, third = Study(tasks=drawn_again(law, 3), learners={"tree": TREE}, resampling=5).tasks
    assert [task.name for task in (first, second, third)] == ["twonorm 1", "twonorm 2", "twonorm 3"]
    assert len({task.data_key() for task in (first, second, third)}) == 3
    assert (first.load().X != second.load().X).all()
    again, *_ = Study(tasks=drawn_again(law, 2), learners={"tree": TREE}, resampling=5).tasks
    assert again.data_key() == first.data_key()
    assert (again.load().X == first.load().X).all()
    other, *_ = Study(tasks=drawn_again(law, 2), learners={"tree": TREE}, resampling=5, seed=2).tasks
    assert other.data_key() != first.data_key()


# ----------------------------------------------------------------------------------------------------------------------
# Outcomes exchanged at random within blocks.


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


# ----------------------------------------------------------------------------------------------------------------------
# Experiments that are carried out: a learner and its copy on a data set, two learners on fresh samples.


TREE_REFITTING = Learner("tree", steps=(Step("sklearn.tree.ExtraTreeClassifier"),), prepare="none")
BAYES = Learner("bayes", steps=(Step("sklearn.naive_bayes.GaussianNB"),), prepare="none")
IRIS = as_task("iris", "iris")
NORMS = simulated("twonorm", n=30, name="norms")


def plan_of(*learners: Learner, task: Task = IRIS, resampling: object = 3, seed: int = 0) -> RefitPlan:
    study = Study(tasks=[task], learners=list(learners), resampling=resampling)
    return RefitPlan(study, tuple(learners), study.tasks[0], study.measures[0], seed)


def test_a_learner_and_its_copy_on_a_data_set_are_stored_and_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "c.sqlite"
    ran: list[Summary] = []

    def watched(*given, **options):  # type: ignore[no-untyped-def]
        ran.append(run_study(*given, **options))
        return ran[-1]

    monkeypatch.setattr(refit, "run_study", watched)
    made = refitted(plan_of(TREE_REFITTING), store, replications=20)
    assert made.null.shape == (20, 3, 2)
    assert made.scores.learners == ("tree", "tree, copy 2")
    assert layout(made.scores).sentence.startswith("2 learners on 3 resamples of one task (K-fold cross-validation)")
    difference = made.null[:, :, 0] - made.null[:, :, 1]
    assert (difference != 0).any()
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(difference.size)
    assert "Two copies of tree" in made.how
    assert made.notes == ()
    assert [run.ok for run in ran] == [150, 0]  # the first batch, and again nothing: it is stored

    again = refitted(plan_of(TREE_REFITTING), store, replications=40)
    assert (again.null[:20] == made.null).all()
    assert [run.ok for run in ran[2:]] == [0, 0, 150]  # one batch more


def test_two_learners_on_fresh_samples_have_their_difference_taken_away(tmp_path: Path) -> None:
    store = tmp_path / "c.sqlite"
    made = refitted(plan_of(TREE_REFITTING, BAYES, task=NORMS), store, replications=20)
    assert made.scores.learners == ("bayes", "tree")  # the better one first
    assert made.scores.tasks == ("norms 1",)
    assert made.null.shape == (20, 3, 2)
    assert made.null.mean(axis=(0, 1))[0] == pytest.approx(made.null.mean(axis=(0, 1))[1])
    assert made.difference == "their own difference"
    assert (made.different[:, :, 1] - made.different[:, :, 0]).mean() == pytest.approx(made.delta)
    asked = refitted(plan_of(TREE_REFITTING, BAYES, task=NORMS), store, replications=20, delta=0.05)
    assert asked.delta == 0.05
    assert asked.difference.startswith("as asked for; their own difference is")
    assert (asked.different - asked.null)[:, :, 1] == pytest.approx(0.05)


@pytest.mark.parametrize(("test", "told"), [("fixed", True), ("fresh", False)])
def test_one_test_sample_for_all_draws_is_told_as_the_reason_of_large_sizes(
    test: str, told: bool, tmp_path: Path
) -> None:
    task = simulated("twonorm", n=20, m=20, test=test, name="norms")
    draws = {"scheme": "simulation", "repeats": 3}
    made = refitted(plan_of(TREE_REFITTING, BAYES, task=task, resampling=draws), tmp_path / "c.sqlite", replications=20)
    assert any("tested on one test sample" in note for note in made.notes) == told


def test_a_learner_without_chance_is_found_out_early(tmp_path: Path) -> None:
    with pytest.raises(SameEveryTimeError, match="bayes gives the same error whatever its seed"):
        refitted(plan_of(BAYES, task=NORMS), tmp_path / "c.sqlite", replications=400)


def test_a_study_says_how_often_it_is_carried_out() -> None:
    several = plan_of(TREE_REFITTING, resampling={"scheme": "cross-validation", "folds": 3, "repeats": 2})
    first, second = several.studies(30)
    assert first.resampling.repeats == 2 * refit.BATCH
    assert first.seed != second.seed
    assert several.own_repeats == 2
    (halves,) = plan_of(TREE_REFITTING, resampling="5x2").studies(25)
    assert (halves.resampling.folds, halves.resampling.repeats) == (2, 125)
    (drawn,) = plan_of(TREE_REFITTING, task=NORMS).studies(30)
    assert len(drawn.tasks) == 30
    assert plan_of(TREE_REFITTING, seed=1).studies(25)[0].seed != plan_of(TREE_REFITTING).studies(25)[0].seed


def test_what_cannot_be_carried_out_again_is_refused() -> None:
    with pytest.raises(UsageError, match="splits a data set in one way only"):
        plan_of(TREE_REFITTING, resampling="leave-one-out").studies(20)
    own = {"scheme": "simulation", "repeats": 3, "independent": True}
    with pytest.raises(UsageError, match="independent design"):
        plan_of(TREE_REFITTING, task=NORMS, resampling=own).studies(20)
    plan_of(TREE_REFITTING, task=NORMS, resampling="leave-one-out").studies(20)  # fresh samples make another experiment


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


# ----------------------------------------------------------------------------------------------------------------------
# Experiments row by row, from stored predictions.


TREE_ROW_BY_ROW = Learner("tree", steps=(Step("sklearn.tree.ExtraTreeClassifier"),), prepare="none")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("calibration")


def carried_out(kept: Path, *learners: Learner, measure: str = "error", resampling: object = 3) -> Experiments:
    study = Study(tasks=[NORMS], learners=list(learners), resampling=resampling, measures=[measure])
    plan = RefitPlan(study, tuple(learners), study.tasks[0], study.measures[0])
    return refitted(plan, kept / "c.sqlite", replications=20)


def test_answers_are_those_that_the_folds_are_averages_of(kept: Path) -> None:
    made = carried_out(kept, TREE_ROW_BY_ROW)
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
    made = carried_out(kept, TREE_ROW_BY_ROW, BAYES)
    answers = made.answers
    assert answers is not None
    assert answers.scores.learners == made.scores.learners == ("bayes", "tree")  # the better one first
    better, worse = answers.different.mean(axis=(0, 1))
    assert worse - better == pytest.approx(made.delta)
    assert abs(np.diff(answers.null.mean(axis=(0, 1)))[0]) < 4 * np.sqrt(made.delta / answers.null[:, :, 0].size)


def test_where_rows_are_tested_on_several_times_or_have_no_scores_there_are_none(kept: Path) -> None:
    several = {"scheme": "cross-validation", "folds": 3, "repeats": 2}
    assert carried_out(kept, TREE_ROW_BY_ROW, resampling=several).answers is None
    assert carried_out(kept, TREE_ROW_BY_ROW, measure="f1").answers is None


def test_a_user_sees_what_tests_of_rows_would_do(tmp_path: Path) -> None:
    study = Study(tasks=[NORMS], learners=[TREE_ROW_BY_ROW], resampling=3)
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
    study = Study(tasks=[NORMS], learners=[TREE_ROW_BY_ROW, BAYES], resampling=3)
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
