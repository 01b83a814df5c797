from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

from bakeoff.errors import UsageError
from bakeoff.keys import seed_of
from bakeoff.learners.code import OPEN, SourceFacts, written
from bakeoff.learners.commands import CommandLearner
from bakeoff.learners.learner import DataInfo, Learner, Step, Tuning
from bakeoff.learners.make import described, differences, make, maker, resolve

NUMBERS = DataInfo("t", "classification", 60, ("a", "b"), classes=("x", "y"))
GAPS = DataInfo("t", "classification", 60, ("a", "b"), missing=("a",), classes=("x", "y"))
REGRESSION = DataInfo("t", "regression", 60, ("a", "b"))
DENSITY = DataInfo("t", "density", 60, ("a", "b"))


def of(path: str, tuning: Tuning | None = None, prepare: str = "auto", **parameters: Any) -> Learner:
    return Learner("svm", steps=(Step(path, parameters),), tuning=tuning, prepare=prepare)


def complaint(learner: Learner, facts: DataInfo = NUMBERS) -> str:
    with pytest.raises(UsageError) as caught:
        maker(learner, facts)
    assert "learner 'svm'" in str(caught.value)
    return str(caught.value)


class Greedy(ClassifierMixin, BaseEstimator):
    """An estimator from elsewhere, whose None may mean all cores."""

    def __init__(self, inner: Any = None, n_jobs: int | None = None, random_state: int | None = None) -> None:
        self.inner, self.n_jobs, self.random_state = inner, n_jobs, random_state

    def fit(self, X: Any, y: Any) -> Greedy:
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X))


def test_a_path_with_parameters() -> None:
    made = make(of("sklearn.svm.SVC", C=3, kernel="linear"), NUMBERS, 1)
    assert isinstance(made, SVC)
    assert (made.C, made.kernel) == (3, "linear")


def test_each_cell_gets_its_own() -> None:
    fresh = maker(of("sklearn.svm.SVC"), NUMBERS)
    assert fresh(1) is not fresh(1)
    forest = RandomForestClassifier(class_weight={"x": 1})
    fresh = maker(Learner("svm", estimator=forest), NUMBERS)
    made = fresh(1)
    assert made is not forest
    assert made.class_weight is not forest.class_weight
    assert forest.random_state is None


def test_steps_are_a_pipeline_named_as_scikit_learn_would() -> None:
    learner = Learner("svm", steps=(Step("sklearn.decomposition.PCA", {"n_components": 1}), Step("sklearn.svm.SVC")))
    made = make(learner, NUMBERS, 1)
    assert [name for name, _ in made.steps] == ["pca", "svc"]
    assert made.steps[0][1].n_components == 1


def test_preparation_stands_before_all() -> None:
    learner = Learner("svm", steps=(Step("sklearn.decomposition.PCA"), Step("sklearn.svm.SVC")), prepare="standard")
    made = make(learner, GAPS, 1)
    assert [name for name, _ in made.steps] == ["prepare", "learner"]
    X = np.random.default_rng(1).normal(size=(60, 2))
    X[3, 0] = np.nan
    assert len(made.fit(X, np.repeat(["x", "y"], 30)).predict(X)) == 60


def test_a_random_state_of_none_gets_the_seed() -> None:
    assert make(of("sklearn.tree.DecisionTreeClassifier"), NUMBERS, 77).random_state == 77
    assert make(of("sklearn.tree.DecisionTreeClassifier", random_state="None"), NUMBERS, 77).random_state == 77
    assert make(Learner("svm", estimator=DecisionTreeClassifier()), NUMBERS, 77).random_state == 77


@pytest.mark.parametrize("given", [0, 5])
def test_a_random_state_that_is_given_is_respected(given: int) -> None:
    assert make(of("sklearn.tree.DecisionTreeClassifier", random_state=given), NUMBERS, 77).random_state == given
    nested = BaggingClassifier(DecisionTreeClassifier(random_state=given))
    made = make(Learner("svm", estimator=nested), NUMBERS, 77)
    assert (made.estimator.random_state, made.random_state) == (given, 77)


def test_random_states_at_any_depth() -> None:
    deep = make_pipeline(PCA(), AdaBoostClassifier(DecisionTreeClassifier()))
    seen = make(Learner("svm", estimator=deep), NUMBERS, 77).get_params()
    names = [name for name in seen if name.endswith("random_state")]
    assert len(names) == 3
    assert {seen[name] for name in names} == {seed_of("77", name) for name in names}
    assert not any(value for name, value in deep.get_params().items() if name.endswith("random_state"))


def test_the_seed_does_not_depend_on_what_stands_around() -> None:
    made = make(of("sklearn.tree.DecisionTreeClassifier", Tuning({"max_depth": (1, 2)})), GAPS, 77)
    assert made.estimator.named_steps["learner"].random_state == 77


def test_n_jobs_is_one_where_nothing_is_said() -> None:
    made = make(Learner("svm", estimator=Greedy(inner=LogisticRegression())), NUMBERS, 1)
    assert (made.n_jobs, made.inner.n_jobs) == (1, None)  # scikit-learn's None is one, and it warns when told so
    assert make(Learner("svm", estimator=Greedy(n_jobs=2)), NUMBERS, 1).n_jobs == 2
    assert make(Learner("svm", estimator=Greedy()), NUMBERS, 1).n_jobs == 1


def test_settings_of_an_object_that_are_no_parameters_are_kept() -> None:
    alone = StandardScaler().set_output(transform="pandas")
    alone.predict = None  # type: ignore[attr-defined]  # so that it passes for a learner
    assert make(Learner("svm", estimator=alone), NUMBERS, 1)._sklearn_output_config == {"transform": "pandas"}
    scaled = StandardScaler().set_output(transform="pandas")
    made = make(Learner("svm", estimator=make_pipeline(scaled, SVC())), NUMBERS, 1)
    assert made.steps[0][1]._sklearn_output_config == {"transform": "pandas"}


def test_estimators_among_the_parameters() -> None:
    stump = {"path": "sklearn.tree.DecisionTreeClassifier", "parameters": {"max_depth": 1}}
    made = make(of("sklearn.ensemble.AdaBoostClassifier", estimator=stump), NUMBERS, 1)
    assert made.estimator.max_depth == 1
    assert make(of("sklearn.ensemble.AdaBoostClassifier", estimator=stump), NUMBERS, 1).estimator is not made.estimator
    voters = [["a", {"path": "sklearn.svm.SVC"}], ["b", stump]]
    made = make(of("sklearn.ensemble.VotingClassifier", estimators=voters), NUMBERS, 1)
    assert isinstance(made, VotingClassifier)
    X = np.random.default_rng(1).normal(size=(20, 2))
    assert len(made.fit(X, np.repeat(["x", "y"], 10)).predict(X)) == 20


def test_a_list_becomes_a_tuple_where_the_default_is_one() -> None:
    scaled = Learner(
        "svm", steps=(Step("sklearn.preprocessing.MinMaxScaler", {"feature_range": [0, 2]}), Step("sklearn.svm.SVC"))
    )
    scaler = described(scaled).steps[0][1]
    assert isinstance(scaler, MinMaxScaler)
    assert scaler.feature_range == (0, 2)


def test_a_function_may_make_the_estimator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model_factory_module.py").write_text(
        "from sklearn.svm import SVC\ndef make(C=1):\n    return SVC(C=C)\ndef number():\n    return 3\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert make(of("model_factory_module.make", C=4), NUMBERS, 1).C == 4
    assert "no parameter 'c'" in complaint(of("model_factory_module.make", c=4))
    assert "is no estimator" in complaint(of("model_factory_module.number"))


def test_unknown_parameters() -> None:
    message = complaint(of("sklearn.svm.SVC", kernal="rbf"))
    assert "sklearn.svm.SVC has no parameter 'kernal'. Did you mean 'kernel'?" in message
    nested = of("sklearn.ensemble.AdaBoostClassifier", estimator={"path": "sklearn.svm.SVC", "parameters": {"c": 1}})
    assert "sklearn.svm.SVC has no parameter 'c'" in complaint(nested)


@pytest.mark.parametrize(
    ("learner", "says"),
    [
        (of("collections.OrderedDict"), "is no estimator: OrderedDict has no fit"),
        (of("sklearn.metrics.accuracy_score"), "could not be made: TypeError"),
        (Learner("svm", estimator=SVC), "an estimator is expected: SVC()"),
        (Learner("svm", estimator="SVC"), "str has no fit"),
        (Learner("svm"), "neither path, pipeline, estimator nor command"),
        (Learner("svm", steps=(Step("sklearn.svm.SVC"), Step("sklearn.svm.SVC"))), "has no transform"),
        (of("sklearn.linear_model.Ridge"), "Ridge is not made for classification, and 't' is a classification task"),
        (of("sklearn.preprocessing.StandardScaler"), "StandardScaler cannot predict"),
    ],
)
def test_what_is_no_learner_for_this(learner: Learner, says: str) -> None:
    assert says in complaint(learner)


def test_a_classifier_is_not_made_for_regression() -> None:
    assert "SVC is not made for regression" in complaint(of("sklearn.svm.SVC"), REGRESSION)
    assert "score_samples, which SVC does not have" in complaint(of("sklearn.svm.SVC"), DENSITY)
    assert hasattr(make(of("sklearn.neighbors.KernelDensity"), DENSITY, 1), "score_samples")


@pytest.mark.parametrize(
    ("learner", "names"),
    [
        (of("sklearn.svm.SVC", Tuning({"C": (1, 2)})), ["C"]),
        (of("sklearn.svm.SVC", Tuning({"C": (1, 2)}), prepare="standard"), ["learner__C"]),
        (
            Learner(
                "svm",
                steps=(Step("sklearn.decomposition.PCA"), Step("sklearn.svm.SVC")),
                tuning=Tuning({"C": (1,), "pca__n_components": (1, 2)}),
            ),
            ["svc__C", "pca__n_components"],
        ),
        (
            Learner(
                "svm", estimator=make_pipeline(PCA(), SVC()), tuning=Tuning({"C": (1,), "pca": (PCA(1), "passthrough")})
            ),
            ["svc__C", "pca"],
        ),
        (
            of(
                "sklearn.ensemble.AdaBoostClassifier",
                Tuning({"estimator__max_depth": (1, 2)}),
                estimator={"path": "sklearn.tree.DecisionTreeClassifier"},
            ),
            ["estimator__max_depth"],
        ),
    ],
    ids=["plain", "prepared", "pipeline", "pipeline object", "nested"],
)
def test_grids_are_addressed(learner: Learner, names: list[str]) -> None:
    search = make(learner, NUMBERS, 3)
    assert isinstance(search, GridSearchCV)
    assert list(search.param_grid) == names
    assert set(names) <= set(search.estimator.get_params())


def test_estimators_in_a_grid_are_seeded_and_none_is_none() -> None:
    grid = {"estimator": (DecisionTreeClassifier(),), "max_samples": (1, 2)}
    search = make(Learner("svm", estimator=BaggingClassifier(), tuning=Tuning(grid)), NUMBERS, 3)
    assert search.param_grid["estimator"][0].random_state == 3
    assert grid["estimator"][0].random_state is None
    assert make(
        of("sklearn.tree.DecisionTreeClassifier", Tuning({"max_depth": ("None", 2)})), NUMBERS, 3
    ).param_grid == {"max_depth": [None, 2]}


@pytest.mark.parametrize(
    ("grid", "says"),
    [
        ({"c": (1,)}, "cannot tune 'c': there is no such parameter. Known are: C, "),
        ({"gama": (1,)}, "Did you mean 'gamma'?"),
        ({}, "tune is empty"),
    ],
)
def test_grids_that_cannot_be(grid: dict[str, Any], says: str) -> None:
    assert says in complaint(of("sklearn.svm.SVC", Tuning(grid)))


def test_a_measure_that_does_not_fit_is_found_before_any_fit() -> None:
    assert "cannot tune a classification learner for 'r2'" in complaint(
        of("sklearn.svm.SVC", Tuning({"C": (1,)}, measure="r2"))
    )


def test_a_command_is_made_too() -> None:
    made = make(Learner("svm", command=("perl", "{train}", "{test}", "{output}"), folder="f"), NUMBERS, 9)
    assert isinstance(made, CommandLearner)
    assert (made.seed, made.folder) == (9, "f")


def test_a_pipeline_object_is_cloned() -> None:
    pipeline = make_pipeline(StandardScaler(), SVC())
    made = make(Learner("svm", estimator=pipeline), GAPS, 1)
    assert isinstance(made, Pipeline)
    assert made is not pipeline
    assert made.steps[1][1] is not pipeline.steps[1][1]


# ----------------------------------------------------------------------------------------------------------------------
# Resolved


def test_all_parameters_with_their_defaults() -> None:
    found = resolve(Learner("svm", steps=(Step("sklearn.svm.SVC", {"C": 2}),), tuning=Tuning({"gamma": (1, 2)})))
    expected = {name: value for name, value in SVC(C=2).get_params().items() if name != "C"}
    assert found["learner"]["estimator"].endswith(".SVC")
    assert found["learner"]["parameters"] == {**expected, "C": 2}
    assert found["packages"] == {"sklearn": sklearn.__version__}
    assert found["tuning"]["grid"] == {"gamma": [1, 2]}
    assert json.loads(json.dumps(found)) == found


def test_a_path_and_an_object_resolve_to_the_same() -> None:
    by_path = Learner(
        "a", steps=(Step("sklearn.ensemble.BaggingClassifier", {"estimator": {"path": "sklearn.svm.SVC"}}),)
    )
    assert resolve(by_path) == resolve(Learner("b", estimator=BaggingClassifier(SVC())))


def test_differences_name_their_places() -> None:
    then = {"a": {"b": 1, "gone": 2}, "same": [1]}
    now = {"a": {"b": 3, "new": 4}, "same": [1]}
    assert differences(then, now) == ["a.b was 1 and is 3", "a.gone was 2 and is gone", "a.new is new: 4"]
    assert differences(then, then) == []


# --- as written -------------------------------------------------------------------------------------------------------


def test_what_the_files_of_scikit_learn_say_is_what_its_classes_take() -> None:
    """Of all of them: read and not imported, names and plain defaults; some are left open, and none is accused."""
    unread = []
    for name, kind in all_estimators():
        public = ".".join(kind.__module__.split(".")[:2])
        path = f"{public if hasattr(sys.modules[public], name) else kind.__module__}.{name}"
        definition = written(path, "")
        assert not definition.absent + definition.unknown
        if definition.parameters is None:
            unread.append(path)
            continue
        real = inspect.signature(kind).parameters
        assert list(definition.parameters) == list(real), path
        plain = {key: value for key, value in definition.parameters.items() if value is not OPEN}
        assert plain == {key: real[key].default for key in plain} or path.endswith("SimpleImputer"), path
    assert len(unread) < 10, unread


ODD = """
import sys
from collections import OrderedDict as Ordered
from dataclasses import dataclass
from sklearn.svm import SVC
from sklearn.svm import SVC as Machine
from pkg.other import Elsewhere

if sys.platform == "none":
    class Sometimes:
        def __init__(self, a): ...
else:
    class Sometimes:
        def __init__(self, b): ...

@dataclass
class Data:
    a: int = 1

class Any:
    def __init__(self, **kwargs): ...

class New:
    def __new__(cls, a): ...

class Both(Any, SVC): ...

class Child(SVC):
    pass

class Nothing: ...

class Meta(metaclass=type(SVC)):
    def __init__(self, a): ...

def build(a, *, b=True): ...

made = build
"""


def test_what_is_not_written_plainly_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text(ODD)
    (tmp_path / "pkg" / "other.py").write_text("from . import Elsewhere\n")  # round and round
    (tmp_path / "lazy.py").write_text("def __getattr__(name): ...\n")
    (tmp_path / "star.py").write_text("from os import *\n")
    (tmp_path / "broken.py").write_text("class A(:\n")
    names = [f"pkg.{name}" for name in ("Sometimes", "Data", "Any", "New", "Meta", "made", "Ordered", "Elsewhere")]
    for path in [*names, "lazy.Whatever", "star.Whatever", "broken.A", "pkg.other", "sys.intern"]:
        assert written(path, str(tmp_path)) == SourceFacts(), path
    known = {
        path: list(written(f"pkg.{path}", str(tmp_path)).parameters or ()) for path in ("build", "Child", "Machine")
    }
    svc = list(inspect.signature(SVC).parameters)
    assert known == {"build": ["a", "b"], "Child": svc, "Machine": svc}
    assert written("pkg.Nothing", str(tmp_path)).parameters == {}
    assert written("pkg.Childs", str(tmp_path)).absent == "the module 'pkg' has no 'Childs'. Did you mean 'Child'?"
    assert not (set(sys.modules) & {"pkg", "lazy", "star"})
