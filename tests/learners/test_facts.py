from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from bakeoff.learners.facts import Facts, facts_of
from bakeoff.tasks.dataset import Dataset, Kind


def dataset(X: object, features: tuple[str, ...], n_missing: int, categorical: tuple[str, ...] = ()) -> Dataset:
    return Dataset(
        name="t",
        kind=Kind.REGRESSION,
        X=X,  # type: ignore[arg-type]
        y=np.arange(3.0),
        classes=(),
        codes=None,
        features=features,
        categorical=categorical,
        n_missing=n_missing,
        key="k",
    )


def test_facts_of_an_array() -> None:
    facts = facts_of(dataset(np.array([[1, np.nan], [2, 3], [4, 5]]), ("a", "b"), 1))
    assert facts == Facts("t", "regression", 3, ("a", "b"), missing=("b",))
    assert facts.missing_numbers == ("b",)
    assert facts.numeric == ("a", "b")


def test_facts_of_a_frame() -> None:
    frame = pd.DataFrame({"sex": ["f", None, "m"], "age": [1.0, np.nan, 3.0], "size": [1.0, 2.0, 3.0]})
    facts = facts_of(dataset(frame, ("sex", "age", "size"), 2, ("sex",)))
    assert facts.frame
    assert facts.missing == ("sex", "age")
    assert facts.missing_numbers == ("age",)
    assert facts.numeric == ("age", "size")


def test_the_target_is_never_taken_for_an_input() -> None:
    assert facts_of(dataset(np.zeros((3, 2)), ("target", "target_"), 0)).target == "target__"
    assert facts_of(dataset(np.zeros((3, 1)), ("a",), 0)).target == "target"
    assert facts_of(replace(dataset(np.zeros((3, 1)), ("a",), 0), target="class")).target == "class"


def test_the_kind_is_a_text_that_compares_and_prints_as_one() -> None:
    assert facts_of(dataset(np.zeros((3, 1)), ("a",), 0)).kind == "regression"
