"""The same thing once more, under another key."""

from __future__ import annotations

import pickle

from bakeoff.lab.calibrating.copies import copy_of, drawn_again
from bakeoff.learners.learner import Learner, Step, Tuning
from bakeoff.studies.study import Study
from bakeoff.tasks.task import simulated

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
