"""`bakeoff.calibrate`: what is given, and what is asked of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff import Study, calibrate
from bakeoff.calibration import calibrate as choosing
from bakeoff.calibration.apply import Calibration
from bakeoff.calibration.calibrate import CalibrationRequest, experiments_for
from bakeoff.calibration.designs import Experiments
from bakeoff.calibration.refit import RefitPlan, SameEveryTimeError
from bakeoff.errors import MisfitError, UsageError
from bakeoff.learners.learner import Learner, Step
from bakeoff.tasks.task import simulated

STUDY = Study(
    tasks=["iris"],
    learners=[
        Learner("bayes", steps=(Step("sklearn.naive_bayes.GaussianNB"),), prepare="none"),
        Learner("tree", steps=(Step("sklearn.tree.ExtraTreeClassifier"),), prepare="none"),
    ],
    resampling=5,
)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "study.sqlite"
    STUDY.run(store=path)
    return path


@pytest.fixture(scope="module")
def found() -> Calibration:
    return calibrate("cv:5", n=60, replications=40, procedures=["corrected-t", "kfold-t"], seed=3)


def test_a_design_by_name(found: Calibration) -> None:
    assert isinstance(found, bakeoff.Calibration)
    assert [row.procedure for row in found.rows] == ["corrected-t", "kfold-t"]
    assert found.replications == 40
    assert "5-fold cross-validation of 60 rows" in found.how
    again = calibrate("cv:5", n=60, replications=40, procedures="corrected-t", seed=3, n_jobs=2)
    assert again["corrected-t"] == found["corrected-t"]


def test_what_comes_back_can_be_read_in_every_way(found: Calibration) -> None:
    assert repr(found) == f"<Calibration of 2 procedures on 40 experiments, recommended: {found.recommended}>"
    assert str(found) == found.to_text()
    assert found.to_text().replace("\n  ", " ").endswith(found.sentence)
    header, cells = found.table()
    assert header == ["procedure", "level", "size", "coverage", "power at δ"]
    assert [row[0] for row in cells] == ["corrected-t", "kfold-t"]
    frame = found.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame["power"].tolist() == [row.power for row in found.rows]
    assert json.loads(found.to_json())["recommended"] == found.recommended
    html = found._repr_html_()
    assert html.startswith("<p><b>Recommended: ")
    assert "<table" in html


def test_scores_that_are_there_are_exchanged() -> None:
    rng = np.random.default_rng(1)
    wide = pd.DataFrame({"fold": range(1, 11), **{name: rng.random(10) for name in ("a", "b", "c")}})
    scores = bakeoff.read_scores(wide, rows="folds", measure="error")
    made = calibrate(scores, ["a", "c"], procedures=["corrected-t"], replications=50)
    assert made.how == "The outcomes of a and c, exchanged at random within each of 10 resamples."
    assert made.replications == 50
    with pytest.raises(UsageError, match="between two learners; found 3"):
        calibrate(scores)


def test_a_study_its_file_and_its_store(stored: Path, tmp_path: Path) -> None:
    made = calibrate(STUDY, ["bayes", "tree"], store=stored, replications=50, procedures=["corrected-t"])
    assert made.how.startswith("The outcomes of bayes and tree, exchanged")
    assert calibrate(STUDY.scores(stored), replications=50, procedures=["corrected-t"]).rows == made.rows
    with pytest.raises(MisfitError, match="none are stored yet"):
        calibrate(STUDY, ["bayes", "tree"])


def test_what_is_asked_reaches_the_experiments(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[Any] = []

    def told(study: Any, asked: Any, **options: Any) -> Any:
        seen.append((study, asked, options))
        raise KeyboardInterrupt

    monkeypatch.setattr(choosing, "experiments_for", told)
    path = tmp_path / "mine.toml"
    path.write_text(
        '[[task]]\ndata = "iris"\n[[learner]]\nname = "tree"\npath = "sklearn.tree.ExtraTreeClassifier"\n'
        '[resampling]\nscheme = "5x2"\n'
    )
    for what in (STUDY, path, str(path)):
        with pytest.raises(KeyboardInterrupt):
            calibrate(what, "tree", task="iris", null="copies", delta=0.1, seed=4, alpha=0.1, n_jobs=2)
    for study, asked, options in seen:
        assert study.learners[-1].name == "tree"
        assert asked == choosing.CalibrationRequest(("tree",), "iris", None, "copies", 200, 4, 0.1, 0.1)
        assert (options["workers"], options["progress"]) == (2, False)
    assert [one[2]["results"].name for one in seen] == ["study.sqlite", "mine.sqlite", "mine.sqlite"]
    assert seen[1][2]["store"] == tmp_path / "mine.calibration.sqlite"
    assert not seen[0][2]["results"].parent.exists(), "nothing is kept without a store"


@pytest.mark.parametrize(
    ("what", "said", "message"),
    [
        ("vc:10", {}, "There is no design 'vc:10'"),
        ("cv:10", {"learners": "tree"}, r"learners = \('tree',\) does not go with a design by name"),
        ("cv:10", {"null": "copies"}, "does not go with a design by name"),
        ("cv:10", {"procedures": "kfolt-t"}, "Did you mean 'kfold-t'"),
        ("cv:10", {"alpha": 1.5}, "strictly between 0 and 1"),
        ("cv:10", {"replications": 5}, "at least 20"),
        ("cv:10", {"n_jobs": 0}, "must be positive"),
        (STUDY, {"n": 50}, "n = 50 does not go with a study"),
        (STUDY, {}, "Name a learner, or two"),
    ],
)
def test_a_mistake_is_a_sentence(what: Any, said: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        calibrate(what, **said)


def test_scores_take_no_store() -> None:
    scores = bakeoff.read_scores(pd.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.1]}), rows="folds", measure="error")
    for said in ({"store": "x.sqlite"}, {"task": "iris"}, {"null": "copies"}):
        with pytest.raises(UsageError, match="does not go with scores"):
            calibrate(scores, **said)


# ----------------------------------------------------------------------------------------------------------------------
# Which experiments answer the question on a study.


LEARNERS = [
    Learner("bayes", steps=(Step("sklearn.naive_bayes.GaussianNB"),), prepare="none"),
    Learner("knn", steps=(Step("sklearn.neighbors.KNeighborsClassifier"),), prepare="none"),
    Learner("tree", steps=(Step("sklearn.tree.ExtraTreeClassifier"),), prepare="none"),
]
STUDY_CHOOSING = Study(tasks=["iris", "wine"], learners=LEARNERS, resampling=4, measures=["error", "log_loss"])
DRAWN = Study(tasks=[simulated("twonorm", n=30)], learners=LEARNERS, resampling=4)


@pytest.fixture(scope="module")
def stored_choosing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scores of the study, run once for all tests."""
    path = tmp_path_factory.mktemp("study") / "study.sqlite"
    STUDY_CHOOSING.run(store=path)
    return path


def ask(results: Path, *learners: str, study: Study = STUDY_CHOOSING, **more: object) -> Experiments:
    asked = CalibrationRequest(learners, replications=50, **more)  # type: ignore[arg-type]
    return experiments_for(study, asked, results=results, store=results.with_suffix(".calibration.sqlite"))


def test_outcomes_of_two_learners_are_exchanged_on_a_task(stored_choosing: Path) -> None:
    made = ask(stored_choosing, "bayes", "tree", task="wine")
    assert made.null.shape == (50, 4, 2)
    assert made.scores.tasks == ("wine",)
    assert made.scores.learners == ("bayes", "tree")
    assert made.breaks_dependence


def test_without_a_task_whole_tasks_are_exchanged(stored_choosing: Path) -> None:
    made = ask(stored_choosing, "bayes", "tree", measure="log_loss")
    assert made.null.shape == (50, 2, 2)
    assert made.notes == ("Whole tasks are exchanged.",)
    assert not made.breaks_dependence


def test_a_learner_without_chance_is_exchanged_with_another_one(
    stored_choosing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never_differs(plan: RefitPlan, store: Path, **options: object) -> Experiments:
        raise SameEveryTimeError(f"{plan.learners[0].name} gives the same error")

    monkeypatch.setattr(choosing, "refitted", never_differs)
    made = ask(stored_choosing, "knn", task="iris")
    assert made.scores.learners == ("knn", "bayes")
    assert "two copies of it never differ" in made.notes[0]
    with pytest.raises(SameEveryTimeError):
        ask(stored_choosing.with_name("nothing.sqlite"), "knn", task="iris")


@pytest.mark.parametrize(
    ("study", "learners", "task"),
    [(STUDY_CHOOSING, ("tree",), "iris"), (DRAWN, ("tree",), None), (DRAWN, ("tree", "knn"), None)],
)
def test_copies_and_fresh_samples_are_carried_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, study: Study, learners: tuple[str, ...], task: str | None
) -> None:
    asked: list[tuple[RefitPlan, Path, dict[str, object]]] = []
    answer = Experiments(None, np.zeros((1, 1, 2)), np.zeros((1, 1, 2)), 1.0, "", "")  # type: ignore[arg-type]

    def carried_out(plan: RefitPlan, store: Path, **options: object) -> Experiments:
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


def test_what_is_not_stored_cannot_be_exchanged(stored_choosing: Path, tmp_path: Path) -> None:
    with pytest.raises(MisfitError, match="none are stored yet"):
        ask(tmp_path / "s.sqlite", "tree", "knn")
    with pytest.raises(MisfitError, match="the file was changed since"):
        ask(stored_choosing, "tree", "knn", study=replace(STUDY_CHOOSING, seed=5))
