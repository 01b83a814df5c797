"""Which experiments answer the question on a study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bakeoff import Study
from bakeoff.errors import MisfitError, UsageError
from bakeoff.lab.calibrating import choosing
from bakeoff.lab.calibrating.choosing import Asked, experiments_for
from bakeoff.lab.calibrating.experiments import Experiments
from bakeoff.lab.calibrating.refitting import Plan, SameEveryTimeError
from bakeoff.learners.learner import Learner, Step
from bakeoff.tasks.task import simulated

LEARNERS = [
    Learner("bayes", steps=(Step("sklearn.naive_bayes.GaussianNB"),), prepare="none"),
    Learner("knn", steps=(Step("sklearn.neighbors.KNeighborsClassifier"),), prepare="none"),
    Learner("tree", steps=(Step("sklearn.tree.ExtraTreeClassifier"),), prepare="none"),
]
STUDY = Study(tasks=["iris", "wine"], learners=LEARNERS, resampling=4, measures=["error", "log_loss"])
DRAWN = Study(tasks=[simulated("twonorm", n=30)], learners=LEARNERS, resampling=4)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scores of the study, run once for all tests."""
    path = tmp_path_factory.mktemp("study") / "study.sqlite"
    STUDY.run(store=path)
    return path


def ask(results: Path, *learners: str, study: Study = STUDY, **more: object) -> Experiments:
    asked = Asked(learners, replications=50, **more)  # type: ignore[arg-type]
    return experiments_for(study, asked, results=results, store=results.with_suffix(".calibration.sqlite"))


def test_outcomes_of_two_learners_are_exchanged_on_a_task(stored: Path) -> None:
    made = ask(stored, "bayes", "tree", task="wine")
    assert made.null.shape == (50, 4, 2)
    assert made.scores.tasks == ("wine",)
    assert made.scores.learners == ("bayes", "tree")
    assert made.breaks_dependence


def test_without_a_task_whole_tasks_are_exchanged(stored: Path) -> None:
    made = ask(stored, "bayes", "tree", measure="log_loss")
    assert made.null.shape == (50, 2, 2)
    assert made.notes == ("Whole tasks are exchanged.",)
    assert not made.breaks_dependence


def test_a_learner_without_chance_is_exchanged_with_another_one(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never_differs(plan: Plan, store: Path, **options: object) -> Experiments:
        raise SameEveryTimeError(f"{plan.learners[0].name} gives the same error")

    monkeypatch.setattr(choosing, "refitted", never_differs)
    made = ask(stored, "knn", task="iris")
    assert made.scores.learners == ("knn", "bayes")
    assert "two copies of it never differ" in made.notes[0]
    with pytest.raises(SameEveryTimeError):
        ask(stored.with_name("nothing.sqlite"), "knn", task="iris")


@pytest.mark.parametrize(
    ("study", "learners", "task"),
    [(STUDY, ("tree",), "iris"), (DRAWN, ("tree",), None), (DRAWN, ("tree", "knn"), None)],
)
def test_copies_and_fresh_samples_are_carried_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, study: Study, learners: tuple[str, ...], task: str | None
) -> None:
    asked: list[tuple[Plan, Path, dict[str, object]]] = []
    answer = Experiments(None, np.zeros((1, 1, 2)), np.zeros((1, 1, 2)), 1.0, "", "")  # type: ignore[arg-type]

    def carried_out(plan: Plan, store: Path, **options: object) -> Experiments:
        asked.append((plan, store, options))
        return answer

    monkeypatch.setattr(choosing, "refitted", carried_out)
    assert ask(tmp_path / "s.sqlite", *learners, study=study, task=task, seed=3, delta=0.1) is answer
    plan, store, options = asked[0]
    assert tuple(learner.name for learner in plan.learners) == learners
    assert plan.task.name == (task or "twonorm")
    assert (plan.measure.name, plan.seed) == ("error", 3)
    assert store.name == "s.calibration.sqlite"
    assert (options["replications"], options["delta"], options["alpha"]) == (50, 0.1, 0.05)


@pytest.mark.parametrize(
    ("learners", "more", "message"),
    [
        ((), {}, "Name a learner, or two"),
        (("tee",), {}, "Did you mean 'tree'"),
        (("tree", "tree"), {}, "or two with each other"),
        (("bayes", "knn", "tree"), {}, "or two with each other"),
        (("tree",), {}, "The study has 2 tasks. Say on which one"),
        (("tree",), {"task": "irs"}, "Did you mean 'iris'"),
        (("tree",), {"task": "iris", "measure": "eror"}, "Did you mean 'error'"),
        (("tree",), {"null": "exchange"}, "name two"),
        (("tree", "knn"), {"null": "copies"}, "name one"),
        (("tree", "knn"), {"null": "fresh", "task": "iris"}, "this task is a data set"),
        (("tree", "knn"), {"null": "label"}, "There is no null 'label'"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, learners: tuple[str, ...], more: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ask(tmp_path / "s.sqlite", *learners, **more)


def test_what_is_not_stored_cannot_be_exchanged(stored: Path, tmp_path: Path) -> None:
    with pytest.raises(MisfitError, match="none are stored yet"):
        ask(tmp_path / "s.sqlite", "tree", "knn")
    with pytest.raises(MisfitError, match="the file was changed since"):
        ask(stored, "tree", "knn", study=replace(STUDY, seed=5))
