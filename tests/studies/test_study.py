"""Study: what it takes, what it refuses, and what its hash depends on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.learners.learner import Learner, Step
from bakeoff.resampling.schemes import resampling_from
from bakeoff.running.limits import Limits
from bakeoff.studies.analysis import Analysis
from bakeoff.studies.file import read_study
from bakeoff.studies.study import Study, as_learner
from bakeoff.tasks.task import as_task

TREE = "sklearn.tree.DecisionTreeClassifier"


class Estimator:
    """As much of an estimator as a description needs."""

    def __init__(self, depth: int = 1) -> None:
        self.depth = depth

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"depth": self.depth}

    def fit(self, X: Any, y: Any) -> Estimator:
        raise AssertionError("a study that is only made fits nothing")


def load_pairs() -> tuple[list[list[float]], list[str]]:
    raise AssertionError("a study that is only made loads nothing")


def names(things: Any) -> list[str]:
    return [thing.name for thing in things]


def test_tasks_in_every_form(tmp_path: Path) -> None:
    pair = (np.arange(6.0).reshape(3, 2), ["a", "b", "a"])
    assert names(Study("iris", TREE).tasks) == ["iris"]
    assert names(Study(["iris", tmp_path / "mine.csv", load_pairs], TREE).tasks) == ["iris", "mine", "pairs"]
    assert names(Study({"toy": pair, "flowers": "iris"}, TREE).tasks) == ["toy", "flowers"]
    assert names(Study(as_task("toy", pair), TREE).tasks) == ["toy"]
    assert names(Study((as_task(f"toy {i}", pair) for i in range(2)), TREE).tasks) == ["toy 0", "toy 1"]


def test_learners_in_every_form() -> None:
    learner = Learner("mine", steps=(Step(TREE),))
    assert names(Study("iris", TREE).learners) == ["DecisionTreeClassifier"]
    assert names(Study("iris", Estimator()).learners) == ["Estimator"]
    assert names(Study("iris", [learner, Estimator()]).learners) == ["mine", "Estimator"]
    given = Study(
        "iris", {"a": TREE, "b": Estimator(), "c": ["perl", "x.pl", "{train}", "{test}", "{output}"]}
    ).learners
    assert names(given) == ["a", "b", "c"]
    assert given[2].command[0] == "perl"


def test_a_learner_in_a_mapping_goes_by_the_name_that_the_mapping_gives() -> None:
    assert as_learner("yours", Learner("mine", steps=(Step(TREE),))).name == "yours"


def test_measures_in_every_form() -> None:
    assert Study("iris", TREE, measures="auc").measure_names == ("auc",)
    assert Study("iris", TREE, measures=["auc", {"name": "cost", "loss_matrix": [[0, 1], [5, 0]]}]).measure_names == (
        "auc",
        "cost",
    )
    assert Study("iris", TREE, measures={"name": "cost", "loss_matrix": [[0, 1], [5, 0]]}).measure_names == ("cost",)
    assert Study("iris", TREE, measures={"mine": {"loss": "log_loss", "functional": "median"}}).measure_names == (
        "mine",
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tasks": []}, "at least one task"),
        ({"tasks": 3}, "Tasks are a list of names"),
        ({"tasks": [(np.eye(2), [0, 1])]}, "Give it a name"),
        ({"tasks": ["iris", "iris"]}, "There are 2 tasks named 'iris'"),
        ({"tasks": "irris"}, "Did you mean 'iris'"),
        ({"tasks": {" ": "iris"}}, "name"),
        ({"learners": {}}, "at least one learner"),
        ({"learners": 3}, "Learners are estimators by name"),
        ({"learners": {"x": Estimator}}, r"pass an object: Estimator\(\)"),
        ({"learners": {"x": 3.5}}, "must be a scikit-learn estimator"),
        ({"learners": {"x": []}}, "must be a scikit-learn estimator"),
        ({"learners": [TREE, TREE]}, "2 learners named 'DecisionTreeClassifier'"),
        ({"learners": {" ": TREE}}, "empty name"),
        ({"resampling": {"scheme": "cvv"}}, "no resampling scheme 'cvv'"),
        ({"resampling": "cvv"}, "no resampling scheme 'cvv'"),
        ({"resampling": 5.5}, "The resampling is the name of a scheme"),
        ({"resampling": StratifiedKFold(4)}, "say how instead of passing a splitter"),
        ({"resampling": 1}, "folds"),
        ({"measures": []}, "at least one measure"),
        ({"measures": ["auc", "auc"]}, "named twice"),
        ({"measures": "aucc"}, "Did you mean 'auc'"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": True}, "seed must be a whole number"),
        ({"seed": 1.0}, "seed must be a whole number"),
        ({"alpha": 0}, "strictly between 0 and 1"),
        ({"alpha": "x"}, "strictly between 0 and 1"),
        ({"margin": 0}, "positive difference"),
        ({"margin": "x"}, "positive difference"),
        ({"margin": float("inf")}, "positive difference"),
        ({"analyses": (Analysis("auc"),)}, "'auc', which is not among the measures"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Study(**{"tasks": "iris", "learners": TREE, **given})


def test_a_scheme_may_be_given_by_its_name() -> None:
    assert Study("iris", TREE, resampling="5x2").resampling.describe()["scheme"] == "5x2"
    assert Study("iris", TREE, resampling=7).resampling.describe()["folds"] == 7
    assert Study("iris", TREE, resampling=resampling_from({"scheme": "loo"})).resampling.describe()["scheme"] == (
        "leave-one-out"
    )


BASE = """\
question = "Which?"
seed = 1
measures = ["error"]
[[task]]
data = "iris"
[[learner]]
name = "tree"
path = "sklearn.tree.DecisionTreeClassifier"
parameters = { max_depth = 3, min_samples_leaf = 2 }
[resampling]
scheme = "cross-validation"
folds = 5
[[analysis]]
measure = "error"
"""


def key(folder: Path, text: str, name: str = "study.toml") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_study(path).key


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seed = 1", "seed   =  1  # a comment"),
        ("{ max_depth = 3, min_samples_leaf = 2 }", "{ min_samples_leaf = 2, max_depth = 3 }"),
        ('"cross-validation"', '"cv"'),
        ("folds = 5", "folds = 5\nrepeats = 1"),
        ("[[analysis]]", '[limits]\ntime_limit = "3 s"\nthreads = 2\n[[analysis]]'),
        ("seed = 1", "seed = 1\nalpha = 0.05"),
    ],
)
def test_the_hash_does_not_depend_on(tmp_path: Path, old: str, new: str) -> None:
    assert old in BASE
    assert key(tmp_path, BASE) == key(tmp_path, BASE.replace(old, new), "another-name.toml")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"Which?"', '"Which, really?"'),
        ("seed = 1", "seed = 2"),
        ("seed = 1", "seed = 1\nalpha = 0.1"),
        ("seed = 1", "seed = 1\nmargin = 0.1"),
        ("max_depth = 3", "max_depth = 4"),
        ('name = "tree"', 'name = "Baum"'),
        ('data = "iris"', 'data = "wine"'),
        ('data = "iris"', 'data = "iris"\nname = "flowers"'),
        ('data = "iris"', 'data = "iris"\ndrop = ["Petal.Width"]'),
        ('["error"]', '["error", "auc"]'),
        ("folds = 5", "folds = 6"),
        ('[[analysis]]\nmeasure = "error"', '[[analysis]]\nmeasure = "error"\nadjust = "holm"'),
    ],
)
def test_the_hash_depends_on(tmp_path: Path, old: str, new: str) -> None:
    assert old in BASE
    assert key(tmp_path, BASE) != key(tmp_path, BASE.replace(old, new))


def test_files_may_move(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    moved = BASE.replace('data = "iris"', 'name = "mine"\nfile = "mine.csv"\ntarget = "class"')
    assert key(tmp_path, moved) == key(tmp_path / "there", moved.replace("mine.csv", "../elsewhere.csv"))


def test_the_same_study_in_python_and_in_a_file(tmp_path: Path) -> None:
    made = Study(
        "iris",
        {"tree": Learner("tree", steps=(Step(TREE, {"max_depth": 3, "min_samples_leaf": 2}),))},
        resampling={"scheme": "cv", "folds": 5},
        question="Which?",
        limits=Limits(time_limit=3.0),
    )
    assert made.key == key(tmp_path, BASE)


def test_an_object_is_known_by_its_parameters() -> None:
    assert Study("iris", Estimator(1)).key == Study("iris", Estimator(1)).key
    assert Study("iris", Estimator(1)).key != Study("iris", Estimator(2)).key


def test_a_study_cannot_be_changed() -> None:
    study = Study("iris", TREE)
    with pytest.raises(AttributeError):
        study.seed = 2  # type: ignore[misc]


def test_scores_of_a_store_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BakeoffError, match="There is no store here"):
        Study("iris", TREE).scores(tmp_path / "nowhere.sqlite")


def test_scores_of_a_study_that_the_store_does_not_know(finished_study: Path) -> None:
    with pytest.raises(BakeoffError, match=r"small\.sqlite"):
        Study("iris", TREE).scores(finished_study.with_suffix(".sqlite"))


def test_measures_thought_of_later_need_no_rerun(finished_study: Path) -> None:
    scores = read_study(finished_study).scores(finished_study.with_suffix(".sqlite"), ["auc", "error"])
    assert scores.measure.labels == ("auc", "error")
    assert len(scores) == 12
    assert scores.only(measure="auc", learners=["bayes"]).value.min() > 0.9
