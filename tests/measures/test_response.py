"""What a response refuses, and that it cannot be changed. What holds for all of them is in tests/contracts."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from math import inf, nan

import numpy as np
import pytest
from predicted import two

from bakeoff.errors import DegenerateError
from bakeoff.measures.response import Truth, Undefined, shown
from bakeoff.measures.responses import response_from


def test_a_response_is_frozen_and_its_description_is_a_copy() -> None:
    response = response_from("auc")
    with pytest.raises(FrozenInstanceError):
        response.note = "mine"  # type: ignore[misc]
    response.describe()["name"] = "mine"
    assert response.describe() == {"name": "auc", "measure": "auc"}


def test_equal_descriptions_are_equal_responses() -> None:
    assert response_from("auc") == response_from("auc")
    assert response_from("auc") != response_from("roc_auc")
    matrix = {"name": "cost", "loss_matrix": [[0, 1], [2, 0]]}
    assert response_from(matrix) == response_from(dict(matrix))
    assert response_from(matrix) != response_from({**matrix, "loss_matrix": [[0, 1], [3, 0]]})


def test_undefined_is_of_the_tree_of_errors() -> None:
    assert issubclass(Undefined, DegenerateError)


@pytest.mark.parametrize(("name", "whence"), [("fit_time", "run"), ("jaccard_macro", "fitted estimator")])
def test_what_predictions_cannot_tell(name: str, whence: str) -> None:
    response = response_from(name)
    assert not response.after_the_run
    with pytest.raises(Undefined, match=rf"{name} comes from the {whence} .* name it in the study before it is run\."):
        response.of(*two("01", "01"))


def test_resources_go_by_one_name_whatever_the_user_calls_them() -> None:
    response = response_from("training time")
    assert response.name == "training time"
    assert response.of_resources({"fit_time": 1.5}) == 1.5


@pytest.mark.parametrize("resources", [{}, {"model_size": nan}, {"model_size": inf}])
def test_resources_that_were_not_measured(resources: dict[str, float]) -> None:
    with pytest.raises(Undefined, match="model_size was not measured for this learner"):
        response_from("model_size").of_resources(resources)


def test_labels_are_shown_as_python_writes_them() -> None:
    assert [shown(label) for label in (np.str_("a"), np.int64(3), "b", 2.5)] == ["'a'", "3", "'b'", "2.5"]


# ----------------------------------------------------------------------------------------------------------------------
# Prediction


def test_rows_of_the_truth_keep_kind_and_classes() -> None:
    truth = Truth("classification", np.array([0, 1, 1]), ("no", "yes"))
    part = truth.rows(np.array([2, 0]))
    assert (part.kind, part.values.tolist(), part.classes) == ("classification", [1, 0], ("no", "yes"))
