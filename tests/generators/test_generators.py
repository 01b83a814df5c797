from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bakeoff.errors import UsageError
from bakeoff.generators import BOOTSTRAPS, bootstrap_of, generator_from
from bakeoff.generators.classic import (
    GENERATORS,
    BayesianBootstrap,
    EmpiricalBootstrap,
    Friedman1,
    GaussianClasses,
    LinearModel,
    TwoNorm,
)
from bakeoff.generators.generator import UserFunction


def test_those_of_the_documents_and_the_standard_ones_are_there() -> None:
    wanted = "nested-models rotating-gaussians friedman1 friedman2 friedman3 twonorm threenorm ringnorm waveform"
    assert list(GENERATORS) == wanted.split()


def test_all_of_them_are_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "problems.md").read_text(encoding="utf-8")
    assert [name for name in (*GENERATORS, *BOOTSTRAPS) if f"`{name}`" not in page and f'`"{name}"`' not in page] == []


@pytest.mark.parametrize("what", ["friedman1", "Friedman1", Friedman1()])
def test_by_name_or_object(what: Any) -> None:
    assert generator_from(what) == Friedman1()


def test_words_may_be_joined_by_either_line() -> None:
    assert generator_from("nested_models") == generator_from("nested-models")
    assert generator_from("twonorm", {"d": 5}) == TwoNorm(5)


def my_own(n: int, rng: Any) -> Any:
    return np.zeros((n, 1)), np.zeros(n)


@pytest.mark.parametrize("what", ["my_module.draw", {"path": "my_module.draw"}, my_own])
def test_functions_of_the_user(what: Any) -> None:
    assert isinstance(generator_from(what, {"a": 1}), UserFunction)


@pytest.mark.parametrize(
    ("what", "parameters", "said"),
    [
        ("freidman1", {}, "no generator 'freidman1'. Did you mean 'friedman1'"),
        ("twonorm", {"dd": 3}, "'twonorm' has no parameter 'dd'. Did you mean 'd'"),
        ({"pathh": "a.b"}, {}, "is a name or { path"),
        ({"path": 3}, {}, "path of a generator must be a text; found 3"),
        (7, {}, "by its name or the import path of a function; found 7"),
        (Friedman1(), {"noise": 2}, "made already takes no parameters"),
    ],
)
def test_refusals(what: Any, parameters: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        generator_from(what, parameters)


def test_bootstraps_of_data() -> None:
    X, y = np.arange(12.0).reshape(6, 2) ** 2, np.array([0, 0, 0, 1, 1, 1])
    assert isinstance(bootstrap_of("nonparametric", X, y, "classification"), EmpiricalBootstrap)
    assert isinstance(bootstrap_of("bayesian", X, y, "regression"), BayesianBootstrap)
    assert isinstance(bootstrap_of("parametric", X, y, "classification"), GaussianClasses)
    assert isinstance(bootstrap_of("parametric", X, y, "regression"), LinearModel)


@pytest.mark.parametrize(
    ("how", "X", "kind", "said"),
    [
        ("paramteric", np.eye(3), "regression", "no bootstrap 'paramteric'. Did you mean 'parametric'"),
        ("parametric", pd.DataFrame({"a": ["x", "y", "z"]}), "regression", "names or missing values"),
        ("parametric", np.array([[1.0], [np.nan], [2.0]]), "regression", "names or missing values"),
        ("parametric", np.eye(3), "density", "a density has no response"),
    ],
)
def test_bootstraps_that_cannot_be(how: str, X: Any, kind: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        bootstrap_of(how, X, np.arange(3.0), kind)
