"""Factors and designs in studies: levels, addresses, settings as learners, what a plan says, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from bakeoff import Study, as_task, judge_design, read_study
from bakeoff.errors import InputError, UsageError
from bakeoff.learners.learner import Learner, Step
from bakeoff.study.factors import address_in, factor_from

PCA_KNN = Learner(
    "pca-knn",
    steps=(Step("sklearn.decomposition.PCA"), Step("sklearn.neighbors.KNeighborsClassifier", name="near")),
    prepare="standard",
)
GRID = {"pca.n_components": [2, 5], "knn.n_neighbors": [1, 5, 9]}


def study(factors: Any = None, design: Any = "factorial", learners: Any = None, **more: Any) -> Study:
    given = learners if learners is not None else [PCA_KNN]
    return Study(tasks=["iris"], learners=given, factors=factors or GRID, design=design, **more)


@pytest.mark.parametrize(
    ("spec", "levels"),
    [
        ([1, 2, 3], (1, 2, 3)),
        ({"low": 1, "high": 31, "scale": "log", "integer": True}, (1, 6, 31)),
        ({"low": 0, "high": 1, "count": 5}, (0.0, 0.25, 0.5, 0.75, 1.0)),
        ({"low": 0.01, "high": 100, "scale": "log", "count": 5}, (0.01, 0.1, 1.0, 10.0, 100.0)),
        ({"low": 1, "high": 2, "integer": True}, (1, 2)),
        ({"levels": [1, 10, 100], "scale": "log"}, (1, 10, 100)),
        (["rbf", "linear"], ("rbf", "linear")),
    ],
)
def test_levels(spec: Any, levels: tuple[Any, ...]) -> None:
    assert factor_from("x", spec).levels == levels


def test_coding_is_the_inverse_of_decoding() -> None:
    axis = factor_from("C", {"low": 0.01, "high": 100, "scale": "log"}).axis
    for coded in (-1, -0.5, 0, 0.25, 1):
        assert axis.coded(axis.at(coded)) == pytest.approx(coded, abs=1e-5)
    assert axis.at(7) == 100.0  # bounded


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (5, "expected is a list of levels, or a range"),
        ([], "has no level"),
        ([1, 2, 1], "the level 1 twice"),
        ({"low": 1}, "needs levels, or numbers low and high"),
        ({"low": 5, "high": 1}, "from low to high"),
        ({"low": 0, "high": 1, "scale": "log"}, "logarithmic, so that its levels are positive"),
        ({"low": 0, "high": 1, "scale": "cubic"}, "'linear' or 'log'"),
        ({"lo": 0, "high": 1}, "Did you mean 'low'"),
        ({"low": 0, "high": 1, "of": "weather"}, "multiple of 'weather'"),
        ({"low": 0.5, "high": 3, "integer": True}, "must be whole"),
        ({"low": 0, "high": 1, "count": 1}, "whole number from 2 on"),
        ({"levels": ["a", "b"], "scale": "log"}, "are no numbers"),
    ],
)
def test_bad_levels_get_a_sentence(spec: Any, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        factor_from("x", spec)


@pytest.mark.parametrize(
    ("name", "step", "parameter"),
    [
        ("pca.n_components", 0, "n_components"),
        ("PCA.n_components", 0, "n_components"),
        ("pca__n_components", 0, "n_components"),
        ("knn.n_neighbors", 1, "n_neighbors"),
        ("near.n_neighbors", 1, "n_neighbors"),
        ("kneighborsclassifier__n_neighbors", 1, "n_neighbors"),
        ("pca-knn.pca.n_components", 0, "n_components"),
        ("pca-knn.n_neighbors", 1, "n_neighbors"),
        ("n_neighbors", 1, "n_neighbors"),
        ("near", 1, None),
        ("knn.metric_params.p", 1, "metric_params__p"),
    ],
)
def test_addresses(name: str, step: int, parameter: str | None) -> None:
    found = address_in(PCA_KNN, name)
    assert found is not None
    assert (found.step, found.parameter) == (step, parameter)


def test_a_setting_is_a_learner_with_its_parameters() -> None:
    made = study()
    assert len(made.learners) == 6
    first = made.learners[0]
    assert first.name == "pca-knn n_components=2 n_neighbors=1"
    paths = [step.path for step in PCA_KNN.steps]
    steps = (Step(paths[0], {"n_components": 2}), Step(paths[1], {"n_neighbors": 1}))
    plain = Learner("x", steps=steps, prepare="standard")
    assert first.key == plain.key
    assert made.design.settings[first.name] == {"pca.n_components": 2, "knn.n_neighbors": 1}
    assert made.describe()["design"]["settings"][first.name] == {"pca.n_components": 2, "knn.n_neighbors": 1}


def test_objects_are_set_as_paths_are() -> None:
    made = study(learners={"mine": make_pipeline(PCA(), KNeighborsClassifier())})
    assert made.learners[-1].estimator.get_params()["kneighborsclassifier__n_neighbors"] == 9
    assert made.learners[-1].estimator.get_params()["pca__n_components"] == 5
    with pytest.raises(UsageError, match=r"has no parameter 'n_neighbours'. Did you mean 'n_neighbors'"):
        study({"knn.n_neighbours": [1, 2]}, learners={"mine": KNeighborsClassifier()})


def test_the_learner_is_a_factor_where_there_are_several() -> None:
    made = study({"training-size": [0.5, 1.0]}, learners={"knn": KNeighborsClassifier(), "svm": SVC()})
    assert made.design.varied == ("learner", "training-size")
    assert len(made.learners) == 4
    assert made.learners[1].key == Study(tasks=["iris"], learners={"knn": KNeighborsClassifier()}).learners[0].key


def test_a_step_and_its_preparation_are_factors() -> None:
    made = study({"pca": ["sklearn.decomposition.PCA", "none"], "prepare": ["auto", "standard"]})
    assert [len(learner.steps) for learner in made.learners] == [2, 2, 1, 1]
    assert [learner.prepare for learner in made.learners] == ["auto", "standard"] * 2


def test_levels_of_a_statistic_are_found_in_each_learning_sample() -> None:
    made = study(
        {"knn.n_neighbors": {"levels": [0.05, 0.1], "of": "rows"}},
        learners=[Learner("knn", steps=(Step("sklearn.neighbors.KNeighborsClassifier"),))],
        resampling={"scheme": "hold-out", "test_share": 1 / 3},
    )
    plain = Study(
        tasks=["iris"],
        learners={"5": KNeighborsClassifier(5), "10": KNeighborsClassifier(10)},
        resampling={"scheme": "hold-out", "test_share": 1 / 3},
    )
    assert made.run().value.tolist() == plain.run().value.tolist()  # of 100 rows


def test_a_density_by_distances_between_neighbours() -> None:
    rows = np.random.default_rng(1).normal(size=(60, 2))
    made = Study(
        tasks=[as_task("flowers", pd.DataFrame(rows, columns=["x", "y"]), kind="density")],
        learners={"parzen": "sklearn.neighbors.KernelDensity"},
        factors={"bandwidth": {"levels": [0.5, 2, 8], "of": "nearest-neighbour distance"}},
        measures=["log_likelihood"],
        resampling=3,
    )
    scores = made.run()
    assert np.isfinite(scores.value).all()
    assert scores.to_frame()["bandwidth"].tolist()[:3] == [0.5, 2, 8]


def test_studies_without_factors_have_the_keys_that_they_had() -> None:
    plain = Study(tasks=["iris"], learners={"knn": "sklearn.neighbors.KNeighborsClassifier"})
    assert "design" not in plain.describe()
    assert "sample" not in plain.learners[0].describe()


@pytest.mark.parametrize(
    ("factors", "design", "sentence"),
    [
        ({"knn.n_neighbors": [1]}, "factorial", "has one level, 1: nothing is seen"),
        ({"svm.C": [1, 2]}, "factorial", "No learner has the factor 'svm.C'"),
        ({"kmn.n_neighbors": [1, 2]}, "factorial", "Did you mean 'knn'"),
        ({"knn.weights": ["uniform", "distance"]}, "response-surface", "A surface is over numbers, and the levels of"),
        ({"knn.n_neighbors": {"low": 1, "high": 2, "integer": True}}, "response-surface", "fewer than three levels"),
        (GRID, "cubic", "There is no design 'cubic'"),
        (GRID, {"kind": "factorial", "runs": 3}, "takes order and interactions; found 'runs'"),
        (GRID, "screening", "has two levels of each factor; 'knn.n_neighbors' has 3"),
        (GRID, {"kind": "one-at-a-time", "baseline": {"x": 1}}, "names 'x', which is no factor"),
        (GRID, {"kind": "one-at-a-time", "baseline": {"pca.n_components": 3}}, "none of its levels: 2 and 5"),
        (
            GRID,
            {"kind": "one-at-a-time", "interactions": ["pca.n_components × knn.n_neighbors"]},
            "cannot see pca.n_components × knn.n_neighbors: factors are never changed together",
        ),
        ({"training-size": [0.5, -1]}, "learning-curve", "shares of the learning sample"),
        ({"class-noise": [0, 1.5]}, "noise", "shares from 0 up to"),
        ({"learner": ["pca-knn", "tree"]}, "factorial", "the level 'tree'"),
        ({key: {"low": 1, "high": 50, "count": 50} for key in GRID}, "factorial", "2,500 settings"),
    ],
)  # fmt: skip
def test_bad_designs_get_a_sentence(factors: Any, design: Any, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        study(factors, design)


def test_an_aliased_request_is_refused() -> None:
    factors = {f"knn.{name}": [1, 2] for name in ("a", "b", "c", "d")}
    kept = {"kind": "fractional", "runs": 8, "interactions": ["knn.a × knn.b"]}
    with pytest.raises(UsageError, match=r"cannot see knn.a × knn.b: it is aliased with knn.c × knn.d"):
        study(factors, kept)
    assert len(study(factors, {**kept, "runs": 16}).learners) == 16
    with pytest.raises(UsageError, match="The generators name 3 factors, and the study has 4"):
        study(factors, {"kind": "fractional", "generators": "a b ab"})


def test_a_parameter_that_only_some_learners_have_is_refused() -> None:
    """One that has some of the factors is neither part of the design nor beside it."""
    with pytest.raises(UsageError, match=r"is a parameter of pca-knn and not of knn\. A learner of a design has all"):
        study(learners=[PCA_KNN, Learner("knn", steps=(Step("sklearn.neighbors.KNeighborsClassifier"),))])


def test_a_learner_without_any_of_the_factors_is_beside_the_design() -> None:
    svm = Learner("svm", steps=(Step("sklearn.svm.SVC"),))
    made = study(learners=[PCA_KNN, svm])
    assert [learner.name for learner in made.learners][-1] == "svm"
    assert len(made.learners) == 7
    assert "svm" not in made.design.settings
    assert made.design.varied == tuple(GRID)
    assert made.describe()["design"]["references"] == ["svm"]
    assert made.learners[-1].key == svm.key  # so that its cells are those of any other study
    assert "references" not in study().describe()["design"]


FILE = """
[[task]]
data = "iris"
[[learner]]
name = "pca-knn"
pipeline = [{ path = "sklearn.decomposition.PCA" }, { path = "knn", name = "near" }]
[resampling]
scheme = "cross-validation"
folds = 3
"""


def test_a_study_file_has_factors_and_a_design(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(FILE + '[factors]\npca.n_components = [2, 3]\n"near.n_neighbors" = [1, 9]\n')
    made = read_study(path)
    assert made.design.kind == "factorial"
    assert list(made.design.factors) == ["pca.n_components", "near.n_neighbors"]
    text = made.plan().to_text()
    assert "Design: factorial, 4 settings (2 pca.n_components × 2 near.n_neighbors)." in text
    path.write_text(FILE + '[factors]\n"pca.n_components" = [2]\n')
    with pytest.raises(InputError, match=r"study.toml.*has one level"):
        read_study(path)


def test_class_noise_is_for_tasks_with_classes() -> None:
    made = Study(tasks=["mtcars"], learners={"ridge": "sklearn.linear_model.Ridge"}, measures=["rmse"], design="noise")
    with pytest.raises(UsageError, match="class-noise gives rows a wrong class, and this is a regression task"):
        made.plan()


def test_the_example_is_a_study() -> None:
    made = read_study(Path(__file__).parents[2] / "examples" / "response-surface.toml")
    assert made.design.kind == "response-surface"
    assert len(made.design.settings) == 9


def test_a_plan_tells_aliases_and_what_cannot_be_seen() -> None:
    four = {f"knn.{name}": [1, 2] for name in ("leaf_size", "n_neighbors", "p")} | {"pca.n_components": [1, 2]}
    half = study(four, {"kind": "fractional"}).plan()
    assert "Resolution IV; defining relation I = ABCD (A = knn.leaf_size" in half.to_text()
    assert half.to_dict()["design"]["aliases"]["knn.leaf_size × knn.n_neighbors"] == ["knn.p × pca.n_components"]
    assert "[unseen-interaction]" in study(design="one-at-a-time").plan().to_text()
    assert "Main effects only" in study(four, "screening").plan().to_text()
    region = {key: {"low": 1, "high": 4} for key in GRID}
    assert "6 coefficients" in study(region, "response-surface").plan().to_text()


SURFACE = {"low": 1, "high": 9}


@pytest.mark.parametrize(
    ("factors", "design", "sentence"),
    [
        ({"n_neighbors": [1, 9], "knn.n_neighbors": [3, 5]}, None, "are the same parameter of learner 'knn'"),
        ({"knn__p": [1, 2], "knn.p": [1, 2]}, None, "'knn__p' and 'knn.p' are the same parameter"),
        ({"p": [1, float("nan")]}, None, "are finite numbers; found nan"),
        ({"p": {"levels": [1, 50], "low": 2, "high": 20}}, None, "has the level 1, beyond its bound low = 2"),
        ({"p": {"levels": [3, 50], "low": 2, "high": 20}}, None, "has the level 50, beyond its bound high = 20"),
        ({"p": {"levels": ["a", "b"], "low": 2}}, None, "low of 'p' is a number that bounds its levels"),
        ({"n_neighbors": SURFACE, "p": SURFACE}, {"kind": "response-surface", "budget": 4}, "first design alone has 9"),
        ({"n_neighbors": SURFACE, "p": SURFACE}, {"kind": "response-surface", "alpha": 3}, "between 0 and 1; found 3"),
        (
            {"n_neighbors": SURFACE, "p": SURFACE},
            {"kind": "response-surface", "points": "box-behnken"},
            "A Box–Behnken",
        ),
        ({"n_neighbors": [1, 9], "p": [1, 2]}, {"kind": "fractional", "resolution": 2}, "is 3 or more; found 2"),
        (
            {"n_neighbors": [1, 9], "p": [1, 2]},
            {"kind": "one-at-a-time", "interactions": ["n_neighbors × p"]},
            "not looked at. Take a factorial design",
        ),
    ],
)
def test_bad_designs_of_one_learner_are_refused(factors: dict, design: dict | None, sentence: str) -> None:
    with pytest.raises(UsageError, match=re.escape(sentence)):
        Study(tasks=["iris"], learners={"knn": "knn"}, factors=factors, design=design)


def test_levels_within_their_bounds_are_taken() -> None:
    bounded = {"p": {"levels": [3, 5], "low": 2, "high": 20}}
    assert Study(tasks=["iris"], learners={"knn": "knn"}, factors=bounded).design.factors["p"].levels == (3, 5)


def test_a_resolution_that_no_fraction_has_is_told_to_be_the_full_factorial() -> None:
    factors = {"n_neighbors": [1, 9], "p": [1, 2], "leaf_size": [10, 30]}
    made = Study(["iris"], {"knn": "knn"}, factors=factors, design={"kind": "fractional", "resolution": 7}).plan()
    assert "No fraction of 3 factors has resolution VII: this is the full factorial." in made.to_text()


def test_a_parameter_that_no_learner_has_is_told_once_for_all_settings() -> None:
    made = Study(["iris"], {"knn": "knn"}, factors={"n_neighbours": [1, 3, 5, 7]})
    with pytest.raises(UsageError) as refused:
        made.run()
    assert str(refused.value).count("has no parameter 'n_neighbours'") == 1
    assert "learners 'knn n_neighbours=1', 'knn n_neighbours=3' and 2 more:" in str(refused.value)


def test_few_random_settings_have_a_best_one_and_no_surface() -> None:
    region = {"n_neighbors": {"low": 1, "high": 20, "integer": True}, "p": {"low": 1, "high": 5}}
    made = Study(["iris"], {"knn": "knn"}, factors=region, design={"kind": "random", "runs": 4}, resampling=3)
    assert "only the best of them will be told" in " ".join(made.plan().to_text().split())
    found = judge_design(made.run())
    assert found.surface is None
    assert found.best.of == 4
